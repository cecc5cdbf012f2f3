import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { migrate, MIGRATION_NAMES } from "../../src/db/migrate.ts";
import { connect } from "../../src/db/port.ts";
import type { Tables } from "../../src/db/schema.ts";
import { openSqlite } from "../../src/runtime/sqlite.ts";

test("0034_fewer_pages keeps sessions at their numbers, what refers to them, and browsers", async () => {
  const db = connect<Tables>(await openSqlite(":memory:"));
  await migrate(db, MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf("0034_fewer_pages")));
  const before = [
    sql`insert into account (id, created_at, mac) values ('acc_1', 0, x'00')`,
    sql`insert into passkey values
      ('psk_1', 'acc_1', x'01', x'02', -7, '', 1, 0, 0, 'Passkey 1', '[]', 0, null, x'00')`,
    sql`insert into session
      (rowid, id, secret_hash, account_id, passkey_id, device_id, device, network, created_at, authenticated_at,
        expires_at, last_seen_at, mac)
      values (1125899906842623, 'session_1', '', 'acc_1', 'psk_1', 'device_1', 'Firefox', 'net', 0, 1, 9, 2, x'03')`,
    sql`insert into client (id, name, uri, type, redirect_uris, post_logout_redirect_uris, id_token_alg, disabled,
        created_at, updated_at, mac) values ('app', '', '', 'web', '[]', '[]', 'ES256', 0, 0, 0, x'00')`,
    sql`insert into application_session values ('sid_1', 'session_1', 'app', 'acc_1', 0, x'00')`,
    sql`insert into account_device values ('device_1', 'acc_1', 'hash', 3, 4, x'05')`,
  ];
  for (const statement of before) await statement.execute(db);
  await migrate(db);
  const { rows: sessions } = await sql`select rowid as number, * from session`.execute(db);
  assert.deepEqual(sessions, [{
    number: 2 ** 50 - 1,
    id: "session_1",
    secret_hash: "",
    account_id: "acc_1",
    passkey_id: "psk_1",
    device_id: "device_1",
    device: "Firefox",
    network: "net",
    created_at: 0,
    authenticated_at: 1,
    step_up_action: null,
    stepped_up_at: null,
    expires_at: 9,
    last_seen_at: 2,
    mac: Uint8Array.of(3),
  }]);
  assert.deepEqual(await db.selectFrom("account_device").selectAll().execute(), [
    {
      id: "device_1",
      account_id: "acc_1",
      secret_hash: "hash",
      created_at: 3,
      last_seen_at: 4,
      mac: Uint8Array.of(5),
    },
  ]);
  assert.equal((await db.selectFrom("application_session").selectAll().execute()).length, 1);
  await sql`delete from session`.execute(db);
  assert.equal(
    (await db.selectFrom("application_session").selectAll().execute()).length,
    0,
    "it goes with its session",
  );
  await db.destroy();
});
