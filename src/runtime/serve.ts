import { setTimeout as wait } from "node:timers/promises";
import type { Handler, ServeLimits, Server } from "./server.ts";

export interface ServeOptions {
  readonly hostname: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly handler: Handler;
  /** Allows other processes of this user to listen on the port. The kernel distributes the connections. */
  readonly isPortShared?: boolean;
  /** All clients are trusted proxies on this machine; default false. */
  readonly isBehindProxy?: boolean;
  readonly limits?: ServeLimits;
  /**
   * Milliseconds for which a stopping server still answers and closes each connection with its response; default 0. A
   * proxy may reuse a connection and cannot tell if its request was carried out.
   */
  readonly drainDelay?: number;
}

export const SERVE_LIMITS: ServeLimits = {
  headerSeconds: 10,
  requestSeconds: 30,
  exchangeSeconds: 15,
  keepAliveSeconds: 130,
  stopSeconds: 10,
};

export type ServerName = "Bun.serve" | "Deno.serve" | "node:http";

/**
 * Chooses the server. Deno's own does not end slow clients, which proxies do, and shares no port without a flag.
 * node:http does both, in twice the time.
 */
export function chooseServer(
  { isBehindProxy = false, isPortShared = false }: Pick<ServeOptions, "isBehindProxy" | "isPortShared">,
): ServerName {
  if ("Bun" in globalThis) return "Bun.serve";
  return isBehindProxy && !isPortShared ? "Deno.serve" : "node:http";
}

/**
 * Serves the handler over HTTP/1.1 on the current runtime. Closes silent and slow clients, limits headers to 16 KiB,
 * and refuses requests that two parsers could read differently; `isBehindProxy` leaves this to the proxy. Streams
 * bodies and does not limit them: the handler does. Rejects if the port is in use (`code` is `EADDRINUSE`), or shared
 * by some listeners only.
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { drainDelay = 0 } = options;
  if (drainDelay === 0) return await start(options);
  let isDraining = false;
  const handler: Handler = (request, connection) => {
    const pendingResponse = options.handler(request, connection);
    return isDraining ? pendingResponse.then(asLast) : pendingResponse;
  };
  const server = await start({ ...options, handler });
  const stop = async (): Promise<void> => {
    isDraining = true;
    await wait(drainDelay);
    await server.stop();
  };
  return { port: server.port, stop };
}

function asLast(response: Response): Response {
  response.headers.set("connection", "close");
  return response;
}

async function start(options: ServeOptions): Promise<Server> {
  const { hostname, port, handler, isPortShared = false, limits = SERVE_LIMITS } = options;
  const address = { hostname, port, isPortShared };
  // Literal specifiers, because the bundler of the executable follows no others.
  switch (chooseServer(options)) {
    case "Bun.serve": {
      const { serveWithBun } = await import("./serve-bun.ts");
      return serveWithBun(address, handler, limits);
    }
    case "Deno.serve": {
      const { serveBehindProxy } = await import("./serve-behind-proxy.ts");
      return serveBehindProxy(address, handler, limits);
    }
    case "node:http": {
      const { serveWithNode } = await import("./serve-deno.ts");
      return await serveWithNode(address, handler, limits);
    }
  }
}
