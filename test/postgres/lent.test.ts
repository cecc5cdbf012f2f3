import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompiledQuery } from "kysely";
import type { Engine } from "../../src/db/engine.ts";
import { MIGRATION_NAMES } from "../../src/db/migrations/migrations.ts";
import { openTestPostgres } from "../support/lent-postgres.ts";

async function ask(engine: Engine, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await engine.run<Record<string, unknown>>(CompiledQuery.raw(sql))).rows;
}

/** Runs statements on a lent database, closes it, and returns its name. */
async function use(...statements: readonly string[]): Promise<unknown> {
  const engine = await openTestPostgres();
  for (const statement of statements) await ask(engine, statement);
  const [row] = await ask(engine, "select current_database() as name");
  await engine.close();
  return row!["name"];
}

describe("a database lent to a test", () => {
  test("is lent again without the rows of the test, which cannot use it any more", async () => {
    const one = await openTestPostgres();
    const [{ name }] = await ask(one, "select current_database() as name") as [{ readonly name: string }];
    await ask(
      one,
      "insert into account (id, language, created_at, mac) values ('a', 'en', 0, decode(repeat('00', 32), 'hex'))",
    );
    await one.close();
    await assert.rejects(ask(one, "select 1 from holdfast.account"), /it is closed/);
    const next = await openTestPostgres();
    assert.deepEqual(await ask(next, "select current_database() as name"), [{ name }]);
    assert.deepEqual(await ask(next, "select id from account"), []);
    assert.equal((await next.readMigrations("kysely_migration")).length, MIGRATION_NAMES.length);
    await next.close();
  });

  test("is dropped if the test changed its schema, even if it undid the change", async () => {
    const on = (what: string): string => `alter table account ${what} trigger all`;
    assert.notEqual(await use(on("disable"), on("enable")), await use());
  });

  test("is dropped if the test watched its schema", async () => {
    const engine = await openTestPostgres();
    const [before] = await ask(engine, "select current_database() as name");
    await engine.watchSchema();
    await engine.close();
    assert.notEqual(await use(), before!["name"]);
  });
});
