const streamed = new WeakSet<object>();

/** Marks a response generated while it is sent. Any other is complete, and checking that would cost a stream. */
export function asStreamed<T extends object>(response: T): T {
  streamed.add(response);
  return response;
}

export function isStreamed(response: object): boolean {
  return streamed.has(response);
}

/** The number of chunks of any size. Clients that send each token of a JSON text are common. */
const FREE_CHUNKS = 256;

/** The minimum average size of further chunks, in bytes. */
const MIN_MEAN_SIZE = 128;

/** Returns true if a body has so many small HTTP chunks (RFC 9112 section 7.1) that reading it costs too much. */
export function hasTooManySmallChunks(chunks: number, bytes: number): boolean {
  return (chunks - FREE_CHUNKS) * MIN_MEAN_SIZE > bytes;
}
