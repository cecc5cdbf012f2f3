import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { PUBLIC_API } from "../../http/response/security-headers.ts";
import { createAccountPageEndpoints, WITHDRAWAL_UNFINISHED } from "./pages.ts";
import { createGrantEndpoints } from "./applications.ts";
import { createPasskeyEndpoints } from "./passkeys.ts";
import { createSessionEndpoints } from "./sessions.ts";
import { formSession, pageSession, pageVisitor, session, visitor } from "../../http/guard/account-guards.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";

export function createAccountRoutes(services: Services): readonly Route[] {
  const sessions = createSessionEndpoints(services);
  const passkeys = createPasskeyEndpoints(services);
  const account = createAccountPageEndpoints(services);
  const grants = createGrantEndpoints(services);
  return [
    legacyRoute("GET", "/api/auth/session", visitor, sessions.present),
    legacyRoute("POST", "/api/auth/sign-out", visitor, sessions.signOut),
    legacyRoute("GET", "/api/auth/passkeys", session, passkeys.list),
    legacyRoute("PATCH", "/api/auth/passkeys/:passkeyId", session, passkeys.rename),
    legacyRoute("DELETE", "/api/auth/passkeys/:passkeyId", session, passkeys.remove),
    legacyRoute("GET", "/.well-known/webauthn", publicAccess, passkeys.relatedOrigins, PUBLIC_API),
    legacyRoute("GET", "/.well-known/passkey-endpoints", publicAccess, passkeys.wellKnown, PUBLIC_API),
    legacyRoute("GET", "/api/auth/sessions", session, sessions.list),
    legacyRoute("DELETE", "/api/auth/sessions/:sessionId", session, sessions.end),
    legacyRoute("POST", "/api/auth/sessions/revoke-others", session, sessions.endOthers),
    legacyRoute("POST", "/api/auth/sessions/revoke-all", session, sessions.endAll),
    legacyPageRoute("POST", "/sign-out", pageVisitor, sessions.signOutForm),
    legacyPageRoute("GET", "/account", pageSession, account.page),
    legacyPageRoute("POST", "/account/language", formSession("/account"), account.changeLanguage),
    legacyPageRoute("POST", "/account/withdraw", formSession(WITHDRAWAL_UNFINISHED), account.withdraw),
    legacyRoute("GET", "/api/auth/grants", session, grants.list),
    legacyRoute("DELETE", "/api/auth/grants/:clientId", session, grants.withdraw),
  ];
}
