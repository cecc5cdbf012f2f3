import { toAccountView } from "./http/answer/account-view.ts";
import type { ErrorPage } from "./http/answer/problem.ts";
import { createApp } from "./http/boundary.ts";
import type { App, AppOptions } from "./http/boundary.ts";
import { findSignedIn } from "./http/guard/account-guards.ts";
import type { RequestContext } from "./http/request-context.ts";
import { createRoutes } from "./http/routes.ts";
import type { Services } from "./http/services.ts";
import { errorPage } from "./ui/page/error-page.ts";
import type { AccountView } from "./ui/view.ts";

/** The whole service as one function from request to response, over the given services. */
export function createHoldfast(
  services: Services,
  surroundings: Pick<AppOptions, "now" | "log" | "trustedProxies" | "strictTransport">,
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
