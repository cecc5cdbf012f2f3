/** What the runtime knows of a request besides the request. */
export interface Connection {
  /** The peer's IP address; IPv4 in its own notation, also where it came in over IPv6. */
  readonly clientAddress: string;
}

/** What of a `Request` is read: not all runtimes make a whole one in no time. */
export type ServedRequest = Pick<Request, "method" | "url" | "headers" | "body" | "signal" | "arrayBuffer">;

/** The service. It must not reject. */
export type Handler = (request: ServedRequest, connection: Connection) => Promise<Response>;

/** Where a server listens. */
export interface Address {
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly isPortShared: boolean;
}

/**
 * How long a client or a handler may be slow, in seconds. Bun looks every four seconds and rounds up, so that what has
 * 15 ends after 12 to 16, and what has less than six may end at once.
 */
export interface ServeLimits {
  /** From the first byte of a connection or request to the end of its header. Bun's is fixed at 10. */
  readonly headerSeconds: number;
  /** Until a request is there with its whole body. Bun has a least rate instead, within `exchangeSeconds`. */
  readonly requestSeconds: number;
  /** Without a byte in either direction while a request is read and handled. */
  readonly exchangeSeconds: number;
  /**
   * Between two requests of a connection: more than the 120 s that Caddy keeps it. And without a byte that is seen to
   * move while an answer goes out.
   */
  readonly keepAliveSeconds: number;
  /** What is in flight when the server stops. */
  readonly stopSeconds: number;
}

export interface Server {
  /** The port it listens on. */
  readonly port: number;
  /** Accepts nothing more, waits for what is in flight, at most `stopSeconds`, and closes every connection. */
  stop(): Promise<void>;
}

/**
 * One notation for each peer: an IPv4 address that came in over IPv6 (`::ffff:192.0.2.1`) as IPv4, no zone, and the
 * unspecified address for a peer that is gone already.
 */
export function normalizeAddress(address: string | undefined): string {
  if (address === undefined) return "0.0.0.0";
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address.replace(/%.*$/, "").toLowerCase();
}
