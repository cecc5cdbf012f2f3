import { findAccount } from "../../accounts/account.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { AUTHENTICATION_METHODS, findClient } from "../client/client.ts";
import type { Client } from "../client/client.ts";
import type { Proof } from "../dpop/proof.ts";
import { OAuthError } from "../error.ts";
import type { Grant, LiveGrant } from "../grant.ts";
import type { OAuthParameters } from "../parameters.ts";
import type { OAuthServices } from "../services.ts";
import type { TokenResponse } from "./token-response.ts";

/** A token request of an authenticated client. */
export interface TokenRequest {
  readonly client: Client;
  readonly form: OAuthParameters;
  /** The proof of the key that the access token is to be bound to, checked and not used up; undefined for none. */
  readonly proof: Proof | undefined;
  /**
   * Counts the request, and uses up its proof, in the transaction of its answer; throws `rate_limited` having written
   * nothing, or a ProofError.
   */
  readonly admit: (tx: Db) => Promise<void>;
  /** Names of the rows that `admit` writes. */
  readonly admission: readonly string[];
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** Answers the token requests of one `grant_type`. */
export type TokenGrant = (db: Db, services: OAuthServices, request: TokenRequest) => Promise<TokenResponse>;

/**
 * Throws `invalid_client` when the client was disabled or deleted since it authenticated, and `invalid_grant` when the
 * person's account was since it was looked at.
 */
export async function requireEnabled(
  tx: Db,
  { authority }: OAuthServices,
  { client: { clientId }, account: { id } }: Pick<LiveGrant, "client" | "account">,
): Promise<void> {
  const client = await findClient(tx, authority, clientId);
  if (client === undefined || client.disabled) {
    throw new OAuthError("invalid_client", "Client authentication failed");
  }
  if (await findAccount(tx, authority, id) === undefined) {
    throw new OAuthError("invalid_grant", "The account is disabled, or there is none any more");
  }
}

/**
 * Throws `invalid_grant` when the code or refresh token is bound to a key that the request does not prove (RFC 9449
 * sections 5 and 10).
 */
export function requireBoundKey({ jkt }: Grant, { proof }: TokenRequest): void {
  if (jkt === null || proof?.jkt === jkt) return;
  throw new OAuthError("invalid_grant", "Send a DPoP proof of the key that this was bound to");
}

/**
 * The thumbprint that a grant's refresh tokens are bound to: a public client's to the key that it proves (RFC 9449
 * section 5), a confidential one's to nothing but its authentication.
 */
export function refreshKeyOf({ client, proof }: TokenRequest): string | null {
  return AUTHENTICATION_METHODS[client.type] === "none" ? proof?.jkt ?? null : null;
}
