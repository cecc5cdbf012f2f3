import { createRecoveryEndpoints } from "../features/recovery/recovery.ts";
import { createRecoveryPages } from "../features/recovery/pages.ts";
import type { AccountGuards } from "../http/guard/account-guards.ts";
import { publicAccess } from "../http/guard/guard.ts";
import { createRecoveryGuard } from "../http/guard/recovery-guard.ts";
import { OPENED_BY_APPLICATIONS } from "../http/response/security-headers.ts";
import { pageRoute, route } from "../http/route.ts";
import type { Route } from "../http/route.ts";
import type { Services } from "../http/services.ts";

/** The routes of whoever lost their passkeys, and of what an account says of that beforehand. */
export function createRecoveryRoutes(
  services: Services,
  { browser, session, pageSession, pageVisitor }: AccountGuards,
): readonly Route[] {
  const recoverySession = createRecoveryGuard(services, browser);
  const recovery = createRecoveryEndpoints(services);
  const pages = createRecoveryPages(services);
  return [
    route("POST", "/api/auth/recovery/email-code", browser, recovery.sendCode),
    route("POST", "/api/auth/recovery", browser, recovery.begin),
    route("GET", "/api/auth/recovery", recoverySession, recovery.present),
    route("POST", "/api/auth/recovery/passkey/options", recoverySession, recovery.passkeyOptions),
    route("POST", "/api/auth/recovery/passkey", recoverySession, recovery.passkey),
    route("GET", "/api/auth/way-back", session, recovery.wayBack),
    route("PATCH", "/api/auth/way-back", session, recovery.change),
    route("POST", "/api/auth/way-back/codes", session, recovery.makeCodes),
    route("DELETE", "/api/auth/way-back/recovery", session, recovery.cancel),

    pageRoute("GET", "/recover", pageVisitor, pages.recover, OPENED_BY_APPLICATIONS),
    pageRoute("GET", "/recover/cancel", publicAccess, pages.cancelPage),
    pageRoute("POST", "/recover/cancel", publicAccess, pages.cancel),
    pageRoute("GET", "/account/recovery", pageSession, pages.wayBack, OPENED_BY_APPLICATIONS),
  ];
}
