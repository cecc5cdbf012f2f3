import * as v from "valibot";
import { ChangeForm, RegisterForm } from "../../features/applications/form.ts";
import { SecretForm } from "../../features/applications/pages.ts";
import { EntranceQuery, KeyForm, PasskeyForm } from "../../features/administration/entrance.ts";
import { InviteForm } from "../../features/administration/pages.ts";
import type { MembersSchema, Operation, Operations } from "../../http/description.ts";

const tag = "Pages";
const NOTHING = v.strictObject({});
const SearchQuery = v.strictObject({ search: v.optional(v.string()), cursor: v.optional(v.string()) });
const CursorQuery = v.strictObject({ cursor: v.optional(v.string()) });

function page(id: string, summary: string, query?: MembersSchema): Operation {
  return { id, tag, summary, ...(query === undefined ? {} : { query }), answers: { 200: "page", 303: null } };
}

function form(id: string, summary: string, body: MembersSchema = NOTHING): Operation {
  return { id, tag, summary, body, bodyIs: "form", answers: { 200: "page", 303: null } };
}

/** What is refused for an application that a file declares. */
function declarable(operation: Operation): Operation {
  return { ...operation, codes: [...operation.codes ?? [], "client_declared"] };
}

/** The administrator's pages. */
export const ADMIN_PAGE_OPERATIONS: Operations = {
  "GET /admin": page("adminPage", "The administrator's pages"),
  "GET /admin/enter": page("adminEnterPage", "Their entrance", EntranceQuery),
  "POST /admin/enter": {
    ...form("adminEnterForm", "Enters them by the admin key", KeyForm),
    limits: ["admin_authentication"],
  },
  "POST /admin/enter/passkey": {
    ...form("adminPasskeyForm", "Enters them as an account that `ADMIN_ACCOUNTS` names", PasskeyForm),
    codes: ["fresh_session_required", "recently_recovered"],
  },
  "POST /admin/leave": form("adminLeaveForm", "Leaves them"),
  "GET /admin/applications": page("adminApplicationsPage", "The applications", SearchQuery),
  "POST /admin/applications": form("adminRegisterForm", "Registers one", RegisterForm),
  "GET /admin/applications/new": page("adminNewApplicationPage", "The form for one"),
  "GET /admin/applications/:clientId": page("adminApplicationPage", "One of them"),
  "POST /admin/applications/:clientId": declarable(form("adminChangeForm", "Changes it", ChangeForm)),
  "POST /admin/applications/:clientId/disable": declarable(
    form("adminDisableApplicationForm", "Disables it"),
  ),
  "POST /admin/applications/:clientId/enable": declarable(
    form("adminEnableApplicationForm", "Enables it again"),
  ),
  "POST /admin/applications/:clientId/secret": {
    ...form("adminRotateForm", "Makes a new secret", SecretForm),
    codes: ["public_client", "client_declared"],
  },
  "POST /admin/applications/:clientId/secret/end": declarable(
    form("adminEndSecretForm", "Ends the secret before"),
  ),
  "POST /admin/applications/:clientId/delete": declarable(form("adminDeleteForm", "Deletes it")),
  "GET /admin/accounts": page("adminAccountsPage", "People's accounts", SearchQuery),
  "POST /admin/accounts/:accountId/disable": form("adminDisableAccountForm", "Disables one"),
  "POST /admin/accounts/:accountId/enable": form("adminEnableAccountForm", "Enables it again"),
  "POST /admin/accounts/:accountId/end-sessions": form("adminEndSessionsForm", "Ends its sessions"),
  "GET /admin/invitations": page("adminInvitationsPage", "The invitations", CursorQuery),
  "POST /admin/invitations": form("adminInviteForm", "Makes one", InviteForm),
  "POST /admin/invitations/:invitationId/withdraw": form("adminWithdrawForm", "Withdraws it"),
};
