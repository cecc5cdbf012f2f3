import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { RecoveryAnswer, RecoveryCodesMade, WayBackAnswer } from "../../api/recovery.ts";
import { CreationOptions } from "../../api/webauthn.ts";
import { OPENED_BY_APPLICATIONS } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { showCancelForm, showRecovery, showSettings, submitCancelForm } from "./pages.ts";
import { RECOVER_SCRIPT } from "./recover-page.ts";
import { cancelRecovery, createCodes, getSettings, updateSettings } from "./recovery-settings.ts";
import { WAY_BACK_SCRIPT } from "./recovery-settings-page.ts";
import { createPasskeyOptions, createRecovery, getRecovery, registerPasskey, sendCode } from "./recovery.ts";

const tag = "Recovery";
const STEP_UP = "Needs a fresh sign-in, or the step-up `change_recovery`. The owner is told by mail.";

export const RECOVERY_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/recovery/email-code", sendCode, {
    id: "sendRecoveryCode",
    tag,
    summary: "Ask for an e-mail code for a recovery",
    description: "The answer is the same for every address. A cookie ties the code to this browser.",
    answers: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["not_found"],
  }),
  route("POST", "/api/auth/recovery", createRecovery, {
    id: "beginRecovery",
    tag,
    summary: "Begin a recovery",
    description:
      "By an e-mail code and a recovery code; by an e-mail code alone where the account chose that; by a recovery code alone where it has no address. After the account's delay this browser can make a new passkey.",
    answers: { 201: RecoveryAnswer },
    limits: ["recovery_begin", "email_code_guess", "recovery_account"],
    codes: ["invalid_code", "recovery_refused", "recovery_waiting", "recovery_in_browser"],
  }),
  route("GET", "/api/auth/recovery", getRecovery, {
    id: "getRecovery",
    tag,
    summary: "Look at the recovery that this browser began",
    answers: { 200: RecoveryAnswer },
  }),
  route("POST", "/api/auth/recovery/passkey/options", createPasskeyOptions, {
    id: "recoveryPasskeyOptions",
    tag,
    summary: "Begin to make the new passkey of a recovery that has waited",
    description:
      "Takes a code once more: one that was sent to the address now, or, of an account without one, the recovery code that it was begun with.",
    answers: { 200: CreationOptions },
    limits: ["recovery_begin", "email_code_guess", "passkey_ceremony"],
    codes: ["invalid_code", "recovery_not_ready"],
  }),
  route("POST", "/api/auth/recovery/passkey", registerPasskey, {
    id: "finishRecovery",
    tag,
    summary: "Register that passkey: every other access to the account ends",
    answers: { 201: AccountAnswer },
    codes: ["invalid_passkey_registration", "recovery_not_ready"],
  }),
  route("GET", "/api/auth/way-back", getSettings, {
    id: "getWayBack",
    tag,
    summary: "Look at what a recovery of one's account takes",
    answers: { 200: WayBackAnswer },
  }),
  route("PATCH", "/api/auth/way-back", updateSettings, {
    id: "changeWayBack",
    tag,
    summary: "Change that, for recoveries that are begun from now on",
    description: STEP_UP,
    answers: { 200: WayBackAnswer },
    limits: ["recovery_choices"],
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  route("POST", "/api/auth/way-back/codes", createCodes, {
    id: "makeRecoveryCodes",
    tag,
    summary: "Make eight recovery codes; those of before no longer work",
    description: STEP_UP,
    headers: ["Idempotency-Key"],
    answers: { 201: RecoveryCodesMade },
    limits: ["recovery_choices"],
    codes: ["fresh_session_required", "recently_recovered", "already_made"],
  }),
  route("DELETE", "/api/auth/way-back/recovery", cancelRecovery, {
    id: "cancelRecovery",
    tag,
    summary: "Cancel the recovery that waits",
    description:
      `${STEP_UP} Any use of a passkey of the account does it too. Where none waits, nothing is done.`,
    answers: { 204: null },
    codes: ["fresh_session_required"],
  }),
  pageRoute(
    "GET",
    "/recover",
    showRecovery,
    { id: "recoverPage", summary: "Lost your passkey?" },
    OPENED_BY_APPLICATIONS,
  ),
  pageRoute("GET", "/recover/cancel", showCancelForm, {
    id: "cancelRecoveryPage",
    summary: "Where the mails about a recovery lead",
  }),
  pageRoute("POST", "/recover/cancel", submitCancelForm, {
    id: "cancelRecoveryForm",
    summary: "Its button, which cancels the recovery",
    limits: ["recovery_cancel"],
  }),
  pageRoute(
    "GET",
    "/account/recovery",
    showSettings,
    { id: "wayBackPage", summary: "One's way back" },
    OPENED_BY_APPLICATIONS,
  ),
];

export const RECOVERY_SCRIPTS: readonly Script[] = [RECOVER_SCRIPT, WAY_BACK_SCRIPT];
