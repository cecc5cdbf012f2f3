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
  CursorQuery,
  EntranceQuery,
  InvitationList,
  InvitationMade,
  KeptAccountAnswer,
  KeptAccountList,
  SearchQuery,
} from "./schema.ts";

const tag = "Admin";

const API_ROUTES: readonly Route[] = [
  route("POST", "/api/admin/invitations", createInvitation, {
    id: "makeInvitation",
    tag,
    summary: "Make an invitation",
    description:
      "For one address, to which its link is sent, or for anybody with the link; for 7 days and one account unless it is said. It counts where `SIGN_UP=invite`.",
    headers: ["Idempotency-Key"],
    answers: { 201: InvitationMade },
    codes: ["already_made"],
  }),
  route("GET", "/api/admin/invitations", listAllInvitations, {
    id: "listInvitations",
    tag,
    summary: "List invitations, oldest first",
    answers: { 200: InvitationList },
    answerHeaders: ["Link"],
  }),
  route("DELETE", "/api/admin/invitations/:invitationId", revokeInvitation, {
    id: "withdrawInvitation",
    tag,
    summary: "Withdraw an invitation",
    answers: { 200: Done },
  }),
  route("GET", "/api/admin/accounts", findAccounts, {
    id: "listAccounts",
    tag,
    summary: "List accounts, oldest first, or search for some",
    answers: { 200: KeptAccountList },
    answerHeaders: ["Link"],
  }),
  route("GET", "/api/admin/accounts/:accountId", getAccount, {
    id: "getAccount",
    tag,
    summary: "Look at an account",
    answers: { 200: KeptAccountAnswer },
  }),
  route("POST", "/api/admin/accounts/:accountId/disable", disableAnyAccount, {
    id: "disableAccount",
    tag,
    summary: "Disable an account",
    description:
      "Its sessions end; nobody signs in, and its tokens and what it granted are refused until it is enabled again. Its keys stay.",
    answers: { 200: KeptAccountAnswer },
  }),
  route("POST", "/api/admin/accounts/:accountId/enable", enableAnyAccount, {
    id: "enableAccount",
    tag,
    summary: "Enable an account again",
    answers: { 200: KeptAccountAnswer },
  }),
  route("POST", "/api/admin/accounts/:accountId/sessions/revoke-all", endSessionsOfAccount, {
    id: "endSessionsOfAccount",
    tag,
    summary: "End all sessions of an account",
    answers: { 200: SessionsEnded },
  }),
];

/** Pages use the first of repeated parameters. Their query schemas are only described here, not read with. */
const PAGE_ROUTES: readonly Route[] = [
  pageRoute("GET", "/admin", redirectToStart, { id: "adminPage", summary: "The administrator's pages" }),
  pageRoute("GET", "/admin/enter", showEntrance, {
    id: "adminEnterPage",
    summary: "Their entrance",
    query: EntranceQuery,
  }),
  pageRoute("POST", "/admin/enter", enterByKey, {
    id: "adminEnterForm",
    summary: "Enters them by the admin key",
    limits: ["admin_authentication"],
  }),
  pageRoute("POST", "/admin/enter/passkey", enterByPasskey, {
    id: "adminPasskeyForm",
    summary: "Enters them as an account that `ADMIN_ACCOUNTS` names",
    codes: ["fresh_session_required", "recently_recovered"],
  }),
  pageRoute("POST", "/admin/leave", leaveAdministration, { id: "adminLeaveForm", summary: "Leaves them" }),
  pageRoute("GET", "/admin/accounts", showAccounts, {
    id: "adminAccountsPage",
    summary: "People's accounts",
    query: SearchQuery,
  }),
  pageRoute("POST", "/admin/accounts/:accountId/disable", disableAccountByForm, {
    id: "adminDisableAccountForm",
    summary: "Disables one",
  }),
  pageRoute("POST", "/admin/accounts/:accountId/enable", enableAccountByForm, {
    id: "adminEnableAccountForm",
    summary: "Enables it again",
  }),
  pageRoute("POST", "/admin/accounts/:accountId/end-sessions", endSessionsByForm, {
    id: "adminEndSessionsForm",
    summary: "Ends its sessions",
  }),
  pageRoute("GET", "/admin/invitations", showInvitations, {
    id: "adminInvitationsPage",
    summary: "The invitations",
    query: CursorQuery,
  }),
  pageRoute("POST", "/admin/invitations", createInvitationByForm, {
    id: "adminInviteForm",
    summary: "Makes one",
  }),
  pageRoute("POST", "/admin/invitations/:invitationId/withdraw", revokeInvitationByForm, {
    id: "adminWithdrawForm",
    summary: "Withdraws it",
  }),
];

export const ADMINISTRATION_ROUTES: readonly Route[] = [...API_ROUTES, ...PAGE_ROUTES];
