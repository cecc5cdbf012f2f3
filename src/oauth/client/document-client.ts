import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Cause } from "../../lib/remote-document.ts";
import type { Instant } from "../../lib/time.ts";
import { insertRow, replaceRow } from "../../store/write.ts";
import { OAuthError } from "../error.ts";
import type { OAuthServices } from "../services.ts";
import { ClientDocumentError } from "./client-document.ts";
import { type Client, findClientRow } from "./client.ts";

type DocumentServices = Pick<OAuthServices, "clientDocuments" | "groupCommit" | "limits">;

interface DocumentRequest extends Cause {
  readonly clientId: string;
  readonly network: string;
}

/**
 * Returns the client that the document at a `client_id` describes. A request to the document's host is rate-limited
 * first. Throws a ClientDocumentError, and `rate_limited`. Stores nothing of the client. Does not check that an
 * administrator has disabled it.
 */
export async function fetchDocumentedClient(
  { clientDocuments, groupCommit, limits }: DocumentServices,
  { clientId, network, ...cause }: DocumentRequest,
): Promise<Client> {
  const { now } = cause;
  if (clientDocuments.mustFetch(clientId, now)) {
    await groupCommit.run((tx) => limits.take(tx, "client_metadata", network, now));
  }
  return await clientDocuments.getClient(clientId, cause);
}

/**
 * Like `fetchDocumentedClient`, for the authorization endpoint. Throws an OAuthError for a page, which repeats nothing
 * of the document.
 */
export async function getDocumentedClient(
  services: DocumentServices,
  request: DocumentRequest,
): Promise<Client> {
  try {
    return await fetchDocumentedClient(services, request);
  } catch (error) {
    if (!(error instanceof ClientDocumentError)) throw error;
    throw new OAuthError(
      "invalid_request",
      `The application is unknown. Its metadata document is not usable: ${error.message}`,
    );
  }
}

/**
 * Stores what a client's document says, in the transaction of the user's consent. Later requests find the client and
 * its name there. Does nothing for a registered client, and if nothing has changed.
 */
export async function storeDocumentedClient(
  tx: Db,
  { vault, authority }: Pick<OAuthServices, "vault" | "authority">,
  client: Client,
  now: Instant,
): Promise<void> {
  const { clientId, document } = client;
  if (document === undefined) return;
  const columns = {
    name: client.name,
    redirect_uris: JSON.stringify(client.redirectUris),
    auth_method: document.keys === undefined ? null : "private_key_jwt",
    jwks: document.keys?.jwks === undefined ? null : JSON.stringify(document.keys.jwks),
    jwks_uri: document.keys?.jwksUri ?? null,
  } as const;
  const before = await findClientRow(tx, authority, clientId);
  const whose = { accountId: null, subject: clientId } as const;
  if (before === undefined) {
    await insertRow(tx, authority, "client", {
      id: clientId,
      ...columns,
      uri: client.uri,
      type: client.type,
      post_logout_redirect_uris: "[]",
      id_token_alg: client.idTokenSignedResponseAlg,
      secret_hash: null,
      previous_secret_hash: null,
      previous_secret_expires_at: null,
      declared: null,
      disabled: 0,
      created_at: now,
      updated_at: now,
      key_scopes: client.keyScopes.join(" "),
      claim_scopes: client.claimScopes.join(" "),
      dpop_bound: 0,
      backchannel_logout_uri: null,
      backchannel_logout_session: null,
      require_pushed: null,
      device_grant: null,
      groups: null,
    });
    await appendAudit(tx, vault, now, {
      ...whose,
      event: "client_registered",
      detail: { type: client.type },
    });
    return;
  }
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const members = names.filter((name) => before[name] !== columns[name]).join(",");
  if (members === "") return;
  await replaceRow(tx, authority, "client", before, { ...columns, updated_at: now });
  await appendAudit(tx, vault, now, { ...whose, event: "client_changed", detail: { members } });
}
