import type { Db } from "../../db/schema/schema.ts";
import { type ExpectedRows, expectRows } from "../../store/read.ts";
import type { Cause } from "../../lib/remote-document.ts";
import type { Instant } from "../../lib/time.ts";
import { consumeAssertion, subjectOf } from "./client-assertion.ts";
import { ClientDocumentError } from "./client-document.ts";
import { fetchDocumentedClient } from "./document-client.ts";
import { isDocumentId } from "./document-url.ts";
import { type Client, findClient } from "./client.ts";
import { isSecretOf } from "./client-secret.ts";
import { OAuthError } from "../error.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import type { OAuthServices } from "../services.ts";

export interface ClientCredentials extends Cause {
  /** The unparsed `Authorization` header. */
  readonly authorization: string | undefined;
  readonly form: OAuthParameters;
  /** Names of the query parameters. A secret in a URL is refused; its value is never read. */
  readonly queryNames: ReadonlySet<string>;
  readonly network: string;
}

const USE_BASIC = "This client authenticates with client_secret_basic";
const USE_KEY = "This client authenticates with private_key_jwt: send client_assertion";
const USE_KEY_OF_CLIENT =
  "Send a client_assertion whose sub is the client_id, with client_assertion_type of RFC 7523";
const IS_PUBLIC =
  "This client is public: send client_id in the body and neither a secret nor an Authorization header";
/** One message for every wrong id or secret, so that it reveals neither. */
const WRONG = "Client authentication failed";

/** The parsed credentials. `clientId` is not verified. */
type Presented =
  | { readonly kind: "nothing"; readonly clientId: undefined }
  | { readonly kind: "client_id"; readonly clientId: string }
  | { readonly kind: "basic"; readonly clientId: string; readonly secret: string }
  | { readonly kind: "assertion"; readonly clientId: string; readonly assertion: string }
  | { readonly kind: "malformed"; readonly clientId: string | undefined }
  /** An assertion of another type, or that names another client or none. */
  | { readonly kind: "unclear"; readonly clientId: string | undefined }
  /** A credential in an unsupported place. */
  | { readonly kind: "misplaced"; readonly clientId: string | undefined; readonly what: string };

/** RFC 7523 section 2.2. */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/**
 * Authenticates the client of a request (RFC 6749 sections 2.3 and 3.2.1): confidential clients by HTTP Basic or by an
 * assertion (RFC 7523), as registered, and public ones by `client_id` only. A client that its own document describes is
 * known once a user has let it in; the document is fetched again when it is no longer cached. A disabled client is
 * refused like a wrong secret. Throws `invalid_client`, or `rate_limited` after too many failures of a network for this
 * client or for unknown clients, or too many fetches of documents. Commits the count of a failure first. On a server
 * it reads together with the client what the request needs next (`expected`).
 */
export async function authenticateClient(
  db: Db,
  services: Pick<OAuthServices, "authority" | "limits" | "groupCommit" | "clientDocuments" | "issuer">,
  credentials: ClientCredentials,
  expected: () => readonly ExpectedRows[] = () => [],
): Promise<Client> {
  const presented = readPresented(credentials);
  const { clientId } = presented;
  if (clientId !== undefined) {
    await expectRows(db, services.authority, () => [["client", { id: clientId }], ...expected()]);
  }
  const { network, now, traceparent } = credentials;
  const cause = { now, traceparent };
  const client = clientId === undefined
    ? undefined
    : await findCurrentClient(db, services, { clientId, network, ...cause });
  const fault = faultOf(presented, client, now) ?? await assertionFault(services, presented, client, cause);
  if (fault === undefined) return client!;
  // An attacker can send any number of unknown ids, so they share one counter.
  const subject = `${network} ${client?.clientId ?? ""}`;
  await services.groupCommit.run((tx) => services.limits.take(tx, "client_authentication", subject, now));
  throw new OAuthError("invalid_client", fault);
}

