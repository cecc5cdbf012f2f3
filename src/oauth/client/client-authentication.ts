import { secretMatches } from "../../accounts/session/token.ts";
import type { Db } from "../../db/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { AUTHENTICATION_METHODS, findClient } from "./client.ts";
import type { Client } from "./client.ts";
import { OAuthError } from "../error.ts";
import { findParameter } from "../parameters.ts";
import type { OAuthParameters } from "../parameters.ts";
import type { OAuthServices } from "../services.ts";

/** What a request says about who sends it. */
export interface ClientCredentials {
  /** The `Authorization` header as it came. */
  readonly authorization: string | undefined;
  readonly form: OAuthParameters;
  /** Names of the query's parameters: a secret in a URL is refused, its value is never read. */
  readonly queryNames: ReadonlySet<string>;
  readonly network: string;
  readonly now: Instant;
}

/** Stands in for the hash of a client that is not there, so that it takes as long to refuse. */
const NO_SECRET_HASH = "A".repeat(43);

const USE_BASIC = "This client authenticates with client_secret_basic";
const IS_PUBLIC =
  "This client is public: send client_id in the body and neither a secret nor an Authorization header";
/** One text for every wrong id or secret, so that none tells which. */
const WRONG = "Client authentication failed";

interface BasicCredentials {
  readonly clientId: string;
  readonly secret: string;
}

/**
 * The client that sent a request (RFC 6749 sections 2.3 and 3.2.1): confidential ones by HTTP Basic only, public ones by
 * `client_id` only. Throws `invalid_client`, or `rate_limited` when a network failed too often for this client; each
 * failure is counted and committed first. A disabled client is refused like one with a wrong secret.
 */
export async function authenticateClient(
  db: Db,
  services: Pick<OAuthServices, "authority" | "limits">,
  credentials: ClientCredentials,
): Promise<Client> {
  try {
    return await identify(db, services, credentials);
  } catch (error) {
    if (error instanceof OAuthError && error.code === "invalid_client") {
      await countFailure(db, services, credentials);
    }
    throw error;
  }
}

async function countFailure(
  db: Db,
  { limits }: Pick<OAuthServices, "limits">,
  { authorization, form, network, now }: ClientCredentials,
): Promise<void> {
  const named = readBasic(authorization)?.clientId ?? findParameter(form, "client_id") ?? "";
  await limits.take(db, "client_authentication", `${network} ${named}`, now);
}

async function identify(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { authorization, form, queryNames }: ClientCredentials,
): Promise<Client> {
  const bodyClientId = findParameter(form, "client_id");
  const misplaced = findMisplaced(form, queryNames);
  if (misplaced !== undefined) {
    const named = readBasic(authorization)?.clientId ?? bodyClientId ?? "";
    const client = await findClient(db, authority, named);
    const isPublic = client !== undefined && AUTHENTICATION_METHODS[client.type] === "none";
    refuse(isPublic ? IS_PUBLIC : `${USE_BASIC}; remove ${misplaced}`);
  }
  return authorization === undefined
    ? await identifyPublic(db, authority, bodyClientId)
    : await identifyConfidential(db, authority, authorization, bodyClientId);
}

/** The first credential in a place where we take none. An empty one is as good as omitted. */
function findMisplaced(form: OAuthParameters, queryNames: ReadonlySet<string>): string | undefined {
  for (const name of ["client_secret", "client_assertion"]) {
    if (queryNames.has(name)) return `${name} from the query`;
    if (findParameter(form, name) !== undefined) return `${name} from the body`;
  }
  return undefined;
}

async function identifyPublic(
  db: Db,
  authority: OAuthServices["authority"],
  clientId: string | undefined,
): Promise<Client> {
  if (clientId === undefined) refuse("Send client_id in the body, or client_id and secret by HTTP Basic");
  const client = await findClient(db, authority, clientId);
  if (client === undefined || client.disabled) refuse(WRONG);
  if (AUTHENTICATION_METHODS[client.type] !== "none") refuse(USE_BASIC);
  return client;
}

async function identifyConfidential(
  db: Db,
  authority: OAuthServices["authority"],
  authorization: string,
  bodyClientId: string | undefined,
): Promise<Client> {
  if (authorization.includes(",")) {
    throw new OAuthError("invalid_request", "Send one Authorization header");
  }
  const basic = readBasic(authorization);
  if (basic === undefined) refuse("Send client_id and secret by HTTP Basic, each form-url-encoded");
  if (bodyClientId !== undefined && bodyClientId !== basic.clientId) {
    throw new OAuthError("invalid_request", "Send the same client_id in body and Authorization header");
  }
  const client = await findClient(db, authority, basic.clientId);
  if (client !== undefined && AUTHENTICATION_METHODS[client.type] === "none") refuse(IS_PUBLIC);
  const isRight = secretMatches(basic.secret, client?.secretHash ?? NO_SECRET_HASH);
  if (client === undefined || client.disabled || !isRight) refuse(WRONG);
  return client;
}

function refuse(description: string): never {
  throw new OAuthError("invalid_client", description);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads HTTP Basic (RFC 7617), both parts form-url-decoded (RFC 6749 section 2.3.1); undefined for anything else. */
function readBasic(authorization: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? "")?.[1];
  if (encoded === undefined) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    const text = decoder.decode(bytes);
    const colon = text.indexOf(":");
    if (colon < 0) return undefined;
    const [clientId, secret] = [text.slice(0, colon), text.slice(colon + 1)].map(formUrlDecode);
    return clientId === "" || secret === "" ? undefined : { clientId: clientId!, secret: secret! };
  } catch {
    return undefined;
  }
}

function formUrlDecode(text: string): string {
  return /[%+]/.test(text) ? decodeURIComponent(text.replaceAll("+", " ")) : text;
}
