import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import * as init from "../../src/db/migrations/0001_init.ts";
import * as devices from "../../src/db/migrations/0005_devices.ts";
import { connect } from "../../src/db/port.ts";
import { openSqlite } from "../../src/runtime/sqlite.ts";

test("0005_devices ends sessions and challenges, whose MACs cover less, and keeps accounts and passkeys", async () => {
  const db = connect<unknown>(await openSqlite(":memory:"));
  await init.up(db);
  const before = [
    sql`insert into account values ('acc_1', 'a@example.com', null, 0, x'00')`,
    sql`insert into passkey values
      ('psk_1', 'acc_1', x'01', x'02', -7, '', 1, 0, 0, 'Passkey 1', '[]', 0, null, x'00')`,
    sql`insert into session values ('session_1', '', 'acc_1', 'psk_1', 0, 0, 9, 0, x'00')`,
    sql`insert into challenge values ('authentication', 'c', 'browser:b', 0, 9, x'00')`,
  ];
  for (const statement of before) await statement.execute(db);
  await devices.up(db);
  const count = async (table: string): Promise<number> =>
    (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]!.n;
  assert.deepEqual(
    [await count("account"), await count("passkey"), await count("session"), await count("challenge")],
    [1, 1, 0, 0],
  );
  const { rows } = await sql`pragma foreign_key_check`.execute(db);
  assert.deepEqual(rows, []);
  await db.destroy();
});
