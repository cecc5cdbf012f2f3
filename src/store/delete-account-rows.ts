import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { AUTHORITY, type AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { notWritten } from "./authentic.ts";
import { recordDeleted } from "./spent-rows.ts";
import { keyOf, type RawRow } from "./lookups.ts";
import { findRow, listRows } from "./read.ts";
import { recordForgotten } from "./state/pending.ts";
import { removeRow } from "./write.ts";

/** Columns with the id of the account that a row belongs to or refers to. */
const OWNERS = ["account_id", "hinted_account_id"] as const;

/** The columns that name an account, by kind, in the order of deletion: a row before the rows it refers to. */
const OWNED: readonly (readonly [kind: AuthorityKind, column: string])[] = (Object.keys(
  AUTHORITY,
) as AuthorityKind[]).toReversed().flatMap((kind) => {
  const authenticated: readonly string[] = AUTHORITY[kind].authenticated;
  return OWNERS.filter((column) => authenticated.includes(column)).map((column) => [kind, column] as const);
});

/**
 * Deletes every authenticated row of an account, and last the account itself. Also deletes the invitation that it was
 * created with, if that was for its address. Includes rows that are not authentic, and records all as spent. Returns
 * the number of rows per kind. Throws `DatabaseError` `not_written` if one still exists. Does not delete rows of
 * tables without a MAC.
 */
export async function forgetAccount(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<ReadonlyMap<AuthorityKind, number>> {
  const counts = new Map<AuthorityKind, number>();
  const grants = sql`select id from ${sql.table("authorization_grant")} where account_id = ${accountId}`;
  await remove(tx, counts, "refresh_token", sql`grant_id in (${grants})`);
  await remove(tx, counts, "challenge", sql`bound_to like ${`%/${accountId}`}`);
  for (const [kind, column] of OWNED) await remove(tx, counts, kind, sql`${sql.ref(column)} = ${accountId}`);
  await forgetInvitation(tx, authority, accountId);
  await forgetWebhooks(tx, authority, accountId);
  await remove(tx, counts, "account", sql`id = ${accountId}`);
  recordForgotten(tx, authority, accountId);
  return counts;
}

/** Deletes the invitation of the account's address, which stays in the administrator's list for long. */
async function forgetInvitation(tx: Db, authority: RowAuthority, accountId: string): Promise<void> {
  const used = await tx.selectFrom("audit_event").select("subject")
    .where("account_id", "=", accountId).where("event", "=", "invitation_used").execute();
  for (const { subject } of used) {
    const row = await findRow(tx, authority, "invitation", "byId", { id: subject! });
    if (row !== undefined && row.email !== null) await removeRow(tx, authority, "invitation", row);
  }
}

async function forgetWebhooks(tx: Db, authority: RowAuthority, accountId: string): Promise<void> {
  for (const row of await listRows(tx, authority, "webhook", "all", {})) {
    if (row.subject === accountId) await removeRow(tx, authority, "webhook", row);
  }
}

async function remove(
  tx: Db,
  counts: Map<AuthorityKind, number>,
  kind: AuthorityKind,
  which: ReturnType<typeof sql>,
): Promise<void> {
  const names = sql.join([...keyOf(kind), "mac"].map((column) => sql.ref(column)));
  const table = sql.table(kind);
  const { rows } = await sql<RawRow>`delete from ${table} where ${which} returning ${names}`.execute(tx);
  for (const row of rows) recordDeleted(tx, kind, row);
  const left = await sql`select 1 from ${table} where ${which} limit 1`.execute(tx);
  if (left.rows.length > 0) throw notWritten(kind, "a row of the account was not deleted");
  counts.set(kind, (counts.get(kind) ?? 0) + rows.length);
}
