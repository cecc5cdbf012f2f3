/** What the runtime knows of a request besides the request. */
export interface Connection {
  /** The peer's IP address; IPv4 in its own notation, also where it came in over IPv6. */
  readonly clientAddress: string;
}

/** The service. It must not reject. */
export type Handler = (request: Request, connection: Connection) => Promise<Response>;

/** How long a client or a handler may be slow, in seconds. */
export interface ServeLimits {
  /** From the first byte of a connection or request to the end of its header. Bun's is fixed at 10. */
  readonly headerSeconds: number;
  /** Until a request is there with its whole body. Bun has a least rate instead, within `exchangeSeconds`. */
  readonly requestSeconds: number;
  /** Without a byte in either direction while a request is read, handled and answered. */
  readonly exchangeSeconds: number;
  /** Between two requests of a connection: more than the 60 s that reverse proxies keep theirs. */
  readonly keepAliveSeconds: number;
  /** What is in flight when the server stops. */
  readonly stopSeconds: number;
}

export interface ServeOptions {
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly handler: Handler;
  readonly limits?: ServeLimits;
}

export interface Server {
  /** The port it listens on. */
  readonly port: number;
  /** Accepts nothing more, waits for what is in flight, at most `stopSeconds`, and closes every connection. */
  stop(): Promise<void>;
}

export const SERVE_LIMITS: ServeLimits = {
  headerSeconds: 10,
  requestSeconds: 30,
  exchangeSeconds: 15,
  keepAliveSeconds: 75,
  stopSeconds: 10,
};

/**
 * Serves the handler over HTTP/1.1 on the runtime at hand. Guarantees on both: silent and slow clients are closed, a
 * header is at most 16 KiB, a request that two parsers could read in two ways is refused before the handler. Bodies are
 * streamed and have no limit here: the handler counts. Rejects where the port is taken (`code` is `EADDRINUSE`).
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { hostname, port, handler, limits = SERVE_LIMITS } = options;
  // Written out for the bundler of the executable, which follows constant specifiers only.
  if ("Bun" in globalThis) {
    const { serveWithBun } = await import("./serve-bun.ts");
    return serveWithBun(hostname, port, handler, limits);
  }
  const { serveWithNode } = await import("./serve-deno.ts");
  return await serveWithNode(hostname, port, handler, limits);
}
