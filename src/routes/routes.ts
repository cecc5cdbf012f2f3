import { SIGN_IN_ROUTES } from "../features/sign-in/routes.ts";
import { ACCOUNT_ROUTES } from "../features/account/routes.ts";
import { SETTINGS_ROUTES } from "../features/settings/routes.ts";
import { TOKEN_ROUTES } from "../features/tokens/routes.ts";
import { KEY_ROUTES } from "../features/keys/routes.ts";
import { SIGNING_ROUTES } from "../features/signing/routes.ts";
import { SIGNING_REQUEST_ROUTES } from "../features/signing-requests/routes.ts";
import { ACTIVITY_ROUTES } from "../features/activity/routes.ts";
import { APPLICATION_ROUTES } from "../features/applications/routes.ts";
import { ADMINISTRATION_ROUTES } from "../features/administration/routes.ts";
import { OPERATIONS_ROUTES } from "../features/operations/routes.ts";
import { DESCRIPTION_ROUTES } from "../features/description/routes.ts";
import { AUTHORIZATION_ROUTES } from "../features/authorization/routes.ts";
import { RECOVERY_ROUTES } from "../features/recovery/routes.ts";
import { assetRoute } from "../http/assets.ts";
import type { Route } from "../http/route.ts";
import { SCRIPTS } from "./scripts.ts";

/** Returns every route of the service. */
export function createRoutes(): readonly Route[] {
  return [
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
    ...DESCRIPTION_ROUTES,
    ...AUTHORIZATION_ROUTES,
    ...RECOVERY_ROUTES,
  ];
}
