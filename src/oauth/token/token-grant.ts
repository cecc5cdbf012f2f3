import type { Db } from "../../db/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { findClient } from "../client/client.ts";
import type { Client } from "../client/client.ts";
import { OAuthError } from "../error.ts";
import type { OAuthParameters } from "../parameters.ts";
import type { OAuthServices } from "../services.ts";
import type { TokenResponse } from "./token-response.ts";

/** A token request of an authenticated client. */
export interface TokenRequest {
  readonly client: Client;
  readonly form: OAuthParameters;
  /** Counts the request in the transaction of its answer; throws `rate_limited` having written nothing. */
  readonly admit: (tx: Db) => Promise<void>;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** Answers the token requests of one `grant_type`. */
export type TokenGrant = (db: Db, services: OAuthServices, request: TokenRequest) => Promise<TokenResponse>;

/** Throws `invalid_client` when the client was disabled or deleted since it authenticated. */
export async function requireEnabled(tx: Db, services: OAuthServices, { clientId }: Client): Promise<void> {
  const client = await findClient(tx, services.authority, clientId);
  if (client === undefined || client.disabled) {
    throw new OAuthError("invalid_client", "Client authentication failed");
  }
}
