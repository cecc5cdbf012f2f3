import type { BrokerServices } from "./broker/services.ts";
import { BROKER_ROUTES } from "./features/broker/routes.ts";
import { HEALTH_ROUTES } from "./features/operations/health.ts";
import { type App, type AppOptions, createApp } from "./http/boundary.ts";
import type { Route } from "./http/route.ts";
import type { Services } from "./http/services.ts";

/** The services of a release broker's endpoints. */
export type BrokerAppServices = BrokerServices & Pick<Services, "unreadyReasons">;

/** Every row of a release broker. */
export const BROKER_APP_ROUTES: readonly Route<BrokerAppServices>[] = [...BROKER_ROUTES, ...HEALTH_ROUTES];

/** The base of request targets. Clients reach a broker by any name, and no answer has a URL. */
const BASE_URL = "http://localhost";

/** Creates the release broker as one function from request to response, over the given services. */
export function createBrokerApp(
  services: BrokerAppServices,
  options: Pick<AppOptions<BrokerAppServices>, "now" | "log" | "metrics" | "trustedProxies">,
): App {
  return createApp({
    routes: BROKER_APP_ROUTES,
    services,
    baseUrl: BASE_URL,
    random: services.random,
    frame: {},
    // No browser uses a broker, so no page has a viewer, and no client acts on Strict-Transport-Security.
    findViewer: () => Promise.resolve(undefined),
    strictTransport: "host",
    ...options,
  });
}
