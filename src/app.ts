import { toAccountView } from "./http/frame-view.ts";
import { createApp } from "./http/boundary.ts";
import type { App, AppOptions } from "./http/boundary.ts";
import { findSignedIn } from "./http/guard/account-guards.ts";
import type { RequestContext } from "./http/request-context.ts";
import { createRoutes } from "./routes/routes.ts";
import type { Services } from "./http/services.ts";
import type { AccountView } from "./ui/layout.ts";

/** The whole service as one function from request to response, over the given services. */
export function createHoldfast(
  services: Services,
  surroundings: Pick<AppOptions<Services>, "now" | "log" | "trustedProxies" | "strictTransport">,
): App {
  const { baseUrl, random } = services;
  const findViewer = async (context: RequestContext): Promise<AccountView | undefined> => {
    const signedIn = await findSignedIn(context, services);
    return signedIn && toAccountView(signedIn.account, services, context);
  };
  return createApp({
    routes: createRoutes(),
    services,
    baseUrl,
    random,
    frame: { tee: services.tee.inTee ? "hardware" : "simulated" },
    findViewer,
    ...surroundings,
  });
}
