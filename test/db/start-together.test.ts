import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { verifyAudit } from "../../src/audit/verify.ts";
import { closeDatabase, connectDatabase } from "../../src/db/database.ts";
import { readSchema } from "../../src/db/migrate.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { inFolder } from "../support/folder.ts";
import { runProgram, runtimes } from "../support/program.ts";
import { runsOf } from "../support/share.ts";
import { createTestVault } from "../support/vault.ts";

const START = new URL("./program/start.ts", import.meta.url);
const ENTRIES = 25;
const ROUNDS = runsOf(10);

async function startTogether(path: string, commands: readonly (readonly string[])[]): Promise<void> {
  const starts = commands.map((command, index) =>
    runProgram(command, START, path, `process ${index}`, String(ENTRIES))
  );
  for (const { code, stderr } of await Promise.all(starts)) assert.equal(code, 0, stderr);
}

async function checkOutcome(path: string, processes: number): Promise<void> {
  const db = connectDatabase(await openSqlite(path));
  const { applied, pending, unknown } = await readSchema(db);
  assert.ok(applied.includes("0001_init"));
  assert.deepEqual({ pending, unknown }, { pending: [], unknown: [] });
  const check = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  assert.deepEqual(check.rows, [{ integrity_check: "ok" }]);
  const { entries, fault } = await verifyAudit(db, createTestVault());
  assert.equal(fault, undefined);
  assert.equal(entries, processes * ENTRIES);
  const { rows } = await sql<{ n: number }>`select count(*) as n from audit_event group by subject`.execute(
    db,
  );
  assert.deepEqual(rows, Array.from({ length: processes }, () => ({ n: ENTRIES })));
  await closeDatabase(db);
}

const COMMANDS = Object.values(runtimes());
const TEAMS: Record<string, readonly (readonly string[])[]> = {
  "4 on this runtime": Array(4).fill(COMMANDS[0]!),
  ...(COMMANDS.length === 2 ? { "2 on each runtime": [...COMMANDS, ...COMMANDS] } : {}),
};

describe("openDatabase() and appendAudit() in processes that start at once on one new file", () => {
  for (const [team, commands] of Object.entries(TEAMS)) {
    test(`migrate once and append to one valid chain: ${team}`, { timeout: 120_000 }, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        await inFolder(async (folder) => {
          const path = join(folder, "a.db");
          await startTogether(path, commands);
          await checkOutcome(path, commands.length);
          assert.deepEqual(readdirSync(folder), ["a.db"]);
        });
      }
    });
  }
});
