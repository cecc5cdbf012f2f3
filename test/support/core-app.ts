import type { StrictTransport } from "../../src/http/response/security-headers.ts";
import type { App } from "../../src/http/boundary.ts";
import { createApp } from "../../src/http/boundary.ts";
import type { Route } from "../../src/http/route.ts";
import type { LogFields } from "../../src/lib/log.ts";
import type { LogLevel } from "../../src/lib/log-events.ts";
import { createMetrics } from "../../src/lib/metrics.ts";

export interface LoggedEvent {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

export interface CoreApp {
  readonly app: App;
  readonly logged: LoggedEvent[];
  /** Sends a request with a Host, as every client does. */
  request(target: string, init?: RequestInit): Promise<Response>;
}

export const FIXED_NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

/** Creates the web core around a few routes, with a fixed clock, counted random bytes and a recorded log. */
export function createCoreApp(
  routes: readonly Route<unknown>[],
  baseUrl = "http://localhost:3000",
  strictTransport: StrictTransport = "host",
): CoreApp {
  const logged: LoggedEvent[] = [];
  let draws = 0;
  const app = createApp({
    routes,
    services: undefined,
    baseUrl,
    random: (length) => new Uint8Array(length).fill(++draws),
    now: () => FIXED_NOW,
    log: (level, event, fields) => void logged.push({ level, event, fields }),
    metrics: createMetrics(() => FIXED_NOW),
    findViewer: () => Promise.resolve(undefined),
    frame: {},
    trustedProxies: [],
    strictTransport,
  });
  const request = (target: string, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has("host")) headers.set("host", "localhost:3000");
    return app(new Request("http://localhost:3000" + target, { ...init, headers }), {
      clientAddress: "192.0.2.1",
    });
  };
  return { app, logged, request };
}
