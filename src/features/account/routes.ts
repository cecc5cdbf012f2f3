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
    summary: "Ask who is signed in",
    description: "Both members are null when nobody is.",
    answers: { 200: PresentSession },
  }),
  route("POST", "/api/auth/sign-out", signOut, {
    id: "signOut",
    tag: "Accounts",
    summary: "Sign out",
    answers: { 204: null },
  }),
  route("GET", "/api/auth/passkeys", listPasskeys, {
    id: "listPasskeys",
    tag: "Passkeys",
    summary: "List one's passkeys",
    answers: { 200: PasskeyList },
  }),
  route("PATCH", "/api/auth/passkeys/:passkeyId", renamePasskey, {
    id: "renamePasskey",
    tag: "Passkeys",
    summary: "Rename a passkey",
    answers: { 200: PasskeyAnswer },
  }),
  route("DELETE", "/api/auth/passkeys/:passkeyId", deletePasskey, {
    id: "deletePasskey",
    tag: "Passkeys",
    summary: "Delete a passkey, and end the sessions that it opened",
    description: "Needs a fresh sign-in, or the step-up `delete_passkey:<id>`.",
    answers: { 204: null },
    codes: ["fresh_session_required", "last_passkey"],
  }),
  route("GET", "/.well-known/webauthn", getRelatedOrigins, {
    id: "getRelatedOrigins",
    tag: "Passkeys",
    summary: "Say which other origins may use the passkeys",
    answers: { 200: RelatedOrigins },
    codes: ["not_found"],
  }, PUBLIC_API),
  route("GET", "/.well-known/passkey-endpoints", getPasskeyPages, {
    id: "getPasskeyEndpoints",
    tag: "Passkeys",
    summary: "Say where passkeys are made and kept",
    answers: { 200: PasskeyPages },
  }, PUBLIC_API),
  route("GET", "/api/auth/sessions", listSessions, {
    id: "listSessions",
    tag: "Passkeys",
    summary: "List one's sessions",
    answers: { 200: SessionList },
  }),
  route("DELETE", "/api/auth/sessions/:sessionId", revokeSession, {
    id: "endSession",
    tag: "Passkeys",
    summary: "End a session",
    answers: { 204: null },
  }),
  route("POST", "/api/auth/sessions/revoke-others", revokeOtherSessions, {
    id: "endOtherSessions",
    tag: "Passkeys",
    summary: "End all sessions but this one",
    answers: { 200: SessionsEnded },
  }),
  route("POST", "/api/auth/sessions/revoke-all", revokeAllSessions, {
    id: "endAllSessions",
    tag: "Passkeys",
    summary: "End all sessions",
    answers: { 200: SessionsEnded },
  }),
  pageRoute("POST", "/sign-out", submitSignOut, { id: "signOutForm", summary: "The sign-out button" }),
  pageRoute("GET", "/account", showAccount, { id: "accountPage", summary: "One's account" }),
  pageRoute("POST", "/account/language", submitLanguage, {
    id: "languageForm",
    summary: "The buttons that change the language of one's pages and mails",
  }),
  pageRoute("POST", "/account/withdraw", submitWithdrawal, {
    id: "withdrawForm",
    summary: "The button that withdraws from an application",
  }),
  route("GET", "/api/auth/grants", listGrants, {
    id: "listGrants",
    tag: "OAuth",
    summary: "List the applications that one has let in",
    answers: { 200: GrantList },
  }),
  route("DELETE", "/api/auth/grants/:clientId", withdrawGrant, {
    id: "withdrawGrant",
    tag: "OAuth",
    summary: "Withdraw from an application: its codes and tokens are over",
    answers: { 204: null },
  }),
];

export const ACCOUNT_SCRIPTS: readonly Script[] = [ACCOUNT_SCRIPT];
