export interface Connection {
  /** The client's IP address. IPv4 over IPv6 is in IPv4 notation. */
  readonly clientAddress: string;
}

/** The members of `Request` that handlers read. Creating a whole one is slow on some runtimes. */
export type ServedRequest = Pick<Request, "method" | "url" | "headers" | "body" | "signal" | "arrayBuffer">;

/** Handles a request. Must not reject. */
export type Handler = (request: ServedRequest, connection: Connection) => Promise<Response>;

export interface Address {
  readonly hostname: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly isPortShared: boolean;
}

/**
 * Time limits for clients and handlers, in seconds. Bun checks every four seconds and rounds up: 15 means 12 to 16,
 * and less than six may mean at once.
 */
export interface ServeLimits {
  /** From the first byte of a connection or request to the end of its header. Bun's is fixed at 10. */
  readonly headerSeconds: number;
  /** Until the whole request was received. Bun has a minimum rate instead, within `exchangeSeconds`. */
  readonly requestSeconds: number;
  /** Without a byte in either direction while a request is read and handled. */
  readonly exchangeSeconds: number;
  /** Between two requests, or without visible progress of a response. Longer than the 120 s of Caddy. */
  readonly keepAliveSeconds: number;
  /** For pending requests when the server stops. */
  readonly stopSeconds: number;
}

export interface Server {
  readonly port: number;
  /** Stops listening, waits at most `stopSeconds` for pending requests, and closes all connections. */
  stop(): Promise<void>;
}

/** Returns IPv4 for an IPv4-mapped address, no zone, and 0.0.0.0 for a disconnected client. */
export function normalizeAddress(address: string | undefined): string {
  if (address === undefined) return "0.0.0.0";
  if (!address.includes(":")) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address.replace(/%.*$/, "").toLowerCase();
}
