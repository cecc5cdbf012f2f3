import { createApp } from "./http/boundary.ts";
import type { App } from "./http/boundary.ts";
import { createRoutes } from "./http/routes.ts";
import type { Services } from "./http/services.ts";
import type { IpNetwork } from "./lib/ip-address.ts";
import type { Log } from "./lib/log.ts";
import type { Clock } from "./lib/time.ts";
import { errorPage } from "./ui/error-page.ts";

/** The whole service as one function from request to response, over the given services. */
export function createHoldfast(
  services: Services,
  { now, log, trustedProxies }: { now: Clock; log: Log; trustedProxies: readonly IpNetwork[] },
): App {
  const { baseUrl, random } = services;
  return createApp({ routes: createRoutes(services), baseUrl, random, now, log, errorPage, trustedProxies });
}
