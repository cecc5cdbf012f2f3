import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { tableChangeOf, toPostgres } from "../../src/db/dialect/postgres-migration.ts";

const FOLDER = new URL("../../src/db/migrations/", import.meta.url);

/** Words of SQLite that PostgreSQL lacks or understands differently. */
const FOREIGN =
  /\b(?:strict|blob|integer|rowid|autoincrement|json_extract|raise\(|iif|typeof|glob|unixepoch|pragma)\b/i;

/** Returns the statements in a migration's source. */
function statementsOf(text: string): readonly string[] {
  return [...text.matchAll(/sql`([^`]*)`/g)].map(([, statement]) => statement!);
}

describe("the migrations", () => {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".ts"));
  const texts = names.map((name) => readFileSync(new URL(name, FOLDER), "utf8"));

  test("are found", () => {
    assert.ok(texts.flatMap(statementsOf).length > 100);
  });

  for (const [index, name] of names.entries()) {
    test(`${name} has no construct of SQLite that is not translated to PostgreSQL`, () => {
      for (const statement of statementsOf(texts[index]!)) {
        for (const made of toPostgres(statement, "holdfast")) {
          assert.doesNotMatch(made.replace(/'[^']*'/g, "''"), FOREIGN);
        }
      }
    });
  }
});

describe("toPostgres()", () => {
  const made = (statement: string): readonly string[] => toPostgres(statement, "holdfast");

  test("translates types and tables, and keeps quoted text", () => {
    assert.deepEqual(
      made(
        "create table a (b text not null check (b in ('text', 'blob')), c integer, d blob) strict, without rowid",
      ),
      [`create table a (b text collate "C" not null check (b in ('text', 'blob')), c bigint, d bytea)`],
    );
  });

  test("translates a number in a JSON text", () => {
    assert.deepEqual(made("create index a on b (json_extract(detail, '$.keyIndex'))"), [
      "create index a on b (((detail::jsonb ->> 'keyIndex')::bigint))",
    ]);
  });

  test("translates a trigger that refuses into a function", () => {
    const [first, second] = made(
      "create trigger a before delete on b begin select raise(abort, 'b stays'); end",
    );
    assert.match(first!, /^create function holdfast\.a\(\) returns trigger.*raise exception 'b stays'/s);
    assert.equal(second, "create trigger a before delete on b for each row execute function holdfast.a()");
  });

  for (
    const statement of [
      "create trigger a after insert on b begin delete from c; end",
      "pragma user_version = 1",
      "create table a (b integer primary key autoincrement)",
    ]
  ) {
    test(`has no equivalent for ${statement}`, () => assert.throws(() => made(statement), TypeError));
  }
});

describe("tableChangeOf()", () => {
  test("recognises the replacement of a table", () => {
    assert.deepEqual(tableChangeOf("drop table a"), { kind: "dropped", table: "a" });
    assert.deepEqual(tableChangeOf("create table a (\n  b text\n)"), { kind: "made", table: "a" });
    assert.deepEqual(tableChangeOf("alter table b rename to a"), { kind: "made", table: "a" });
    assert.equal(tableChangeOf("alter table a add column b text"), undefined);
  });
});
