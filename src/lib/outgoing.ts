import { isLoopbackName, isPublicAddress, parseIpAddress } from "./ip-address.ts";

/** The time limit of all requests to another service for one operation, in milliseconds. */
export const TIME_LIMIT = 10_000;

export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

export interface FetchedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** The platform's `fetch`. The composition root provides it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchedAnswer>;

/** Resolves a host to its addresses, or to none if that fails. The composition root provides it. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export interface Outgoing {
  readonly fetch: Fetch;
  readonly lookup: Lookup;
  /** In milliseconds, see `TIME_LIMIT`. */
  readonly timeLimit: number;
}

export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** Parses the literal address in a URL's host. Returns undefined for a name. */
function literalAddress(hostname: string): Uint8Array | undefined {
  return parseIpAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

/** Returns true if a URL's host is a private address or a loopback name. Does not resolve names. */
export function isPlainlyPrivate(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === undefined ? isLoopbackName(hostname) : !isPublicAddress(literal);
}

/**
 * Returns true if every address of a host is public. An attacker could otherwise make us send requests into our
 * network. Does not prevent a later change of DNS, but the server must then have a certificate for the name. Returns
 * true for a host without addresses, to which the request fails. Rejects with the signal's reason if it aborts first.
 */
export async function isPublicHost(
  hostname: string,
  { lookup, signal }: { readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<boolean> {
  const literal = literalAddress(hostname);
  const addresses = literal === undefined ? await lookUp(hostname, { lookup, signal }) : [literal];
  return addresses.every((address) => address !== undefined && isPublicAddress(address));
}

async function lookUp(
  hostname: string,
  { lookup, signal }: { readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<(Uint8Array | undefined)[]> {
  signal.throwIfAborted();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason);
  signal.addEventListener("abort", end);
  try {
    return (await Promise.race([lookup(hostname), tooLate])).map(parseIpAddress);
  } finally {
    signal.removeEventListener("abort", end);
  }
}
