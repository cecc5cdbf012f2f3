import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import { checkUpgrade } from "../../src/commands/upgrade-check.ts";
import { MIGRATION_NAMES } from "../../src/db/migrations/migrations.ts";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { addMigration, LATER } from "../support/later-migration.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { contents, makeSealed, MEANS } from "./fixture.ts";

async function linesOf(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await checkUpgrade(file, (line) => lines.push(line));
  return lines;
}

const drafts = (): readonly string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("holdfast-upgrade-"));

describe("checkUpgrade()", () => {
  test("upgrades a copy, and changes nothing beside the file", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const file = join(target.path, "backup");
    await backupDatabase(await makeSealed(data.path), file, MEANS);
    const before = contents(target.path);
    assert.match((await linesOf(file)).join("\n"), /this version changes nothing in it$/);
    using _ = addMigration();
    const last = MIGRATION_NAMES.at(-2);
    assert.match(
      (await linesOf(file)).join("\n"),
      new RegExp(`^copied \\d+ bytes.*\nthe schema is ${last}, .*\napplied ${LATER}\nthe database is sound`),
    );
    assert.deepEqual(contents(target.path), before);
    assert.deepEqual(drafts(), []);
  });

  test("refuses what is no database of the service, and a newer one", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const place = (name: string) => join(target.path, name);
    writeFileSync(place("text"), "not a database at all, and long enough to be read as one\n".repeat(200));
    writeFileSync(place("empty"), "");
    for (const name of ["text", "empty"]) {
      await assert.rejects(linesOf(place(name)), /is no database of this service/, name);
    }
    await assert.rejects(linesOf(place("nothing")), /There is no file/);
    await assert.rejects(linesOf(target.path), /There is no file/);
    await backupDatabase(await makeSealed(data.path), place("newer"), MEANS);
    {
      using _ = addMigration();
      await closeDatabase(await openDatabase(await openSqlite(place("newer"))));
    }
    await assert.rejects(linesOf(place("newer")), /a newer version wrote the database/);
    assert.deepEqual(drafts(), []);
  });
});
