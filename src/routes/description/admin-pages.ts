import * as v from "valibot";
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
  "GET /admin/accounts": page("adminAccountsPage", "People's accounts", SearchQuery),
  "POST /admin/accounts/:accountId/disable": form("adminDisableAccountForm", "Disables one"),
  "POST /admin/accounts/:accountId/enable": form("adminEnableAccountForm", "Enables it again"),
  "POST /admin/accounts/:accountId/end-sessions": form("adminEndSessionsForm", "Ends its sessions"),
  "GET /admin/invitations": page("adminInvitationsPage", "The invitations", CursorQuery),
  "POST /admin/invitations": form("adminInviteForm", "Makes one", InviteForm),
  "POST /admin/invitations/:invitationId/withdraw": form("adminWithdrawForm", "Withdraws it"),
};
