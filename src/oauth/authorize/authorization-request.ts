import type { Db } from "../../db/schema/schema.ts";
import type { Cause } from "../../lib/remote-document.ts";
import type { Instant } from "../../lib/time.ts";
import { getDocumentedClient } from "../client/document-client.ts";
import { isDocumentId } from "../client/document-url.ts";
import { type Client, findClient } from "../client/client.ts";
import { OAuthError, type OAuthErrorCode } from "../error.ts";
import { readIdTokenHint } from "../token/id-token.ts";
import { findParameter, type OAuthParameters, printableName } from "../parameters.ts";
import { isRegisteredRedirectUri } from "../client/redirect-uri.ts";
import type { OAuthServices } from "../services.ts";
import { type Check, checksFor, checkThumbprint, readRequestedRights } from "./requested-rights.ts";

/** The supported values of `prompt` (OpenID Connect Core section 3.1.2.1). */
export const PROMPTS = ["none", "login", "consent", "select_account"] as const;

export type Prompt = (typeof PROMPTS)[number];

export interface ReceivedAuthorizationRequest {
  readonly parameters: OAuthParameters;
  readonly repeated: ReadonlySet<string>;
  /** The pushed request that has these parameters (RFC 9126), if any. */
  readonly pushedRequestId?: string;
}

export interface AuthorizationRequest {
  readonly client: Client;
  readonly redirectUri: string;
  /** The scopes to grant, separated by spaces. */
  readonly scope: string;
  /** The claims requested by name (`ClaimsRequest`), JSON; null for the usual ones. */
  readonly claims: string | null;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  /** Base64url SHA-256 of the code verifier. */
  readonly codeChallenge: string;
  readonly prompt: readonly Prompt[];
  /** Seconds. */
  readonly maxAge: number | undefined;
  readonly loginHint: string | undefined;
  /** The subject of `id_token_hint`. */
  readonly hintedAccountId: string | undefined;
  /** The thumbprint of the key to which the code is bound (RFC 9449 section 10). */
  readonly dpopJkt: string | undefined;
  /** The requested policy in canonical JSON, if any. */
  readonly policy: string | undefined;
  /** The pushed request that its code uses up, if any. */
  readonly pushedRequestId: string | undefined;
  /** The path of the requested resource (RFC 8707); null for the issuer. */
  readonly resource: string | null;
}

/** Longer values are refused, never truncated. An unauthenticated client can store such a request. */
const LONGEST = { state: 2048, nonce: 1024, login_hint: 320 } as const;

const UNSUPPORTED = {
  request: "request_not_supported",
  request_uri: "request_uri_not_supported",
  registration: "registration_not_supported",
} as const satisfies Record<string, OAuthErrorCode>;

type RequestServices = Pick<
  OAuthServices,
  "authority" | "issuer" | "clientDocuments" | "groupCommit" | "limits"
>;

interface RequestOrigin extends Cause {
  readonly network: string;
}

/**
 * Validates an authorization request (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2.2) in the order of
 * the standards. Until the redirect URI is known to belong to the client, the OAuthError has no `redirectTo` (RFC
 * 6749 section 4.1.2.1). Every later fault is redirected to the client. Does not check the session.
 */
export async function readAuthorizationRequest(
  db: Db,
  services: RequestServices,
  { parameters, repeated, pushedRequestId, network, now, traceparent }:
    & ReceivedAuthorizationRequest
    & RequestOrigin,
): Promise<AuthorizationRequest> {
  const client = await readClient(db, services, { parameters, repeated, network, now, traceparent });
  const redirectUri = readRedirectUri(client, { parameters, repeated });
  const state = repeated.has("state") ? undefined : findParameter(parameters, "state");
  const check: Check = checksFor({
    redirectUri,
    state: state !== undefined && isTooLong("state", state) ? undefined : state,
  });

  for (const name of repeated) check(false, "invalid_request", `Send ${printableName(name)} once`);
  for (const [name, code] of Object.entries(UNSUPPORTED)) {
    check(
      findParameter(parameters, name) === undefined,
      code,
      `This server takes no ${name}; send the parameters themselves`,
    );
  }
  for (const name of Object.keys(LONGEST) as (keyof typeof LONGEST)[]) {
    const isShortEnough = !isTooLong(name, parameters.get(name) ?? "");
    check(
      isShortEnough,
      "invalid_request",
      `Send a ${name} of at most ${LONGEST[name]} characters and no NUL`,
    );
  }
  const responseType = findParameter(parameters, "response_type");
  check(responseType !== undefined, "invalid_request", "Send response_type=code");
  check(responseType === "code", "unsupported_response_type", "Send response_type=code: there is no other");
  const responseMode = findParameter(parameters, "response_mode") ?? "query";
  check(responseMode === "query", "invalid_request", "Send no response_mode, or query: there is no other");
  const rights = readRequestedRights(services, { client, parameters }, check);
  const codeChallenge = checkChallenge(parameters, check);
  const prompt = checkPrompt(parameters, check);
  const maxAge = findParameter(parameters, "max_age");
  check(
    maxAge === undefined || /^[0-9]{1,9}$/.test(maxAge),
    "invalid_request",
    "Send max_age in whole seconds",
  );
  const dpopJkt = findParameter(parameters, "dpop_jkt");
  checkThumbprint(dpopJkt, check);
  const hintedAccountId = await checkIdTokenHint(db, services, { client, parameters, now }, check);
  const { subject } = rights;
  const isOneUser = hintedAccountId === undefined || (subject ?? hintedAccountId) === hintedAccountId;
  check(isOneUser, "invalid_request", "Send an id_token_hint and a sub in claims of the same user");

  return {
    client,
    redirectUri,
    scope: rights.scope,
    claims: rights.claims,
    state,
    nonce: findParameter(parameters, "nonce"),
    codeChallenge,
    prompt,
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    loginHint: findParameter(parameters, "login_hint"),
    hintedAccountId: hintedAccountId ?? subject,
    dpopJkt,
    policy: rights.policy,
    pushedRequestId,
    resource: rights.resource,
  };
}

