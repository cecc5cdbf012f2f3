import type { Db } from "../../db/schema/schema.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { removeRow, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** The columns of a session that its push subscription names. */
type SessionOf = Pick<Authentic<"session">, "id" | "account_id" | "expires_at">;

/** Returns the push subscription of a session, if it has one. */
async function findPushSubscription(
  tx: Db,
  authority: RowAuthority,
  { account_id, id }: Pick<SessionOf, "id" | "account_id">,
): Promise<Authentic<"push_subscription"> | undefined> {
  return await findRow(tx, authority, "push_subscription", "bySession", { account_id, session_id: id });
}

/** Deletes the push subscription of a session that ends: its browser is not notified any more. */
export async function endPushSubscription(
  tx: Db,
  authority: RowAuthority,
  session: Pick<SessionOf, "id" | "account_id">,
): Promise<void> {
  const row = await findPushSubscription(tx, authority, session);
  if (row !== undefined) await removeRow(tx, authority, "push_subscription", row);
}

/** Deletes every push subscription of an account, also those whose session was deleted after its end. */
export async function endEveryPushSubscription(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<void> {
  const rows = await listRows(tx, authority, "push_subscription", "ofAccount", { account_id: accountId });
  for (const row of rows) await removeRow(tx, authority, "push_subscription", row);
}

/** Moves the push subscription of a session to the one that replaces it after the same user signed in again. */
export async function handOverPushSubscription(
  tx: Db,
  authority: RowAuthority,
  { from, to }: { readonly from: SessionOf; readonly to: SessionOf },
): Promise<void> {
  const row = await findPushSubscription(tx, authority, from);
  if (row === undefined || await findPushSubscription(tx, authority, to) !== undefined) return;
  const change = { session_id: to.id, expires_at: to.expires_at };
  await replaceRow(tx, authority, "push_subscription", row, change);
}
