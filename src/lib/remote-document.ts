import {
  type AllowedHosts,
  BodyTooLargeError,
  type FetchedResponse,
  type Outgoing,
  readBody,
  sendTo,
} from "./outgoing.ts";
import { DAY, type Instant, MINUTE, SECOND } from "./time.ts";

/** The time limit of a request, in milliseconds. */
const TIME_LIMIT = 5 * SECOND;

/** The bounds of the time for which a document is cached, whatever its headers say. */
const CACHE_BOUNDS = { least: 5 * MINUTE, most: DAY } as const;

/** Maximum number of cached documents. The oldest are evicted first. */
const KEPT = 1000;

const JSON_TYPE = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;

/** A document that cannot be fetched. The message contains nothing of the response. */
export class RemoteDocumentError extends Error {}

export interface RemoteDocument {
  readonly text: string;
  readonly fetchedAt: Instant;
  readonly expiresAt: Instant;
}

/** Returns the milliseconds for which a response may be cached (RFC 9111 section 4.2.1), within the bounds. */
function cacheTime({ headers }: FetchedResponse, now: Instant): number {
  const control = (headers.get("cache-control") ?? "").toLowerCase();
  const maxAge = /(?:^|[\s,])max-age="?(\d{1,10})/.exec(control)?.[1];
  const expires = Date.parse(headers.get("expires") ?? "");
  const isKept = !/(?:^|[\s,])no-(?:store|cache)\b/.test(control);
  const age = Number(/^\d{1,10}$/.exec(headers.get("age") ?? "")?.[0] ?? 0);
  const lifetime = maxAge === undefined ? expires - now : (Number(maxAge) - age) * SECOND;
  const wanted = isKept && Number.isFinite(lifetime) ? lifetime : 0;
  return Math.min(Math.max(wanted, CACHE_BOUNDS.least), CACHE_BOUNDS.most);
}

/** The time of a request, and its trace, to which the requests that it causes belong. */
export interface Cause {
  readonly now: Instant;
  readonly traceparent?: string | undefined;
}

export interface RemoteDocuments {
  /** Returns true if `get` sends no request for this URL now. */
  isCached(url: string, now: Instant): boolean;
  /**
   * Returns the JSON text at a URL, from the cache until it expires, or if it was fetched after `newerThan`. Throws a
   * RemoteDocumentError. Does not parse the text.
   */
  get(url: string, options: Cause & { readonly newerThan?: Instant }): Promise<RemoteDocument>;
  /** Removes a document that the caller found to be wrong, so that a corrected one counts at once. */
  forget(url: string): void;
}

/**
 * Creates a cache of JSON documents of at most `limit` bytes. The host is resolved first, and private ones are refused
 * unless allowed. Follows no redirect. Concurrent calls for a URL share one request, which has the trace of the first.
 * A failure is not cached.
 */
export function createRemoteDocuments(
  { fetch, lookup, timeLimit }: Outgoing,
  { allowed, limit }: { readonly allowed: AllowedHosts; readonly limit: number },
): RemoteDocuments {
  const cached = new Map<string, RemoteDocument>();
  const pending = new Map<string, Promise<RemoteDocument>>();

  async function load(url: string, { now, traceparent }: Cause): Promise<RemoteDocument> {
    const signal = AbortSignal.timeout(Math.min(timeLimit, TIME_LIMIT));
    try {
      const trace = traceparent === undefined ? {} : { traceparent };
      const headers = { accept: "application/json", "user-agent": "holdfast", ...trace };
      const response = await sendTo(url, allowed, { fetch, lookup }, { method: "GET", headers, signal });
      if (response.status !== 200 || !JSON_TYPE.test(response.headers.get("content-type") ?? "")) {
        await response.body?.cancel();
        throw new RemoteDocumentError("The response is not 200 with a JSON media type");
      }
      const bytes = await readBody(response, { limit, signal });
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      return { text, fetchedAt: now, expiresAt: now + cacheTime(response, now) };
    } catch (cause) {
      if (cause instanceof RemoteDocumentError) throw cause;
      if (cause instanceof BodyTooLargeError) throw new RemoteDocumentError(cause.message);
      throw new RemoteDocumentError("The host refuses, is too slow or is not allowed", { cause });
    }
  }

  function isFresh(document: RemoteDocument | undefined, now: Instant): document is RemoteDocument {
    // A document from the future was fetched before the clock was set back.
    return document !== undefined && document.expiresAt > now && document.fetchedAt <= now;
  }

  return {
    isCached: (url, now) => isFresh(cached.get(url), now),
    forget: (url) => void cached.delete(url),
    async get(url, { newerThan, ...cause }) {
      const { now } = cause;
      const known = cached.get(url);
      if (isFresh(known, now) && (newerThan === undefined || known.fetchedAt > newerThan)) return known;
      const request = pending.get(url) ?? load(url, cause).finally(() => pending.delete(url));
      pending.set(url, request);
      const document = await request;
      cached.delete(url);
      if (cached.size >= KEPT) cached.delete(cached.keys().next().value!);
      cached.set(url, document);
      return document;
    },
  };
}
