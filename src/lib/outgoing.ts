import { join } from "./bytes.ts";
import { formatIpAddress, isLoopbackName, isPublicAddress, parseIpAddress } from "./ip-address.ts";

/** The time limit of all requests to another service for one operation, in milliseconds. */
export const TIME_LIMIT = 10_000;

export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** The body, if it is no text. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
  /** The addresses to connect to. TLS and the `Host` header still use the name in the URL. */
  readonly addresses: readonly string[];
}

export interface FetchedResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** Sends a request. Does not resolve the host or follow redirects. The composition root provides it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchedResponse>;

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

/** Returns true for a loopback name, also in its absolute form with a final dot. */
function isLocalName(hostname: string): boolean {
  return isLoopbackName(hostname.replace(/(?<!\.)\.+$/, ""));
}

/** Returns true if a URL's host is a private address or a loopback name. Does not resolve names. */
export function isPlainlyPrivate(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === undefined ? isLocalName(hostname) : !isPublicAddress(literal);
}

/** The service does not connect to the host, because one of its addresses is private. */
export class PrivateHostError extends Error {}

/** The hosts that a request may go to. `any` includes private networks and this machine. */
export type AllowedHosts = "public" | "any";

/**
 * Returns the addresses of a URL's host. Loopback names have this machine's addresses (RFC 6761 section 6.3). Throws
 * `PrivateHostError` if one is not public and `allowed` is `public`: an attacker could otherwise make the service send
 * requests into its own network. Throws an error if the host does not resolve, and the signal's reason if it aborts.
 */
export async function resolveHost(
  hostname: string,
  allowed: AllowedHosts,
  means: { readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const addresses = await addressesOf(hostname, means);
  if (addresses.length === 0) throw new Error("The host does not resolve");
  const isPublic = (address: string): boolean => {
    const parsed = parseIpAddress(address);
    return parsed !== undefined && isPublicAddress(parsed);
  };
  if (allowed === "public" && !addresses.every(isPublic)) throw new PrivateHostError("The host is private");
  return addresses;
}

/** Sends a request to the addresses that `resolveHost` returns. Throws the errors of `resolveHost`. */
export async function sendTo(
  url: string,
  allowed: AllowedHosts,
  { fetch, lookup }: Pick<Outgoing, "fetch" | "lookup">,
  init: Omit<FetchInit, "addresses">,
): Promise<FetchedResponse> {
  const { hostname } = new URL(url);
  const addresses = await resolveHost(hostname, allowed, { lookup, signal: init.signal });
  return await fetch(url, { ...init, addresses });
}

async function addressesOf(
  hostname: string,
  { lookup, signal }: { readonly lookup: Lookup; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const literal = literalAddress(hostname);
  if (literal !== undefined) return [formatIpAddress(literal)];
  if (isLocalName(hostname)) return ["127.0.0.1", "::1"];
  signal.throwIfAborted();
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason);
  signal.addEventListener("abort", end);
  try {
    return await Promise.race([lookup(hostname), tooLate]);
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** A response body with more bytes than the limit. */
export class BodyTooLargeError extends Error {}

/** Returns the body. Throws a BodyTooLargeError above `limit` bytes, and the signal's reason once it aborts. */
export async function readBody(
  { body }: FetchedResponse,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  const reader = body?.getReader();
  const cancel = (): void => void reader?.cancel().catch(() => {});
  // On some platforms the signal does not abort a body that is being read.
  signal.addEventListener("abort", cancel);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true, value: undefined };
      signal.throwIfAborted();
      if (done) return join(chunks);
      size += value.length;
      if (size > limit) throw new BodyTooLargeError(`It has more than ${limit} bytes`);
      chunks.push(value);
    }
  } finally {
    cancel();
    signal.removeEventListener("abort", cancel);
  }
}
