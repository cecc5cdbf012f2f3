/** A request body that its sender delays. */
export interface HeldBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves once the body is read. */
  readonly read: Promise<void>;
  readonly release: () => void;
}

/** Creates a body that is not sent until it is released. */
export function holdBody(text: string): HeldBody {
  const released = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      read.resolve();
      await released.promise;
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  }, { highWaterMark: 0 });
  return { stream, read: read.promise, release: released.resolve };
}
