import * as v from "valibot";
import { SessionsEnded } from "../../api/session.ts";
import {
  InvitationList,
  InvitationMade,
  KeptAccountAnswer,
  KeptAccountList,
} from "../../features/administration/schema.ts";
import { Done } from "../../api/value.ts";
import { ClientAnswer, ClientDone, ClientList } from "../../features/applications/schema.ts";
import { ListQuery as AccountsQuery } from "../../features/administration/accounts.ts";
import { ChangeBody, ListQuery, RegisterBody, RotateBody } from "../../features/applications/clients.ts";
import { InvitationBody, ListQuery as InvitationsQuery } from "../../features/administration/invitations.ts";
import type { Operation, Operations } from "../../http/description.ts";

const tag = "Admin";

const nothing = { body: v.strictObject({}), bodyIs: "optional" } as const satisfies Partial<Operation>;

/** What the administrator does with applications. */
const CLIENTS: Operations = {
  "POST /api/admin/oauth/clients": {
    id: "registerClient",
    tag,
    summary: "Register an application",
    headers: ["Idempotency-Key"],
    body: RegisterBody,
    answers: { 201: ClientDone },
    answerHeaders: ["Location"],
    codes: ["already_made"],
  },
  "GET /api/admin/oauth/clients": {
    id: "listClients",
    tag,
    summary: "List applications, oldest first",
    query: ListQuery,
    answers: { 200: ClientList },
    answerHeaders: ["Link"],
  },
  "GET /api/admin/oauth/clients/:clientId": {
    id: "getClient",
    tag,
    summary: "Look at an application",
    answers: { 200: ClientAnswer },
  },
  "PATCH /api/admin/oauth/clients/:clientId": {
    id: "changeClient",
    tag,
    summary: "Change an application",
    body: ChangeBody,
    answers: { 200: ClientDone },
    codes: ["client_declared"],
  },
  "POST /api/admin/oauth/clients/:clientId/secret": {
    id: "rotateClientSecret",
    tag,
    summary: "Make a new secret",
    description:
      "The one before counts for `previousExpiresIn` seconds more, 30 days at most; without that it stops at once. Of the ones before it none does.",
    headers: ["Idempotency-Key"],
    body: RotateBody,
    bodyIs: "optional",
    answers: { 200: ClientDone },
    codes: ["public_client", "client_declared", "already_made"],
  },
  "DELETE /api/admin/oauth/clients/:clientId/secret/previous": {
    id: "endPreviousClientSecret",
    tag,
    summary: "End the secret before the present one",
    ...nothing,
    answers: { 200: ClientDone },
    codes: ["client_declared"],
  },
  "DELETE /api/admin/oauth/clients/:clientId": {
    id: "deleteClient",
    tag,
    summary: "Delete an application: its grants, codes and tokens end",
    ...nothing,
    answers: { 200: Done },
    codes: ["client_declared"],
  },
};

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
export const ADMIN_OPERATIONS: Operations = { ...CLIENTS, ...INVITATIONS, ...ACCOUNTS };
