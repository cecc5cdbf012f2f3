import type { SignedIn } from "../../src/accounts/session/session.ts";
import type { GroupCommit } from "../../src/db/group-commit.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import type { Instant } from "../../src/lib/time.ts";
import {
  authorize,
  continueAuthorization,
  decideAuthorization,
} from "../../src/oauth/authorize/authorize.ts";
import type { DecisionStep } from "../../src/oauth/authorize/authorize.ts";
import type { AuthorizationStep } from "../../src/oauth/authorize/authorization-step.ts";
import { changeClient } from "../../src/oauth/client/client-administration.ts";
import type { KeyChoice } from "../../src/oauth/authorize/key-choice.ts";
import type { IssuedClient } from "../../src/oauth/client/client-administration.ts";
import type { ClientCredentials } from "../../src/oauth/client/client-authentication.ts";
import type { SentProof } from "../../src/oauth/dpop/check-proof.ts";
import type { SentToken } from "../../src/oauth/dpop/resource-token.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import type { TokenResponse } from "../../src/oauth/token/token-response.ts";
import { handleTokenRequest } from "../../src/oauth/token/token.ts";
import {
  BROWSER,
  CHALLENGE,
  ISSUER,
  NETWORK,
  NOW,
  openFixture,
  random,
  register,
  signInPerson,
  VERIFIER,
} from "./fixture.ts";
import type { Fixture } from "./fixture.ts";

const USERINFO = { issuer: ISSUER, path: "/api/auth/oauth2/userinfo", scope: "openid" } as const;

export type Fields = Readonly<Record<string, string | undefined>>;

