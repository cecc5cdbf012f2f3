import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { openTestDatabase } from "../support/database.ts";
import { isOfService } from "../support/caller.ts";

const at = (path: string): string =>
  `    at run (${fileURLToPath(new URL(`../../${path}`, import.meta.url))}:1:2)`;

test("only a test's own SQL is translated, not the service's", async () => {
  const db = await openTestDatabase();
  try {
    assert.deepEqual((await sql`select id from account`.execute(db)).rows, []);
  } finally {
    await db.destroy();
  }
  assert.equal(isOfService(), false);
  const through = ["node_modules/kysely/a.ts", "src/db/port.ts", "test/support/lent-postgres.ts"].map(at);
  const stack = (...last: readonly string[]): string => ["Error", ...through, ...last.map(at)].join("\n");
  assert.equal(isOfService(stack("src/mail/delivery.ts", "test/mail/delivery.test.ts")), true);
  assert.equal(isOfService(stack("test/mail/delivery.test.ts", "src/mail/delivery.ts")), false);
  assert.equal(isOfService(stack()), false);
});
