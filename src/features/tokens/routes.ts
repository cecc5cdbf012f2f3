import { SigningStopped, TokenAnswer, TokenList, TokenMade } from "../../api/token.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import type { Script } from "../../ui/assets.ts";
import { DEVELOPER_SCRIPT } from "./page.ts";
import { stopPrograms, submitStop } from "./stop.ts";
import { changeToken, createToken, listTokens, revokeToken, showTokens } from "./tokens.ts";

export const TOKEN_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/tokens", createToken, {
    id: "createToken",
    tag: "Tokens",
    summary: "Create a token for a program",
    description:
      "Needs a sign-in within the last 10 minutes, or the step-up `add_token`. Notifies the owner by mail.",
    headers: ["Idempotency-Key"],
    returns: { 201: TokenMade },
    responseHeaders: { 201: ["Location"] },
    codes: ["fresh_session_required", "recently_recovered", "too_many_tokens", "already_made"],
  }),
  route("GET", "/api/auth/tokens", listTokens, {
    id: "listTokens",
    tag: "Tokens",
    summary: "List your tokens",
    returns: { 200: TokenList },
  }),
  route("PATCH", "/api/auth/tokens/:tokenId", changeToken, {
    id: "changeToken",
    tag: "Tokens",
    summary: "Rename a token, or restrict it",
    returns: { 200: TokenAnswer },
  }),
  route("DELETE", "/api/auth/tokens/:tokenId", revokeToken, {
    id: "revokeToken",
    tag: "Tokens",
    summary: "Revoke a token",
    returns: { 204: null },
  }),
  route("POST", "/api/auth/stop", stopPrograms, {
    id: "stopPrograms",
    tag: "Tokens",
    summary: "Stop everything: end the signing of all programs and applications",
    description:
      "Revokes tokens that may sign, ends grants with `keys:sign`, and withdraws pending signing requests. Tokens and grants that only read stay.",
    returns: { 200: SigningStopped },
  }),
  pageRoute("POST", "/developer/stop", submitStop, {
    id: "stopForm",
    summary: "Stop everything with the button of a page",
  }),
  pageRoute("GET", "/developer", showTokens, {
    id: "developerPage",
    summary: "The tokens of your programs",
  }),
];

export const TOKEN_SCRIPTS: readonly Script[] = [DEVELOPER_SCRIPT];