function isTooLong(name: keyof typeof LONGEST, value: string): boolean {
  return value.length > LONGEST[name] || value.includes("\0");
}

async function readClient(
  db: Db,
  services: RequestServices,
  { parameters, repeated, ...origin }: ReceivedAuthorizationRequest & RequestOrigin,
): Promise<Client> {
  const clientId = repeated.has("client_id") ? undefined : findParameter(parameters, "client_id");
  const stored = clientId === undefined ? undefined : await findClient(db, services.authority, clientId);
  const describesItself = clientId !== undefined && isDocumentId(clientId) && stored?.disabled !== true;
  const client = describesItself ? await getDocumentedClient(services, { clientId, ...origin }) : stored;
  if (client === undefined || client.disabled) {
    const fault = clientId === undefined ? "missing or repeated" : "wrong";
    throw new OAuthError("invalid_request", `The application is unknown: its client_id is ${fault}`);
  }
  return client;
}

function readRedirectUri(client: Client, { parameters, repeated }: ReceivedAuthorizationRequest): string {
  const redirectUri = repeated.has("redirect_uri") ? undefined : findParameter(parameters, "redirect_uri");
  if (redirectUri === undefined || !isRegisteredRedirectUri(client, redirectUri)) {
    throw new OAuthError(
      "invalid_request",
      "The redirect_uri of the application is not registered",
    );
  }
  return redirectUri;
}

/** RFC 7636 section 4.3. S256 is required for every client (RFC 9700 section 2.1.1). */
function checkChallenge(parameters: OAuthParameters, check: Check): string {
  const challenge = findParameter(parameters, "code_challenge");
  const method = findParameter(parameters, "code_challenge_method");
  check(challenge !== undefined, "invalid_request", "Send a code_challenge (PKCE)");
  check(method === "S256", "invalid_request", "Send code_challenge_method=S256: there is no other");
  const isHash = /^[A-Za-z0-9_-]{43}$/.test(challenge);
  check(
    isHash,
    "invalid_request",
    "Send as code_challenge the base64url SHA-256 of code_verifier, 43 characters",
  );
  return challenge;
}

function checkPrompt(parameters: OAuthParameters, check: Check): readonly Prompt[] {
  const values = (findParameter(parameters, "prompt") ?? "").split(" ").filter((value) => value !== "");
  const known = PROMPTS.filter((prompt) => values.includes(prompt));
  const allKnown = values.every((value) => PROMPTS.some((prompt) => prompt === value));
  check(allKnown, "invalid_request", `Send a prompt of ${PROMPTS.join(", ")}`);
  check(!known.includes("none") || known.length === 1, "invalid_request", "Send prompt=none alone");
  return known;
}

async function checkIdTokenHint(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { client, parameters, now }: { client: Client; parameters: OAuthParameters; now: Instant },
  check: Check,
): Promise<string | undefined> {
  const hint = findParameter(parameters, "id_token_hint");
  if (hint === undefined) return undefined;
  const named = await readIdTokenHint(db, services, { hint, now });
  const isOurs = named !== undefined && named.clientId === client.clientId;
  check(
    isOurs,
    "invalid_request",
    "Send as id_token_hint an ID token that this server issued to this client",
  );
  return named.accountId;
}
