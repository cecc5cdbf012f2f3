import * as v from "valibot";
import { SessionsEnded } from "../../api/session.ts";
import {
  InvitationList,
  InvitationMade,
  KeptAccountAnswer,
  KeptAccountList,
} from "../../features/administration/schema.ts";
import { Done } from "../../api/value.ts";
import { ListQuery as AccountsQuery } from "../../features/administration/accounts.ts";
import { InvitationBody, ListQuery as InvitationsQuery } from "../../features/administration/invitations.ts";
import type { Operation, Operations } from "../../http/description.ts";

const tag = "Admin";

const nothing = { body: v.strictObject({}), bodyIs: "optional" } as const satisfies Partial<Operation>;

/** What the administrator does with people's accounts. */
const ACCOUNTS: Operations = {
  "GET /api/admin/accounts": {
    id: "listAccounts",
    tag,
    summary: "List accounts, oldest first, or search for some",
    query: AccountsQuery,
    answers: { 200: KeptAccountList },
    answerHeaders: ["Link"],
  },
  "GET /api/admin/accounts/:accountId": {
    id: "getAccount",
    tag,
    summary: "Look at an account",
    answers: { 200: KeptAccountAnswer },
  },
  "POST /api/admin/accounts/:accountId/disable": {
    id: "disableAccount",
    tag,
    summary: "Disable an account",
    description:
      "Its sessions end; nobody signs in, and its tokens and what it granted are refused until it is enabled again. Its keys stay.",
    ...nothing,
    answers: { 200: KeptAccountAnswer },
  },
  "POST /api/admin/accounts/:accountId/enable": {
    id: "enableAccount",
    tag,
    summary: "Enable an account again",
    ...nothing,
    answers: { 200: KeptAccountAnswer },
  },
  "POST /api/admin/accounts/:accountId/sessions/revoke-all": {
    id: "endSessionsOfAccount",
    tag,
    summary: "End all sessions of an account",
    ...nothing,
    answers: { 200: SessionsEnded },
  },
};

/** Who may come. */
const INVITATIONS: Operations = {
  "POST /api/admin/invitations": {
    id: "makeInvitation",
    tag,
    summary: "Make an invitation",
    description:
      "For one address, to which its link is sent, or for anybody with the link; for 7 days and one account unless it is said. It counts where `SIGN_UP=invite`.",
    headers: ["Idempotency-Key"],
    body: InvitationBody,
    bodyIs: "optional",
    answers: { 201: InvitationMade },
    codes: ["already_made"],
  },
  "GET /api/admin/invitations": {
    id: "listInvitations",
    tag,
    summary: "List invitations, oldest first",
    query: InvitationsQuery,
    answers: { 200: InvitationList },
    answerHeaders: ["Link"],
  },
  "DELETE /api/admin/invitations/:invitationId": {
    id: "withdrawInvitation",
    tag,
    summary: "Withdraw an invitation",
    ...nothing,
    answers: { 200: Done },
  },
};

/** What the administrator does. */
export const ADMIN_OPERATIONS: Operations = { ...INVITATIONS, ...ACCOUNTS };
