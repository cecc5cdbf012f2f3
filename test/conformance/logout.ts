import assert from "node:assert/strict";
import { createLocalJWKSet, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { serve } from "../../src/runtime/serve.ts";
import type { Client } from "../support/client.ts";
import { checkErrorResponse } from "./checks.ts";
import { PASSED } from "./module.ts";
import type { Module, Outcome } from "./module.ts";
import { pathOf } from "./op.ts";
import type { Op } from "./op.ts";
import { isSignedIn, newPerson, visit } from "./person.ts";
import type { Ending } from "./person.ts";
import { authorize, firstSignIn, LOGGED_OUT, newClient, prepare, signInAt } from "./relying-party.ts";
import type { Changes, Flow } from "./relying-party.ts";

type SignedInFlow = Flow & { readonly browser: Client };

/** Sends the browser to the end-session endpoint with the usual request and the changes. */
async function endSession(op: Op, flow: SignedInFlow, change: Changes): Promise<Ending> {
  const usual: Changes = {
    id_token_hint: flow.tokens.id_token,
    post_logout_redirect_uri: LOGGED_OUT,
    state: crypto.randomUUID(),
    ...change,
  };
  const present = Object.entries(usual).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return await visit(op, flow.browser, `${op.metadata.end_session_endpoint}?${new URLSearchParams(present)}`);
}

/** Checks that the browser is signed out: a request with `prompt=none` fails. */
async function checkLoggedOut(op: Op, { browser, sent: { client } }: SignedInFlow): Promise<void> {
  assert.equal(await isSignedIn(browser), false, "the person must be signed out");
  const sent = prepare(client, { prompt: "none" });
  const ending = await authorize(op, browser, sent);
  checkErrorResponse(op, sent.parameters, ending, ["login_required", "interaction_required"]);
}

async function logoutDiscovery(op: Op): Promise<Outcome> {
  const endpoint: unknown = op.metadata.end_session_endpoint;
  assert.ok(typeof endpoint === "string" && endpoint.startsWith(`${op.origin}/`));
  return await Promise.resolve(PASSED);
}

async function logout(op: Op): Promise<Outcome> {
  const flow = await firstSignIn(op);
  const { at, answer, shown } = await endSession(op, flow, { state: "the state & more" });
  assert.deepEqual([answer, shown], [undefined, []]);
  assert.equal(at.origin + at.pathname, LOGGED_OUT);
  assert.deepEqual([...at.searchParams], [["state", "the state & more"]]);
  await checkLoggedOut(op, flow);
  return PASSED;
}

async function logoutWithoutState(op: Op): Promise<Outcome> {
  const flow = await firstSignIn(op);
  assert.equal((await endSession(op, flow, { state: undefined })).at.href, LOGGED_OUT);
  await checkLoggedOut(op, flow);
  return PASSED;
}

/** Returns a module that verifies that the browser is not redirected to the client. */
function noRedirect(change: (flow: SignedInFlow) => Promise<Changes> | Changes): Module["run"] {
  return async (op) => {
    const flow = await firstSignIn(op);
    const { at, answer } = await endSession(op, flow, await change(flow));
    assert.ok(answer !== undefined, `the browser must not be redirected to ${at.href}`);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html\b/);
    return PASSED;
  };
}

/** Returns a module that verifies that the person must confirm, because the hint does not identify the account. */
function mustConfirm(change: (flow: SignedInFlow) => Promise<Changes> | Changes): Module["run"] {
  return async (op) => {
    const flow = await firstSignIn(op);
    const { at, answer, shown } = await endSession(op, flow, await change(flow));
    assert.ok(answer !== undefined, `the browser must not be redirected to ${at.href}`);
    assert.deepEqual(shown, ["/end-session"], "the person must confirm");
    return PASSED;
  };
}

/** Returns a module that verifies that a request without a redirect URI signs out and ends on the provider's page. */
function endsAtProvider(change: Changes): Module["run"] {
  return async (op) => {
    const flow = await firstSignIn(op);
    const { at, answer } = await endSession(op, flow, change);
    assert.equal(answer?.status, 200);
    assert.equal(at.pathname, "/signed-out");
    await checkLoggedOut(op, flow);
    return PASSED;
  };
}

/** Returns a hint with the person's claims, signed with another key. */
async function foreignHint({ claims }: SignedInFlow): Promise<Changes> {
  const { privateKey } = await generateKeyPair("ES256");
  const hint = await new SignJWT({ ...claims, aud: [claims.aud].flat() }).setProtectedHeader({
    alg: "ES256",
    typ: "JWT",
  }).sign(privateKey);
  return { id_token_hint: hint };
}

