import { createAdminPageRoutes } from "./admin-page-routes.ts";
import { createAccountGuards } from "../http/guard/account-guards.ts";
import { createAdminGuard } from "../http/guard/admin-guard.ts";
import { createAccountPageEndpoints, WITHDRAWAL_UNFINISHED } from "../features/account/pages.ts";
import { createAccountEndpoints } from "../features/sign-in/sign-in.ts";
import { createAdminAccountEndpoints } from "../features/administration/accounts.ts";
import { createAdminClientEndpoints } from "../features/applications/clients.ts";
import { createAdminInvitationEndpoints } from "../features/administration/invitations.ts";
import { createDescriptionEndpoints } from "../features/description/description.ts";
import { createDeveloperPageEndpoint, createTokenEndpoints } from "../features/tokens/tokens.ts";
import { createIdentityEndpoints } from "../features/sign-in/identity-providers.ts";
import { createKeyEndpoints } from "../features/keys/keys.ts";
import { createKeyPolicyEndpoints } from "../features/keys/policy.ts";
import { createAuditEndpoints } from "../features/activity/activity.ts";
import { createAuthorizeEndpoints } from "../features/authorization/authorize.ts";
import { createConsentEndpoints } from "../features/authorization/consent.ts";
import { createEndSessionEndpoints } from "../features/authorization/end-session.ts";
import { createGrantEndpoints } from "../features/account/applications.ts";
import {
  createIntrospectEndpoint,
  createRevokeEndpoint,
  createTokenEndpoint,
  createUserInfoEndpoint,
} from "../features/authorization/token.ts";
import { createJwksEndpoint, createMetadataEndpoint } from "../features/authorization/metadata.ts";
import { createPreflightEndpoint, TOKEN_HEADERS } from "../http/preflight.ts";
import { createOperationsEndpoints } from "../features/operations/health.ts";
import { createOwnAccountEndpoints } from "../features/settings/account.ts";
import { createOutboxEndpoint } from "../features/operations/outbox.ts";
import { createPageEndpoints } from "./pages.ts";
import { createPasskeyEndpoints } from "../features/account/passkeys.ts";
import { createRpcEndpoint } from "../features/signing/rpc.ts";
import { createSessionEndpoints } from "../features/account/sessions.ts";
import { createRequestPages } from "../features/signing-requests/pages.ts";
import { createExportEndpoint } from "../features/settings/export-account.ts";
import { createSettingsPages } from "../features/settings/pages.ts";
import { createSigningRequestEndpoints } from "../features/signing-requests/signing-requests.ts";
import { createSigningEndpoints } from "../features/signing/sign.ts";
import { createStepUpEndpoints } from "../features/sign-in/step-up.ts";
import { createWeb3SignerEndpoint } from "../features/signing/web3signer.ts";
import { publicAccess } from "../http/guard/guard.ts";
import { createKeyGuards } from "../http/guard/key-guards.ts";
import {
  FOR_TOKENS,
  LEADS_TO_APPLICATIONS,
  OAUTH,
  OPENED_BY_APPLICATIONS,
  PUBLIC_API,
  PUBLIC_OAUTH,
} from "../http/response/security-headers.ts";
import { accessToken, clientCredentials, createAuthorizationGuard } from "../http/guard/oauth-guards.ts";
import { createRecoveryRoutes } from "./recovery-routes.ts";
import { pageRoute, route } from "../http/route.ts";
import type { Route } from "../http/route.ts";
import type { Services } from "../http/services.ts";

/** Every route of the service: method, path, who may pass, what answers. */
export function createRoutes(services: Services): readonly Route[] {
  return [...createServiceRoutes(services), ...createOAuthRoutes(services)];
}

/** What programs call with a token, from a browser of another origin too. */
const KEY_PATHS: readonly (readonly [methods: string, path: string])[] = [
  ["GET", "/api/keys"],
  ["POST", "/api/keys/generate"],
  ["GET", "/api/keys/:keyId"],
  ["POST", "/api/keys/:keyId/sign"],
  ["POST", "/api/keys/:keyId/sign-typed-data"],
  ["POST", "/api/keys/:keyId/sign-transaction"],
  ["POST", "/api/keys/:keyId/sign-authorization"],
  ["POST", "/api/keys/:keyId/explain"],
  ["GET", "/api/keys/:keyId/quote"],
  ["POST", "/api/rpc"],
  ["GET", "/api/signing-requests"],
  ["GET, DELETE", "/api/signing-requests/:requestId"],
];

