import type { EmailProof } from "../../db/schema/account.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY, type Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { consumeRow, insertRow, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { formatToken, hashSecret, newToken, readToken, secretMatches } from "../session/bearer-secret.ts";
import type { Token } from "../session/bearer-secret.ts";

/** The time within which the first old address can revert a change, and all later ones. */
export const REVERT_LIFETIME = 7 * DAY;

export type EmailChange = Authentic<"email_change">;

/** Returns a new token for the link to the old address. The mail needs it before the row exists. */
export function drawEmailChange(random: RandomBytes): Token {
  return newToken("change", random);
}

export function formatRevertToken(token: Token): string {
  return formatToken(token);
}

/**
 * The effect of a change on the account's other live changes. The old address of a `first` change gets a link. That of
 * a `further` one gets none, because an earlier link can still revert it. An `undo` restores the old address of a live
 * change, like that change's link.
 */
export type EmailChangeKind = "first" | "further" | "undo";

interface NewAddress {
  readonly accountId: string;
  readonly to: string;
  readonly now: Instant;
}

export async function emailChangeKind(
  db: Db,
  authority: RowAuthority,
  { to, ...place }: NewAddress,
): Promise<EmailChangeKind> {
  const live = await listLiveChanges(db, authority, place);
  if (live.some(({ old_email }) => old_email === to)) return "undo";
  return live.length === 0 ? "first" : "further";
}

/** Records a change of an account that has an address. A `further` one prolongs the first link, which reverts both. */
export async function recordEmailChange(
  tx: Db,
  authority: RowAuthority,
  { token, from, to, ...place }: NewAddress & {
    readonly token: Token;
    readonly from: { readonly email: string | null; readonly emailProvedBy: EmailProof | null };
  },
): Promise<void> {
  if (from.email === null) return;
  const live = await listLiveChanges(tx, authority, place);
  const undone = live.find(({ old_email }) => old_email === to);
  if (undone !== undefined) return void await consumeEmailChange(tx, authority, undone);
  const expires_at = place.now + REVERT_LIFETIME;
  if (live[0] !== undefined) await replaceRow(tx, authority, "email_change", live[0], { expires_at });
  await insertRow(tx, authority, "email_change", {
    id: token.id,
    secret_hash: hashSecret(token.secret),
    account_id: place.accountId,
    old_email: from.email,
    old_email_proved_by: from.emailProvedBy,
    new_email: to,
    created_at: place.now,
    expires_at,
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

/** Returns an account's changes of the last seven days, oldest first. Only the first one's old address has a link. */
async function listLiveChanges(
  db: Db,
  authority: RowAuthority,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<readonly EmailChange[]> {
  const rows = await listRows(db, authority, "email_change", "latestOfAccount", { account_id: accountId });
  return rows.filter((row) => row.expires_at > now).toReversed();
}

/** Returns the distinct addresses that the account had before its live changes. */
export async function listFormerAddresses(
  db: Db,
  authority: RowAuthority,
  place: { readonly accountId: string; readonly now: Instant },
): Promise<readonly string[]> {
  const live = await listLiveChanges(db, authority, place);
  return [...new Set(live.map((row) => row.old_email))];
}

/** Returns the time until which a link can change the account's address; `now` without one. */
export async function revertibleUntil(
  db: Db,
  authority: RowAuthority,
  place: { readonly accountId: string; readonly now: Instant },
): Promise<Instant> {
  const live = await listLiveChanges(db, authority, place);
  return Math.max(place.now, ...live.map((row) => row.expires_at));
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
  const { account_id, created_at } = change;
  // With its account, so that a hidden change does not count as used.
  if (await consumeRow(tx, authority, "email_change", "byId", change) === undefined) return undefined;
  const rest = await listRows(tx, authority, "email_change", "latestOfAccount", { account_id });
  const later = rest.filter((row) => row.created_at >= created_at);
  for (const row of later) await consumeRow(tx, authority, "email_change", "byId", row);
  return later.length;
}
