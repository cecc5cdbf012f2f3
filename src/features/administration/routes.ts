import { SessionsEnded } from "../../api/session.ts";
import { Done } from "../../api/value.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import {
  disableAnyAccount,
  enableAnyAccount,
  endSessionsOfAccount,
  findAccounts,
  getAccount,
} from "./accounts.ts";
import {
  enterByKey,
  enterByPasskey,
  leaveAdministration,
  redirectToStart,
  showEntrance,
} from "./entrance.ts";
import { ACCOUNT_ACCESS_ROUTES } from "./account-access-routes.ts";
import { GROUP_ROUTES } from "./group-routes.ts";
import { createInvitation, listAllInvitations, revokeInvitation } from "./invitations.ts";
import {
  createInvitationByForm,
  disableAccountByForm,
  enableAccountByForm,
  endSessionsByForm,
  revokeInvitationByForm,
  showAccounts,
  showInvitations,
} from "./pages.ts";
import {
  AdminAccountAnswer,
  AdminAccountList,
  CursorQuery,
  EntranceQuery,
  InvitationList,
  InvitationMade,
  SearchQuery,
  TeeDescription,
} from "./schema.ts";
import { describeTee } from "./tee.ts";

const tag = "Admin";

/** The problem of an administration session that ends during the request. */
const ENDED = ["authentication_required"] as const;

const API_ROUTES: readonly Route[] = [
  route("POST", "/api/admin/invitations", createInvitation, {
    id: "makeInvitation",
    tag,
    summary: "Create an invitation",
    description:
      "With `email`, only that address can use it, and receives its link. Without, any person with the link can. Valid for 7 days and one account by default. Has an effect only with `SIGN_UP=invite`.",
    headers: ["Idempotency-Key"],
    returns: { 201: InvitationMade },
    codes: ["already_made"],
  }),
  route("GET", "/api/admin/invitations", listAllInvitations, {
    id: "listInvitations",
    tag,
    summary: "List invitations, oldest first",
    returns: { 200: InvitationList },
    responseHeaders: { 200: ["Link"] },
  }),
  route("DELETE", "/api/admin/invitations/:invitationId", revokeInvitation, {
    id: "withdrawInvitation",
    tag,
    summary: "Withdraw an invitation",
    returns: { 200: Done },
  }),
  route("GET", "/api/tee", describeTee, {
    id: "describeTee",
    tag,
    summary: "Describe the TEE, and every key that opens the root seed",
    returns: { 200: TeeDescription },
  }),
  route("GET", "/api/admin/accounts", findAccounts, {
    id: "listAccounts",
    tag,
    summary: "List or search accounts, oldest first",
    returns: { 200: AdminAccountList },
    responseHeaders: { 200: ["Link"] },
  }),
  route("GET", "/api/admin/accounts/:accountId", getAccount, {
    id: "getAccount",
    tag,
    summary: "Get an account",
    returns: { 200: AdminAccountAnswer },
  }),
  route("POST", "/api/admin/accounts/:accountId/disable", disableAnyAccount, {
    id: "disableAccount",
    tag,
    summary: "Disable an account",
    description:
      "Ends its sessions. Until you enable it again, its sign-ins, its tokens and the tokens of its applications are refused. Its keys stay.",
    returns: { 200: AdminAccountAnswer },
  }),
  route("POST", "/api/admin/accounts/:accountId/enable", enableAnyAccount, {
    id: "enableAccount",
    tag,
    summary: "Enable a disabled account",
    returns: { 200: AdminAccountAnswer },
  }),
  route("POST", "/api/admin/accounts/:accountId/sessions/revoke-all", endSessionsOfAccount, {
    id: "endSessionsOfAccount",
    tag,
    summary: "End all sessions of an account",
    returns: { 200: SessionsEnded },
  }),
];

/** Pages use the first of repeated parameters. Their query schemas are only described here, not read with. */
const PAGE_ROUTES: readonly Route[] = [
  pageRoute("GET", "/admin", redirectToStart, {
    id: "adminPage",
    summary: "Redirect to the list of applications",
  }),
  pageRoute("GET", "/admin/enter", showEntrance, {
    id: "adminEnterPage",
    summary: "The entrance to the administrator's pages",
    query: EntranceQuery,
  }),
  pageRoute("POST", "/admin/enter", enterByKey, {
    id: "adminEnterForm",
    summary: "Enter the administrator's pages with the admin key",
    limits: ["admin_authentication"],
    codes: ["authentication_required"],
  }),
  pageRoute("POST", "/admin/enter/passkey", enterByPasskey, {
    id: "adminPasskeyForm",
    summary: "Enter the administrator's pages as an account named in `ADMIN_ACCOUNTS`",
    codes: ["authentication_required", "fresh_session_required", "recently_recovered", "not_found"],
  }),
  pageRoute("POST", "/admin/leave", leaveAdministration, {
    id: "adminLeaveForm",
    summary: "Leave the administrator's pages",
  }),
  pageRoute("GET", "/admin/accounts", showAccounts, {
    id: "adminAccountsPage",
    summary: "The list of accounts",
    query: SearchQuery,
  }),
  pageRoute("POST", "/admin/accounts/:accountId/disable", disableAccountByForm, {
    id: "adminDisableAccountForm",
    summary: "Disable an account",
    codes: ENDED,
  }),
  pageRoute("POST", "/admin/accounts/:accountId/enable", enableAccountByForm, {
    id: "adminEnableAccountForm",
    summary: "Enable a disabled account",
    codes: ENDED,
  }),
  pageRoute("POST", "/admin/accounts/:accountId/end-sessions", endSessionsByForm, {
    id: "adminEndSessionsForm",
    summary: "End all sessions of an account",
    codes: ENDED,
  }),
  pageRoute("GET", "/admin/invitations", showInvitations, {
    id: "adminInvitationsPage",
    summary: "The list of invitations",
    query: CursorQuery,
  }),
  pageRoute("POST", "/admin/invitations", createInvitationByForm, {
    id: "adminInviteForm",
    summary: "Create an invitation",
  }),
  pageRoute("POST", "/admin/invitations/:invitationId/withdraw", revokeInvitationByForm, {
    id: "adminWithdrawForm",
    summary: "Withdraw an invitation",
  }),
];

export const ADMINISTRATION_ROUTES: readonly Route[] = [
  ...API_ROUTES,
  ...PAGE_ROUTES,
  ...GROUP_ROUTES,
  ...ACCOUNT_ACCESS_ROUTES,
];
