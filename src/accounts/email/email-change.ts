import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { insertRow, takeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "../session/bearer-secret.ts";
import type { Token } from "../session/bearer-secret.ts";

/** How long the old address can take a change back. */
export const TAKE_BACK_LIFETIME = 7 * DAY;

/** A change of an address that can be taken back. */
export type EmailChange = Authentic<"email_change">;

/** Draws what the old address is sent: it is needed for the mail before there is a row. */
export function drawEmailChange(random: RandomBytes): Token {
  return newToken("change", random);
}

/** The text that a link carries. */
export function takeBackText(token: Token): string {
  return formatToken(token);
}

/** Notes a change, for the holder of the token to take back within seven days. */
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
    expires_at: now + TAKE_BACK_LIFETIME,
  });
}

/** The change that this text takes back; undefined for a text of none, and where it is over or its row is not authentic. */
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

/** The addresses that can still take a change of this account back, each once. */
export async function listFormerAddresses(
  db: Db,
  authority: RowAuthority,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<readonly string[]> {
  const rows = await listRows(db, authority, "email_change", "latestOfAccount", { account_id: accountId });
  return [...new Set(rows.filter((row) => row.expires_at > now).map((row) => row.old_email))];
}

/**
 * Uses a change up, and all later ones of its account with it: whoever made it must not keep the account by making
 * another. Answers how many later ones there were; undefined, and nothing done, where it was used already.
 */
export async function consumeEmailChange(
  tx: Db,
  authority: RowAuthority,
  change: EmailChange,
): Promise<number | undefined> {
  const { id, account_id, created_at } = change;
  if (await takeRow(tx, authority, "email_change", "byId", { id }) === undefined) return undefined;
  const rest = await listRows(tx, authority, "email_change", "latestOfAccount", { account_id });
  const later = rest.filter((row) => row.created_at >= created_at);
  for (const row of later) await takeRow(tx, authority, "email_change", "byId", { id: row.id });
  return later.length;
}
