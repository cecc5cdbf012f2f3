import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { OPENED_BY_APPLICATIONS } from "../../http/response/security-headers.ts";
import { browser, pageVisitor, session, signUpOrSession } from "../../http/guard/account-guards.ts";
import { createAccountEndpoints } from "./sign-in.ts";
import { createCeremonyPages, createVisitorPages } from "./pages.ts";
import { createIdentityEndpoints } from "./identity-providers.ts";
import { createStepUpEndpoints } from "./step-up.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";

export function createSignInRoutes(services: Services): readonly Route[] {
  const accounts = createAccountEndpoints(services);
  const identity = createIdentityEndpoints(services);
  const stepUp = createStepUpEndpoints(services);
  const visitorPages = createVisitorPages(services);
  const ceremonyPages = createCeremonyPages(services);
  return [
    legacyRoute("POST", "/api/auth/email-code", browser, accounts.sendCode),
    legacyRoute("POST", "/api/auth/email-code/verify", browser, accounts.verifyCode),
    legacyRoute("GET", "/api/auth/identity", publicAccess, identity.list),
    legacyPageRoute("GET", "/api/auth/identity/:provider", browser, identity.begin, OPENED_BY_APPLICATIONS),
    legacyPageRoute(
      "GET",
      "/api/auth/identity/:provider/callback",
      browser,
      identity.callback,
      OPENED_BY_APPLICATIONS,
    ),
    legacyRoute(
      "POST",
      "/api/auth/passkey/registration/options",
      signUpOrSession,
      accounts.registrationOptions,
    ),
    legacyRoute("POST", "/api/auth/passkey/registration", signUpOrSession, accounts.registration),
    legacyRoute("POST", "/api/auth/passkey/authentication/options", browser, accounts.authenticationOptions),
    legacyRoute("POST", "/api/auth/passkey/authentication", browser, accounts.authentication),
    legacyRoute("POST", "/api/auth/step-up/options", session, stepUp.options),
    legacyRoute("POST", "/api/auth/step-up", session, stepUp.stepUp),
    legacyPageRoute("GET", "/", pageVisitor, visitorPages.home),
    legacyPageRoute("GET", "/sign-up", pageVisitor, ceremonyPages.signUp, OPENED_BY_APPLICATIONS),
    legacyPageRoute("GET", "/sign-in", pageVisitor, ceremonyPages.signIn, OPENED_BY_APPLICATIONS),
    legacyPageRoute("GET", "/signed-out", pageVisitor, visitorPages.signedOut, OPENED_BY_APPLICATIONS),
  ];
}
