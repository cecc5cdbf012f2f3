import * as v from "valibot";
import { AccountAnswer, CodeSent } from "../../api/account.ts";
import { DeletionAsked, IdentityList, LinkBegun } from "../../features/settings/schema.ts";
import {
  ChangeEmailBody,
  DeletionBody,
  EmailBody,
  LinkBody,
  RenameBody,
} from "../../features/settings/account.ts";
import type { Operations } from "../../http/description.ts";

const GUESSES = ["email_address_site", "email_address_region", "email_address_tries"] as const;

/** What becomes of the account itself. */
export const OWN_ACCOUNT: Operations = {
  "PATCH /api/auth/account": {
    id: "renameAccount",
    tag: "Accounts",
    summary: "Give one's account another name, or none",
    description: "Applications see it as `name`.",
    body: RenameBody,
    answers: { 200: AccountAnswer },
    limits: ["account_rename"],
  },
  "POST /api/auth/account/email/code": {
    id: "sendAddressCode",
    tag: "Accounts",
    summary: "Have a code sent to the address that one's account is to have",
    description:
      "Needs a fresh sign-in, or the step-up `change_email`. The answer is the same for every address.",
    body: EmailBody,
    answers: { 200: CodeSent },
    limits: ["email_code_address", "email_code_network", "email_code_global"],
    codes: ["fresh_session_required", "recently_recovered", "not_found"],
  },
  "POST /api/auth/account/email": {
    id: "changeEmail",
    tag: "Accounts",
    summary: "Give one's account the address that the code proves",
    description: "The old address is told, and can take it back for 7 days. The session's code alone counts.",
    body: ChangeEmailBody,
    answers: { 200: AccountAnswer },
    limits: ["email_code_guess", ...GUESSES],
    codes: ["fresh_session_required", "recently_recovered", "invalid_code", "account_exists"],
  },
  "GET /api/auth/account/identities": {
    id: "listIdentities",
    tag: "Accounts",
    summary: "List who one is at other providers",
    answers: { 200: IdentityList },
  },
  "POST /api/auth/account/identities": {
    id: "linkIdentity",
    tag: "Accounts",
    summary: "Begin to link another provider",
    description:
      "Needs a fresh sign-in, or the step-up `link_identity`, which this uses. The session that began finishes.",
    body: LinkBody,
    answers: { 200: LinkBegun },
    limits: ["identity_request"],
    codes: [
      "fresh_session_required",
      "recently_recovered",
      "not_found",
      "identity_unavailable",
      "identity_refused",
    ],
  },
  "DELETE /api/auth/account/identities/:identityId": {
    id: "unlinkIdentity",
    tag: "Accounts",
    summary: "Unlink another provider",
    description: "Needs a fresh sign-in, or the step-up `unlink_identity:<id>`. The passkeys stay.",
    body: v.strictObject({}),
    bodyIs: "optional",
    answers: { 204: null },
    codes: ["fresh_session_required"],
  },
  "POST /api/auth/account/export": {
    id: "exportAccount",
    tag: "Accounts",
    summary: "Download all that is known of oneself, as one JSON file",
    description:
      "Needs a fresh sign-in, or the step-up `export_account`. The owner is told by mail. docs/export.md says what is in it.",
    body: v.strictObject({}),
    bodyIs: "optional",
    answers: { 200: "file" },
    limits: ["account_export"],
    codes: ["fresh_session_required"],
  },
  "POST /api/auth/account/deletion": {
    id: "deleteAccount",
    tag: "Accounts",
    summary: "Have one's account deleted in 7 days, and sign out everywhere",
    description:
      "Needs a fresh sign-in, or the step-up `delete_account`. `confirm` is the account's address, else its name, else its id. Any sign-in stops it.",
    body: DeletionBody,
    answers: { 200: DeletionAsked },
    codes: ["fresh_session_required", "recently_recovered"],
  },
};
