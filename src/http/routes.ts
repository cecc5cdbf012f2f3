import { createAccountGuards } from "./account-guards.ts";
import { createAdminGuard } from "./admin-guard.ts";
import { createAccountEndpoints } from "./endpoint/accounts.ts";
import { createAdminClientEndpoints } from "./endpoint/admin-clients.ts";
import { createKeyEndpoints } from "./endpoint/keys.ts";
import { createOperationsEndpoints } from "./endpoint/operations.ts";
import { createOutboxEndpoint } from "./endpoint/outbox.ts";
import { createPageEndpoints } from "./endpoint/pages.ts";
import { createSigningEndpoints } from "./endpoint/signing.ts";
import { publicAccess } from "./guard.ts";
import { OPENED_BY_APPLICATIONS } from "./headers.ts";
import { pageRoute, route } from "./route.ts";
import type { Route } from "./route.ts";
import type { Services } from "./services.ts";

/** Every route of the service on one screen: method, path, who may pass, what answers. */
export function createRoutes(services: Services): readonly Route[] {
  const { session, pageSession, pageVisitor, visitor, browser, registrant } = createAccountGuards(services);
  const admin = createAdminGuard(services);
  const clients = createAdminClientEndpoints(services);
  const accounts = createAccountEndpoints(services);
  const keys = createKeyEndpoints(services);
  const signing = createSigningEndpoints(services);
  const pages = createPageEndpoints(services);
  const operations = createOperationsEndpoints(services);
  return [
    route("POST", "/api/auth/email-code", browser, accounts.sendCode),
    route("POST", "/api/auth/email-code/verify", browser, accounts.verifyCode),
    route("POST", "/api/auth/passkey/registration/options", registrant, accounts.registrationOptions),
    route("POST", "/api/auth/passkey/registration", registrant, accounts.registration),
    route("POST", "/api/auth/passkey/authentication/options", browser, accounts.authenticationOptions),
    route("POST", "/api/auth/passkey/authentication", browser, accounts.authentication),
    route("GET", "/api/auth/session", visitor, accounts.session),
    route("POST", "/api/auth/sign-out", visitor, accounts.signOut),

    route("GET", "/api/keys", session, keys.list),
    route("POST", "/api/keys/generate", session, keys.generate),
    route("GET", "/api/keys/:keyId", session, keys.get),
    route("PATCH", "/api/keys/:keyId", session, keys.change),
    route("POST", "/api/keys/:keyId/archive", session, keys.archive),
    route("POST", "/api/keys/:keyId/unarchive", session, keys.unarchive),
    route("POST", "/api/keys/:keyId/sign", session, signing.signMessage),
    route("POST", "/api/keys/:keyId/sign-typed-data", session, signing.signTypedData),
    route("POST", "/api/keys/:keyId/explain", session, signing.explain),
    route("GET", "/api/keys/:keyId/quote", session, signing.quote),

    route("POST", "/api/admin/oauth/clients", admin, clients.register),
    route("GET", "/api/admin/oauth/clients", admin, clients.list),
    route("GET", "/api/admin/oauth/clients/:clientId", admin, clients.get),
    route("PATCH", "/api/admin/oauth/clients/:clientId", admin, clients.change),
    route("POST", "/api/admin/oauth/clients/:clientId/secret", admin, clients.rotateSecret),
    route("DELETE", "/api/admin/oauth/clients/:clientId", admin, clients.remove),

    pageRoute("GET", "/", pageVisitor, pages.home),
    pageRoute("GET", "/sign-up", pageVisitor, pages.signUp, OPENED_BY_APPLICATIONS),
    pageRoute("GET", "/sign-in", pageVisitor, pages.signIn, OPENED_BY_APPLICATIONS),
    pageRoute("GET", "/signed-out", pageVisitor, pages.signedOut),
    pageRoute("POST", "/sign-out", pageVisitor, accounts.signOutForm),
    pageRoute("GET", "/keys", pageSession, pages.keys),
    pageRoute("GET", "/keys/:keyId", pageSession, pages.key),
    route("GET", "/assets/:hash/:name", publicAccess, pages.asset),
    pageRoute("GET", "/dev/outbox", publicAccess, createOutboxEndpoint(services)),

    route("GET", "/livez", publicAccess, operations.live),
    route("GET", "/readyz", publicAccess, operations.ready),
  ];
}
