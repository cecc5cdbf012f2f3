import { setTimeout as wait } from "node:timers/promises";
import {
  type Address,
  type Handler,
  normalizeAddress,
  type ServedRequest,
  type ServeLimits,
  type Server,
} from "./server.ts";

// Deno's own server takes half of the processor time of node:http. It limits no time and cannot close one connection,
// so it serves only trusted proxies on this machine: they close connections, also those of processes that died.

interface DenoServer {
  readonly addr: { readonly port: number };
  /** Rejects if Deno ended the server. */
  readonly finished: Promise<void>;
  shutdown(): Promise<void>;
}

interface DenoConnection {
  readonly remoteAddr: { readonly hostname: string };
}

interface DenoServeOptions {
  readonly hostname: string;
  readonly port: number;
  readonly onListen: () => void;
  readonly onError: () => Response;
  readonly handler: (request: Request, connection: DenoConnection) => Promise<Response>;
}

declare const Deno: { serve(options: DenoServeOptions): DenoServer };

/** Milliseconds after which a server that Deno ended listens again. */
const LISTEN_AGAIN = 100;

/** Returns a response after which the proxy closes the connection. */
function lastResponse(status: number): Response {
  return new Response(null, { status, headers: { connection: "close" } });
}

/** Returns true for a coding that Deno does not decode, or an empty one (RFC 9112 section 6.1). */
function isUndecoded(coding: string | null): boolean {
  return coding !== null && coding.toLowerCase() !== "chunked";
}

/** A request without a response. */
interface PendingExchange {
  readonly since: number;
  /** Makes a read of the body fail, so that the handler answers. Answers 503 if there is none. */
  readonly expire: () => void;
}

/**
 * Returns a function that starts jobs together once per turn of the event loop. Deno starts each request in a turn of
 * its own, and reads of one turn share a read transaction: apart, they took back what this server saves under load.
 */
function createTurns(): (job: () => void) => void {
  let jobs: (() => void)[] = [];
  const run = (): void => {
    const ready = jobs;
    jobs = [];
    for (const job of ready) job();
  };
  return (job) => {
    if (jobs.push(job) === 1) setImmediate(run);
  };
}

/** Never aborted: Deno also aborts a request's own signal after its response. */
const NEVER = new AbortController().signal;

type Bytes = Uint8Array<ArrayBuffer>;

function readUntil(late: Promise<never>, body: ReadableStream<Bytes>): ReadableStream<Bytes> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

/** Converts a request. Calls `startRead` once when its body is read, for a promise that rejects when that is late. */
function toServedRequest(received: Request, startRead: () => Promise<never>): ServedRequest {
  let body: ReadableStream<Bytes> | null | undefined;
  return {
    method: received.method,
    url: received.url,
    headers: received.headers,
    signal: NEVER,
    get body() {
      return body ??= received.body && readUntil(startRead(), received.body);
    },
    arrayBuffer: () => Promise.race([received.arrayBuffer(), startRead()]),
  };
}

/** Limits the time until a response is ready to `requestSeconds`, and that for the body to as much. */
function createRespond(handler: Handler, pending: Set<PendingExchange>): DenoServeOptions["handler"] {
  const startInTurn = createTurns();
  return (received, { remoteAddr }) => {
    if (isUndecoded(received.headers.get("transfer-encoding"))) return Promise.resolve(lastResponse(400));
    const connection = { clientAddress: normalizeAddress(remoteAddr.hostname) };
    return new Promise((resolve) => {
      let failRead: ((reason: Error) => void) | undefined;
      const finish = (response: Response): void => {
        if (pending.delete(exchange)) resolve(response);
      };
      const expire = (): void => {
        if (failRead === undefined) return finish(lastResponse(503));
        // Deno would never settle the read after a response.
        failRead(new TypeError("Cannot read body: too slow"));
        failRead = undefined;
      };
      const exchange = { since: performance.now(), expire };
      pending.add(exchange);
      const request = toServedRequest(received, () => {
        const { promise, reject } = Promise.withResolvers<never>();
        failRead = reject;
        promise.catch(() => {});
        return promise;
      });
      startInTurn(() => void handler(request, connection).then(finish, () => finish(lastResponse(500))));
    });
  };
}

/** Listens on `port`, and again on the same port whenever Deno has ended its server. */
function listen(options: Omit<DenoServeOptions, "onListen" | "onError">, isStopping: () => boolean) {
  const start = (port: number): DenoServer =>
    Deno.serve({ ...options, port, onListen: () => {}, onError: () => lastResponse(500) });
  let server = start(options.port);
  const { port } = server.addr;
  // Deno ends its server when a connection cannot be accepted: no file descriptor was left.
  const listenAgain = (): void => {
    if (isStopping()) return;
    try {
      server = start(port);
      server.finished.catch(listenAgain);
    } catch {
      setTimeout(listenAgain, LISTEN_AGAIN);
    }
  };
  server.finished.catch(listenAgain);
  return { port, shutdown: () => server.shutdown() };
}

/**
 * Serves trusted proxies on this machine with Deno's own server. Limits the time from a request's header to its
 * response. Does not limit the time for a header, between requests, or in which a response is read, and leaves closing
 * a connection after a refusal to the proxy. Headers are limited to 64 KiB and 128 lines.
 */
export function serveBehindProxy({ hostname, port }: Address, handler: Handler, limits: ServeLimits): Server {
  const pending = new Set<PendingExchange>();
  const waiting = limits.requestSeconds * 1000;
  const looks = setInterval(() => {
    const latest = performance.now() - waiting;
    for (const exchange of pending) {
      if (exchange.since > latest) break;
      exchange.expire();
    }
  }, Math.min(1000, waiting / 4));
  let isStopping = false;
  const server = listen({ hostname, port, handler: createRespond(handler, pending) }, () => isStopping);
  return {
    port: server.port,
    async stop() {
      isStopping = true;
      const stopped = new AbortController();
      const limit = wait(limits.stopSeconds * 1000, undefined, { signal: stopped.signal }).catch(() => {});
      await Promise.race([server.shutdown(), limit]);
      stopped.abort();
      clearInterval(looks);
      for (const { expire } of [...pending, ...pending]) expire();
    },
  };
}
