import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import { findRow } from "../../store/read.ts";
import { insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "../session/bearer-secret.ts";

export const SIGN_IN_TICKET_LIFETIME = 15 * MINUTE;

/** Stores the account whose passkey is required next and returns a token, of which only a hash is stored. */
export async function issueSignInTicket(
  tx: Db,
  authority: RowAuthority,
  value: { accountId: string; now: Instant; random: RandomBytes },
): Promise<string> {
  const token = newToken("signin", value.random);
  await insertRow(tx, authority, "sign_in_ticket", {
    id: token.id,
    secret_hash: hashSecret(token.secret),
    account_id: value.accountId,
    created_at: value.now,
    expires_at: value.now + SIGN_IN_TICKET_LIFETIME,
  });
  return formatToken(token);
}

/** Returns the account whose passkey is required. Returns undefined if not found, expired or not authentic. */
export async function findSignInAccountId(
  db: Db,
  authority: RowAuthority,
  { token, now }: { token: string; now: Instant },
): Promise<string | undefined> {
  const read = readToken(token, "signin");
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "sign_in_ticket", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash)) return undefined;
  return row.expires_at > now ? row.account_id : undefined;
}
