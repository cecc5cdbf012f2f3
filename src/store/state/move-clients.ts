import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { SERVICE } from "./kinds.ts";
import { recordMoved } from "./pending.ts";
import { requireRows, type Rows } from "./row-sets.ts";

/** Returns the clients that have no state of their own. Throws `DatabaseError` `inconsistent` if they do not add up. */
function readUnmovedClients(db: Db, authority: RowAuthority): Promise<Rows> {
  return requireRows(db, authority, "client", SERVICE);
}

/**
 * Gives each client of an older version's database a state of its own. Until then it counts as absent. Throws
 * `DatabaseError` `inconsistent` without a change if the clients do not add up to the service's state.
 */
export async function moveClients(db: Db, authority: RowAuthority): Promise<void> {
  if ((await readUnmovedClients(db, authority)).size === 0) return;
  await transaction(db, async (tx) => {
    for (const row of (await readUnmovedClients(tx, authority)).values()) {
      recordMoved(tx, authority, "client", row);
    }
  });
}
