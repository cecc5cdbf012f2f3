import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY, type Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { consumeRow, insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "../session/bearer-secret.ts";
import type { Token } from "../session/bearer-secret.ts";

/** The time within which the old address can revert a change. */
export const REVERT_LIFETIME = 7 * DAY;

export type EmailChange = Authentic<"email_change">;

/** Returns a new token for the link to the old address. The mail needs it before the row exists. */
export function drawEmailChange(random: RandomBytes): Token {
  return newToken("change", random);
}

export function formatRevertToken(token: Token): string {
  return formatToken(token);
}

export async function insertEmailChange(
  tx: Db,
  authority: RowAuthority,
  { token, accountId, from, to, now }: {
    readonly token: Token;
    readonly accountId: string;
    readonly from: string;
    readonly to: string;
    readonly now: Instant;
  },
): Promise<void> {
  await insertRow(tx, authority, "email_change", {
    id: token.id,
    secret_hash: hashSecret(token.secret),
    account_id: accountId,
    old_email: from,
    new_email: to,
    created_at: now,
    expires_at: now + REVERT_LIFETIME,
  });
}

/** Returns the change that this token reverts. Returns undefined if not found, used, expired or not authentic. */
export async function findEmailChange(
  db: Db,
  authority: RowAuthority,
  { text, now }: { readonly text: string; readonly now: Instant },
): Promise<EmailChange | undefined> {
  const read = readToken(text, "change");
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "email_change", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash)) return undefined;
  return row.expires_at > now ? row : undefined;
}

/** Returns the distinct addresses that can still revert a change of this account. */
export async function listFormerAddresses(
  db: Db,
  authority: RowAuthority,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<readonly string[]> {
  const rows = await listRows(db, authority, "email_change", "latestOfAccount", { account_id: accountId });
  return [...new Set(rows.filter((row) => row.expires_at > now).map((row) => row.old_email))];
}

/**
 * Deletes a change and all later ones of its account, so that an attacker cannot keep the account by changing the
 * address again. Returns the number of later changes. Returns undefined, without writing, if the change was already
 * used.
 */
export async function consumeEmailChange(
  tx: Db,
  authority: RowAuthority,
  change: EmailChange,
): Promise<number | undefined> {
  const { id, account_id, created_at } = change;
  if (await consumeRow(tx, authority, "email_change", "byId", { id }) === undefined) return undefined;
  const rest = await listRows(tx, authority, "email_change", "latestOfAccount", { account_id });
  const later = rest.filter((row) => row.created_at >= created_at);
  for (const row of later) await consumeRow(tx, authority, "email_change", "byId", { id: row.id });
  return later.length;
}
