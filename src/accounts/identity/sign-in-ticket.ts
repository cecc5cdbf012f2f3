import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { findRow } from "../../store/read.ts";
import { insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "../session/bearer-secret.ts";

/** How long a browser whose person another provider named has to use the passkey. */
export const SIGN_IN_TICKET_LIFETIME = 15 * MINUTE;

/**
 * Notes whose passkey is to be asked for in the browser that gets this token, which is stored only as a hash. Signs
 * nobody in: the passkey does.
 */
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

/** The account whose passkey is asked for; undefined for a token of none, and when the row expired or is not authentic. */
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
