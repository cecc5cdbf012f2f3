// @ts-check

/** @type {{ readonly content: string, readonly key: string } | undefined} */
let attempt;

/**
 * Runs a job with an idempotency key. The key stays the same for the same content until the job succeeds, so that a
 * retry after a lost response creates nothing twice. A page may create one kind of thing only.
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
