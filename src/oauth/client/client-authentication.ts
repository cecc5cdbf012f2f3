import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { AUTHENTICATION_METHODS, findClient } from "./client.ts";
import type { Client } from "./client.ts";
import { isSecretOf } from "./client-secret.ts";
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

const USE_BASIC = "This client authenticates with client_secret_basic";
const IS_PUBLIC =
  "This client is public: send client_id in the body and neither a secret nor an Authorization header";
/** One text for every wrong id or secret, so that none tells which. */
const WRONG = "Client authentication failed";

/** What a request presents, as it was read once; `clientId` is whose it says it is. */
type Presented =
  | { readonly kind: "nothing"; readonly clientId: undefined }
  | { readonly kind: "client_id"; readonly clientId: string }
  | { readonly kind: "basic"; readonly clientId: string; readonly secret: string }
  | { readonly kind: "malformed"; readonly clientId: string | undefined }
  /** A credential in a place where we take none. */
  | { readonly kind: "misplaced"; readonly clientId: string | undefined; readonly what: string };

/**
 * The client that sent a request (RFC 6749 sections 2.3 and 3.2.1): confidential ones by HTTP Basic only, public ones by
 * `client_id` only. Throws `invalid_client`, or `rate_limited` when a network failed too often for this client, or for
 * clients that there are not; each failure is counted and committed first. A disabled client is refused like one with a
 * wrong secret.
 */
export async function authenticateClient(
  db: Db,
  services: Pick<OAuthServices, "authority" | "limits" | "groupCommit">,
  credentials: ClientCredentials,
): Promise<Client> {
  const presented = readPresented(credentials);
  const { clientId } = presented;
  const client = clientId === undefined ? undefined : await findClient(db, services.authority, clientId);
  const { network, now } = credentials;
  const fault = faultOf(presented, client, now);
  if (fault === undefined) return client!;
  // Names that nobody has are as many as somebody likes: they count as one.
  const subject = `${network} ${client?.clientId ?? ""}`;
  await services.groupCommit.run((tx) => services.limits.take(tx, "client_authentication", subject, now));
  throw new OAuthError("invalid_client", fault);
}

/** Reads what a request presents. Throws `invalid_request` where it says two things. */
function readPresented({ authorization, form, queryNames }: ClientCredentials): Presented {
  const inBody = findParameter(form, "client_id");
  const basic = readBasic(authorization);
  const what = findMisplaced(form, queryNames);
  if (what !== undefined) return { kind: "misplaced", clientId: basic?.clientId ?? inBody, what };
  if (authorization === undefined) {
    return inBody === undefined
      ? { kind: "nothing", clientId: inBody }
      : { kind: "client_id", clientId: inBody };
  }
  if (authorization.includes(",")) throw new OAuthError("invalid_request", "Send one Authorization header");
  if (basic === undefined) return { kind: "malformed", clientId: inBody };
  if (inBody !== undefined && inBody !== basic.clientId) {
    throw new OAuthError("invalid_request", "Send the same client_id in body and Authorization header");
  }
  return { kind: "basic", ...basic };
}

/** The first credential in a place where we take none. An empty one is as good as omitted. */
function findMisplaced(form: OAuthParameters, queryNames: ReadonlySet<string>): string | undefined {
  for (const name of ["client_secret", "client_assertion"]) {
    if (queryNames.has(name)) return `${name} from the query`;
    if (findParameter(form, name) !== undefined) return `${name} from the body`;
  }
  return undefined;
}

/** Why what was presented does not prove that this client sent it; undefined when it does, and the client is there. */
function faultOf(presented: Presented, client: Client | undefined, now: Instant): string | undefined {
  const isPublic = client !== undefined && AUTHENTICATION_METHODS[client.type] === "none";
  switch (presented.kind) {
    case "nothing":
      return "Send client_id in the body, or client_id and secret by HTTP Basic";
    case "malformed":
      return "Send client_id and secret by HTTP Basic, each form-url-encoded";
    case "misplaced":
      return isPublic ? IS_PUBLIC : `${USE_BASIC}; remove ${presented.what}`;
    case "client_id":
      if (client === undefined || client.disabled) return WRONG;
      return isPublic ? undefined : USE_BASIC;
    case "basic": {
      if (isPublic) return IS_PUBLIC;
      const isRight = isSecretOf(client, presented.secret, now);
      return client === undefined || client.disabled || !isRight ? WRONG : undefined;
    }
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Reads HTTP Basic (RFC 7617), both parts form-url-decoded (RFC 6749 section 2.3.1); undefined for anything else. */
function readBasic(
  authorization: string | undefined,
): { readonly clientId: string; readonly secret: string } | undefined {
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
