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
import { showEmailReverted, showRevertEmail, showSettings, submitRevertEmail } from "./pages.ts";
import { DeletionAsked, IdentityList, LinkBegun } from "./schema.ts";
import { SETTINGS_SCRIPT } from "./settings-page.ts";

export const SETTINGS_ROUTES: readonly Route[] = [
  route("PATCH", "/api/auth/account", renameAccount, {
    id: "renameAccount",
    tag: "Accounts",
    summary: "Change or remove your account's name",
    description: "Applications see it as the claim `name`.",
    returns: { 200: AccountAnswer },
    limits: ["account_rename"],
  }),
  route("POST", "/api/auth/account/email/code", sendAddressCode, {
    id: "sendAddressCode",
    tag: "Accounts",
    summary: "Send a code to your new address",
    description:
      "Needs a sign-in within the last 10 minutes, or the step-up `change_email`. The response is the same for every address.",
    returns: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["fresh_session_required", "recently_recovered", "not_found"],
  }),
  route("POST", "/api/auth/account/email", changeEmail, {
    id: "changeEmail",
    tag: "Accounts",
    summary: "Change your address, with the code that was sent to it",
    description:
      "The old address is notified and can revert the change for 7 days. Only a code that this session requested is valid.",
    returns: { 200: AccountAnswer },
    limits: [
      "email_code_guess",
      "email_address_site",
      "email_address_region",
      "email_address_tries",
      "email_address_customer",
      "email_address_reserve",
    ],
    codes: ["fresh_session_required", "recently_recovered", "invalid_code", "account_exists"],
  }),
  route("GET", "/api/auth/account/identities", listIdentities, {
    id: "listIdentities",
    tag: "Accounts",
    summary: "List your identities at other providers",
    returns: { 200: IdentityList },
  }),
  route("POST", "/api/auth/account/identities", linkIdentity, {
    id: "linkIdentity",
    tag: "Accounts",
    summary: "Begin to link another provider",
    description:
      "Needs a sign-in within the last 10 minutes, or the step-up `link_identity`, which is used. Only this session can finish it.",
    returns: { 200: LinkBegun },
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
    description:
      "Needs a sign-in within the last 10 minutes, or the step-up `unlink_identity:<id>`. The passkeys stay.",
    returns: { 204: null },
    codes: ["fresh_session_required"],
  }),
  route("POST", "/api/auth/account/export", exportAccount, {
    id: "exportAccount",
    tag: "Accounts",
    summary: "Download all data about you as one JSON file",
    description:
      "Needs a sign-in within the last 10 minutes, or the step-up `export_account`. Notifies the owner by mail. docs/how-to/export.md describes the file.",
    returns: { 200: "file" },
    limits: ["account_export"],
    codes: ["fresh_session_required"],
  }),
  route("POST", "/api/auth/account/deletion", requestDeletion, {
    id: "deleteAccount",
    tag: "Accounts",
    summary: "Request the deletion of your account in 7 days, and end all sessions",
    description:
      "Needs a sign-in within the last 10 minutes, or the step-up `delete_account`. `confirm` is the account's address, otherwise its name, otherwise its id. Any sign-in cancels the deletion.",
    returns: { 200: DeletionAsked },
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  pageRoute("GET", "/account/settings", showSettings, {
    id: "settingsPage",
    summary: "Your account's name, address, identities, data and deletion",
  }),
  pageRoute("GET", "/take-back", showRevertEmail, {
    id: "takeBackPage",
    summary: "The page that asks to revert a change of address",
    codes: ["not_found"],
  }),
  pageRoute("POST", "/take-back", submitRevertEmail, {
    id: "takeBackForm",
    summary: "Revert a change of address",
    codes: ["not_found"],
  }),
  pageRoute("GET", "/taken-back", showEmailReverted, {
    id: "takenBackPage",
    summary: "The page after a reverted change of address",
  }),
];

export const SETTINGS_SCRIPTS: readonly Script[] = [SETTINGS_SCRIPT];
