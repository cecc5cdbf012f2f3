import assert from "node:assert/strict";
import { utf8 } from "../../src/lib/bytes.ts";
import type { Answer, Client } from "../support/client.ts";
import { pkcePair, postForm, registerClient } from "../support/oauth.ts";
import type { Fields, Registered } from "../support/oauth.ts";
import { checkAuthorizationResponse, checkTokenResponse, checkUserInfo } from "./checks.ts";
import { checkIdToken } from "./id-token.ts";
import type { IdTokenClaims } from "./id-token.ts";
import { pathOf } from "./op.ts";
import type { Op } from "./op.ts";
import { newPerson, submit, visit } from "./person.ts";
import type { Decision, Ending } from "./person.ts";

export const CALLBACK = "https://rp.example/callback";
export const LOGGED_OUT = "https://rp.example/logged-out";

/** Changes of the usual request parameters. Undefined removes a parameter. */
export type Changes = Readonly<Record<string, string | undefined>>;

/** A prepared authorization request. */
export interface Sent {
  readonly client: Registered;
  readonly parameters: URLSearchParams;
  readonly verifier: string;
}

/** A completed sign-in whose responses were all checked. */
export interface Flow {
  readonly sent: Sent;
  readonly ending: Ending;
  readonly code: string;
  // deno-lint-ignore no-explicit-any -- responses differ in shape
  readonly tokens: any;
  readonly claims: IdTokenClaims;
}

/** Registers a client through the admin API, like the static clients of the Foundation's suite. */
export async function newClient(op: Op, change: object = {}): Promise<Registered> {
  return await registerClient(op, {
    name: "Conformance",
    uri: "https://rp.example",
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: [LOGGED_OUT],
    ...change,
  });
}

/** Prepares the usual request, with PKCE, which most of the Foundation's modules do not send. */
export function prepare(client: Registered, change: Changes = {}): Sent {
  const { verifier, challenge } = pkcePair();
  const usual: Changes = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0],
    scope: "openid",
    state: crypto.randomUUID(),
    nonce: crypto.randomUUID(),
    code_challenge: challenge,
    code_challenge_method: "S256",
  };
  const present = Object.entries({ ...usual, ...change }).filter((pair): pair is [string, string] =>
    pair[1] !== undefined
  );
  return { client, parameters: new URLSearchParams(present), verifier };
}

export async function authorize(
  op: Op,
  browser: Client,
  { parameters }: Sent,
  decision: Decision = "approve",
): Promise<Ending> {
  return await visit(op, browser, `${op.metadata.authorization_endpoint}?${parameters}`, decision);
}

export async function authorizeByPost(op: Op, browser: Client, { parameters }: Sent): Promise<Ending> {
  return await submit(op, browser, pathOf(op, "authorization_endpoint"), Object.fromEntries(parameters));
}

/** Calls an endpoint with HTTP Basic authentication. */
export async function call(op: Op, client: Registered, endpoint: string, form: Fields): Promise<Answer> {
  const credentials = utf8(`${client.clientId}:${client.clientSecret}`).toBase64();
  return await postForm(op.client(), pathOf(op, endpoint), form, { authorization: `Basic ${credentials}` });
}

/** Returns the form that redeems a code, with changes. */
export function codeForm({ parameters, verifier }: Sent, code: string, change: Changes = {}): Fields {
  const form: Changes = {
    grant_type: "authorization_code",
    code,
    redirect_uri: parameters.get("redirect_uri")!,
    code_verifier: verifier,
    ...change,
  };
  return Object.fromEntries(
    Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
}

export async function redeem(op: Op, sent: Sent, code: string, change: Changes = {}): Promise<Answer> {
  return await call(op, sent.client, "token_endpoint", codeForm(sent, code, change));
}

export async function refresh(op: Op, client: Registered, token: string): Promise<Answer> {
  const form = { grant_type: "refresh_token", refresh_token: token };
  return await call(op, client, "token_endpoint", form);
}

/** Requests userinfo, which the modules use as the protected resource. */
export async function userInfo(op: Op, accessToken: string, scheme = "Bearer"): Promise<Answer> {
  const headers = { authorization: `${scheme} ${accessToken}` };
  return await op.client().get(pathOf(op, "userinfo_endpoint"), { headers });
}

/** Checks the authorization response at the end of a visit. Returns its code. */
export function readCallbackCode(op: Op, sent: Sent, ending: Ending): string {
  return checkAuthorizationResponse(op, sent.parameters, ending);
}

/** Completes a sign-in from the authorization response: code, tokens, ID token and userinfo, each checked. */
export async function finish(op: Op, sent: Sent, ending: Ending, scope?: string): Promise<Flow> {
  const code = readCallbackCode(op, sent, ending);
  const tokens = checkTokenResponse(await redeem(op, sent, code), scope);
  const claims = await checkIdToken(op, tokens, {
    audience: sent.client.clientId,
    nonce: sent.parameters.get("nonce") ?? undefined,
    mustHaveAuthTime: sent.parameters.has("max_age"),
  });
  checkUserInfo(await userInfo(op, tokens.access_token), claims.sub);
  return { sent, ending, code, tokens, claims };
}

/** Signs in at a client. */
export async function signInAt(
  op: Op,
  browser: Client,
  client: Registered,
  change: Changes = {},
): Promise<Flow> {
  const sent = prepare(client, change);
  return await finish(op, sent, await authorize(op, browser, sent));
}

/** Signs a new person in at a new client. */
export async function firstSignIn(op: Op, change: Changes = {}): Promise<Flow & { browser: Client }> {
  const browser = await newPerson(op);
  return { browser, ...await signInAt(op, browser, await newClient(op), change) };
}

/** Checks that neither the sign-in nor the consent page was shown. */
export function checkSilent({ shown }: Ending): void {
  assert.deepEqual(shown, [], "no page may be shown");
}
