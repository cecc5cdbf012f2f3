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
const STEP_UP =
  "Needs a sign-in within the last 10 minutes, or the step-up `change_recovery`. Notifies the owner by mail.";

export const RECOVERY_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/recovery/email-code", sendCode, {
    id: "sendRecoveryCode",
    tag,
    summary: "Send an e-mail code for a recovery",
    description: "The response is the same for every address. A cookie binds the code to this browser.",
    returns: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["not_found"],
  }),
  route("POST", "/api/auth/recovery", createRecovery, {
    id: "beginRecovery",
    tag,
    summary: "Begin a recovery",
    description:
      "Needs an e-mail code and a recovery code. An e-mail code is enough if the account allows it, a recovery code if the account has no address. After the account's delay, this browser can create a new passkey.",
    returns: { 201: RecoveryAnswer },
    limits: ["recovery_begin", "email_code_guess", "recovery_account"],
    codes: ["invalid_code", "recovery_refused", "recovery_waiting", "recovery_in_browser"],
  }),
  route("GET", "/api/auth/recovery", getRecovery, {
    id: "getRecovery",
    tag,
    summary: "Get the recovery that this browser began",
    returns: { 200: RecoveryAnswer },
  }),
  route("POST", "/api/auth/recovery/passkey/options", createPasskeyOptions, {
    id: "recoveryPasskeyOptions",
    tag,
    summary: "Get options to create the new passkey, after the recovery's delay",
    description:
      "Needs a new e-mail code. An account without an address needs the recovery code with which the recovery began.",
    returns: { 200: CreationOptions },
    limits: ["recovery_begin", "email_code_guess", "passkey_ceremony"],
    codes: ["invalid_code", "recovery_not_ready"],
  }),
  route("POST", "/api/auth/recovery/passkey", registerPasskey, {
    id: "finishRecovery",
    tag,
    summary: "Register the new passkey and end all other access to the account",
    returns: { 201: AccountAnswer },
    codes: ["invalid_passkey_registration", "recovery_not_ready"],
  }),
  route("GET", "/api/auth/way-back", getSettings, {
    id: "getWayBack",
    tag,
    summary: "Get your recovery settings",
    returns: { 200: WayBackAnswer },
  }),
  route("PATCH", "/api/auth/way-back", updateSettings, {
    id: "changeWayBack",
    tag,
    summary: "Change your recovery settings, for recoveries that begin later",
    description: STEP_UP,
    returns: { 200: WayBackAnswer },
    limits: ["recovery_choices"],
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  route("POST", "/api/auth/way-back/codes", createCodes, {
    id: "makeRecoveryCodes",
    tag,
    summary: "Create eight recovery codes and revoke the previous ones",
    description: STEP_UP,
    headers: ["Idempotency-Key"],
    returns: { 201: RecoveryCodesMade },
    limits: ["recovery_choices"],
    codes: ["fresh_session_required", "recently_recovered", "already_made"],
  }),
  route("DELETE", "/api/auth/way-back/recovery", cancelRecovery, {
    id: "cancelRecovery",
    tag,
    summary: "Cancel the pending recovery",
    description:
      `${STEP_UP} Any use of the account's passkeys cancels it too. Does nothing if no recovery is pending.`,
    returns: { 204: null },
    codes: ["fresh_session_required"],
  }),
  pageRoute(
    "GET",
    "/recover",
    showRecovery,
    { id: "recoverPage", summary: "Begin a recovery, see its state, and finish it" },
    OPENED_BY_APPLICATIONS,
  ),
  pageRoute("GET", "/recover/cancel", showCancelForm, {
    id: "cancelRecoveryPage",
    summary: "The page that the mails about a recovery link to",
  }),
  pageRoute("POST", "/recover/cancel", submitCancelForm, {
    id: "cancelRecoveryForm",
    summary: "Cancel a recovery by the link of its mail",
    limits: ["recovery_cancel"],
  }),
  pageRoute(
    "GET",
    "/account/recovery",
    showSettings,
    { id: "wayBackPage", summary: "Your recovery settings" },
    OPENED_BY_APPLICATIONS,
  ),
];

export const RECOVERY_SCRIPTS: readonly Script[] = [RECOVER_SCRIPT, WAY_BACK_SCRIPT];
