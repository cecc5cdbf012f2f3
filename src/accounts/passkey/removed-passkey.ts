import { REMOVAL_MEMORY } from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { evictOverLimit } from "../../store/over-limit.ts";
import { upsertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { verifyAuthentication } from "../../webauthn/authentication.ts";
import { WebAuthnError } from "../../webauthn/error.ts";
import type { AuthenticationResponse } from "../../webauthn/response.ts";
import { storedCredential } from "./passkey.ts";
import type { RelyingParty } from "../services.ts";

/** Maximum number of removed passkeys stored for each account. Storing a further one deletes the oldest. */
export const REMOVAL_LIMIT = 50;

export async function recordRemoval(
  tx: Db,
  authority: RowAuthority,
  { passkey, now }: { passkey: Authentic<"passkey">; now: Instant },
): Promise<void> {
  const accountId = passkey.account_id;
  const all = { account_id: accountId };
  await evictOverLimit(tx, authority, "removed_passkey", "latestOfAccount", all, REMOVAL_LIMIT);
  await upsertRow(tx, authority, "removed_passkey", "byCredential", {
    id: passkey.id,
    account_id: accountId,
    credential_id: passkey.credential_id,
    public_key: passkey.public_key,
    algorithm: passkey.algorithm,
    backup_eligible: passkey.backup_eligible,
    sign_count: passkey.sign_count,
    created_at: now,
  });
}

export interface RemovedPasskey {
  readonly id: string;
  readonly accountId: string;
}

/**
 * Returns the removed passkey that produced a valid response. Only then may the response tell the browser to delete
 * the passkey. Strangers learn nothing about credentials, and a lost or forged row cannot make a browser delete a
 * passkey in use.
 */
export async function findRemovedPasskey(
  db: Db,
  authority: RowAuthority,
  { response, challenge, relyingParty, now }: {
    response: AuthenticationResponse;
    challenge: string;
    relyingParty: RelyingParty;
    now: Instant;
  },
): Promise<RemovedPasskey | undefined> {
  const where = { credential_id: response.credentialId };
  const row = await findRow(db, authority, "removed_passkey", "byCredential", where);
  if (row === undefined || row.created_at + REMOVAL_MEMORY <= now) return undefined;
  const credential = storedCredential(row);
  const { origin, id: rpId, importVerifier } = relyingParty;
  try {
    verifyAuthentication(response, { challenge, origin, rpId, importVerifier, credential });
    return { id: row.id, accountId: row.account_id };
  } catch (error) {
    if (error instanceof WebAuthnError) return undefined;
    throw error;
  }
}

/** Lists the removed passkeys of an account, latest first. */
export async function listRemovals(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<
  readonly { readonly id: string; readonly credentialId: Uint8Array; readonly removedAt: Instant }[]
> {
  const where = { account_id: accountId };
  const rows = await listRows(db, authority, "removed_passkey", "latestOfAccount", where);
  return rows.map((row) => ({ id: row.id, credentialId: row.credential_id, removedAt: row.created_at }));
}
