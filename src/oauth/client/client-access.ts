import { groupIdsOf } from "../../accounts/group.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Client } from "./client.ts";

/** Returns true if the client is for every account, or for a group of this one. */
export async function mayUseClient(
  db: Db,
  authority: RowAuthority,
  { groups }: Pick<Client, "groups">,
  accountId: string,
): Promise<boolean> {
  if (groups === null) return true;
  if (groups.length === 0) return false;
  const own = await groupIdsOf(db, authority, accountId);
  return own.some((id) => groups.includes(id));
}
