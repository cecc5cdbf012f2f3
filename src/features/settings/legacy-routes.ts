import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createExportEndpoint } from "./export-account.ts";
import { createOwnAccountEndpoints } from "./account.ts";
import { createSettingsPages } from "./pages.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { pageSession, pageVisitor, session } from "../../http/guard/account-guards.ts";

export function createSettingsRoutes(services: Services): readonly Route[] {
  const own = createOwnAccountEndpoints(services);
  const settings = createSettingsPages(services);
  return [
    legacyRoute("PATCH", "/api/auth/account", session, own.rename),
    legacyRoute("POST", "/api/auth/account/email/code", session, own.sendCode),
    legacyRoute("POST", "/api/auth/account/email", session, own.changeEmail),
    legacyRoute("GET", "/api/auth/account/identities", session, own.identities),
    legacyRoute("POST", "/api/auth/account/identities", session, own.link),
    legacyRoute("DELETE", "/api/auth/account/identities/:identityId", session, own.unlink),
    legacyRoute("POST", "/api/auth/account/export", session, createExportEndpoint(services)),
    legacyRoute("POST", "/api/auth/account/deletion", session, own.askDeletion),
    legacyPageRoute("GET", "/account/settings", pageSession, settings.settings),
    legacyPageRoute("GET", "/take-back", pageVisitor, settings.takeBack),
    legacyPageRoute("POST", "/take-back", pageVisitor, settings.takeBackForm),
    legacyPageRoute("GET", "/taken-back", pageVisitor, settings.takenBack),
  ];
}