function createServiceRoutes(services: Services): readonly Route[] {
  const guards = createAccountGuards(services);
  const { session, pageSession, formSession, pageVisitor, visitor, browser, signUpOrSession } = guards;
  const admin = createAdminGuard(services);
  const clients = createAdminClientEndpoints(services);
  const invitations = createAdminInvitationEndpoints(services);
  const people = createAdminAccountEndpoints(services);
  const accounts = createAccountEndpoints(services);
  const passkeys = createPasskeyEndpoints(services);
  const tokens = createTokenEndpoints(services);
  const own = createOwnAccountEndpoints(services);
  const settings = createSettingsPages(services);
  const keyGuards = createKeyGuards(services);
  const sessions = createSessionEndpoints(services);
  const stepUp = createStepUpEndpoints(services);
  const identity = createIdentityEndpoints(services);
  const keys = createKeyEndpoints(services);
  const keyPolicy = createKeyPolicyEndpoints(services);
  const signing = createSigningEndpoints(services);
  const requests = createSigningRequestEndpoints(services);
  const requestPages = createRequestPages(services);
  const pages = createPageEndpoints(services);
  const account = createAccountPageEndpoints(services);
  const audit = createAuditEndpoints(services);
  const operations = createOperationsEndpoints(services);
  const description = createDescriptionEndpoints(services);
  return [
    route("POST", "/api/auth/email-code", browser, accounts.sendCode),
    route("POST", "/api/auth/email-code/verify", browser, accounts.verifyCode),
    route("GET", "/api/auth/identity", publicAccess, identity.list),
    pageRoute("GET", "/api/auth/identity/:provider", browser, identity.begin, OPENED_BY_APPLICATIONS),
    pageRoute(
      "GET",
      "/api/auth/identity/:provider/callback",
      browser,
      identity.callback,
      OPENED_BY_APPLICATIONS,
    ),
    route("POST", "/api/auth/passkey/registration/options", signUpOrSession, accounts.registrationOptions),
    route("POST", "/api/auth/passkey/registration", signUpOrSession, accounts.registration),
    route("POST", "/api/auth/passkey/authentication/options", browser, accounts.authenticationOptions),
    route("POST", "/api/auth/passkey/authentication", browser, accounts.authentication),
    route("GET", "/api/auth/session", visitor, sessions.present),
    route("POST", "/api/auth/sign-out", visitor, sessions.signOut),
    route("POST", "/api/auth/step-up/options", session, stepUp.options),
    route("POST", "/api/auth/step-up", session, stepUp.stepUp),
    route("GET", "/api/auth/passkeys", session, passkeys.list),
    route("PATCH", "/api/auth/passkeys/:passkeyId", session, passkeys.rename),
    route("DELETE", "/api/auth/passkeys/:passkeyId", session, passkeys.remove),
    route("GET", "/.well-known/webauthn", publicAccess, passkeys.relatedOrigins, PUBLIC_API),
    route("GET", "/.well-known/passkey-endpoints", publicAccess, passkeys.wellKnown, PUBLIC_API),
    route("GET", "/api/auth/sessions", session, sessions.list),
    route("DELETE", "/api/auth/sessions/:sessionId", session, sessions.end),
    route("POST", "/api/auth/sessions/revoke-others", session, sessions.endOthers),
    route("POST", "/api/auth/sessions/revoke-all", session, sessions.endAll),

    ...createRecoveryRoutes(services, guards),
    route("PATCH", "/api/auth/account", session, own.rename),
    route("POST", "/api/auth/account/email/code", session, own.sendCode),
    route("POST", "/api/auth/account/email", session, own.changeEmail),
    route("GET", "/api/auth/account/identities", session, own.identities),
    route("POST", "/api/auth/account/identities", session, own.link),
    route("DELETE", "/api/auth/account/identities/:identityId", session, own.unlink),
    route("POST", "/api/auth/account/export", session, createExportEndpoint(services)),
    route("POST", "/api/auth/account/deletion", session, own.askDeletion),

    route("POST", "/api/auth/tokens", session, tokens.create),
    route("GET", "/api/auth/tokens", session, tokens.list),
    route("PATCH", "/api/auth/tokens/:tokenId", session, tokens.change),
    route("DELETE", "/api/auth/tokens/:tokenId", session, tokens.revoke),

    route("GET", "/api/keys", keyGuards.read, keys.list, FOR_TOKENS),
    route("POST", "/api/keys/generate", keyGuards.create, keys.generate, FOR_TOKENS),
    route("GET", "/api/keys/:keyId", keyGuards.read, keys.get, FOR_TOKENS),
    route("PATCH", "/api/keys/:keyId", session, keys.change),
    route("POST", "/api/keys/:keyId/archive", session, keys.archive),
    route("POST", "/api/keys/:keyId/unarchive", session, keys.unarchive),
    route("POST", "/api/keys/:keyId/sign", keyGuards.sign, signing.signMessage, FOR_TOKENS),
    route("POST", "/api/keys/:keyId/sign-typed-data", keyGuards.sign, signing.signTypedData, FOR_TOKENS),
    route("POST", "/api/keys/:keyId/sign-transaction", keyGuards.sign, signing.signTransaction, FOR_TOKENS),
    route(
      "POST",
      "/api/keys/:keyId/sign-authorization",
      keyGuards.sign,
      signing.signAuthorization,
      FOR_TOKENS,
    ),
    route("POST", "/api/keys/:keyId/explain", keyGuards.read, signing.explain, FOR_TOKENS),
    route("GET", "/api/keys/:keyId/policy", session, keyPolicy.get),
    route("PUT", "/api/keys/:keyId/policy", session, keyPolicy.set),
    route("DELETE", "/api/keys/:keyId/policy", session, keyPolicy.remove),
    route("DELETE", "/api/keys/:keyId/policy/change", session, keyPolicy.cancelChange),
    route("GET", "/api/keys/:keyId/quote", keyGuards.read, signing.quote, FOR_TOKENS),

    route("POST", "/api/rpc", keyGuards.token, createRpcEndpoint(services), FOR_TOKENS),
    route(
      "POST",
      "/api/v1/eth1/sign/:identifier",
      keyGuards.token,
      createWeb3SignerEndpoint(services),
      FOR_TOKENS,
    ),
    route("GET", "/api/signing-requests", keyGuards.ask, requests.list, FOR_TOKENS),
    route("GET", "/api/signing-requests/:requestId", keyGuards.ask, requests.get, FOR_TOKENS),
    route("DELETE", "/api/signing-requests/:requestId", keyGuards.ask, requests.withdraw, FOR_TOKENS),
    route("POST", "/api/signing-requests/:requestId/approval/options", session, requests.approvalOptions),
    route("POST", "/api/signing-requests/:requestId/approval", session, requests.approve),
    route("POST", "/api/signing-requests/:requestId/decline", session, requests.decline),

    ...KEY_PATHS.map(([methods, path]) =>
      route("OPTIONS", path, publicAccess, createPreflightEndpoint(methods, TOKEN_HEADERS), FOR_TOKENS)
    ),

    route("GET", "/api/audit", session, audit.list),

    route("POST", "/api/admin/oauth/clients", admin, clients.register),
    route("GET", "/api/admin/oauth/clients", admin, clients.list),
    route("GET", "/api/admin/oauth/clients/:clientId", admin, clients.get),
    route("PATCH", "/api/admin/oauth/clients/:clientId", admin, clients.change),
    route("POST", "/api/admin/oauth/clients/:clientId/secret", admin, clients.rotateSecret),
    route("DELETE", "/api/admin/oauth/clients/:clientId/secret/previous", admin, clients.endSecret),
    route("DELETE", "/api/admin/oauth/clients/:clientId", admin, clients.remove),

    route("POST", "/api/admin/invitations", admin, invitations.make),
    route("GET", "/api/admin/invitations", admin, invitations.list),
    route("DELETE", "/api/admin/invitations/:invitationId", admin, invitations.withdraw),
    route("GET", "/api/admin/accounts", admin, people.list),
    route("GET", "/api/admin/accounts/:accountId", admin, people.get),
    route("POST", "/api/admin/accounts/:accountId/disable", admin, people.disable),
    route("POST", "/api/admin/accounts/:accountId/enable", admin, people.enable),
    route("POST", "/api/admin/accounts/:accountId/sessions/revoke-all", admin, people.endSessions),

    ...createAdminPageRoutes(services, guards),

    pageRoute("GET", "/", pageVisitor, pages.home),
    pageRoute("GET", "/sign-up", pageVisitor, pages.signUp, OPENED_BY_APPLICATIONS),
    pageRoute("GET", "/sign-in", pageVisitor, pages.signIn, OPENED_BY_APPLICATIONS),
    pageRoute("GET", "/signed-out", pageVisitor, pages.signedOut, OPENED_BY_APPLICATIONS),
    pageRoute("POST", "/sign-out", pageVisitor, sessions.signOutForm),
    pageRoute("GET", "/keys", pageSession, pages.keys),
    pageRoute("GET", "/keys/:keyId", pageSession, pages.key),
    pageRoute("POST", "/keys/:keyId/policy/cancel", formSession("/keys"), keyPolicy.cancelForm),
    pageRoute("GET", "/requests", pageSession, requestPages.list),
    pageRoute("GET", "/requests/:requestId", pageSession, requestPages.one),
    pageRoute("GET", "/developer", pageSession, createDeveloperPageEndpoint(services)),
    pageRoute("GET", "/account", pageSession, account.page),
    pageRoute("GET", "/account/settings", pageSession, settings.settings),
    pageRoute("GET", "/take-back", pageVisitor, settings.takeBack),
    pageRoute("POST", "/take-back", pageVisitor, settings.takeBackForm),
    pageRoute("GET", "/taken-back", pageVisitor, settings.takenBack),
    pageRoute("GET", "/account/audit", pageSession, audit.page),
    pageRoute("GET", "/account/audit.csv", pageSession, audit.file),
    pageRoute("POST", "/account/language", formSession("/account"), account.changeLanguage),
    pageRoute("POST", "/account/withdraw", formSession(WITHDRAWAL_UNFINISHED), account.withdraw),
    route("GET", "/assets/:hash/:name", publicAccess, pages.asset),
    pageRoute("GET", "/dev/outbox", publicAccess, createOutboxEndpoint(services)),

    route("GET", "/openapi.json", publicAccess, description.document, PUBLIC_API),
    pageRoute("GET", "/docs/api", publicAccess, description.page),
    route("GET", "/livez", publicAccess, operations.live),
    route("GET", "/readyz", publicAccess, operations.ready),
  ];
}

