import type { Db } from "../db/schema/schema.ts";
import { readName } from "../lib/text.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";

/** A group of accounts. */
export interface Group {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Instant;
}

const NAME_LIMIT = 100;

/** Returns the normalised name. Undefined for an invalid one, and one with a comma, which separates names elsewhere. */
export function readGroupName(text: string): string | undefined {
  const name = readName(text, NAME_LIMIT);
  return name?.includes(",") === true ? undefined : name;
}

export function toGroup({ id, name, created_at: createdAt }: Authentic<"user_group">): Group {
  return { id, name, createdAt };
}

/** Lists all groups, by name. */
export async function listGroups(db: Db, authority: RowAuthority): Promise<readonly Group[]> {
  const rows = await listRows(db, authority, "user_group", "all", {});
  return rows.map(toGroup).sort((one, other) => one.name < other.name ? -1 : 1);
}

/** Returns the ids of an account's groups, also of groups that were deleted by a change of the database. */
export async function groupIdsOf(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly string[]> {
  const rows = await listRows(db, authority, "group_member", "ofAccount", { account_id: accountId });
  return [...new Set(rows.map(({ group_id: id }) => id))];
}

/** Lists the groups of an account, by name in code unit order. */
export async function groupsOf(
  db: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly Group[]> {
  const groups: Group[] = [];
  for (const id of await groupIdsOf(db, authority, accountId)) {
    const row = await findRow(db, authority, "user_group", "byId", { id });
    if (row !== undefined) groups.push(toGroup(row));
  }
  return groups.sort((one, other) => one.name < other.name ? -1 : 1);
}
