import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { migrate, MIGRATION_NAMES } from "../../src/db/migrate.ts";
import { connect } from "../../src/db/port.ts";
import type { Tables } from "../../src/db/schema.ts";
import { IN_MEMORY, openSqlite } from "../../src/runtime/sqlite.ts";

test("migrate() ends the grants of an older version, with their codes and refresh tokens, and keeps accounts", async () => {
  const db = connect<Tables>(await openSqlite(IN_MEMORY));
  await migrate(db, MIGRATION_NAMES.filter((name) => name < "0008"));
  const before = [
    sql`insert into account values ('acc_1', 'a@example.com', null, 0, x'00')`,
    sql`insert into client values
      ('client_1', 'App', '', 'spa', '[]', '[]', 'ES256', null, 0, 0, 0, x'00')`,
    sql`insert into authorization_grant (id, account_id, client_id, scope, authenticated_at, created_at, expires_at, mac)
      values ('grant_1', 'acc_1', 'client_1', 'openid', 0, 0, 9, x'00')`,
    sql`insert into authorization_code (id, secret_hash, grant_id, redirect_uri, code_challenge, created_at, expires_at, mac)
      values ('code_1', '', 'grant_1', '', '', 0, 9, x'00')`,
    sql`insert into refresh_token (id, secret_hash, grant_id, created_at, expires_at, mac)
      values ('token_1', '', 'grant_1', 0, 9, x'00')`,
  ];
  for (const statement of before) await statement.execute(db);
  await migrate(db);
  const count = async (table: string): Promise<number> =>
    (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]!.n;
  const tables = ["account", "client", "authorization_grant", "authorization_code", "refresh_token"];
  assert.deepEqual(await Promise.all(tables.map(count)), [1, 1, 0, 0, 0]);
  await db.destroy();
});
