import { languageOf } from "../../db/port.ts";
import type { Db } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import { columnsOf, type SealedRow } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import type { Heads } from "./heads.ts";
import { headOf } from "./owner-state.ts";

/** A stored state that a log does not name as its owner's newest. */
export interface UnnamedState {
  readonly owner: string;
  readonly head: Uint8Array;
}

/** Lists the authentic states that are not the heads of their owners. Does not compare rows with a state. */
export async function listUnnamedStates(db: Db, vault: Vault, heads: Heads): Promise<UnnamedState[]> {
  const unnamed: UnnamedState[] = [];
  const table = { table: "owner_state", columns: columnsOf("owner_state") } as const;
  for await (const page of languageOf(db).readTable(db, table)) {
    for (const row of page as unknown as SealedRow<"owner_state">[]) {
      const head = headOf(row.mac);
      if (sameValue(heads.find(row.owner), head) || !vault.verifyMac("owner_state", row)) continue;
      unnamed.push({ owner: row.owner, head });
    }
  }
  return unnamed;
}
