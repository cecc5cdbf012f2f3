import { toAccountView } from "./http/answer/account-view.ts";
import type { ErrorPage } from "./http/answer/problem.ts";
import { createApp } from "./http/boundary.ts";
import type { App, AppOptions } from "./http/boundary.ts";
import { createBrokerRoutes } from "./http/broker-routes.ts";
import { findSignedIn } from "./http/guard/account-guards.ts";
import type { RequestContext } from "./http/request-context.ts";
import type { BrokerHttpServices } from "./http/broker-routes.ts";
import { createRoutes } from "./http/routes.ts";
import type { Services } from "./http/services.ts";
import { errorPage } from "./ui/page/error-page.ts";
import type { AccountView } from "./ui/view.ts";

/** What an app is told of the world around it. */
type Surroundings = Pick<AppOptions, "now" | "log" | "trustedProxies">;

/** The whole service as one function from request to response, over the given services. */
export function createHoldfast(
  services: Services,
  surroundings: Surroundings & Pick<AppOptions, "strictTransport">,
): App {
  const { baseUrl, random } = services;
  const findViewer = async (context: RequestContext): Promise<AccountView | undefined> => {
    const signedIn = await findSignedIn(context, services);
    return signedIn && toAccountView(signedIn.account, services, context);
  };
  const tee = services.tee.inTee ? "hardware" : "simulated";
  const showError: ErrorPage = (data) => errorPage({ ...data, tee });
  return createApp({
    routes: createRoutes(services),
    baseUrl,
    random,
    errorPage: showError,
    findViewer,
    ...surroundings,
  });
}

/** What a broker's routes are read against; it is reached by any name, and builds no URL. */
const BROKER_BASE = "http://localhost";

/** The release broker as one function, over the given services. */
export function createBrokerApp(
  services: BrokerHttpServices,
  surroundings: Surroundings,
): App {
  const { random } = services;
  const routes = createBrokerRoutes(services);
  // No browser comes here, and plain http would hear of none of it.
  const findViewer = (): Promise<undefined> => Promise.resolve(undefined);
  const options = { routes, baseUrl: BROKER_BASE, random, errorPage, findViewer } as const;
  return createApp({ ...options, ...surroundings, strictTransport: "host" });
}
