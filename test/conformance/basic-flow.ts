import assert from "node:assert/strict";
import { decodeProtectedHeader } from "jose";
import { postForm } from "../support/oauth.ts";
import {
  checkErrorPage,
  checkErrorResponse,
  checkRefused,
  checkTokenError,
  checkTokenResponse,
  checkUserInfo,
} from "./checks.ts";
import { checkIdToken, fetchKeys } from "./id-token.ts";
import { PASSED, skipped } from "./module.ts";
import type { Module, Outcome } from "./module.ts";
import { pathOf } from "./op.ts";
import type { Op } from "./op.ts";
import { newPerson } from "./person.ts";
import {
  authorize,
  authorizeByPost,
  codeForm,
  finish,
  firstSignIn,
  newClient,
  prepare,
  readCallbackCode,
  redeem,
  signInAt,
  userInfo,
} from "./relying-party.ts";
import type { Changes } from "./relying-party.ts";

/** Returns a module that verifies a successful sign-in with these request parameters added. */
export function succeedsWith(change: Changes): Module["run"] {
  return async (op) => {
    await firstSignIn(op, change);
    return PASSED;
  };
}

/** The claims of each supported scope that the Foundation's modules look for. */
const CLAIMS_OF: Readonly<Record<string, readonly string[]>> = {
  profile: ["name", "preferred_username", "locale", "updated_at"],
  email: ["email", "email_verified"],
};

/** Signs a person with a name in at a client that is registered for claims. Returns userinfo. */
async function readClaims(op: Op, change: Changes): Promise<Readonly<Record<string, unknown>>> {
  const browser = await newPerson(op);
  await browser.request("PATCH", "/api/auth/account", { body: { name: "Ada Lovelace" } });
  const client = await newClient(op, { scopes: ["openid", ...Object.keys(CLAIMS_OF)] });
  const sent = prepare(client, change);
  const wanted = ["openid", "email", "profile"].filter((scope) =>
    sent.parameters.get("scope")!.split(" ").includes(scope)
  );
  const { tokens } = await finish(op, sent, await authorize(op, browser, sent), wanted.join(" "));
  return (await userInfo(op, tokens.access_token)).body;
}

/** Returns a module that requests scopes. The provider must return their claims, and ignore unsupported ones. */
function scopeModule(scope: string): Module["run"] {
  return async (op) => {
    const scopes = scope.split(" ");
    const missing = scopes.filter((value) => !op.metadata.scopes_supported.includes(value));
    const body = await readClaims(op, { scope: `openid ${scope}` });
    const wanted = scopes.flatMap((value) => CLAIMS_OF[value] ?? []);
    assert.deepEqual(Object.keys(body).sort(), ["sub", ...wanted].sort());
    return missing.length === 0
      ? PASSED
      : skipped(`scopes_supported has no ${missing.join(", ")}; the scope is ignored`);
  };
}

async function responseTypeMissing(op: Op): Promise<Outcome> {
  const sent = prepare(await newClient(op), { response_type: undefined });
  const ending = await authorize(op, await newPerson(op), sent);
  checkRefused(op, sent.parameters, ending, ["unsupported_response_type", "invalid_request"]);
  return PASSED;
}

async function idTokenSignature(op: Op): Promise<Outcome> {
  const browser = await newPerson(op);
  for (const algorithm of op.metadata.id_token_signing_alg_values_supported) {
    const client = await newClient(op, { idTokenSignedResponseAlg: algorithm });
    const sent = prepare(client);
    const code = readCallbackCode(op, sent, await authorize(op, browser, sent));
    const tokens = checkTokenResponse(await redeem(op, sent, code));
    const nonce = sent.parameters.get("nonce")!;
    await checkIdToken(op, tokens, { audience: client.clientId, nonce, algorithm });
    assert.ok(decodeProtectedHeader(tokens.id_token).kid !== undefined, "kid must be there");
  }
  return PASSED;
}

