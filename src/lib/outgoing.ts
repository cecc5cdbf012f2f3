import { isLoopbackName, isPublicAddress, parseIpAddress } from "./ip-address.ts";

/** How long everything that is asked of another service at a time may take together, in milliseconds. */
export const TIME_LIMIT = 10_000;

/** What another service is asked. */
export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
}

/** What it answers, as far as that is looked at. */
export interface FetchedAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}

/** The platform's `fetch`, handed in by the composition root. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchedAnswer>;

/** The addresses of a host; none where they cannot be found, which whoever asks it will see. Handed in as `Fetch` is. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** How other services are asked. */
export interface Outgoing {
  readonly fetch: Fetch;
  readonly lookup: Lookup;
  /** Milliseconds: see `TIME_LIMIT`. */
  readonly timeLimit: number;
}

/** Whether a host, as URLs spell it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return isLoopbackName(hostname) || hostname === "127.0.0.1" || hostname === "[::1]";
}

/** The address that a host is, as URLs spell it; undefined for a name. */
function literalAddress(hostname: string): Uint8Array | undefined {
  return parseIpAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

/** Whether a host, as URLs spell it, says by itself that nobody else reaches it. Asks nobody what a name stands for. */
export function isPlainlyPrivate(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === undefined ? isLoopbackName(hostname) : !isPublicAddress(literal);
}

/**
 * Whether every address of a host can be reached from anywhere: one that somebody else names could be inside our
 * network, to which he would send us. A name that leads elsewhere a moment later still has to show a certificate of that
 * name. One that has no address passes: whoever asks it sees. Rejects with the signal's reason when that comes first.
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
