const streamed = new WeakSet<object>();

/**
 * Marks an answer that is made while it is sent. Any other text is there already, and a server that asks whether it is
 * has to make a stream of it first.
 */
export function asStreamed<T extends object>(answer: T): T {
  streamed.add(answer);
  return answer;
}

/** Whether an answer was marked. */
export function isStreamed(answer: object): boolean {
  return streamed.has(answer);
}
