import { makePushKeyPair } from "../../src/push/keys.ts";
import { serve, SERVE_LIMITS } from "../../src/runtime/serve.ts";
import { createTestApp } from "./app.ts";
import type { TestApp, TestAppOptions } from "./app.ts";
import { findFreePort } from "./free-port.ts";

/** The service of a test behind a socket: for browsers, with a clock that the test moves. */
export interface ServedApp {
  readonly app: TestApp;
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** Serves a new service at a port of this machine, with push messages. `environment` has additional variables. */
export async function serveTestApp(environment: TestAppOptions["environment"] = {}): Promise<ServedApp> {
  const port = await findFreePort();
  const baseUrl = `http://localhost:${port}`;
  const pushKeys = { ...await makePushKeyPair(), contact: "mailto:ops@example.com" };
  const app = await createTestApp({ origin: baseUrl, environment, pushKeys });
  const handler: TestApp["app"] = (request, connection) => app.app(request, connection);
  const limits = { ...SERVE_LIMITS, stopSeconds: 1 };
  const server = await serve({ hostname: "localhost", port, handler, limits });
  return {
    app,
    baseUrl,
    stop: async () => {
      await server.stop();
      await app[Symbol.asyncDispose]();
    },
  };
}
