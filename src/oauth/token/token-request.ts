import { findAccount } from "../../accounts/account.ts";
import type { Db } from "../../db/schema/schema.ts";
import { together } from "../../db/transaction.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { type Client, findClient, isPublicClient } from "../client/client.ts";
import { mayUseClient } from "../client/client-access.ts";
import type { Proof } from "../dpop/proof.ts";
import { OAuthError } from "../error.ts";
import type { Grant, LiveGrant } from "../grant.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { readResource } from "../resource.ts";
import type { OAuthServices } from "../services.ts";
import type { TokenResponse } from "./token-response.ts";

export interface TokenRequest {
  readonly client: Client;
  readonly form: OAuthParameters;
  /** The verified proof to bind the access token, not yet marked as used, if any. */
  readonly proof: Proof | undefined;
  /** Counts the request and uses its proof in the response's transaction. Throws `rate_limited` or a ProofError. */
  readonly recordRequest: (tx: Db) => Promise<void>;
  /** The keys of the rows that `recordRequest` writes. */
  readonly rowKeys: readonly string[];
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * The handler of a `grant_type` (RFC 6749 section 3.2). `db` is the outer handle. One transaction of `groupCommit`,
 * with the account and `rowKeys`, does all of this before the response is sent:
 * - calls `requireEnabled`, because client and account may have changed since they were read,
 * - reads the grant, whose state says if what the client presented was used, and starts again if it was meanwhile,
 * - calls `recordRequest` once,
 * - calls `prolongGrant`, which appends the audit entry, or creates a grant with an entry of its own.
 * Throws an OAuthError. If the client presents a used secret, ends its grant first.
 */
export type GrantTypeHandler = (
  db: Db,
  services: OAuthServices,
  request: TokenRequest,
) => Promise<TokenResponse>;

/** Throws `invalid_client` or `invalid_grant` if client or account was disabled or deleted in the meantime. */
export async function requireEnabled(
  tx: Db,
  { authority }: OAuthServices,
  { client: { clientId }, account: { id } }: Pick<LiveGrant, "client" | "account">,
): Promise<void> {
  const [client, account] = await together(
    findClient(tx, authority, clientId),
    findAccount(tx, authority, id),
  );
  if (client === undefined || client.disabled) {
    throw new OAuthError("invalid_client", "Client authentication failed");
  }
  if (account === undefined) {
    throw new OAuthError("invalid_grant", "The account is disabled or was deleted");
  }
  if (!await mayUseClient(tx, authority, client, id)) {
    throw new OAuthError("invalid_grant", "The account may no longer use this client");
  }
}

/** Throws `invalid_target` if the request names another resource than its grant has (RFC 8707 section 2.2). */
export function requireResource(
  { issuer }: Pick<OAuthServices, "issuer">,
  { resource }: Grant,
  { form }: TokenRequest,
): void {
  const text = findParameter(form, "resource");
  if (text === undefined || readResource(issuer, text) === resource) return;
  throw new OAuthError("invalid_target", "Send no resource, or the one of the authorization request");
}

/** Throws `invalid_grant` unless the request proves the bound key (RFC 9449 sections 5 and 10). */
export function requireBoundKey({ jkt }: Grant, { proof }: TokenRequest): void {
  if (jkt === null || proof?.jkt === jkt) return;
  throw new OAuthError("invalid_grant", "Send a DPoP proof of the key that this was bound to");
}

/** Returns a public client's proven key (RFC 9449 section 5). Null if confidential: its authentication suffices. */
export function refreshKeyOf({ client, proof }: TokenRequest): string | null {
  return isPublicClient(client) ? proof?.jkt ?? null : null;
}
