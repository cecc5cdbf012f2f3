/** A request's body that its sender holds back. */
export interface HeldBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Fulfils once somebody reads it. */
  readonly asked: Promise<void>;
  /** Sends all of it. */
  readonly release: () => void;
}

/** Holds a body back until it is released. */
export function holdBody(text: string): HeldBody {
  const released = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      asked.resolve();
      await released.promise;
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  }, { highWaterMark: 0 });
  return { stream, asked: asked.promise, release: released.resolve };
}