function toMap(fields: Fields): Map<string, string> {
  return new Map(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** A user, a client and their exchange. */
export interface Story extends Fixture, IssuedClient {
  readonly signedIn: SignedIn;
}

export async function openStory(change: Parameters<typeof register>[1] = {}): Promise<Story> {
  const fixture = await openFixture();
  const signedIn = await signInPerson(fixture, undefined, NOW - 60_000);
  return { ...fixture, signedIn, ...await register(fixture, change) };
}

/** Returns the parameters of a valid request with these changes. Undefined removes a parameter. */
export function goodRequest({ client }: IssuedClient, change: Fields = {}): Fields {
  return {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0],
    scope: "openid",
    state: "the state",
    nonce: "the nonce",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...change,
  };
}

interface Asking {
  readonly signedIn?: SignedIn | undefined;
  readonly browserHash?: string;
  readonly now?: Instant;
  readonly repeated?: readonly string[];
  /** The user's selection on a consent page with keys. */
  readonly choice?: KeyChoice;
}

const NO_CHOICE: KeyChoice = {
  keys: [],
  rules: new Set(),
  length: "month",
  replaces: false,
  picked: () => readPolicy({ version: 1 }),
};

function visitorOf(story: Story, asking: Asking) {
  const signedIn = "signedIn" in asking ? asking.signedIn : story.signedIn;
  return { browserHash: asking.browserHash ?? BROWSER, signedIn };
}

/** Sends an authorization request from the browser. */
export async function ask(
  story: Story,
  change: Fields = {},
  asking: Asking = {},
): Promise<AuthorizationStep> {
  const { now = NOW, repeated = [] } = asking;
  return await authorize(story.db, story.services, {
    parameters: toMap(goodRequest(story, change)),
    repeated: new Set(repeated),
    visitor: visitorOf(story, asking),
    network: NETWORK,
    now,
    random,
  });
}

/** Continues a pending request in the browser. */
export async function goOn(story: Story, requestId: string, asking: Asking = {}): Promise<AuthorizationStep> {
  const { now = NOW } = asking;
  return await continueAuthorization(story.services, {
    requestId,
    visitor: visitorOf(story, asking),
    now,
    random,
  });
}

/** Decides on the consent page. */
export async function decide(
  story: Story,
  requestId: string,
  decision: "approve" | "deny" = "approve",
  { browserHash = BROWSER, now = NOW, signedIn = story.signedIn, choice = NO_CHOICE }: Asking = {},
): Promise<URL> {
  const step = await decideStep(story, requestId, decision, { browserHash, now, signedIn, choice });
  if (step.kind !== "redirect") throw new Error(`Cannot decide: ${step.kind}`);
  return new URL(step.uri);
}

/** Like `decide`, for a session that may not have been asked. */
export async function decideStep(
  story: Story,
  requestId: string,
  decision: "approve" | "deny" = "approve",
  { browserHash = BROWSER, now = NOW, signedIn = story.signedIn, choice = NO_CHOICE }: Asking = {},
): Promise<DecisionStep> {
  const value = { requestId, browserHash, signedIn: signedIn!, decision, choice, now, random };
  return await decideAuthorization(story.services, value);
}

/** Authorizes with consent where needed and returns the response URI. */
export async function authorizeFully(story: Story, change: Fields = {}, asking: Asking = {}): Promise<URL> {
  const step = await ask(story, change, asking);
  if (step.kind === "redirect") return new URL(step.uri);
  if (step.kind !== "consent") throw new Error(`Cannot authorize: ${step.kind}`);
  return await decide(story, step.requestId, "approve", asking);
}

export async function getCode(story: Story, change: Fields = {}, asking: Asking = {}): Promise<string> {
  const code = (await authorizeFully(story, change, asking)).searchParams.get("code");
  if (code === null) throw new Error("Cannot get code: error response");
  return code;
}

/** Returns the credentials that a client sends with a form. */
export function credentials(
  { client, clientSecret }: IssuedClient,
  form: Fields,
  now = NOW,
): ClientCredentials {
  const authorization = clientSecret === undefined
    ? undefined
    : `Basic ${utf8(`${client.clientId}:${clientSecret}`).toBase64()}`;
  const named = clientSecret === undefined ? { client_id: client.clientId } : {};
  return { authorization, form: toMap({ ...named, ...form }), queryNames: new Set(), network: NETWORK, now };
}

/** Returns a proof, or none, as sent with a request. */
export function sentTo(method: string, path: string, proof: string | null = null): SentProof {
  return { header: proof, method, target: new URL(ISSUER + path) };
}

/** The response to a request that was granted `openid`. */
export type SignInResponse = Required<Pick<TokenResponse, "id_token">> & TokenResponse;

/** Returns a token without a proof, as sent to userinfo. */
export function sentToken(text: string): SentToken {
  return { scheme: "Bearer", text, proof: sentTo("GET", "/api/auth/oauth2/userinfo"), use: USERINFO };
}

export async function requestToken(
  { db, services }: Fixture,
  by: IssuedClient,
  form: Fields,
  now = NOW,
  proof: string | null = null,
): Promise<SignInResponse> {
  const sentProof = sentTo("POST", "/api/auth/oauth2/token", proof);
  const request = { ...credentials(by, form, now), sentProof, random };
  return await handleTokenRequest(db, services, request) as SignInResponse;
}

/** Redeems a code with these changes of the request. */
export async function redeem(
  story: Story,
  code: string,
  change: Fields = {},
  { now = NOW, by = story }: { now?: Instant; by?: IssuedClient } = {},
): Promise<SignInResponse> {
  return await requestToken(story, by, {
    grant_type: "authorization_code",
    code,
    redirect_uri: story.client.redirectUris[0],
    code_verifier: VERIFIER,
    ...change,
  }, now);
}

export async function refreshWith(
  story: Story,
  refreshToken: string,
  now = NOW,
  change: Fields = {},
  by: IssuedClient = story,
): Promise<SignInResponse> {
  return await requestToken(story, by, {
    grant_type: "refresh_token",
    refresh_token: refreshToken,
    ...change,
  }, now);
}

export async function getTokens(story: Story, now = NOW): Promise<SignInResponse> {
  return await redeem(story, await getCode(story, {}, { now }), {}, { now });
}

/** Decodes a part of a JWT without verifying it. */
export function jwtPart(jwt: string, index: 0 | 1): Record<string, unknown> {
  const bytes = Uint8Array.fromBase64(jwt.split(".")[index]!, { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Replaces the payload of a JWT but not its signature. */
export function withPayload(jwt: string, payload: object): string {
  const [header, , signature] = jwt.split(".");
  return [header, toBase64url(utf8(JSON.stringify(payload))), signature].join(".");
}

/** Disables the client between its authentication and the next commit. */
export function disabledAtCommit(story: Story): Story {
  const { services, client: { clientId } } = story;
  const groupCommit: GroupCommit = {
    run: async (job, kept) => {
      const value = { clientId, change: { disabled: true }, now: NOW };
      await services.groupCommit.run((tx) => changeClient(tx, services, { ...value, random }));
      return await services.groupCommit.run(job, kept);
    },
  };
  return { ...story, services: { ...services, groupCommit } };
}
