import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import {
  changeEmail,
  linkIdentity,
  listIdentities,
  renameAccount,
  requestDeletion,
  sendAddressCode,
  unlinkIdentity,
} from "./account.ts";
import { exportAccount } from "./export-account.ts";
import { showSettings, showTakeBack, showTakenBack, submitTakeBack } from "./pages.ts";
import { DeletionAsked, IdentityList, LinkBegun } from "./schema.ts";
import { SETTINGS_SCRIPT } from "./settings-page.ts";

export const SETTINGS_ROUTES: readonly Route[] = [
  route("PATCH", "/api/auth/account", renameAccount, {
    id: "renameAccount",
    tag: "Accounts",
    summary: "Give one's account another name, or none",
    description: "Applications see it as `name`.",
    answers: { 200: AccountAnswer },
    limits: ["account_rename"],
  }),
  route("POST", "/api/auth/account/email/code", sendAddressCode, {
    id: "sendAddressCode",
    tag: "Accounts",
    summary: "Have a code sent to the address that one's account is to have",
    description:
      "Needs a fresh sign-in, or the step-up `change_email`. The answer is the same for every address.",
    answers: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["fresh_session_required", "recently_recovered", "not_found"],
  }),
  route("POST", "/api/auth/account/email", changeEmail, {
    id: "changeEmail",
    tag: "Accounts",
    summary: "Give one's account the address that the code proves",
    description: "The old address is told, and can take it back for 7 days. The session's code alone counts.",
    answers: { 200: AccountAnswer },
    limits: ["email_code_guess", "email_address_site", "email_address_region", "email_address_tries"],
    codes: ["fresh_session_required", "recently_recovered", "invalid_code", "account_exists"],
  }),
  route("GET", "/api/auth/account/identities", listIdentities, {
    id: "listIdentities",
    tag: "Accounts",
    summary: "List who one is at other providers",
    answers: { 200: IdentityList },
  }),
  route("POST", "/api/auth/account/identities", linkIdentity, {
    id: "linkIdentity",
    tag: "Accounts",
    summary: "Begin to link another provider",
    description:
      "Needs a fresh sign-in, or the step-up `link_identity`, which this uses. The session that began finishes.",
    answers: { 200: LinkBegun },
    limits: ["identity_request"],
    codes: [
      "fresh_session_required",
      "recently_recovered",
      "not_found",
      "identity_unavailable",
      "identity_refused",
    ],
  }),
  route("DELETE", "/api/auth/account/identities/:identityId", unlinkIdentity, {
    id: "unlinkIdentity",
    tag: "Accounts",
    summary: "Unlink another provider",
    description: "Needs a fresh sign-in, or the step-up `unlink_identity:<id>`. The passkeys stay.",
    answers: { 204: null },
    codes: ["fresh_session_required"],
  }),
  route("POST", "/api/auth/account/export", exportAccount, {
    id: "exportAccount",
    tag: "Accounts",
    summary: "Download all that is known of oneself, as one JSON file",
    description:
      "Needs a fresh sign-in, or the step-up `export_account`. The owner is told by mail. docs/how-to/export.md says what is in it.",
    answers: { 200: "file" },
    limits: ["account_export"],
    codes: ["fresh_session_required"],
  }),
  route("POST", "/api/auth/account/deletion", requestDeletion, {
    id: "deleteAccount",
    tag: "Accounts",
    summary: "Have one's account deleted in 7 days, and sign out everywhere",
    description:
      "Needs a fresh sign-in, or the step-up `delete_account`. `confirm` is the account's address, else its name, else its id. Any sign-in stops it.",
    answers: { 200: DeletionAsked },
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  pageRoute("GET", "/account/settings", showSettings, {
    id: "settingsPage",
    summary: "What one's account is called, its data and its end",
  }),
  pageRoute("GET", "/take-back", showTakeBack, {
    id: "takeBackPage",
    summary: "Asks whether to take a change of an address back",
  }),
  pageRoute("POST", "/take-back", submitTakeBack, { id: "takeBackForm", summary: "The button that does" }),
  pageRoute("GET", "/taken-back", showTakenBack, { id: "takenBackPage", summary: "After that" }),
];

export const SETTINGS_SCRIPTS: readonly Script[] = [SETTINGS_SCRIPT];
