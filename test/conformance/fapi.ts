import assert from "node:assert/strict";
import { utf8 } from "../../src/lib/bytes.ts";
import { postForm } from "../support/oauth.ts";
import { registeredRedirectUri, succeedsWith, withoutNonce } from "./basic-flow.ts";
import { codeReuseAfter } from "./basic-session.ts";
import {
  checkErrorPage,
  checkErrorResponse,
  checkRefused,
  checkTokenError,
  checkTokenResponse,
  checkUserInfo,
} from "./checks.ts";
import { PASSED } from "./module.ts";
import type { Module, Outcome } from "./module.ts";
import { pathOf } from "./op.ts";
import type { Op } from "./op.ts";
import { newPerson } from "./person.ts";
import {
  authorize,
  call,
  CALLBACK,
  codeForm,
  finish,
  firstSignIn,
  newClient,
  prepare,
  readCallbackCode,
  redeem,
  refresh,
  signInAt,
  userInfo,
} from "./relying-party.ts";
import { PUSHED_ROWS } from "./pushed.ts";
import type { Changes, Sent } from "./relying-party.ts";

/** Gets a code of a new person for a new client. */
async function newCode(op: Op, change: Changes = {}): Promise<{ sent: Sent; code: string }> {
  const sent = prepare(await newClient(op), change);
  return { sent, code: readCallbackCode(op, sent, await authorize(op, await newPerson(op), sent)) };
}

/** Returns a module that sends a wrong verifier. It is refused, and the code stays valid for the right one. */
function verifierRefused(verifier: string | undefined): Module["run"] {
  return async (op) => {
    const { sent, code } = await newCode(op);
    checkTokenError(await redeem(op, sent, code, { code_verifier: verifier }), ["invalid_grant"]);
    checkTokenResponse(await redeem(op, sent, code));
    return PASSED;
  };
}

/** Returns a module that verifies that the changed request gets one of the errors. */
function requestRefused(change: (sent: Sent) => Changes, errors: readonly string[]): Module["run"] {
  return async (op) => {
    const client = await newClient(op);
    const sent = prepare(client, change(prepare(client)));
    checkErrorResponse(op, sent.parameters, await authorize(op, await newPerson(op), sent), errors);
    return PASSED;
  };
}

async function expiredCode(op: Op): Promise<Outcome> {
  const { sent, code } = await newCode(op);
  // RFC 6749 section 4.1.2 recommends at most 10 minutes; FAPI 2.0 section 5.3.2.1 requires 60 seconds.
  op.pass(61);
  checkTokenError(await redeem(op, sent, code), ["invalid_grant"]);
  return PASSED;
}

async function codeOfAnotherClient(op: Op): Promise<Outcome> {
  const { sent, code } = await newCode(op);
  const other = await newClient(op);
  checkTokenError(await call(op, other, "token_endpoint", codeForm(sent, code)), ["invalid_grant"]);
  checkTokenResponse(await redeem(op, sent, code));
  return PASSED;
}

async function otherClientId(op: Op): Promise<Outcome> {
  const { sent, code } = await newCode(op);
  const other = await newClient(op);
  const form = { ...codeForm(sent, code), client_id: other.clientId };
  const errors = ["invalid_client", "invalid_request", "invalid_grant"];
  checkTokenError(await call(op, sent.client, "token_endpoint", form), errors);
  return PASSED;
}

async function withoutState(op: Op): Promise<Outcome> {
  const { ending } = await firstSignIn(op, { state: undefined });
  assert.equal(ending.at.searchParams.has("state"), false);
  return PASSED;
}

function responseTypeRefused(responseType: string): Module["run"] {
  return async (op) => {
    const sent = prepare(await newClient(op), { response_type: responseType });
    const ending = await authorize(op, await newPerson(op), sent);
    const errors = ["unsupported_response_type", "invalid_request", "unauthorized_client"];
    checkRefused(op, sent.parameters, ending, errors);
    return PASSED;
  };
}

/** Denies consent with a long state, also at a client whose redirect URI has a query, like the Foundation's module. */
async function personDeclines(op: Op): Promise<Outcome> {
  for (const redirectUri of [CALLBACK, `${CALLBACK}?dummy1=lorem&dummy2=ipsum`]) {
    const sent = prepare(await newClient(op, { redirectUris: [redirectUri] }), { state: "s".repeat(128) });
    const ending = await authorize(op, await newPerson(op), sent, "deny");
    assert.deepEqual(ending.shown, ["/consent"]);
    checkErrorResponse(op, sent.parameters, ending, ["access_denied"]);
  }
  return PASSED;
}

