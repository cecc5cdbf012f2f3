import { GrantList } from "../../api/application.ts";
import { PasskeyAnswer, PasskeyList } from "../../api/passkey.ts";
import { SessionList, SessionsEnded } from "../../api/session.ts";
import { PUBLIC_API } from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { ACCOUNT_SCRIPT } from "./account-page.ts";
import { listGrants, withdrawGrant } from "./applications.ts";
import { showAccount, submitLanguage, submitWithdrawal } from "./pages.ts";
import {
  deletePasskey,
  getPasskeyPages,
  getRelatedOrigins,
  listPasskeys,
  renamePasskey,
} from "./passkeys.ts";
import { PasskeyPages, PresentSession, RelatedOrigins } from "./schema.ts";
import {
  getSession,
  listSessions,
  revokeAllSessions,
  revokeOtherSessions,
  revokeSession,
  signOut,
  submitSignOut,
} from "./sessions.ts";

export const ACCOUNT_ROUTES: readonly Route[] = [
  route("GET", "/api/auth/session", getSession, {
    id: "getSession",
    tag: "Accounts",
    summary: "Get the current session and its account",
    description: "Both members are null without a session.",
    returns: { 200: PresentSession },
  }),
  route("POST", "/api/auth/sign-out", signOut, {
    id: "signOut",
    tag: "Accounts",
    summary: "Sign out",
    returns: { 204: null },
  }),
  route("GET", "/api/auth/passkeys", listPasskeys, {
    id: "listPasskeys",
    tag: "Passkeys",
    summary: "List your passkeys",
    returns: { 200: PasskeyList },
  }),
  route("PATCH", "/api/auth/passkeys/:passkeyId", renamePasskey, {
    id: "renamePasskey",
    tag: "Passkeys",
    summary: "Rename a passkey",
    returns: { 200: PasskeyAnswer },
  }),
  route("DELETE", "/api/auth/passkeys/:passkeyId", deletePasskey, {
    id: "deletePasskey",
    tag: "Passkeys",
    summary: "Delete a passkey and end the sessions that it opened",
    description: "Needs a sign-in within the last 10 minutes, or the step-up `delete_passkey:<id>`.",
    returns: { 204: null },
    codes: ["fresh_session_required", "last_passkey"],
  }),
  route("GET", "/.well-known/webauthn", getRelatedOrigins, {
    id: "getRelatedOrigins",
    tag: "Passkeys",
    summary: "List the other origins that may use the passkeys",
    returns: { 200: RelatedOrigins },
    codes: ["not_found"],
  }, PUBLIC_API),
  route("GET", "/.well-known/passkey-endpoints", getPasskeyPages, {
    id: "getPasskeyEndpoints",
    tag: "Passkeys",
    summary: "Get the pages on which users add and manage passkeys",
    returns: { 200: PasskeyPages },
  }, PUBLIC_API),
  route("GET", "/api/auth/sessions", listSessions, {
    id: "listSessions",
    tag: "Passkeys",
    summary: "List your sessions",
    returns: { 200: SessionList },
  }),
  route("DELETE", "/api/auth/sessions/:sessionId", revokeSession, {
    id: "endSession",
    tag: "Passkeys",
    summary: "End a session",
    returns: { 204: null },
  }),
  route("POST", "/api/auth/sessions/revoke-others", revokeOtherSessions, {
    id: "endOtherSessions",
    tag: "Passkeys",
    summary: "End all other sessions",
    returns: { 200: SessionsEnded },
  }),
  route("POST", "/api/auth/sessions/revoke-all", revokeAllSessions, {
    id: "endAllSessions",
    tag: "Passkeys",
    summary: "End all sessions",
    returns: { 200: SessionsEnded },
  }),
  pageRoute("POST", "/sign-out", submitSignOut, {
    id: "signOutForm",
    summary: "Sign out with the button of a page",
  }),
  pageRoute("GET", "/account", showAccount, { id: "accountPage", summary: "Your account" }),
  pageRoute("POST", "/account/language", submitLanguage, {
    id: "languageForm",
    summary: "Change the language of your pages and mails",
  }),
  pageRoute("POST", "/account/withdraw", submitWithdrawal, {
    id: "withdrawForm",
    summary: "Withdraw an application's access",
  }),
  route("GET", "/api/auth/grants", listGrants, {
    id: "listGrants",
    tag: "OAuth",
    summary: "List the applications that have access to your account",
    returns: { 200: GrantList },
  }),
  route("DELETE", "/api/auth/grants/:clientId", withdrawGrant, {
    id: "withdrawGrant",
    tag: "OAuth",
    summary: "Withdraw an application's access and revoke its codes and tokens",
    returns: { 204: null },
  }),
];

export const ACCOUNT_SCRIPTS: readonly Script[] = [ACCOUNT_SCRIPT];
