import { setTimeout as wait } from "node:timers/promises";
import type { Handler, ServeLimits, Server } from "./server.ts";

export interface ServeOptions {
  readonly hostname: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly handler: Handler;
  /** Whether other processes of this user may listen on the port too: the kernel shares its connections out. */
  readonly isPortShared?: boolean;
  readonly limits?: ServeLimits;
  /**
   * Milliseconds for which a stop goes on answering, and ends each connection with its answer: none unless given. A
   * proxy may be about to use a connection that it keeps, and cannot tell whether what it sends there is done.
   */
  readonly farewell?: number;
}

export const SERVE_LIMITS: ServeLimits = {
  headerSeconds: 10,
  requestSeconds: 30,
  exchangeSeconds: 15,
  keepAliveSeconds: 130,
  stopSeconds: 10,
};

/**
 * Serves the handler over HTTP/1.1 on the runtime at hand. Guarantees on both: silent and slow clients are closed, a
 * header is at most 16 KiB, a request that two parsers could read in two ways is refused before the handler. Bodies are
 * streamed and have no limit here: the handler counts. Rejects where the port is taken (`code` is `EADDRINUSE`), or is
 * shared by some and not by all.
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { farewell = 0 } = options;
  if (farewell === 0) return await start(options);
  let isLeaving = false;
  const handler: Handler = (request, connection) => {
    const answer = options.handler(request, connection);
    return isLeaving ? answer.then(asLast) : answer;
  };
  const server = await start({ ...options, handler });
  const stop = async (): Promise<void> => {
    isLeaving = true;
    await wait(farewell);
    await server.stop();
  };
  return { port: server.port, stop };
}

/** The last answer on its connection: who made it knows nothing of connections. */
function asLast(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

async function start(
  { hostname, port, handler, isPortShared = false, limits = SERVE_LIMITS }: ServeOptions,
): Promise<Server> {
  const address = { hostname, port, isPortShared };
  // Written out for the bundler of the executable, which follows constant specifiers only.
  if ("Bun" in globalThis) {
    const { serveWithBun } = await import("./serve-bun.ts");
    return serveWithBun(address, handler, limits);
  }
  const { serveWithNode } = await import("./serve-deno.ts");
  return await serveWithNode(address, handler, limits);
}
