import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { CreationOptions, RequestOptions } from "../../api/webauthn.ts";
import { ReturnToQuery } from "../../http/request/return-to.ts";
import { OPENED_BY_APPLICATIONS } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { listProviders, receiveCallback, redirectToProvider } from "./identity-providers.ts";
import { IDENTITY_SIGN_UP_SCRIPT } from "./identity-sign-up-page.ts";
import { showHome, showSignedOut, showSignIn, showSignUp } from "./pages.ts";
import { AddressProven, ProviderList, Registered, SignUpQuery, SteppedUp } from "./schema.ts";
import { SIGN_IN_SCRIPT } from "./sign-in-page.ts";
import { authenticate, createAuthenticationOptions } from "./sign-in.ts";
import { SIGN_UP_SCRIPT } from "./sign-up-page.ts";
import { createRegistrationOptions, registerPasskey, sendCode, verifyCode } from "./sign-up.ts";
import { completeStepUp, createStepUpOptions } from "./step-up.ts";

const tag = "Accounts";
const GUESSES = [
  "email_code_guess",
  "email_address_site",
  "email_address_region",
  "email_address_tries",
  "email_address_customer",
  "email_address_reserve",
] as const;

/** The problems of a service whose `SIGN_UP` is not `open`. */
const NOT_INVITED = ["invitation_required", "sign_up_closed"] as const;

export const SIGN_IN_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/email-code", sendCode, {
    id: "sendCode",
    tag,
    summary: "Send an e-mail code",
    description: "The response is the same for every address. A cookie binds the code to this browser.",
    returns: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["not_found", ...NOT_INVITED],
  }),
  route("POST", "/api/auth/email-code/verify", verifyCode, {
    id: "verifyCode",
    tag,
    summary: "Verify an e-mail code",
    description: "The third wrong try invalidates the code. A new code invalidates the previous one.",
    returns: { 200: AddressProven },
    limits: GUESSES,
    codes: ["invalid_code", ...NOT_INVITED],
  }),
  route("GET", "/api/auth/identity", listProviders, {
    id: "listProviders",
    tag,
    summary: "List the other providers that users can sign in with",
    returns: { 200: ProviderList },
  }),
  pageRoute("GET", "/api/auth/identity/:provider", redirectToProvider, {
    id: "beginIdentity",
    tag,
    summary: "Redirect to another provider",
    description: "For navigation in a browser, not for a program.",
    query: ReturnToQuery,
    returns: { 303: null },
    limits: ["identity_request"],
    codes: ["identity_unavailable", "identity_refused", "cross_site_request"],
  }, OPENED_BY_APPLICATIONS),
  pageRoute("GET", "/api/auth/identity/:provider/callback", receiveCallback, {
    id: "finishIdentity",
    tag,
    summary: "Receive the response of another provider",
    returns: { 303: null },
    limits: ["identity_request"],
    codes: ["identity_unavailable", "identity_refused", "authentication_required"],
  }, OPENED_BY_APPLICATIONS),
  route("POST", "/api/auth/passkey/registration/options", createRegistrationOptions, {
    id: "passkeyRegistrationOptions",
    tag,
    summary: "Get options to register a passkey",
    returns: { 200: CreationOptions },
    limits: ["passkey_ceremony"],
    codes: ["fresh_session_required", "too_many_passkeys", "account_exists"],
  }),
  route("POST", "/api/auth/passkey/registration", registerPasskey, {
    id: "registerPasskey",
    tag,
    summary: "Register a passkey; the first one creates the account",
    returns: { 201: Registered },
    codes: [
      "invalid_passkey_registration",
      "fresh_session_required",
      "too_many_passkeys",
      "account_exists",
      "not_found",
      ...NOT_INVITED,
    ],
  }),
  route("POST", "/api/auth/passkey/authentication/options", createAuthenticationOptions, {
    id: "passkeyAuthenticationOptions",
    tag,
    summary: "Get options to sign in with a passkey",
    returns: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
  }),
  route("POST", "/api/auth/passkey/authentication", authenticate, {
    id: "signIn",
    tag,
    summary: "Sign in with a passkey",
    returns: { 200: AccountAnswer },
    codes: ["invalid_passkey", "account_disabled"],
  }),
  route("POST", "/api/auth/step-up/options", createStepUpOptions, {
    id: "stepUpOptions",
    tag: "Passkeys",
    summary: "Get options to confirm one action with a passkey",
    returns: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
  }),
  route("POST", "/api/auth/step-up", completeStepUp, {
    id: "stepUp",
    tag: "Passkeys",
    summary: "Confirm one action with a passkey (step-up)",
    description: "Valid once, within 10 minutes, in place of a new sign-in. The session gets a new cookie.",
    returns: { 200: SteppedUp },
    codes: ["invalid_passkey"],
  }),
  pageRoute("GET", "/", showHome, { id: "homePage", summary: "The home page" }),
  pageRoute(
    "GET",
    "/sign-up",
    showSignUp,
    { id: "signUpPage", summary: "Create an account", query: SignUpQuery },
    OPENED_BY_APPLICATIONS,
  ),
  pageRoute(
    "GET",
    "/sign-in",
    showSignIn,
    { id: "signInPage", summary: "Sign in", query: ReturnToQuery },
    OPENED_BY_APPLICATIONS,
  ),
  pageRoute(
    "GET",
    "/signed-out",
    showSignedOut,
    { id: "signedOutPage", summary: "The page after a sign-out" },
    OPENED_BY_APPLICATIONS,
  ),
];

export const SIGN_IN_SCRIPTS: readonly Script[] = [IDENTITY_SIGN_UP_SCRIPT, SIGN_IN_SCRIPT, SIGN_UP_SCRIPT];