async function schemeInAnyCase(op: Op): Promise<Outcome> {
  const { tokens, claims } = await firstSignIn(op);
  for (const scheme of ["bearer", "BEARER", "bEaReR"]) {
    checkUserInfo(await userInfo(op, tokens.access_token, scheme), claims.sub);
  }
  return PASSED;
}

async function refreshToken(op: Op): Promise<Outcome> {
  const { sent: { client }, tokens } = await firstSignIn(op);
  const token: string = tokens.refresh_token;
  const form = { grant_type: "refresh_token", refresh_token: token };
  const path = pathOf(op, "token_endpoint");
  checkTokenError(await postForm(op.client(), path, form, {}), ["invalid_client"]);
  checkTokenError(await postForm(op.client(), path, { ...form, client_id: client.clientId }, {}), [
    "invalid_client",
  ]);
  const wrong = { authorization: `Basic ${utf8(`${client.clientId}:${"x".repeat(43)}`).toBase64()}` };
  checkTokenError(await postForm(op.client(), path, form, wrong), ["invalid_client"]);
  checkTokenError(await refresh(op, await newClient(op), token), ["invalid_grant"]);
  checkTokenResponse(await refresh(op, client, token));
  return PASSED;
}

async function noRedirectUri(op: Op): Promise<Outcome> {
  const sent = prepare(await newClient(op), { redirect_uri: undefined });
  checkErrorPage(await authorize(op, await newPerson(op), sent));
  return PASSED;
}

async function happyFlow(op: Op): Promise<Outcome> {
  const [browser, other] = [await newPerson(op), await newClient(op)];
  await signInAt(op, browser, await newClient(op));
  const sent = prepare(other);
  await finish(op, sent, await authorize(op, browser, sent));
  return PASSED;
}

const ROWS: readonly (readonly [string, Module["run"]])[] = [
  ["happy-flow", happyFlow],
  ["ensure-pkce-code-verifier-required", verifierRefused(undefined)],
  ["incorrect-pkce-code-verifier-rejected", verifierRefused("x".repeat(43))],
  [
    "par-ensure-pkce-required",
    requestRefused(() => ({ code_challenge: undefined, code_challenge_method: undefined }), [
      "invalid_request",
    ]),
  ],
  [
    "par-plain-pkce-rejected",
    requestRefused(({ verifier }) => ({ code_challenge: verifier, code_challenge_method: "plain" }), [
      "invalid_request",
    ]),
  ],
  ["ensure-token-endpoint-fails-with-expired-auth-code", expiredCode],
  ["attempt-reuse-authorization-code-after-one-second", codeReuseAfter(1)],
  ["ensure-authorization-code-is-bound-to-client", codeOfAnotherClient],
  ["ensure-client-id-in-token-endpoint", otherClientId],
  ["ensure-registered-redirect-uri", registeredRedirectUri],
  ["ensure-redirect-uri-in-authorization-request", noRedirectUri],
  ["ensure-authorization-request-without-state-success", withoutState],
  ["ensure-authorization-request-without-nonce-success", withoutNonce],
  // The checks of every response and ID token compare `state` and `nonce` in full.
  ["ensure-authorization-request-with-64-char-nonce-success", succeedsWith({ nonce: "n".repeat(64) })],
  ["ensure-authorization-request-with-long-nonce", succeedsWith({ nonce: "n".repeat(384) })],
  ["ensure-authorization-request-with-long-state", succeedsWith({ state: "s".repeat(384) })],
  ["ensure-other-scope-order-succeeds", succeedsWith({ scope: "profile openid" })],
  ["ensure-response-type-token-fails", responseTypeRefused("token")],
  ["ensure-response-type-code-idtoken-fails", responseTypeRefused("code id_token")],
  ["user-rejects-authentication", personDeclines],
  ["access-token-type-header-case-sensitivity", schemeInAnyCase],
  ["refresh-token", refreshToken],
  ...PUSHED_ROWS,
];

export const FAPI: readonly Module[] = ROWS.map(([name, run]) => ({
  name: `fapi2-security-profile-final-${name}`,
  plan: "FAPI 2",
  run,
}));
