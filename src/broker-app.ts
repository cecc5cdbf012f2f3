import { createApp } from "./http/boundary.ts";
import type { App, AppOptions } from "./http/boundary.ts";
import { createBrokerRoutes } from "./routes/broker-routes.ts";
import type { BrokerHttpServices } from "./routes/broker-routes.ts";
import type { Services } from "./http/services.ts";

/** What a broker's routes are read against; it is reached by any name, and builds no URL. */
const BROKER_BASE = "http://localhost";

/** The release broker as one function, over the given services. The service itself loads none of it. */
export function createBrokerApp(
  services: BrokerHttpServices,
  surroundings: Pick<AppOptions<unknown>, "now" | "log" | "trustedProxies">,
): App {
  const { random } = services;
  const routes = createBrokerRoutes(services);
  // No browser comes here, and plain http would hear of none of it.
  const findViewer = (): Promise<undefined> => Promise.resolve(undefined);
  const options = {
    routes,
    services: services as unknown as Services,
    baseUrl: BROKER_BASE,
    random,
    frame: {},
    findViewer,
  } as const;
  return createApp({ ...options, ...surroundings, strictTransport: "host" });
}
