import {
  type AllowedHosts,
  BodyTooLargeError,
  type FetchedResponse,
  type Outgoing,
  PrivateHostError,
  readBody,
  resolveHost,
  sendTo,
} from "../lib/outgoing.ts";
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
  if (error instanceof BodyTooLargeError) return new IdentityError("too_large");
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
  response: FetchedResponse,
  signal: AbortSignal,
  statuses: readonly number[],
): Promise<Uint8Array> {
  try {
    check(statuses.includes(response.status), "answer_status");
    check(JSON_TYPE.test(response.headers.get("content-type") ?? ""), "answer_type");
  } catch (error) {
    await response.body?.cancel();
    throw error;
  }
  return await readBody(response, { limit: SIZE_LIMIT, signal });
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new IdentityError("answer_json");
  }
}
