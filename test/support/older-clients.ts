import { sql } from "kysely";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { CLIENT, kindsOf, SERVICE } from "../../src/store/state/kinds.ts";
import { readState, tagOf } from "../../src/store/state/owner-state.ts";
import { recordForgotten, recordRebuilt } from "../../src/store/state/pending.ts";
import { copySets, sumOf, writeSet } from "../../src/store/state/set-hash.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { createTestAuthority } from "./vault.ts";

/** Makes all clients belong to the service's state, as in a database of an older version. */
export async function joinClients(
  { db, vault }: { readonly db: Db; readonly vault: Vault },
): Promise<void> {
  const authority = createTestAuthority(vault);
  await transaction(db, async (tx) => {
    const clients: Tables["client"][] = await tx.selectFrom("client").selectAll().execute();
    const state = await readState(tx, authority, SERVICE);
    const of = { owner: SERVICE, kinds: kindsOf(SERVICE) };
    const version = state.version + 1;
    const sets = copySets(state.sets, of);
    writeSet(authority, of, sets, 0, { version, sum: sumOf(authority, clients as never) });
    const columns = { owner: SERVICE, version, sets };
    const mac = authority.mac("owner_state", columns);
    await sql`delete from owner_state where owner = ${SERVICE}`.execute(tx);
    await tx.insertInto("owner_state").values({ ...columns, mac }).execute();
    recordRebuilt(tx, authority, { rebuilt: SERVICE, tag: tagOf(mac) });
    for (const { id } of clients) recordForgotten(tx, authority, CLIENT + id);
  });
}
