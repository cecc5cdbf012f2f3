import assert from "node:assert/strict";
import { test } from "node:test";
import { startMaintenance } from "../../../src/commands/process/running.ts";
import { openTestDatabase } from "../../support/database.ts";

test("a failed job is logged and does not stop the others", async () => {
  const db = await openTestDatabase();
  const logged: unknown[] = [];
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const { stop } = startMaintenance(
    db,
    {
      sweep: () => Promise.reject(new Error("no such table")),
      // deno-lint-ignore require-await -- as what is called
      deletions: async () => {
        throw new Error("neither");
      },
      signing_keys: async () => resolve(await Promise.resolve()),
    },
    (...line) => logged.push(line),
  );
  await done;
  stop();
  await db.destroy();
  assert.deepEqual(logged, [
    ["error", "maintenance_failed", { job: "sweep", error: "Error: no such table" }],
    ["error", "maintenance_failed", { job: "deletions", error: "Error: neither" }],
  ]);
});
