/**
 * The load generator of the authorization servers, its own process. It signs users in at a client, refreshes tokens
 * and fetches userinfo as fast as the server responds. Afterwards it verifies a sample of the tokens.
 */
import { createHash, randomBytes } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { ServerListing } from "./peers/listing.ts";
import { loadedOf } from "./statistics.ts";
import type { Loaded } from "./statistics.ts";
import { answerRequests } from "./worker.ts";

/** The measured works: a sign-in from the authorization request to the tokens, a refresh, and userinfo. */
export const OAUTH_WORKS = ["flow", "refresh", "userinfo"] as const;

export type OAuthWork = (typeof OAUTH_WORKS)[number];

/** A step. `prepare` creates what `load` uses up; `verify` checks tokens of the last load. Only `load` is measured. */
export interface OAuthRequest {
  readonly step: "prepare" | "load" | "verify";
  readonly server: ServerListing;
  readonly work: OAuthWork;
  readonly inFlight: number;
  readonly milliseconds: number;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token: string;
  /** The nonce of the authorization request. Undefined after a refresh. */
  readonly nonce?: string;
}

/** The number of tokens verified after a load. */
const SAMPLE = 20;

/** The tokens that a step leaves for the next one, one set for each request in flight. */
let held: Tokens[] = [];
let nextPerson = 0;

function fault(what: string, response: Response, text: string): Error {
  return new Error(`Cannot measure: ${what} ${response.status} ${response.headers.get("location")} ${text}`);
}

async function authorize(
  { issuer, address, paths, clientId, redirectUri, scope, people }: ServerListing,
  { challenge, nonce }: { challenge: string; nonce: string },
): Promise<string> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: nonce,
    nonce,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const cookie = people[nextPerson++ % people.length]!;
  const response = await fetch(`${address}${paths.authorize}?${query}`, {
    // With the address as Host, the server would redirect to the host of the issuer.
    headers: { cookie, host: new URL(issuer).host },
    redirect: "manual",
  });
  const text = await response.text();
  const location = response.headers.get("location") ?? "";
  const answer = new URLSearchParams(location.slice(location.indexOf("?") + 1));
  const code = answer.get("code");
  if (!location.startsWith(redirectUri) || code === null || answer.get("state") !== nonce) {
    throw fault("authorize", response, text);
  }
  return code;
}

async function requestTokens(server: ServerListing, form: Readonly<Record<string, string>>): Promise<Tokens> {
  const { address, paths, clientId, clientSecret } = server;
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
  const response = await fetch(address + paths.token, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(credentials)}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(form).toString(),
  });
  const text = await response.text();
  if (response.status !== 200) throw fault("token", response, text);
  const tokens = JSON.parse(text) as Tokens;
  if (!tokens.access_token || !tokens.refresh_token || !tokens.id_token) throw fault("token", response, text);
  return tokens;
}

async function signIn(server: ServerListing): Promise<Tokens> {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const nonce = randomBytes(16).toString("base64url");
  const code = await authorize(server, { challenge, nonce });
  const tokens = await requestTokens(server, {
    grant_type: "authorization_code",
    code,
    redirect_uri: server.redirectUri,
    code_verifier: verifier,
  });
  return { ...tokens, nonce };
}

async function askWho({ address, paths }: ServerListing, tokens: Tokens): Promise<Tokens> {
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const response = await fetch(address + paths.userinfo, { headers });
  const text = await response.text();
  if (response.status !== 200 || !JSON.parse(text).sub) throw fault("userinfo", response, text);
  return tokens;
}

/** The works. Each does its work once with the tokens of its slot, and returns the new tokens. */
const WORKS = {
  flow: (server) => signIn(server),
  refresh: (server, { refresh_token }) =>
    requestTokens(server, { grant_type: "refresh_token", refresh_token }),
  userinfo: askWho,
} as const satisfies Record<OAuthWork, (server: ServerListing, tokens: Tokens) => Promise<Tokens>>;

async function prepare({ server, inFlight }: OAuthRequest): Promise<number> {
  held = await Promise.all(Array.from({ length: inFlight }, () => signIn(server)));
  return held.length;
}

async function load({ server, work, inFlight, milliseconds }: OAuthRequest): Promise<Loaded> {
  const start = performance.now();
  const times: number[] = [];
  async function goOn(place: number): Promise<void> {
    for (;;) {
      const from = performance.now();
      if (from - start >= milliseconds) return;
      held[place] = await WORKS[work](server, held[place]!);
      times.push(performance.now() - from);
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, place) => goOn(place)));
  return loadedOf(times, performance.now() - start);
}

/** Verifies the last ID tokens as a client does, and that each access token belongs to the same user. */
async function verify({ server }: OAuthRequest): Promise<number> {
  const { issuer, address, paths, clientId } = server;
  const keys = createRemoteJWKSet(new URL(address + paths.keys));
  const sample = held.slice(0, SAMPLE);
  for (const tokens of sample) {
    const { payload, protectedHeader } = await jwtVerify(tokens.id_token, keys, {
      issuer,
      audience: clientId,
    });
    const who = await fetch(address + paths.userinfo, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const isRight = protectedHeader.alg === "ES256" && (await who.json()).sub === payload.sub &&
      (tokens.nonce === undefined || payload["nonce"] === tokens.nonce);
    if (!isRight) throw new Error("Cannot measure: a token is not what it should be");
  }
  return sample.length;
}

const STEPS = { prepare, load, verify };

await answerRequests((request: OAuthRequest): Promise<unknown> => STEPS[request.step](request));