/** Returns the person's ID token without its signature as a hint. */
function unsignedHint({ tokens }: SignedInFlow): Changes {
  const header = new TextEncoder().encode('{"alg":"none"}').toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
  return { id_token_hint: `${header}.${tokens.id_token.split(".")[1]}.` };
}

/** Verifies that the provider posts a logout token (Back-Channel Logout 1.0 sections 2.4 and 2.5). */
async function backChannel(op: Op): Promise<Outcome> {
  assert.equal(op.metadata.backchannel_logout_supported, true);
  assert.equal(op.metadata.backchannel_logout_session_supported, true);
  const received: { readonly method: string; readonly type: string | null; readonly body: string }[] = [];
  const server = await serve({
    hostname: "127.0.0.1",
    port: 0,
    handler: async (request) => {
      const type = request.headers.get("content-type");
      received.push({
        method: request.method,
        type,
        body: new TextDecoder().decode(await request.arrayBuffer()),
      });
      return new Response(null, { headers: { "cache-control": "no-store" } });
    },
  });
  try {
    const backchannelLogoutUri = `http://127.0.0.1:${server.port}/backchannel_logout`;
    const client = await newClient(op, { backchannelLogoutUri });
    const browser = await newPerson(op);
    const flow = { browser, ...await signInAt(op, browser, client) };
    await endSession(op, flow, {});
    await checkLoggedOut(op, flow);
    await op.deliverLogoutTokens();
    const [{ method, type, body } = assert.fail("no logout token was posted"), ...more] = received;
    assert.deepEqual([method, type, more], ["POST", "application/x-www-form-urlencoded", []]);
    const form = new URLSearchParams(body);
    assert.deepEqual([...form.keys()], ["logout_token"]);
    await checkLogoutToken(op, flow, form.get("logout_token")!);
  } finally {
    await server.stop();
  }
  return PASSED;
}

async function checkLogoutToken(op: Op, { claims, sent: { client } }: Flow, token: string): Promise<void> {
  const keys = createLocalJWKSet((await op.client().get(pathOf(op, "jwks_uri"))).body);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: op.origin,
    audience: client.clientId,
    algorithms: ["ES256"],
    typ: "logout+jwt",
    requiredClaims: ["iat", "exp", "jti", "events"],
    currentDate: new Date(op.now()),
    maxTokenAge: "1 minute",
  });
  assert.equal(typeof protectedHeader.kid, "string");
  assert.ok(payload.exp! - payload.iat! <= 120, "it must expire within two minutes");
  assert.deepEqual(payload["events"], { "http://schemas.openid.net/event/backchannel-logout": {} });
  assert.equal("nonce" in payload, false, "it must not have a nonce");
  assert.equal(payload.sub, claims.sub);
  assert.equal(typeof claims["sid"], "string");
  assert.equal(payload["sid"], claims["sid"]);
}

const NAME = "oidcc-rp-initiated-logout";

export const LOGOUT: readonly Module[] = [
  { name: `${NAME}-discovery-endpoint-verification`, plan: "Logout", run: logoutDiscovery },
  { name: NAME, plan: "Logout", run: logout },
  {
    name: `${NAME}-bad-post-logout-redirect-uri`,
    plan: "Logout",
    run: noRedirect(() => ({ post_logout_redirect_uri: "https://rp.example/other" })),
  },
  {
    name: `${NAME}-query-added-to-post-logout-redirect-uri`,
    plan: "Logout",
    run: noRedirect(() => ({ post_logout_redirect_uri: `${LOGGED_OUT}?foo=bar` })),
  },
  { name: `${NAME}-bad-id-token-hint`, plan: "Logout", run: mustConfirm(foreignHint) },
  { name: `${NAME}-modified-id-token-hint`, plan: "Logout", run: mustConfirm(unsignedHint) },
  {
    name: `${NAME}-no-id-token-hint`,
    plan: "Logout",
    run: mustConfirm(() => ({ id_token_hint: undefined })),
  },
  {
    name: `${NAME}-no-params`,
    plan: "Logout",
    run: endsAtProvider({ id_token_hint: undefined, post_logout_redirect_uri: undefined, state: undefined }),
  },
  {
    name: `${NAME}-no-post-logout-redirect-uri`,
    plan: "Logout",
    run: endsAtProvider({ post_logout_redirect_uri: undefined }),
  },
  {
    name: `${NAME}-only-state`,
    plan: "Logout",
    run: endsAtProvider({ id_token_hint: undefined, post_logout_redirect_uri: undefined }),
  },
  { name: `${NAME}-no-state`, plan: "Logout", run: logoutWithoutState },
  { name: "oidcc-backchannel-rp-initiated-logout", plan: "Logout", run: backChannel },
];
