import assert from "node:assert/strict";
import { ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import type { Answer, Client } from "../../support/client.ts";
import { administer, basic, locationOf, providerOf } from "../../support/oauth.ts";
import type { Registered, Tokens } from "../../support/oauth.ts";

/** RFC 7636 appendix B. */
export const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export const AUTHORIZE = "/api/auth/oauth2/authorize";
export const TOKEN = "/api/auth/oauth2/token";
export const USERINFO = "/api/auth/oauth2/userinfo";
export const REVOKE = "/api/auth/oauth2/revoke";
export const INTROSPECT = "/api/auth/oauth2/introspect";
export const END_SESSION = "/api/auth/oauth2/end-session";

export type Fields = Readonly<Record<string, string | undefined>>;

const WEB = {
  name: "Books",
  uri: "https://books.example",
  type: "web",
  redirectUris: ["https://books.example/cb", "https://books.example/other?a=1"],
  postLogoutRedirectUris: ["https://books.example/bye"],
};

function adminRequest(app: TestApp, method: string, path: string, body?: object): Promise<Answer> {
  return administer(providerOf(app), method, path, body);
}

/** Registers a valid web client with the given changes. */
export async function register(app: TestApp, change: object = {}): Promise<Registered> {
  const answer = await adminRequest(app, "POST", "", { ...WEB, ...change });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.client;
}

export async function changeClient(app: TestApp, { clientId }: Registered, change: object): Promise<void> {
  const answer = await adminRequest(app, "PATCH", `/${clientId}`, change);
  assert.equal(answer.status, 200, answer.text);
}

export async function rotateSecret(app: TestApp, { clientId }: Registered): Promise<Registered> {
  return (await adminRequest(app, "POST", `/${clientId}/secret`)).body.client;
}

export async function deleteClient(app: TestApp, { clientId }: Registered): Promise<void> {
  assert.equal((await adminRequest(app, "DELETE", `/${clientId}`)).status, 200);
}

export function encode(fields: Fields): string {
  const present = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new URLSearchParams(present).toString();
}

/** Returns the parameters of a valid request with the given changes; undefined leaves one out. */
export function goodRequest(client: Registered, change: Fields = {}): string {
  return encode({
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0],
    scope: "openid",
    state: "the state",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...change,
  });
}

export function authorizePath(client: Registered, change: Fields = {}): string {
  return `${AUTHORIZE}?${goodRequest(client, change)}`;
}

/** Posts a form as a program or a page of another site does. */
export function postForm(
  sender: Client,
  path: string,
  form: Fields | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const text = typeof form === "string" ? form : encode(form);
  const type = { "content-type": "application/x-www-form-urlencoded" };
  return sender.request("POST", path, { text, headers: { ...type, ...headers } });
}

/** Asserts that the response is an error redirect to this URI with `iss`. Returns its parameters. */
export function errorOf(answer: Answer, redirectUri: string): URLSearchParams {
  const location = locationOf(answer);
  assert.equal(location.href.split("?")[0], redirectUri.split("?")[0]);
  assert.equal(location.searchParams.get("iss"), ORIGIN);
  assert.equal(location.searchParams.has("code"), false);
  return location.searchParams;
}

export function postDecision(
  browser: Client,
  form: Fields,
  headers: Readonly<Record<string, string>> = { "sec-fetch-site": "same-origin" },
): Promise<Answer> {
  return postForm(browser, "/consent", form, headers);
}

/** Authorizes, approves if asked, and returns the final response. */
export async function authorizeFully(
  browser: Client,
  client: Registered,
  change: Fields = {},
): Promise<URL> {
  const answer = await browser.get(authorizePath(client, change));
  const location = locationOf(answer);
  if (location.pathname !== "/consent") return location;
  const request = location.searchParams.get("request")!;
  assert.equal((await browser.get(location.pathname + location.search)).status, 200);
  return locationOf(await postDecision(browser, { request, decision: "approve" }));
}

export async function getCode(browser: Client, client: Registered, change: Fields = {}): Promise<string> {
  const location = await authorizeFully(browser, client, change);
  const code = location.searchParams.get("code");
  assert.ok(code !== null, location.href);
  return code;
}

/** Sends a request of an application's server, authenticated by its secret, or by its id if it has none. */
export function callAs(app: TestApp, client: Registered, path: string, form: Fields): Promise<Answer> {
  const isPublic = client.clientSecret === undefined;
  const named = isPublic ? { client_id: client.clientId, ...form } : form;
  return postForm(app.client(), path, named, isPublic ? {} : basic(client));
}

export function codeForm(client: Registered, code: string, change: Fields = {}): Fields {
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUris[0],
    code_verifier: VERIFIER,
    ...change,
  };
}

export function redeem(app: TestApp, client: Registered, code: string, change: Fields = {}): Promise<Answer> {
  return callAs(app, client, TOKEN, codeForm(client, code, change));
}

export function refresh(
  app: TestApp,
  client: Registered,
  token: string,
  change: Fields = {},
): Promise<Answer> {
  return callAs(app, client, TOKEN, { grant_type: "refresh_token", refresh_token: token, ...change });
}

/** Authorizes the client as the signed-in user and redeems the code. */
export async function getTokens(app: TestApp, browser: Client, client: Registered): Promise<Tokens> {
  const answer = await redeem(app, client, await getCode(browser, client));
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

export function userinfo(app: TestApp, token: string): Promise<Answer> {
  return app.client().get(USERINFO, { headers: { authorization: `Bearer ${token}` } });
}

/** Asserts that the response is this OAuth error. */
export function assertError(answer: Answer, status: number, error: string, message?: string): void {
  assert.deepEqual([answer.status, answer.body?.error], [status, error], message ?? answer.text);
  assert.match(answer.body.error_description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/);
  assert.deepEqual(Object.keys(answer.body), ["error", "error_description"]);
  assert.equal(answer.headers.get("content-type"), "application/json");
  assert.equal(answer.headers.get("cache-control"), "no-store");
}

/** Returns a part of a JWT. Does not verify the signature. */
// deno-lint-ignore no-explicit-any -- tests look into claims of every shape
export function jwtPart(jwt: string, index: 0 | 1): any {
  const bytes = Uint8Array.fromBase64(jwt.split(".")[index]!, { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes));
}
