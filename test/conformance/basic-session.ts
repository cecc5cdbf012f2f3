import assert from "node:assert/strict";
import type { Answer } from "../support/client.ts";
import {
  checkErrorResponse,
  checkInvalidToken,
  checkTokenError,
  checkTokenResponse,
  checkUserInfo,
} from "./checks.ts";
import { checkIdToken } from "./id-token.ts";
import { PASSED, warning } from "./module.ts";
import type { Module, Outcome } from "./module.ts";
import type { Op } from "./op.ts";
import { newPerson } from "./person.ts";
import {
  authorize,
  checkSilent,
  finish,
  firstSignIn,
  newClient,
  prepare,
  redeem,
  refresh,
  signInAt,
  userInfo,
} from "./relying-party.ts";
import type { Changes, Flow } from "./relying-party.ts";

/** Signs in twice in one browser at one client, with some seconds between. */
async function signInTwice(
  op: Op,
  seconds: number,
  change: (first: Flow) => Changes,
): Promise<readonly [Flow, Flow]> {
  const { browser, ...first } = await firstSignIn(op);
  op.pass(seconds);
  const second = await signInAt(op, browser, first.sent.client, change(first));
  assert.equal(second.claims.sub, first.claims.sub, "sub must not change");
  return [first, second];
}

/** Verifies that the second flow showed the sign-in page and has a later `auth_time`. */
function checkSignedInAgain([first, second]: readonly [Flow, Flow]): void {
  assert.ok(second.ending.shown.includes("/sign-in"), "the person must sign in again");
  assert.ok(second.claims.auth_time! > first.claims.auth_time!, "auth_time must be later");
}

/** Verifies that the second flow showed no page and has the `auth_time` of the first. */
function checkSameSignIn([first, second]: readonly [Flow, Flow]): void {
  checkSilent(second.ending);
  assert.equal(second.claims.auth_time, first.claims.auth_time, "auth_time must not change");
}

async function promptLogin(op: Op): Promise<Outcome> {
  checkSignedInAgain(await signInTwice(op, 2, () => ({ prompt: "login" })));
  return PASSED;
}

async function promptNoneNotLoggedIn(op: Op): Promise<Outcome> {
  const sent = prepare(await newClient(op), { prompt: "none" });
  const ending = await authorize(op, op.client(), sent);
  checkSilent(ending);
  checkErrorResponse(op, sent.parameters, ending, [
    "login_required",
    "interaction_required",
    "consent_required",
    "account_selection_required",
  ]);
  return PASSED;
}

async function promptNoneLoggedIn(op: Op): Promise<Outcome> {
  checkSameSignIn(await signInTwice(op, 2, () => ({ prompt: "none" })));
  return PASSED;
}

async function maxAge1(op: Op): Promise<Outcome> {
  checkSignedInAgain(await signInTwice(op, 2, () => ({ max_age: "1" })));
  return PASSED;
}

async function maxAge10000(op: Op): Promise<Outcome> {
  checkSameSignIn(await signInTwice(op, 2, () => ({ max_age: "10000" })));
  return PASSED;
}

async function idTokenHint(op: Op): Promise<Outcome> {
  const hinted = ({ tokens }: Flow): Changes => ({ prompt: "none", id_token_hint: tokens.id_token });
  checkSameSignIn(await signInTwice(op, 2, hinted));
  return PASSED;
}

async function loginHint(op: Op): Promise<Outcome> {
  const browser = await newPerson(op);
  await browser.post("/api/auth/sign-out");
  const flow = await signInAt(op, browser, await newClient(op), { login_hint: "buffy@localhost" });
  assert.ok(flow.ending.shown.includes("/sign-in"));
  return PASSED;
}

/** Redeems the code of a completed flow again. */
async function reuseCode(op: Op, { sent, code }: Flow): Promise<Answer> {
  return await redeem(op, sent, code);
}

async function codeReuse(op: Op): Promise<Outcome> {
  checkTokenError(await reuseCode(op, await firstSignIn(op)), ["invalid_grant"]);
  return PASSED;
}

/** Returns a module that reuses a code after a delay. The code is refused, and its tokens should be revoked. */
export function codeReuseAfter(seconds: number): Module["run"] {
  return async (op) => {
    const flow = await firstSignIn(op);
    op.pass(seconds);
    checkUserInfo(await userInfo(op, flow.tokens.access_token), flow.claims.sub);
    checkTokenError(await reuseCode(op, flow), ["invalid_grant"]);
    const answer = await userInfo(op, flow.tokens.access_token);
    if (answer.status === 200) return warning("the access token of the first use still works");
    checkInvalidToken(answer);
    checkTokenError(await refresh(op, flow.sent.client, flow.tokens.refresh_token), ["invalid_grant"]);
    return PASSED;
  };
}

async function refreshToken(op: Op): Promise<Outcome> {
  assert.ok(op.metadata.grant_types_supported.includes("refresh_token"));
  const browser = await newPerson(op);
  const [one, two] = [await newClient(op), await newClient(op)];
  const first = await signInAt(op, browser, one);
  op.pass(2);
  const tokens = checkTokenResponse(await refresh(op, one, first.tokens.refresh_token));
  assert.notEqual(tokens.access_token, first.tokens.access_token, "the access token must be new");
  const claims = await checkIdToken(op, tokens, { audience: one.clientId, nonce: undefined });
  for (const name of ["iss", "sub", "aud", "auth_time"]) assert.deepEqual(claims[name], first.claims[name]);
  assert.ok(claims.iat > first.claims.iat, "iat must be the time of the refresh");
  checkUserInfo(await userInfo(op, tokens.access_token), claims.sub);

  const sent = prepare(two);
  const second = await finish(op, sent, await authorize(op, browser, sent));
  checkTokenError(await refresh(op, one, second.tokens.refresh_token), ["invalid_grant"]);
  checkTokenResponse(await refresh(op, two, second.tokens.refresh_token));
  return PASSED;
}

export const BASIC_SESSION: readonly Module[] = [
  { name: "oidcc-prompt-login", plan: "Basic", run: promptLogin },
  { name: "oidcc-prompt-none-not-logged-in", plan: "Basic", run: promptNoneNotLoggedIn },
  { name: "oidcc-prompt-none-logged-in", plan: "Basic", run: promptNoneLoggedIn },
  { name: "oidcc-max-age-1", plan: "Basic", run: maxAge1 },
  { name: "oidcc-max-age-10000", plan: "Basic", run: maxAge10000 },
  { name: "oidcc-id-token-hint", plan: "Basic", run: idTokenHint },
  { name: "oidcc-login-hint", plan: "Basic", run: loginHint },
  { name: "oidcc-codereuse", plan: "Basic", run: codeReuse },
  { name: "oidcc-codereuse-30seconds", plan: "Basic", run: codeReuseAfter(30) },
  { name: "oidcc-refresh-token", plan: "Basic", run: refreshToken },
];
