import { sql } from "kysely";
import { languageOf } from "../../db/port.ts";
import type { Db } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import { columnsOf, type SealedRow } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { type StateTags, stateTagsOf } from "./state-tags.ts";
import { CLIENT } from "./kinds.ts";
import { tagOf } from "./owner-state.ts";

/** A stored state that a log does not name as its owner's newest. */
export interface UnnamedState {
  readonly owner: string;
  readonly tag: Uint8Array;
}

/** Lists the authentic states that are not the newest of their owners. Does not compare rows with a state. */
export async function listUnnamedStates(db: Db, vault: Vault, tags: StateTags): Promise<UnnamedState[]> {
  const unnamed: UnnamedState[] = [];
  const table = { table: "owner_state", columns: columnsOf("owner_state") } as const;
  for await (const page of languageOf(db).readTable(db, table)) {
    for (const row of page as unknown as SealedRow<"owner_state">[]) {
      const tag = tagOf(row.mac);
      if (sameValue(tags.find(row.owner), tag) || !vault.verifyMac("owner_state", row)) continue;
      unnamed.push({ owner: row.owner, tag });
    }
  }
  return unnamed;
}

/** Lists the accounts and clients without a state in the database, unverified. */
export async function listStateless(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ owner: string }>`
    select owner from (
      select id as owner from ${sql.table("account")}
      union all select ${CLIENT} || id as owner from ${sql.table("client")}
    ) as named where owner not in (select owner from ${sql.table("owner_state")})`.execute(db);
  return rows.map(({ owner }) => owner);
}

/** Returns true for an owner with a state in the log, or in the database, where a deleted one may be put back. */
export async function isKnownOwner(db: Db, owner: string): Promise<boolean> {
  if (stateTagsOf(db).table.find(owner) !== undefined) return true;
  return (await db.selectFrom("owner_state").select("owner").where("owner", "=", owner).execute()).length > 0;
}
