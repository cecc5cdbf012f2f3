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

/** Pieces that a body may come in whatever their size: writers that send each token of a JSON text are common. */
const FREE_PIECES = 256;

/** Bytes that each further piece must bring on the average. */
const LEAST_MEAN = 128;

/**
 * Whether a body comes in so many small pieces that taking them in costs far more than what they bring: each chunk of
 * HTTP (RFC 9112 section 7.1) is a turn of the event loop, and a chunk can be one byte.
 */
export function isTooFine(pieces: number, bytes: number): boolean {
  return (pieces - FREE_PIECES) * LEAST_MEAN > bytes;
}
