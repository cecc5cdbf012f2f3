import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { AUTHORITY } from "../vault/authenticated-columns.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import { notWritten } from "./authentic.ts";
import { noteRemoved } from "./spent-rows.ts";
import type { RawRow } from "./lookups.ts";
import { keyOf } from "./lookups.ts";

/** Where rows have the id of the account that they belong to, or are about. */
const OWNERS = ["account_id", "hinted_account_id"] as const;

/** Of each kind, the columns that name an account; children stand before what they refer to. */
const OWNED: readonly (readonly [kind: AuthorityKind, column: string])[] = (Object.keys(
  AUTHORITY,
) as AuthorityKind[]).toReversed().flatMap((kind) => {
  const covered: readonly string[] = AUTHORITY[kind].covered;
  return OWNERS.filter((column) => covered.includes(column)).map((column) => [kind, column] as const);
});

/** What hangs on a grant, and goes with it. */
const OF_GRANT = ["authorization_code", "refresh_token"] as const;

/**
 * Deletes every row that grants authority and belongs to an account, the account's own last, and the invitation that it
 * was made by, if that was for its address; rows that the service did not write go as well. They are over for this
 * process, whoever puts them back. Answers how many there were of each kind. Throws `DatabaseError` `not_written` where
 * one is still there. Does not look at what is no authority.
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
  // It has the address, and stays in the administrator's list for long.
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
  for (const row of rows) noteRemoved(tx, kind, row);
  const left = await sql`select 1 from ${table} where ${which} limit 1`.execute(tx);
  if (left.rows.length > 0) throw notWritten(kind, "a row of the account was not deleted");
  counts.set(kind, (counts.get(kind) ?? 0) + rows.length);
}
