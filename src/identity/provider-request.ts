import { join } from "../lib/bytes.ts";
import { type AllowedHosts, type FetchedResponse, type Outgoing, PrivateHostError } from "../lib/outgoing.ts";
import { resolveHost, sendTo } from "../lib/outgoing.ts";
import type { Instant } from "../lib/time.ts";
import { check, IdentityError } from "./error.ts";

/** The maximum response size in bytes, after decompression. */
export const SIZE_LIMIT = 1 << 20;

/** The connections, time and cancellation signal for the requests of one sign-in step. */
export interface ProviderConnection extends Pick<Outgoing, "fetch" | "lookup"> {
  readonly signal: AbortSignal;
  readonly now: Instant;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Returns true for a host that the operator allows to be private. Undefined if there is none. */
  readonly mayBePrivate?: (hostname: string) => boolean;
}

function allowedAt({ mayBePrivate }: ProviderConnection, url: string): AllowedHosts {
  return mayBePrivate?.(new URL(url).hostname) === true ? "any" : "public";
}

/** Converts an error of a request, or of the resolution of its host, to an IdentityError. */
function toIdentityError(error: unknown, { signal }: ProviderConnection): IdentityError {
  if (error instanceof IdentityError) return error;
  if (error instanceof PrivateHostError) return new IdentityError("metadata_host");
  return new IdentityError(signal.aborted ? "too_slow" : "unreachable");
}

/** Throws an IdentityError if a request to the URL would be refused because of its host, or its host is unknown. */
export async function requireAllowedHost(connection: ProviderConnection, url: string): Promise<void> {
  try {
    await resolveHost(new URL(url).hostname, allowedAt(connection, url), connection);
  } catch (error) {
    throw toIdentityError(error, connection);
  }
}

/** Creates a connection that aborts after the time limit. Its requests belong to the given trace, if any. */
export function openProviderConnection(
  { fetch, lookup, timeLimit }: Outgoing,
  { now, traceparent }: { readonly now: Instant; readonly traceparent?: string },
): ProviderConnection {
  const headers = traceparent === undefined ? {} : { traceparent };
  return { fetch, lookup, signal: AbortSignal.timeout(timeLimit), now, headers };
}

/** The options of a request. Only responses with one of `statuses` are read, by default 200. */
export interface JsonRequest {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly statuses?: readonly number[];
}

const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json(?:\s*;|$)/i;

/**
 * Sends a request to a provider and returns the parsed JSON. Does not follow redirects, because they would let an
 * attacker choose the host that the service contacts; a redirect fails as a wrong status. Stops reading at the size
 * limit and when the signal aborts. Connects to public hosts only, unless the connection allows the host. Throws an
 * IdentityError.
 */
export async function fetchJson(
  connection: ProviderConnection,
  url: string,
  request: JsonRequest = {},
): Promise<unknown> {
  const { method = "GET", headers = {}, body, statuses = [200] } = request;
  try {
    const response = await sendTo(url, allowedAt(connection, url), connection, {
      method,
      headers: { accept: "application/json", "user-agent": "holdfast", ...connection.headers, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: connection.signal,
    });
    return parse(await readResponse(response, connection.signal, statuses));
  } catch (error) {
    throw toIdentityError(error, connection);
  }
}

async function readResponse(
  { status, headers, body }: FetchedResponse,
  signal: AbortSignal,
  statuses: readonly number[],
): Promise<Uint8Array> {
  const reader = body?.getReader();
  const cancel = (): void => void reader?.cancel().catch(() => {});
  // On some platforms the signal does not abort a body that is being read.
  signal.addEventListener("abort", cancel);
  try {
    check(statuses.includes(status), "answer_status");
    check(JSON_TYPE.test(headers.get("content-type") ?? ""), "answer_type");
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader?.read() ?? { done: true, value: undefined };
      signal.throwIfAborted();
      if (done) return join(chunks);
      size += value.length;
      check(size <= SIZE_LIMIT, "too_large");
      chunks.push(value);
    }
  } catch (error) {
    cancel();
    throw error;
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new IdentityError("answer_json");
  }
}
