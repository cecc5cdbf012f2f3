import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { AUTHORITY, type AuthorityKind } from "../vault/authenticated-columns.ts";
import { notWritten } from "./authentic.ts";
import { recordDeleted } from "./spent-rows.ts";
import { keyOf, type RawRow } from "./lookups.ts";

/** Columns with the id of the account that a row belongs to or refers to. */
const OWNERS = ["account_id", "hinted_account_id"] as const;

/** The columns that name an account, by kind, in the order of deletion: a row before the rows it refers to. */
const OWNED: readonly (readonly [kind: AuthorityKind, column: string])[] = (Object.keys(
  AUTHORITY,
) as AuthorityKind[]).toReversed().flatMap((kind) => {
  const authenticated: readonly string[] = AUTHORITY[kind].authenticated;
  return OWNERS.filter((column) => authenticated.includes(column)).map((column) => [kind, column] as const);
});

const OF_GRANT = ["authorization_code", "refresh_token"] as const;

/**
 * Deletes every authenticated row of an account, and last the account itself. Also deletes the invitation that it was
 * created with, if that was for its address. Includes rows that are not authentic, and records all as spent. Returns
 * the number of rows per kind. Throws `DatabaseError` `not_written` if one still exists. Does not delete rows of
 * tables without a MAC.
 */
export async function forgetAccount(
  tx: Db,
  accountId: string,
): Promise<ReadonlyMap<AuthorityKind, number>> {
  const counts = new Map<AuthorityKind, number>();
  for (const kind of OF_GRANT) {
    const grants = sql`select id from ${sql.table("authorization_grant")} where account_id = ${accountId}`;
    await remove(tx, counts, kind, sql`grant_id in (${grants})`);
  }
  await remove(tx, counts, "challenge", sql`bound_to like ${`%/${accountId}`}`);
  for (const [kind, column] of OWNED) await remove(tx, counts, kind, sql`${sql.ref(column)} = ${accountId}`);
  // It contains the address, and stays in the administrator's list for long.
  const spent = sql`select subject from ${sql.table("audit_event")}
    where account_id = ${accountId} and event = ${"invitation_used"}`;
  await remove(tx, counts, "invitation", sql`email is not null and id in (${spent})`);
  await remove(tx, counts, "account", sql`id = ${accountId}`);
  return counts;
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
