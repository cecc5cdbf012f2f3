import * as v from "valibot";
import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { RecoveryAnswer, RecoveryCodesMade, WayBackAnswer } from "../../api/recovery.ts";
import { CreationOptions } from "../../api/webauthn.ts";
import { CancelForm, CancelQuery, WayBackQuery } from "../../features/recovery/pages.ts";
import { ChoicesBody, EvidenceBody, PasskeyBody, ProofBody } from "../../features/recovery/recovery.ts";
import type { Operation, Operations } from "../../http/description.ts";

const nothing = { body: v.strictObject({}), bodyIs: "optional" } as const satisfies Partial<Operation>;
const STEP_UP = "Needs a fresh sign-in, or the step-up `change_recovery`. The owner is told by mail.";

/** What is done by whoever lost their passkeys. */
const BACK: Operations = {
  "POST /api/auth/recovery/email-code": {
    id: "sendRecoveryCode",
    tag: "Recovery",
    summary: "Ask for an e-mail code for a recovery",
    description: "The answer is the same for every address. A cookie ties the code to this browser.",
    body: ProofBody,
    answers: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["not_found"],
  },
  "POST /api/auth/recovery": {
    id: "beginRecovery",
    tag: "Recovery",
    summary: "Begin a recovery",
    description:
      "By an e-mail code and a recovery code; by an e-mail code alone where the account chose that; by a recovery code alone where it has no address. After the account's delay this browser can make a new passkey.",
    body: EvidenceBody,
    answers: { 201: RecoveryAnswer },
    limits: ["recovery_begin", "email_code_guess", "recovery_account"],
    codes: ["invalid_code", "recovery_refused", "recovery_waiting", "recovery_in_browser"],
  },
  "GET /api/auth/recovery": {
    id: "getRecovery",
    tag: "Recovery",
    summary: "Look at the recovery that this browser began",
    answers: { 200: RecoveryAnswer },
  },
  "POST /api/auth/recovery/passkey/options": {
    id: "recoveryPasskeyOptions",
    tag: "Recovery",
    summary: "Begin to make the new passkey of a recovery that has waited",
    description:
      "Takes a code once more: one that was sent to the address now, or, of an account without one, the recovery code that it was begun with.",
    body: EvidenceBody,
    answers: { 200: CreationOptions },
    limits: ["recovery_begin", "email_code_guess", "passkey_ceremony"],
    codes: ["invalid_code", "recovery_not_ready"],
  },
  "POST /api/auth/recovery/passkey": {
    id: "finishRecovery",
    tag: "Recovery",
    summary: "Register that passkey: every other access to the account ends",
    body: PasskeyBody,
    answers: { 201: AccountAnswer },
    codes: ["invalid_passkey_registration", "recovery_not_ready"],
  },
};

/** What an account says of it beforehand. */
const CHOICES: Operations = {
  "GET /api/auth/way-back": {
    id: "getWayBack",
    tag: "Recovery",
    summary: "Look at what a recovery of one's account takes",
    answers: { 200: WayBackAnswer },
  },
  "PATCH /api/auth/way-back": {
    id: "changeWayBack",
    tag: "Recovery",
    summary: "Change that, for recoveries that are begun from now on",
    description: STEP_UP,
    body: ChoicesBody,
    answers: { 200: WayBackAnswer },
    limits: ["recovery_choices"],
    codes: ["fresh_session_required", "recently_recovered"],
  },
  "POST /api/auth/way-back/codes": {
    id: "makeRecoveryCodes",
    tag: "Recovery",
    summary: "Make eight recovery codes; those of before no longer work",
    description: STEP_UP,
    ...nothing,
    headers: ["Idempotency-Key"],
    answers: { 201: RecoveryCodesMade },
    limits: ["recovery_choices"],
    codes: ["fresh_session_required", "recently_recovered", "already_made"],
  },
  "DELETE /api/auth/way-back/recovery": {
    id: "cancelRecovery",
    tag: "Recovery",
    summary: "Cancel the recovery that waits",
    description:
      `${STEP_UP} Any use of a passkey of the account does it too. Where none waits, nothing is done.`,
    ...nothing,
    answers: { 204: null },
    codes: ["fresh_session_required"],
  },
};

const PAGES: Operations = {
  "GET /recover": {
    id: "recoverPage",
    tag: "Pages",
    summary: "Lost your passkey?",
    answers: { 200: "page", 303: null },
  },
  "GET /recover/cancel": {
    id: "cancelRecoveryPage",
    tag: "Pages",
    summary: "Where the mails about a recovery lead",
    query: CancelQuery,
    answers: { 200: "page", 303: null },
  },
  "POST /recover/cancel": {
    id: "cancelRecoveryForm",
    tag: "Pages",
    summary: "Its button, which cancels the recovery",
    body: CancelForm,
    bodyIs: "form",
    answers: { 200: "page", 303: null },
    limits: ["recovery_cancel"],
  },
  "GET /account/recovery": {
    id: "wayBackPage",
    tag: "Pages",
    summary: "One's way back",
    query: WayBackQuery,
    answers: { 200: "page", 303: null },
  },
};

/** What concerns recoveries. */
export const RECOVERY_OPERATIONS: Operations = { ...BACK, ...CHOICES, ...PAGES };
