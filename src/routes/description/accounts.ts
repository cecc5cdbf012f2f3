import * as v from "valibot";
import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { AddressProven, ProviderList, Registered, SteppedUp } from "../../features/sign-in/schema.ts";
import { CreationOptions, RequestOptions } from "../../api/webauthn.ts";
import { AuthenticationBody } from "../../features/sign-in/sign-in.ts";
import {
  CodeBody,
  RegistrationBody,
  RegistrationOptionsBody,
  VerifyBody,
} from "../../features/sign-in/sign-up.ts";
import { OptionsBody, StepUpBody } from "../../features/sign-in/step-up.ts";
import { WaitingQuery } from "../../http/request/return-to.ts";
import type { Operation, Operations } from "../../http/description.ts";

const nothing = { body: v.strictObject({}), bodyIs: "optional" } as const satisfies Partial<Operation>;
const GUESSES = ["email_address_site", "email_address_region", "email_address_tries"] as const;

/** Where `SIGN_UP` is not `open`. */
const NOT_INVITED = ["invitation_required", "sign_up_closed"] as const;

/** How people come to an account, and back into it. */
const SIGN_IN: Operations = {
  "POST /api/auth/email-code": {
    id: "sendCode",
    tag: "Accounts",
    summary: "Ask for an e-mail code",
    description: "The answer is the same for every address. A cookie ties the code to this browser.",
    body: CodeBody,
    answers: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["not_found", ...NOT_INVITED],
  },
  "POST /api/auth/email-code/verify": {
    id: "verifyCode",
    tag: "Accounts",
    summary: "Redeem an e-mail code",
    description: "The third wrong try kills the code; a new code kills the old one.",
    body: VerifyBody,
    answers: { 200: AddressProven },
    limits: ["email_code_guess", ...GUESSES],
    codes: ["invalid_code", ...NOT_INVITED],
  },
  "POST /api/auth/passkey/registration/options": {
    id: "passkeyRegistrationOptions",
    tag: "Accounts",
    summary: "Begin to register a passkey",
    body: RegistrationOptionsBody,
    bodyIs: "optional",
    answers: { 200: CreationOptions },
    limits: ["passkey_ceremony"],
    codes: ["fresh_session_required", "too_many_passkeys", "account_exists"],
  },
  "POST /api/auth/passkey/registration": {
    id: "registerPasskey",
    tag: "Accounts",
    summary: "Register a passkey, and with the first one make the account",
    body: RegistrationBody,
    answers: { 201: Registered },
    codes: [
      "invalid_passkey_registration",
      "fresh_session_required",
      "too_many_passkeys",
      "account_exists",
      "not_found",
      ...NOT_INVITED,
    ],
  },
  "POST /api/auth/passkey/authentication/options": {
    id: "passkeyAuthenticationOptions",
    tag: "Accounts",
    summary: "Begin to sign in",
    ...nothing,
    answers: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
  },
  "POST /api/auth/passkey/authentication": {
    id: "signIn",
    tag: "Accounts",
    summary: "Sign in with a passkey",
    body: AuthenticationBody,
    answers: { 200: AccountAnswer },
    codes: ["invalid_passkey", "account_disabled"],
  },
  "GET /api/auth/identity": {
    id: "listProviders",
    tag: "Accounts",
    summary: "List the other providers to sign in with",
    answers: { 200: ProviderList },
  },
  "GET /api/auth/identity/:provider": {
    id: "beginIdentity",
    tag: "Accounts",
    summary: "Go to another provider",
    description: "For a browser's address bar.",
    query: WaitingQuery,
    answers: { 303: null },
    limits: ["identity_request"],
    codes: ["identity_unavailable", "identity_refused", "cross_site_request"],
  },
  "GET /api/auth/identity/:provider/callback": {
    id: "finishIdentity",
    tag: "Accounts",
    summary: "Come back from another provider",
    answers: { 303: null },
    limits: ["identity_request"],
    codes: ["identity_unavailable", "identity_refused"],
  },
};

/** What one keeps. */
const KEPT: Operations = {
  "POST /api/auth/step-up/options": {
    id: "stepUpOptions",
    tag: "Passkeys",
    summary: "Begin to confirm one thing with a passkey",
    body: OptionsBody,
    answers: { 200: RequestOptions },
    limits: ["passkey_ceremony"],
  },
  "POST /api/auth/step-up": {
    id: "stepUp",
    tag: "Passkeys",
    summary: "Confirm one thing with a passkey",
    description: "For 10 minutes and once, in place of a fresh sign-in. The session gets a new cookie.",
    body: StepUpBody,
    answers: { 200: SteppedUp },
    codes: ["invalid_passkey"],
  },
};

/** What concerns accounts. */
export const ACCOUNT_OPERATIONS: Operations = { ...SIGN_IN, ...KEPT };
