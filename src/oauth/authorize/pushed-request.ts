import type { Db } from "../../db/schema/schema.ts";
import { widen } from "../../lib/ip-address.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import { findRow } from "../../store/read.ts";
import { consumeRow, insertRow } from "../../store/write.ts";
import { authenticateClient, type ClientCredentials } from "../client/client-authentication.ts";
import { checkProof, type SentProof } from "../dpop/check-proof.ts";
import { consumeProof } from "../dpop/consume-proof.ts";
import { ProofError } from "../dpop/proof-key.ts";
import type { Proof } from "../dpop/proof.ts";
import { OAuthError } from "../error.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { limitPendingRequests } from "../pending-request-limit.ts";
import type { OAuthServices } from "../services.ts";
import { readAuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizationRequest, ReceivedAuthorizationRequest } from "./authorization-request.ts";

const PUSHED_REQUEST_LIFETIME = 60 * SECOND;

/** RFC 9126 section 2.2. */
const PREFIX = "urn:ietf:params:oauth:request_uri:";

/** The form of the part after the prefix: 130 random bits. */
const REFERENCE = /^[0-9a-v]{26}$/;

/** Maximum length of all names and values together. A public client can store such a request without a secret. */
const LONGEST = 40 * 1024;

/** Parameters of the client's authentication, which are no part of the authorization request. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  "client_secret",
  "client_assertion",
  "client_assertion_type",
]);

/** RFC 9126 section 2.2. `expires_in` in seconds. */
export interface PushedResponse {
  readonly request_uri: string;
  readonly expires_in: number;
}

type PushRequest = ClientCredentials & { readonly sentProof: SentProof; readonly random: RandomBytes };

/**
 * Handles the pushed authorization request endpoint (RFC 9126 section 2). Authenticates the client, validates the
 * request as the authorization endpoint does, and stores it for 60 seconds. A DPoP proof binds the code to its key (RFC
 * 9449 section 10.1). Throws an OAuthError or `rate_limited`. `db` must be the outer handle.
 */
export async function pushAuthorizationRequest(
  db: Db,
  services: OAuthServices,
  request: PushRequest,
): Promise<PushedResponse> {
  const { clientId } = await authenticateClient(db, services, request);
  if (findParameter(request.form, "request_uri") !== undefined) {
    throw new OAuthError("invalid_request", "Send no request_uri here: send the parameters themselves");
  }
  try {
    return await push(db, services, request, clientId);
  } catch (error) {
    throw error instanceof ProofError ? new OAuthError(error.code, error.message) : error;
  }
}

async function push(
  db: Db,
  services: OAuthServices,
  { form, sentProof, network, now, random, traceparent }: PushRequest,
  clientId: string,
): Promise<PushedResponse> {
  const proof = sentProof.header === null
    ? undefined
    : checkProof(services, sentProof, { accessToken: undefined, boundTo: undefined, now });
  const parameters = readParameters(form, clientId, proof);
  await readAuthorizationRequest(db, services, {
    parameters,
    repeated: new Set(),
    network,
    now,
    traceparent,
  });
  const entries = [...parameters];
  if (entries.flat().join("").length > LONGEST) {
    throw new OAuthError("invalid_request", `Send a request of at most ${LONGEST} characters`);
  }
  const id = newId("pushed", random);
  await services.groupCommit.run(async (tx) => {
    await services.limits.take(tx, "authorization_request", network, now);
    await services.limits.take(tx, "authorization_request_site", widen(network, "site"), now);
    if (proof !== undefined) await consumeProof(tx, proof, now);
    await insertRow(tx, services.authority, "pushed_request", {
      id,
      client_id: clientId,
      parameters: JSON.stringify(entries),
      created_at: now,
      expires_at: now + PUSHED_REQUEST_LIFETIME,
    });
    await limitPendingRequests(tx, "pushed_request", random);
  });
  return {
    request_uri: PREFIX + id.slice("pushed_".length),
    expires_in: PUSHED_REQUEST_LIFETIME / SECOND,
  };
}

/** Returns the parameters of the request, without the client's credentials and with the thumbprint of the proof. */
function readParameters(form: OAuthParameters, clientId: string, proof: Proof | undefined): OAuthParameters {
  const parameters = new Map([...form].filter(([name]) => !CREDENTIALS.has(name)));
  parameters.set("client_id", clientId);
  if (proof === undefined) return parameters;
  if ((findParameter(form, "dpop_jkt") ?? proof.jkt) !== proof.jkt) {
    throw new OAuthError("invalid_dpop_proof", "Send the dpop_jkt of the key of the DPoP proof, or none");
  }
  return parameters.set("dpop_jkt", proof.jkt);
}

/** Returns the same error for every reference that is unknown, used, expired or another client's. */
function unusable(): OAuthError {
  return new OAuthError(
    "invalid_request_uri",
    "This sign-in was finished or has expired: return to the application and begin again",
  );
}

/**
 * Returns the parameters that a `request_uri` of this service refers to, in place of all that were received (RFC 9126
 * section 4). Returns the received ones if they have none, or a foreign one. Throws `invalid_request_uri` for a page.
 * Does not use up the request, so that its page can be opened again and another client cannot spoil it.
 */
export async function findPushedParameters(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  received: ReceivedAuthorizationRequest & { readonly now: Instant },
): Promise<ReceivedAuthorizationRequest> {
  const { parameters, repeated, now } = received;
  const requestUri = findParameter(parameters, "request_uri");
  if (requestUri?.startsWith(PREFIX) !== true) return { parameters, repeated };
  const reference = requestUri.slice(PREFIX.length);
  const isClear = REFERENCE.test(reference) && !repeated.has("request_uri") && !repeated.has("client_id");
  const id = `pushed_${reference}`;
  const row = isClear ? await findRow(db, authority, "pushed_request", "byId", { id }) : undefined;
  const isUsable = row !== undefined && row.expires_at > now &&
    row.client_id === findParameter(parameters, "client_id");
  if (!isUsable) throw unusable();
  const pushed: OAuthParameters = new Map(JSON.parse(row.parameters) as [string, string][]);
  return { parameters: pushed, repeated: new Set(), pushedRequestId: row.id };
}

/** Throws `invalid_request` for a page if the client must push its requests and did not (RFC 9126 section 6). */
export function requirePushed({ client, pushedRequestId }: AuthorizationRequest): void {
  if (client.requirePushedAuthorizationRequests && pushedRequestId === undefined) {
    throw new OAuthError(
      "invalid_request",
      "The application must push its request first, and send its request_uri",
    );
  }
}

/** Returns the key of the row that a code uses up, for a job's write set. */
export function pushedRowKeys(
  { pushedRequestId }: Pick<AuthorizationRequest, "pushedRequestId">,
): readonly string[] {
  return pushedRequestId === undefined ? [] : [`pushed_request ${pushedRequestId}`];
}

/** Uses up the pushed request of a code, in the code's transaction. Throws `invalid_request_uri` if it is gone. */
export async function consumePushedRequest(
  tx: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { pushedRequestId: id }: Pick<AuthorizationRequest, "pushedRequestId">,
): Promise<void> {
  if (id === undefined) return;
  if (await consumeRow(tx, authority, "pushed_request", "byId", { id }) === undefined) throw unusable();
}
