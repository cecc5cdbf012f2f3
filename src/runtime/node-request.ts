import type { IncomingMessage } from "node:http";
import { join } from "../lib/bytes.ts";
import type { ServedRequest } from "./server.ts";

/** Placeholder origin of request URLs. The handler reads only the target. */
const ORIGIN = "http://localhost";
/** Never aborted: a lost connection surfaces as a body read error. */
const NEVER = new AbortController().signal;

/**
 * Returns the header lines as received, so that duplicates stay visible: node's own view drops the second Host. Joins
 * Cookie lines with a semicolon (RFC 9113 section 8.2.3).
 */
function toHeaders(rawHeaders: readonly string[]): Headers {
  const pairs: [string, string][] = [];
  let cookie: [string, string] | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const pair: [string, string] = [rawHeaders[index]!, rawHeaders[index + 1]!];
    const isCookie = pair[0].length === 6 && pair[0].toLowerCase() === "cookie";
    if (isCookie && cookie !== undefined) {
      cookie[1] += `; ${pair[1]}`;
      continue;
    }
    if (isCookie) cookie = pair;
    pairs.push(pair);
  }
  return new Headers(pairs);
}

/** Returns the body as a stream that reads from the socket on demand only. */
function toBody(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isStarted = false;
  let hasEnded = false;
  return new ReadableStream({
    pull(controller) {
      if (isStarted) return void incoming.resume();
      isStarted = true;
      incoming.on("data", (chunk: Uint8Array) => {
        if (hasEnded) return;
        incoming.pause();
        controller.enqueue(new Uint8Array(chunk));
      });
      incoming.on("end", () => {
        if (!hasEnded) controller.close();
        hasEnded = true;
      });
      incoming.on("close", () => {
        if (!hasEnded) controller.error(connectionClosed());
        hasEnded = true;
      });
    },
    cancel() {
      hasEnded = true;
    },
  }, { highWaterMark: 0 });
}

/** Reads the whole body without backpressure. */
function readWhole(incoming: IncomingMessage): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    if (incoming.destroyed) return reject(connectionClosed());
    const chunks: Uint8Array[] = [];
    let hasEnded = false;
    incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    incoming.on("end", () => {
      hasEnded = true;
      resolve(join(chunks).buffer);
    });
    // Created only on failure: an Error captures its stack, 12 µs.
    incoming.on("close", () => {
      if (!hasEnded) reject(connectionClosed());
    });
  });
}

function connectionClosed(): TypeError {
  return new TypeError("Cannot read body: connection closed");
}

function noBytes(): Promise<ArrayBuffer> {
  return Promise.resolve(new ArrayBuffer(0));
}

/** Returns true if a request has content (RFC 9112 section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Converts a target in origin-form or absolute-form (RFC 9112 section 3.2). Other forms match no route. */
function toUrl(target: string): string {
  if (target.startsWith("/")) return ORIGIN + target;
  const url = /^https?:\/\/[^/]/i.test(target) ? URL.parse(target) : null;
  return url === null ? `${ORIGIN}/*` : url.href;
}

/** Methods whose content is ignored. The platform's `Request` allows none for GET and HEAD. */
const WITHOUT_CONTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "TRACE"]);

/** Converts a request of node:http. Creating a `Request` takes 5 µs longer on Deno. */
export function toRequest(incoming: IncomingMessage): ServedRequest {
  const method = incoming.method ?? "GET";
  const url = toUrl(incoming.url ?? "/");
  const headers = toHeaders(incoming.rawHeaders);
  if (WITHOUT_CONTENT.has(method) || !hasBody(incoming)) {
    return { method, url, headers, signal: NEVER, body: null, arrayBuffer: noBytes };
  }
  let body: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  return {
    method,
    url,
    headers,
    signal: NEVER,
    get body() {
      return body ??= toBody(incoming);
    },
    arrayBuffer: () => readWhole(incoming),
  };
}
