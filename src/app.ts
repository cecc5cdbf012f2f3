import { SIGN_IN_ROUTES, SIGN_IN_SCRIPTS } from "./features/sign-in/routes.ts";
import { ACCOUNT_ROUTES, ACCOUNT_SCRIPTS } from "./features/account/routes.ts";
import { SETTINGS_ROUTES, SETTINGS_SCRIPTS } from "./features/settings/routes.ts";
import { TOKEN_ROUTES, TOKEN_SCRIPTS } from "./features/tokens/routes.ts";
import { KEY_ROUTES, KEY_SCRIPTS } from "./features/keys/routes.ts";
import { SIGNING_ROUTES } from "./features/signing/routes.ts";
import { SIGNING_REQUEST_ROUTES, SIGNING_REQUEST_SCRIPTS } from "./features/signing-requests/routes.ts";
import { ACTIVITY_ROUTES, ACTIVITY_SCRIPTS } from "./features/activity/routes.ts";
import { APPLICATION_ROUTES } from "./features/applications/routes.ts";
import { ADMINISTRATION_ROUTES } from "./features/administration/routes.ts";
import { OPERATIONS_ROUTES } from "./features/operations/routes.ts";
import { DESCRIPTION_ROUTES } from "./features/description/routes.ts";
import { AUTHORIZATION_ROUTES } from "./features/authorization/routes.ts";
import { WEBHOOK_ROUTES } from "./features/webhooks/routes.ts";
import { WEBHOOKS_SCRIPT } from "./features/webhooks/webhooks-page.ts";
import { PUSH_ROUTES, PUSH_SCRIPTS } from "./features/push/routes.ts";
import { CONSENT_SCRIPT } from "./features/authorization/page.ts";
import { DEVICE_SCRIPT } from "./features/authorization/device-page.ts";
import { RECOVERY_ROUTES, RECOVERY_SCRIPTS } from "./features/recovery/routes.ts";
import { mcpRoutes } from "./features/mcp/routes.ts";
import { assetRoute } from "./http/assets.ts";
import type { Route } from "./http/route.ts";
import type { Script } from "./ui/assets.ts";
import { toAccountView } from "./http/frame-view.ts";
import { type App, type AppOptions, createApp } from "./http/boundary.ts";
import { findSignedIn } from "./http/guard/account-guards.ts";
import type { RequestContext } from "./http/request-context.ts";
import type { Services } from "./http/services.ts";
import type { AccountView } from "./ui/layout.ts";

/** The scripts of all pages. */
export const SCRIPTS: readonly Script[] = [
  ...SIGN_IN_SCRIPTS,
  ...ACCOUNT_SCRIPTS,
  ...SETTINGS_SCRIPTS,
  ...TOKEN_SCRIPTS,
  ...KEY_SCRIPTS,
  ...SIGNING_REQUEST_SCRIPTS,
  ...ACTIVITY_SCRIPTS,
  ...PUSH_SCRIPTS,
  ...RECOVERY_SCRIPTS,
  CONSENT_SCRIPT,
  DEVICE_SCRIPT,
  WEBHOOKS_SCRIPT,
];

/** The routes of all features. */
const FEATURE_ROUTES: readonly Route[] = [
  assetRoute(SCRIPTS),
  ...SIGN_IN_ROUTES,
  ...ACCOUNT_ROUTES,
  ...SETTINGS_ROUTES,
  ...TOKEN_ROUTES,
  ...KEY_ROUTES,
  ...SIGNING_ROUTES,
  ...SIGNING_REQUEST_ROUTES,
  ...ACTIVITY_ROUTES,
  ...APPLICATION_ROUTES,
  ...ADMINISTRATION_ROUTES,
  ...OPERATIONS_ROUTES,
  ...WEBHOOK_ROUTES,
  ...PUSH_ROUTES,
  ...DESCRIPTION_ROUTES,
  ...AUTHORIZATION_ROUTES,
  ...RECOVERY_ROUTES,
];

/** The routes of the service. `/mcp` calls those of the features. */
export const ROUTES: readonly Route[] = [...FEATURE_ROUTES, ...mcpRoutes(FEATURE_ROUTES)];

/** Creates the whole service as one function from request to response. */
export function createHoldfast(
  services: Services,
  options: Pick<AppOptions<Services>, "now" | "log" | "trustedProxies" | "strictTransport">,
): App {
  const { baseUrl, brand, metrics, random } = services;
  const findViewer = async (context: RequestContext): Promise<AccountView | undefined> => {
    const signedIn = await findSignedIn(context, services);
    return signedIn && toAccountView(signedIn.account, services, context);
  };
  return createApp({
    routes: ROUTES,
    services,
    baseUrl,
    random,
    metrics,
    frame: { tee: services.tee.inTee ? "hardware" : "simulated", brand },
    findViewer,
    ...options,
  });
}
