import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LAST_RANK, RANKS } from "../../src/store/copy-tables.ts";

test("every table is copied after the tables that its rows refer to", () => {
  const schema = readFileSync(new URL("../db/schema.golden.sql", import.meta.url), "utf8");
  const rankOf = (table: string): number => RANKS[table as keyof typeof RANKS] ?? LAST_RANK;
  let references = 0;
  for (const [, table, body] of schema.matchAll(/create table "?(\w+)"? \(([^;]*)/gi)) {
    for (const [, other] of body!.matchAll(/references "?(\w+)/gi)) {
      assert.ok(rankOf(other!) < rankOf(table!), `${table} refers to ${other}`);
      references++;
    }
  }
  assert.ok(references > 15, `${references}`);
});
