import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { OPENED_BY_APPLICATIONS } from "../../http/response/security-headers.ts";
import { browser, pageSession, pageVisitor, session } from "../../http/guard/account-guards.ts";
import { createRecoveryEndpoints } from "./recovery.ts";
import { createRecoveryPages } from "./pages.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { recoverySession } from "../../http/guard/recovery-guard.ts";

export function createRecoveryRoutes(services: Services): readonly Route[] {
  const recovery = createRecoveryEndpoints(services);
  const pages = createRecoveryPages(services);
  return [
    legacyRoute("POST", "/api/auth/recovery/email-code", browser, recovery.sendCode),
    legacyRoute("POST", "/api/auth/recovery", browser, recovery.begin),
    legacyRoute("GET", "/api/auth/recovery", recoverySession, recovery.present),
    legacyRoute("POST", "/api/auth/recovery/passkey/options", recoverySession, recovery.passkeyOptions),
    legacyRoute("POST", "/api/auth/recovery/passkey", recoverySession, recovery.passkey),
    legacyRoute("GET", "/api/auth/way-back", session, recovery.wayBack),
    legacyRoute("PATCH", "/api/auth/way-back", session, recovery.change),
    legacyRoute("POST", "/api/auth/way-back/codes", session, recovery.makeCodes),
    legacyRoute("DELETE", "/api/auth/way-back/recovery", session, recovery.cancel),
    legacyPageRoute("GET", "/recover", pageVisitor, pages.recover, OPENED_BY_APPLICATIONS),
    legacyPageRoute("GET", "/recover/cancel", publicAccess, pages.cancelPage),
    legacyPageRoute("POST", "/recover/cancel", publicAccess, pages.cancel),
    legacyPageRoute("GET", "/account/recovery", pageSession, pages.wayBack, OPENED_BY_APPLICATIONS),
  ];
}
