import { type Address, type Handler, normalizeAddress, type ServeLimits, type Server } from "./server.ts";

interface BunServer {
  readonly port: number;
  requestIP(request: Request): { readonly address: string } | null;
  timeout(request: Request, seconds: number): void;
  stop(closeActiveConnections?: boolean): Promise<void>;
}

interface BunServeOptions {
  readonly hostname: string;
  readonly port: number;
  readonly reusePort: boolean;
  readonly development: false;
  readonly idleTimeout: number;
  readonly maxRequestBodySize: number;
  readonly fetch: (request: Request, server: BunServer) => Promise<Response>;
  readonly error: () => Response;
}

declare const Bun: { serve(options: BunServeOptions): BunServer };

/** Disables Bun's body limit, whose 413 lacks the service's headers: the handler checks Content-Length as early. */
export function serveWithBun(
  { hostname, port, isPortShared }: Address,
  handler: Handler,
  limits: ServeLimits,
): Server {
  const server = Bun.serve({
    hostname,
    port,
    // Bun shares a port by default: a second process would silently take half of the connections.
    reusePort: isPortShared,
    // The error page of development shows source code, in executables too.
    development: false,
    idleTimeout: limits.exchangeSeconds,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request, server) {
      // A connection keeps its last time-out for its next request.
      server.timeout(request, limits.exchangeSeconds);
      const clientAddress = normalizeAddress(server.requestIP(request)?.address);
      const response = await handler(request, { clientAddress });
      server.timeout(request, limits.keepAliveSeconds);
      return response;
    },
    error: () => new Response(null, { status: 500 }),
  });
  return { port: server.port, stop: () => stopWithin(server, limits.stopSeconds) };
}

async function stopWithin(server: BunServer, seconds: number): Promise<void> {
  const timer = setTimeout(() => void server.stop(true), seconds * 1000);
  await server.stop();
  clearTimeout(timer);
}
