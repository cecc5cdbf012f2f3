import * as v from "valibot";
import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { PasskeyAnswer, PasskeyList } from "../../api/passkey.ts";
import { SessionList, SessionsEnded } from "../../api/session.ts";
import { PasskeyPages, PresentSession, RelatedOrigins } from "../../features/account/schema.ts";
import { EventList } from "../../features/activity/schema.ts";
import { AddressProven, ProviderList, Registered, SteppedUp } from "../../features/sign-in/schema.ts";
import { CreationOptions, RequestOptions } from "../../api/webauthn.ts";
import { AuthenticationBody } from "../../features/sign-in/sign-in.ts";
import {
  CodeBody,
  RegistrationBody,
  RegistrationOptionsBody,
  VerifyBody,
} from "../../features/sign-in/sign-up.ts";
import { ListQuery } from "../../features/activity/activity.ts";
import { RenameBody } from "../../features/account/passkeys.ts";
import { OptionsBody, StepUpBody } from "../../features/sign-in/step-up.ts";
import { WaitingQuery } from "../../http/request/return-to.ts";
import type { Operation, Operations } from "../../http/description.ts";
import { OWN_ACCOUNT } from "./own-account.ts";

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
  "GET /api/auth/session": {
    id: "getSession",
    tag: "Accounts",
    summary: "Ask who is signed in",
    description: "Both members are null when nobody is.",
    answers: { 200: PresentSession },
  },
  "POST /api/auth/sign-out": {
    id: "signOut",
    tag: "Accounts",
    summary: "Sign out",
    ...nothing,
    answers: { 204: null },
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
  "GET /api/auth/passkeys": {
    id: "listPasskeys",
    tag: "Passkeys",
    summary: "List one's passkeys",
    answers: { 200: PasskeyList },
  },
  "PATCH /api/auth/passkeys/:passkeyId": {
    id: "renamePasskey",
    tag: "Passkeys",
    summary: "Rename a passkey",
    body: RenameBody,
    answers: { 200: PasskeyAnswer },
  },
  "DELETE /api/auth/passkeys/:passkeyId": {
    id: "deletePasskey",
    tag: "Passkeys",
    summary: "Delete a passkey, and end the sessions that it opened",
    description: "Needs a fresh sign-in, or the step-up `delete_passkey:<id>`.",
    ...nothing,
    answers: { 204: null },
    codes: ["fresh_session_required", "last_passkey"],
  },
  "GET /.well-known/webauthn": {
    id: "getRelatedOrigins",
    tag: "Passkeys",
    summary: "Say which other origins may use the passkeys",
    answers: { 200: RelatedOrigins },
    codes: ["not_found"],
  },
  "GET /.well-known/passkey-endpoints": {
    id: "getPasskeyEndpoints",
    tag: "Passkeys",
    summary: "Say where passkeys are made and kept",
    answers: { 200: PasskeyPages },
  },
  "GET /api/auth/sessions": {
    id: "listSessions",
    tag: "Passkeys",
    summary: "List one's sessions",
    answers: { 200: SessionList },
  },
  "DELETE /api/auth/sessions/:sessionId": {
    id: "endSession",
    tag: "Passkeys",
    summary: "End a session",
    ...nothing,
    answers: { 204: null },
  },
  "POST /api/auth/sessions/revoke-others": {
    id: "endOtherSessions",
    tag: "Passkeys",
    summary: "End all sessions but this one",
    ...nothing,
    answers: { 200: SessionsEnded },
  },
  "POST /api/auth/sessions/revoke-all": {
    id: "endAllSessions",
    tag: "Passkeys",
    summary: "End all sessions",
    ...nothing,
    answers: { 200: SessionsEnded },
  },
};

const TOKENS: Operations = {
  "GET /api/audit": {
    id: "listEvents",
    tag: "Audit",
    summary: "List what was recorded of one's account",
    description: "Newest first.",
    query: ListQuery,
    answers: { 200: EventList },
    answerHeaders: ["Link"],
  },
};

/** What concerns accounts. */
export const ACCOUNT_OPERATIONS: Operations = { ...SIGN_IN, ...KEPT, ...OWN_ACCOUNT, ...TOKENS };
