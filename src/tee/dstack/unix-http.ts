import type { Duplex } from "node:stream";
import { collect, utf8 } from "../../lib/bytes.ts";

export type ExchangeFault = "unreachable" | "dropped" | "timed_out" | "too_large";

export class ExchangeError extends Error {
  readonly code: ExchangeFault;

  constructor(code: ExchangeFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ExchangeError";
    this.code = code;
  }
}

/** Connects to a unix socket. Rejects with the operating system's `code`. */
export type ConnectUnix = (path: string) => Promise<Duplex>;

export interface UnixPost {
  readonly connect: ConnectUnix;
  readonly socketPath: string;
  readonly path: string;
  readonly body: string;
  /** Milliseconds for the whole exchange: connection, request, header and the last byte of the body. */
  readonly deadline: number;
  /** Maximum of bytes in the reply's body. */
  readonly largest: number;
}

export interface UnixReply {
  readonly status: number;
  readonly body: Uint8Array;
}

const UNREACHABLE: readonly unknown[] = ["ENOENT", "ECONNREFUSED", "EACCES", "EPERM", "ENOTSOCK"];

function describeFailure(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  const code = "code" in cause ? cause.code : undefined;
  return UNREACHABLE.includes(code)
    ? new ExchangeError("unreachable", `no answer (${String(code)})`, { cause })
    : new ExchangeError("dropped", `the connection was lost (${String(code ?? cause.message)})`, { cause });
}

/** Reads a reply's body. Throws `ExchangeError` `too_large` at the first byte over the limit. */
export function readReply(body: AsyncIterable<Uint8Array>, largest: number): Promise<Uint8Array> {
  return collect(
    body,
    largest,
    () => new ExchangeError("too_large", `the reply is larger than ${largest} bytes`),
  );
}

async function exchange(post: UnixPost, connection: Duplex): Promise<UnixReply> {
  // Loaded here to make a start without a socket faster.
  const { request } = await import("node:http");
  const { promise, resolve, reject } = Promise.withResolvers<UnixReply>();
  const body = utf8(post.body);
  const outgoing = request({
    createConnection: () => connection,
    path: post.path,
    method: "POST",
    headers: {
      "Host": "dstack",
      "Content-Type": "application/json",
      "Content-Length": String(body.length),
      "Connection": "close",
    },
  });
  outgoing.on("error", reject);
  outgoing.on("response", (response) => {
    readReply(response as AsyncIterable<Uint8Array>, post.largest).then(
      (body) => resolve({ status: response.statusCode ?? 0, body }),
      reject,
    );
  });
  outgoing.end(body);
  return await promise;
}

/**
 * Sends JSON over a unix socket and returns the whole reply. Opens a connection for each exchange, because the agent
 * resets idle ones. Throws only `ExchangeError`, at the deadline at the latest. Does not check status or content, or
 * follow redirects.
 */
export async function postOverUnixSocket(post: UnixPost): Promise<UnixReply> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  // The request's own `timeout` does not fire on every runtime and does not cover a slow body.
  const timer = setTimeout(() => {
    reject(new ExchangeError("timed_out", `no complete reply within ${post.deadline / 1000} s`));
  }, post.deadline);
  const connecting = post.connect(post.socketPath);
  try {
    const connection = await Promise.race([connecting, expired]);
    return await Promise.race([exchange(post, connection), expired]);
  } catch (error) {
    throw describeFailure(error);
  } finally {
    clearTimeout(timer);
    connecting.then((connection) => connection.destroy(), () => undefined);
  }
}
