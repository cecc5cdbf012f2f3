import assert from "node:assert/strict";
import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { ADMIN_KEY, ORIGIN } from "./app.ts";
import type { TestApp } from "./app.ts";
import { createClient } from "./client.ts";
import type { Answer, Client } from "./client.ts";

/** An OAuth provider under test: the app itself, or a service that runs elsewhere. */
export interface Provider {
  /** The issuer. */
  readonly origin: string;
  client(): Client;
}

/** A client as the admin API returned it. */
export interface Registered {
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly redirectUris: readonly string[];
}

export type Fields = Readonly<Record<string, string>>;

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
}

export interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

/** A code, with what its client needs to redeem it. */
export interface GivenCode {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

export function providerOf(app: TestApp): Provider {
  return { origin: ORIGIN, client: () => app.client() };
}

/** Returns the service at `address` with the origin `origin`. Its environment must have `ADMIN_API_KEY: ADMIN_KEY`. */
export function providerAt(origin: string, address = origin): Provider {
  const send = (request: Request): Promise<Response> =>
    fetch(address === origin ? request : new Request(request.url.replace(origin, address), request));
  return { origin, client: () => createClient(origin, send) };
}

export function administer(
  provider: Provider,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  return provider.client().request(method, `/api/admin/oauth/clients${path}`, { headers, body });
}

/** Registers a server's client at an https address, with the given changes. */
export async function registerClient(provider: Provider, change: object = {}): Promise<Registered> {
  const answer = await administer(provider, "POST", "", {
    name: "Books",
    uri: "https://books.example",
    type: "web",
    redirectUris: ["https://books.example/cb"],
    ...change,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.client;
}

/** Creates a verifier with its challenge (RFC 7636 section 4). */
export function pkcePair(): Pkce {
  const verifier = toBase64url(crypto.getRandomValues(new Uint8Array(32)));
  return { verifier, challenge: toBase64url(sha256(utf8(verifier))) };
}

/** Returns the path of a valid authorization request with the given changes. */
export function authorizePath(client: Registered, { challenge }: Pkce, change: Fields = {}): string {
  const parameters = {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0]!,
    scope: "openid",
    state: "the state",
    code_challenge: challenge,
    code_challenge_method: "S256",
    ...change,
  };
  return `/api/auth/oauth2/authorize?${new URLSearchParams(parameters)}`;
}

/** Posts a form as a page of the service does. */
export function postForm(
  sender: Client,
  path: string,
  form: Fields,
  headers: Fields = { "sec-fetch-site": "same-origin" },
): Promise<Answer> {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const text = new URLSearchParams(form).toString();
  return sender.request("POST", path, { text, headers: { ...type, ...headers } });
}

/** Returns the redirect target of a response. A path is relative to `origin`. */
export function locationOf(answer: Answer, origin = ORIGIN): URL {
  assert.equal(answer.status, 303, answer.text);
  return new URL(answer.headers.get("location")!, origin);
}

/** Returns the id of the pending request in the redirect of a response. */
export function pendingOf(
  answer: Answer,
  page: "/sign-in" | "/consent" | "/end-session",
  origin = ORIGIN,
): string {
  const location = locationOf(answer, origin);
  assert.equal(location.origin + location.pathname, origin + page);
  return location.searchParams.get("request")!;
}

/** Sends an authorization request up to the consent page. Returns the id of the pending request. */
export async function askForConsent(
  browser: Client,
  client: Registered,
  pkce: Pkce,
  change: Fields = {},
): Promise<string> {
  const request = pendingOf(await browser.get(authorizePath(client, pkce, change)), "/consent");
  assert.equal((await browser.get(`/consent?request=${request}`)).status, 200);
  return request;
}

export function decide(browser: Client, request: string, decision = "approve"): Promise<Answer> {
  return postForm(browser, "/consent", { request, decision });
}

/** Authorizes the client as the signed-in user, approves if asked, and returns the code. */
export async function getCode(browser: Client, client: Registered, change: Fields = {}): Promise<GivenCode> {
  const pkce = pkcePair();
  const answer = await browser.get(authorizePath(client, pkce, change));
  const isAsked = locationOf(answer).pathname === "/consent";
  const last = isAsked ? await decide(browser, pendingOf(answer, "/consent")) : answer;
  const code = locationOf(last).searchParams.get("code");
  assert.ok(code !== null, last.headers.get("location")!);
  const redirectUri = change["redirect_uri"] ?? client.redirectUris[0]!;
  return { code, redirectUri, verifier: pkce.verifier };
}

/** Returns the credentials of a confidential client (RFC 6749 section 2.3.1). Its id and secret need no encoding. */
export function basic({ clientId, clientSecret }: Registered): Fields {
  return { authorization: `Basic ${utf8(`${clientId}:${clientSecret}`).toBase64()}` };
}

/** Sends a request of an application, authenticated by its secret, or by its id if it has none. */
export function callAs(provider: Provider, client: Registered, path: string, form: Fields): Promise<Answer> {
  if (client.clientSecret === undefined) {
    return postForm(provider.client(), path, { client_id: client.clientId, ...form }, {});
  }
  return postForm(provider.client(), path, form, basic(client));
}

export function exchange(provider: Provider, client: Registered, given: GivenCode): Promise<Answer> {
  return callAs(provider, client, "/api/auth/oauth2/token", {
    grant_type: "authorization_code",
    code: given.code,
    redirect_uri: given.redirectUri,
    code_verifier: given.verifier,
  });
}

export function refresh(provider: Provider, client: Registered, token: string): Promise<Answer> {
  return callAs(provider, client, "/api/auth/oauth2/token", {
    grant_type: "refresh_token",
    refresh_token: token,
  });
}

/** Authorizes the client as the signed-in user and redeems the code. */
export async function getTokens(provider: Provider, browser: Client, client: Registered): Promise<Tokens> {
  const answer = await exchange(provider, client, await getCode(browser, client));
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

export function userinfo(provider: Provider, accessToken: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return provider.client().get("/api/auth/oauth2/userinfo", { headers });
}

/** Returns true if introspection reports a token of the client as active. */
export async function isActive(provider: Provider, client: Registered, token: string): Promise<boolean> {
  const answer = await callAs(provider, client, "/api/auth/oauth2/introspect", { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.active;
}
