// @ts-check

/** @type {{ readonly content: string, readonly key: string } | undefined} */
let attempt;

/**
 * Runs a job that makes something, with an idempotency key that stays the same for the same content until the job has
 * succeeded: a retry after a lost answer makes nothing twice. For pages that make one kind of thing.
 * @template T
 * @param {string} content
 * @param {(idempotencyKey: string) => Promise<T>} job
 * @returns {Promise<T>}
 */
export async function runIdempotent(content, job) {
  if (attempt?.content !== content) attempt = { content, key: crypto.randomUUID() };
  const result = await job(attempt.key);
  attempt = undefined;
  return result;
}
