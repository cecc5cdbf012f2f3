import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { migrate, MIGRATION_NAMES } from "../../src/db/migrate.ts";
import { connect } from "../../src/db/port.ts";
import type { Tables } from "../../src/db/schema.ts";
import { changeKey, getKey } from "../../src/keys/key.ts";
import { transaction } from "../../src/db/transaction.ts";
import { IN_MEMORY, openSqlite } from "../../src/runtime/sqlite.ts";
import { createTestAuthority, createTestVault } from "../support/vault.ts";

/** The MAC that the version before made of this row, in its own encoding (`authority.test.ts` spells it out). */
const ROW = {
  id: "key_1",
  account_id: "acc_1",
  key_index: 0,
  address: new Uint8Array(20),
  public_key: new Uint8Array(65),
  label: "Key 1",
  blind_signing: "guard",
  created_at: 5,
  archived_at: null,
} as const;

test("migrate() keeps the keys of an older version, without a policy, and they can be changed", async () => {
  const db = connect<Tables>(await openSqlite(IN_MEMORY));
  await migrate(db, MIGRATION_NAMES.filter((name) => name < "0016"));
  const vault = createTestVault();
  const authority = createTestAuthority(vault);
  const none = { revision: null, policy: null, policy_change: null, policy_change_at: null };
  const mac = vault.mac("ethereum_key", { ...ROW, ...none });
  await sql`insert into account values ('acc_1', 'a@example.com', null, 0, x'00')`.execute(db);
  const columns = [...Object.keys(ROW), "mac"].map((name) => sql.ref(name));
  await sql`insert into ethereum_key (${sql.join(columns)}) values (${
    sql.join([...Object.values(ROW), mac])
  })`.execute(db);
  await migrate(db);
  const which = { accountId: "acc_1", keyId: "key_1" };
  const key = await getKey(db, { vault, authority }, which);
  assert.deepEqual([key.label, key.terms], ["Key 1", { policy: null, change: null }]);
  await transaction(db, (tx) => changeKey(tx, { vault, authority }, { ...which, now: 6 }, { label: "Rent" }));
  assert.equal((await getKey(db, { vault, authority }, which)).label, "Rent");
  assert.deepEqual(authority.rejected, []);
  await db.destroy();
});
