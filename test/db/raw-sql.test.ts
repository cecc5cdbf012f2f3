import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
/** Code for one engine only, or for a schema of its own. */
const OF_ONE_ENGINE = ["db/migrations/", "db/dialect/", "runtime/"];
const TEMPLATE = /\bsql(?:<[^`]*?>)?\s*`([^`]*)/g;
/** A table name as written; `sql.table` would add the schema on PostgreSQL. */
const PLAIN_NAME = /\b(?:from|join|into|update)\s+([a-z_]+)/gi;

/** Returns the tables that a source's raw SQL names without their schema. */
function plainNames(source: string): string[] {
  const templates = [...source.matchAll(TEMPLATE)].map(([, text]) => text!);
  return templates.flatMap((text) => [...text.matchAll(PLAIN_NAME)].map(([, name]) => name!));
}

test("raw SQL names every table with its schema, which PostgreSQL requires", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts") && !OF_ONE_ENGINE.some((folder) => path.startsWith(folder))
  );
  const sources = files.map((path) => [path, readFileSync(join(SOURCES, path), "utf8")] as const);
  assert.ok(sources.filter(([, source]) => source.search(TEMPLATE) >= 0).length > 10);
  const found = sources.flatMap(([path, source]) => plainNames(source).map((name) => `${path}: ${name}`));
  assert.deepEqual(found, []);
});

test("a table without a schema is detected", () => {
  assert.deepEqual(plainNames("const grants = sql`select id from authorization_grant`;"), [
    "authorization_grant",
  ]);
  assert.deepEqual(
    plainNames("await sql<\n  Row\n>`delete\n from session where id in (${ids})`.execute(tx)"),
    [
      "session",
    ],
  );
  assert.deepEqual(plainNames('sql`select id from ${sql.table("session")}`'), []);
});