async function idTokenUnsigned(op: Op): Promise<Outcome> {
  const { tokens } = await firstSignIn(op);
  assert.notEqual(decodeProtectedHeader(tokens.id_token).alg, "none");
  assert.equal(op.metadata.id_token_signing_alg_values_supported.includes("none"), false);
  for (const key of (await fetchKeys(op)).keys) assert.notEqual(key.alg, "none");
  return skipped("id_token_signing_alg_values_supported has no none");
}

async function userInfoPostHeader(op: Op): Promise<Outcome> {
  const { tokens, claims } = await firstSignIn(op);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const answer = await op.client().request("POST", pathOf(op, "userinfo_endpoint"), { headers });
  checkUserInfo(answer, claims.sub);
  return PASSED;
}

async function userInfoPostBody(op: Op): Promise<Outcome> {
  const { tokens: { access_token }, claims } = await firstSignIn(op);
  checkUserInfo(
    await postForm(op.client(), pathOf(op, "userinfo_endpoint"), { access_token }, {}),
    claims.sub,
  );
  return PASSED;
}

export async function withoutNonce(op: Op): Promise<Outcome> {
  const { claims } = await firstSignIn(op, { nonce: undefined });
  assert.equal("nonce" in claims, false);
  return PASSED;
}

async function alternateHappyFlow(op: Op): Promise<Outcome> {
  const usual = prepare(await newClient(op), { scope: "email openid" });
  const sent = { ...usual, parameters: new URLSearchParams([...usual.parameters].reverse()) };
  await finish(op, sent, await authorize(op, await newPerson(op), sent));
  return PASSED;
}

async function acrValues(op: Op): Promise<Outcome> {
  const values: readonly string[] = op.metadata.acr_values_supported;
  const { claims } = await firstSignIn(op, { acr_values: values.join(" ") });
  assert.ok(values.includes(claims["acr"] as string), "acr must be one of the requested values");
  // An unsupported value must be ignored and not echoed (OpenID Connect Core section 5.5.1.1).
  const other = await firstSignIn(op, { acr_values: "1 2" });
  assert.ok(
    values.includes(other.claims["acr"] as string),
    "acr must be the performed one, not the requested one",
  );
  return PASSED;
}

async function claimsEssential(op: Op): Promise<Outcome> {
  assert.equal(op.metadata.claims_parameter_supported, true);
  const { name, email } = await readClaims(op, { claims: '{"userinfo":{"name":{"essential":true}}}' });
  assert.deepEqual([name, email], ["Ada Lovelace", undefined]);
  return PASSED;
}

/** Verifies that an unregistered redirect URI gets an error page, without sign-in and without a redirect. */
export async function registeredRedirectUri(op: Op): Promise<Outcome> {
  const sent = prepare(await newClient(op), { redirect_uri: `https://rp.example/${crypto.randomUUID()}` });
  const ending = await authorize(op, await newPerson(op), sent);
  checkErrorPage(ending);
  assert.deepEqual(ending.shown, [], "no page may be shown for such a request");
  return PASSED;
}

async function postRequest(op: Op): Promise<Outcome> {
  const sent = prepare(await newClient(op));
  await finish(op, sent, await authorizeByPost(op, await newPerson(op), sent));
  return PASSED;
}

async function clientSecretPost(op: Op): Promise<Outcome> {
  assert.equal(op.metadata.token_endpoint_auth_methods_supported.includes("client_secret_post"), false);
  const sent = prepare(await newClient(op));
  const code = readCallbackCode(op, sent, await authorize(op, await newPerson(op), sent));
  const { clientId, clientSecret } = sent.client;
  const form = { ...codeForm(sent, code), client_id: clientId, client_secret: clientSecret! };
  checkTokenError(await postForm(op.client(), pathOf(op, "token_endpoint"), form, {}), ["invalid_client"]);
  checkTokenResponse(await redeem(op, sent, code));
  return skipped("token_endpoint_auth_methods_supported has no client_secret_post; it is invalid_client");
}

/** Returns an unsigned request object (RFC 9101 section 4) with the same parameters. */
function requestObject(parameters: URLSearchParams): string {
  const encode = (value: object): string =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
  return `${encode({ alg: "none" })}.${encode(Object.fromEntries(parameters))}.`;
}