/** The authorization server. */
function createOAuthRoutes(all: Services): readonly Route[] {
  const services = { ...all, issuer: all.baseUrl };
  const { session, pageVisitor } = createAccountGuards(services);
  const authorizationVisitor = createAuthorizationGuard(services, pageVisitor);
  const authorize = createAuthorizeEndpoints(services);
  const consent = createConsentEndpoints(services);
  const endSession = createEndSessionEndpoints(services);
  const grants = createGrantEndpoints(services);
  const token = createTokenEndpoint(services);
  const revoke = createRevokeEndpoint(services);
  const introspect = createIntrospectEndpoint(services);
  const userinfo = createUserInfoEndpoint(services);
  const jwks = createJwksEndpoint(services);
  const metadata = createMetadataEndpoint(services);
  const allowGet = createPreflightEndpoint("GET");
  const allowPost = createPreflightEndpoint("POST");
  const allowBoth = createPreflightEndpoint("GET, POST");
  return [
    pageRoute(
      "GET",
      "/api/auth/oauth2/authorize",
      authorizationVisitor,
      authorize.get,
      LEADS_TO_APPLICATIONS,
    ),
    pageRoute("POST", "/api/auth/oauth2/authorize", publicAccess, authorize.post, LEADS_TO_APPLICATIONS),
    pageRoute("GET", "/consent", authorizationVisitor, consent.page, LEADS_TO_APPLICATIONS),
    pageRoute("POST", "/consent", authorizationVisitor, consent.decide, LEADS_TO_APPLICATIONS),
    route("POST", "/api/auth/oauth2/token", clientCredentials, token, PUBLIC_OAUTH),
    route("OPTIONS", "/api/auth/oauth2/token", publicAccess, allowPost, PUBLIC_OAUTH),
    route("POST", "/api/auth/oauth2/revoke", clientCredentials, revoke, PUBLIC_OAUTH),
    route("OPTIONS", "/api/auth/oauth2/revoke", publicAccess, allowPost, PUBLIC_OAUTH),
    route("POST", "/api/auth/oauth2/introspect", clientCredentials, introspect, OAUTH),
    route("GET", "/api/auth/oauth2/userinfo", accessToken, userinfo, PUBLIC_OAUTH),
    route("POST", "/api/auth/oauth2/userinfo", accessToken, userinfo, PUBLIC_OAUTH),
    route("OPTIONS", "/api/auth/oauth2/userinfo", publicAccess, allowBoth, PUBLIC_OAUTH),
    pageRoute("GET", "/api/auth/oauth2/end-session", pageVisitor, endSession.get, LEADS_TO_APPLICATIONS),
    pageRoute("POST", "/api/auth/oauth2/end-session", publicAccess, endSession.post, LEADS_TO_APPLICATIONS),
    pageRoute("GET", "/end-session", pageVisitor, endSession.page, LEADS_TO_APPLICATIONS),
    pageRoute("POST", "/end-session", pageVisitor, endSession.decide, LEADS_TO_APPLICATIONS),
    route("GET", "/api/auth/jwks", publicAccess, jwks, PUBLIC_API),
    route("OPTIONS", "/api/auth/jwks", publicAccess, allowGet, PUBLIC_API),
    route("GET", "/.well-known/openid-configuration", publicAccess, metadata, PUBLIC_API),
    route("OPTIONS", "/.well-known/openid-configuration", publicAccess, allowGet, PUBLIC_API),
    route("GET", "/.well-known/oauth-authorization-server", publicAccess, metadata, PUBLIC_API),
    route("OPTIONS", "/.well-known/oauth-authorization-server", publicAccess, allowGet, PUBLIC_API),
    route("GET", "/api/auth/grants", session, grants.list),
    route("DELETE", "/api/auth/grants/:clientId", session, grants.withdraw),
  ];
}
