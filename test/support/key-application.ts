import assert from "node:assert/strict";
import { authorizePath, locationOf, pkcePair, postForm, registerClient } from "./oauth.ts";
import type { Fields, Pkce, Provider, Registered } from "./oauth.ts";
import { ORIGIN } from "./app.ts";
import type { TestApp } from "./app.ts";
import type { Answer, Client } from "./client.ts";
import { provingProgram } from "./dpop.ts";
import type { Prover, ProvingProgram } from "./dpop.ts";

/** Returns the requested signing policy as `authorization_details`. */
export function detailsOf(policy: unknown): string {
  return JSON.stringify([{ type: "ethereum_sign", policy }]);
}

export async function registerKeyClient(provider: Provider, change: object = {}): Promise<Registered> {
  return await registerClient(provider, {
    name: "Bot",
    type: "spa",
    redirectUris: ["https://bot.example/cb"],
    scopes: ["openid", "keys:read", "keys:sign"],
    ...change,
  });
}

/** The user's choices on the consent page. */
export interface Agreement {
  readonly keys: readonly string[];
  readonly rules?: readonly string[];
  readonly end?: string;
  readonly replace?: "on";
}

/** Follows an authorization request up to the consent page. */
export async function askFor(
  person: Client,
  client: Registered,
  pkce: Pkce,
  requestedRights: Fields,
): Promise<{ readonly request: string; readonly page: Answer }> {
  const at = locationOf(await person.get(authorizePath(client, pkce, requestedRights)));
  assert.equal(at.pathname, "/consent", at.href);
  return { request: at.searchParams.get("request")!, page: await person.get(at.pathname + at.search) };
}

/** Posts the user's choices on the consent page. */
export async function agreeTo(
  person: Client,
  request: string,
  { keys, rules = [], end = "month", replace }: Agreement,
): Promise<Answer> {
  return await postForm(person, "/consent", {
    request,
    decision: "approve",
    end,
    ...(replace !== undefined && { replace }),
    ...Object.fromEntries(keys.map((id) => [`key:${id}`, "on"])),
    ...Object.fromEntries(rules.map((id) => [`rule:${id}`, "on"])),
  });
}

/** Makes a proof for the token endpoint, with the nonce that it requires. */
export async function tokenProof(app: TestApp, prover: Prover): Promise<string> {
  const claims = { htm: "POST", htu: `${ORIGIN}/api/auth/oauth2/token`, iat: app.now / 1000 };
  const requestedRights = await postForm(app.client(), "/api/auth/oauth2/token", {
    grant_type: "refresh_token",
    refresh_token: "none",
    client_id: "none",
  }, { dpop: await prover.prove(claims) });
  return await prover.prove({ ...claims, nonce: requestedRights.headers.get("dpop-nonce")! });
}

/** Sends a request of a public client to the token endpoint, by default with a proof. */
export async function askToken(
  app: TestApp,
  client: Registered,
  form: Fields,
  prover?: Prover,
): Promise<Answer> {
  const headers = prover === undefined ? {} : { dpop: await tokenProof(app, prover) };
  const authorization = client.clientSecret === undefined
    ? {}
    : { authorization: `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}` };
  const named = client.clientSecret === undefined ? { client_id: client.clientId } : {};
  return await postForm(app.client(), "/api/auth/oauth2/token", { ...named, ...form }, {
    ...headers,
    ...authorization,
  });
}

/** An authorized application: its tokens, and a program with its access token. */
export interface Application {
  readonly tokens: Readonly<Record<string, string>> & { readonly authorization_details?: unknown };
  readonly program: ProvingProgram;
}

/** Sends an authorization request, consents and redeems the code. */
export async function authorizeApplication(
  app: TestApp,
  { person, client, prover, requestedRights, agreement }: {
    person: Client;
    client: Registered;
    prover: Prover;
    requestedRights: Fields;
    agreement: Agreement;
  },
): Promise<Application> {
  const pkce = pkcePair();
  const { request } = await askFor(person, client, pkce, requestedRights);
  const code = locationOf(await agreeTo(person, request, agreement)).searchParams.get("code")!;
  const answer = await askToken(app, client, {
    grant_type: "authorization_code",
    code,
    redirect_uri: client.redirectUris[0]!,
    code_verifier: pkce.verifier,
  }, prover);
  assert.equal(answer.status, 200, answer.text);
  return { tokens: answer.body, program: programWith(app, prover, answer.body.access_token) };
}

/** Creates the program of an application with an access token. */
export function programWith(app: TestApp, prover: Prover, text: string): ProvingProgram {
  return provingProgram(app.client("192.0.2.9"), prover, { text, now: () => app.now });
}