/** Returns a registered client, or one whose document still describes it. */
async function findCurrentClient(
  db: Db,
  services: Pick<OAuthServices, "authority" | "clientDocuments" | "groupCommit" | "limits">,
  request: Cause & { readonly clientId: string; readonly network: string },
): Promise<Client | undefined> {
  const { clientId } = request;
  const stored = await findClient(db, services.authority, clientId);
  if (stored === undefined || stored.disabled || !isDocumentId(clientId)) return stored;
  try {
    return { ...await fetchDocumentedClient(services, request), createdAt: stored.createdAt };
  } catch (error) {
    if (error instanceof ClientDocumentError) return undefined;
    throw error;
  }
}

/** Returns why an assertion does not authenticate this client, or undefined. Uses up a valid one. */
async function assertionFault(
  services: Pick<OAuthServices, "groupCommit" | "clientDocuments" | "issuer">,
  presented: Presented,
  client: Client | undefined,
  cause: Cause,
): Promise<string | undefined> {
  if (presented.kind !== "assertion") return undefined;
  const { assertion } = presented;
  return await consumeAssertion(services, { client: client!, assertion, ...cause }) ? undefined : WRONG;
}

/** Parses the credentials. Throws `invalid_request` if they contradict each other. */
function readPresented({ authorization, form, queryNames }: ClientCredentials): Presented {
  const inBody = findParameter(form, "client_id");
  const basic = readBasic(authorization);
  const what = findMisplaced(form, queryNames);
  const assertion = readAssertion(form, inBody);
  if (what !== undefined) return { kind: "misplaced", clientId: basic?.clientId ?? inBody, what };
  if (assertion !== undefined) {
    return authorization === undefined ? assertion : { kind: "unclear", clientId: basic?.clientId ?? inBody };
  }
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

/** Returns the first credential in an unsupported place. An empty one counts as omitted. */
function findMisplaced(form: OAuthParameters, queryNames: ReadonlySet<string>): string | undefined {
  for (const name of ["client_secret", "client_assertion"]) {
    if (queryNames.has(name)) return `${name} from the query`;
  }
  return findParameter(form, "client_secret") === undefined ? undefined : "client_secret from the body";
}

/** Returns the assertion of a form (RFC 7521 section 4.2), with the client that it names. */
function readAssertion(form: OAuthParameters, clientId: string | undefined): Presented | undefined {
  const assertion = findParameter(form, "client_assertion");
  const type = findParameter(form, "client_assertion_type");
  if (assertion === undefined && type === undefined) return undefined;
  const named = assertion === undefined ? undefined : subjectOf(assertion);
  const isClear = type === ASSERTION_TYPE && named !== undefined && (clientId ?? named) === named;
  return isClear
    ? { kind: "assertion", clientId: named, assertion: assertion! }
    : { kind: "unclear", clientId };
}

/** Returns why the credentials do not authenticate this client, or undefined if they do. */
function faultOf(presented: Presented, client: Client | undefined, now: Instant): string | undefined {
  const method = client?.tokenEndpointAuthMethod;
  const isPublic = method === "none";
  switch (presented.kind) {
    case "nothing":
      return "Send client_id in the body, or client_id and secret by HTTP Basic";
    case "malformed":
      return "Send client_id and secret by HTTP Basic, each form-url-encoded";
    case "misplaced":
      return isPublic
        ? IS_PUBLIC
        : `${method === "private_key_jwt" ? USE_KEY : USE_BASIC}; remove ${presented.what}`;
    case "unclear":
      return USE_KEY_OF_CLIENT;
    case "assertion":
      if (client === undefined || client.disabled) return WRONG;
      return method === "private_key_jwt"
        ? undefined
        : isPublic
        ? IS_PUBLIC
        : `${USE_BASIC}; remove client_assertion`;
    case "client_id":
      if (client === undefined || client.disabled) return WRONG;
      return isPublic ? undefined : method === "private_key_jwt" ? USE_KEY : USE_BASIC;
    case "basic": {
      if (isPublic) return IS_PUBLIC;
      if (method === "private_key_jwt") return USE_KEY;
      const isRight = isSecretOf(client, presented.secret, now);
      return client === undefined || client.disabled || !isRight ? WRONG : undefined;
    }
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses HTTP Basic (RFC 7617) with form-url-encoded parts (RFC 6749 section 2.3.1). */
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
