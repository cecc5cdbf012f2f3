import { createApp } from "./http/boundary.ts";
import type { App } from "./http/boundary.ts";
import { createBrokerRoutes } from "./http/broker-routes.ts";
import type { BrokerHttpServices } from "./http/broker-routes.ts";
import { createRoutes } from "./http/routes.ts";
import type { Services } from "./http/services.ts";
import type { IpNetwork } from "./lib/ip-address.ts";
import type { Log } from "./lib/log.ts";
import type { Clock } from "./lib/time.ts";
import { errorPage } from "./ui/page/error-page.ts";

/** The whole service as one function from request to response, over the given services. */
export function createHoldfast(
  services: Services,
  { now, log, trustedProxies }: { now: Clock; log: Log; trustedProxies: readonly IpNetwork[] },
): App {
  const { baseUrl, random } = services;
  return createApp({ routes: createRoutes(services), baseUrl, random, now, log, errorPage, trustedProxies });
}

/** What a broker's routes are read against; it is reached by any name, and builds no URL. */
const BROKER_BASE = "http://localhost";

/** The release broker as one function, over the given services. */
export function createBrokerApp(
  services: BrokerHttpServices,
  { now, log, trustedProxies }: { now: Clock; log: Log; trustedProxies: readonly IpNetwork[] },
): App {
  const { random } = services;
  const routes = createBrokerRoutes(services);
  return createApp({ routes, baseUrl: BROKER_BASE, random, now, log, errorPage, trustedProxies });
}