function refusedBy(name: "request" | "request_uri", error: string): Module["run"] {
  return async (op) => {
    assert.equal(op.metadata[`${name}_parameter_supported`], false);
    const client = await newClient(op);
    const inside = prepare(client).parameters;
    const value = name === "request" ? requestObject(inside) : "https://rp.example/request.jwt";
    const sent = prepare(client, { [name]: value });
    checkErrorResponse(op, sent.parameters, await authorize(op, await newPerson(op), sent), [error]);
    return PASSED;
  };
}

/** Sends a request object with a registered redirect URI beside an unregistered one: no redirect to either. */
async function requestObjectRedirectUri(op: Op): Promise<Outcome> {
  const client = await newClient(op);
  const request = requestObject(prepare(client).parameters);
  const sent = prepare(client, { redirect_uri: "https://rp.example/unknown", request });
  checkErrorPage(await authorize(op, await newPerson(op), sent));
  return PASSED;
}

async function validPkce(op: Op): Promise<Outcome> {
  assert.deepEqual(op.metadata.code_challenge_methods_supported, ["S256"]);
  await signInAt(op, await newPerson(op), await newClient(op));
  return PASSED;
}

export const BASIC_FLOW: readonly Module[] = [
  { name: "oidcc-server", plan: "Basic", run: succeedsWith({}) },
  { name: "oidcc-response-type-missing", plan: "Basic", run: responseTypeMissing },
  { name: "oidcc-idtoken-signature", plan: "Basic", run: idTokenSignature },
  { name: "oidcc-idtoken-unsigned", plan: "Basic", run: idTokenUnsigned },
  { name: "oidcc-userinfo-get", plan: "Basic", run: succeedsWith({}) },
  { name: "oidcc-userinfo-post-header", plan: "Basic", run: userInfoPostHeader },
  { name: "oidcc-userinfo-post-body", plan: "Basic", run: userInfoPostBody },
  {
    name: "oidcc-ensure-request-without-nonce-succeeds-for-code-flow",
    plan: "Basic",
    run: withoutNonce,
  },
  { name: "oidcc-scope-profile", plan: "Basic", run: scopeModule("profile") },
  { name: "oidcc-scope-email", plan: "Basic", run: scopeModule("email") },
  { name: "oidcc-scope-address", plan: "Basic", run: scopeModule("address") },
  { name: "oidcc-scope-phone", plan: "Basic", run: scopeModule("phone") },
  { name: "oidcc-scope-all", plan: "Basic", run: scopeModule("profile email address phone") },
  { name: "oidcc-alternate-happy-flow", plan: "Basic", run: alternateHappyFlow },
  { name: "oidcc-display-page", plan: "Basic", run: succeedsWith({ display: "page" }) },
  { name: "oidcc-display-popup", plan: "Basic", run: succeedsWith({ display: "popup" }) },
  {
    name: "oidcc-ensure-request-with-unknown-parameter-succeeds",
    plan: "Basic",
    run: succeedsWith({ extra: "foobar" }),
  },
  { name: "oidcc-ui-locales", plan: "Basic", run: succeedsWith({ ui_locales: "se" }) },
  { name: "oidcc-claims-locales", plan: "Basic", run: succeedsWith({ claims_locales: "se" }) },
  { name: "oidcc-ensure-request-with-acr-values-succeeds", plan: "Basic", run: acrValues },
  { name: "oidcc-ensure-registered-redirect-uri", plan: "Basic", run: registeredRedirectUri },
  { name: "oidcc-ensure-post-request-succeeds", plan: "Basic", run: postRequest },
  { name: "oidcc-server-client-secret-post", plan: "Basic", run: clientSecretPost },
  {
    name: "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
    plan: "Basic",
    run: refusedBy("request_uri", "request_uri_not_supported"),
  },
  {
    name: "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    plan: "Basic",
    run: refusedBy("request", "request_not_supported"),
  },
  { name: "oidcc-claims-essential", plan: "Basic", run: claimsEssential },
  {
    name: "oidcc-ensure-request-object-with-redirect-uri",
    plan: "Basic",
    run: requestObjectRedirectUri,
  },
  { name: "oidcc-ensure-request-with-valid-pkce-succeeds", plan: "Basic", run: validPkce },
];
