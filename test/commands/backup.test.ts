import assert from "node:assert/strict";
import { readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { backupDatabase } from "../../src/commands/backup.ts";
import { openConfiguredVault } from "../../src/commands/open/vault.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { readSealKeyIds } from "../../src/runtime/sqlite/open.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addAccount, contents, makeSealed, MEANS, placesIn, useKey } from "./fixture.ts";

describe("backupDatabase()", () => {
  test("writes one private file with all data, including the log of a running service", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const places = await makeSealed(data.path);
    const running = await openConfiguredVault(places, MEANS);
    await addAccount(running, "acct_2", 3);
    const file = join(target.path, "backup");
    const result = await backupDatabase(places, file, MEANS);
    const sealed = await running.db.selectFrom("seal_slot").selectAll().executeTakeFirstOrThrow();
    const head = await running.db.selectFrom("audit_event").selectAll().orderBy("seq", "desc")
      .executeTakeFirstOrThrow();
    await closeDatabase(running.db);
    assert.deepEqual(readdirSync(target.path), ["backup"]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(result, {
      bytes: statSync(file).size,
      sealKeyIds: [sealed.seal_key_id],
      auditEntries: head.seq,
      auditHead: `${head.seq}:${head.hash.toHex()}`,
    });
    assert.deepEqual(await readSealKeyIds(file), { sealKeyIds: [sealed.seal_key_id] });
    assert.deepEqual(readdirSync(target.path), ["backup"]);
  });

  test("changes no byte of the database and needs no sealing key", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const places = await makeSealed(data.path);
    useKey(places, undefined);
    const before = contents(data.path);
    await backupDatabase(places, join(target.path, "backup"), MEANS);
    assert.deepEqual(contents(data.path), before);
  });

  test("replaces nothing: no file, no dangling link, no folder", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const places = await makeSealed(data.path);
    writeFileSync(join(target.path, "file"), "mine");
    symlinkSync("nowhere", join(target.path, "link"));
    const before = contents(data.path);
    for (const name of ["file", "link", "."]) {
      await assert.rejects(backupDatabase(places, join(target.path, name), MEANS), /already exists/);
    }
    await assert.rejects(backupDatabase(places, places.databasePath, MEANS), /already exists/);
    assert.deepEqual(readdirSync(target.path).sort(), ["file", "link"]);
    assert.deepEqual(contents(data.path), before);
  });

  test("reports a missing target folder", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const places = await makeSealed(data.path);
    const file = join(target.path, "none", "backup");
    await assert.rejects(backupDatabase(places, file, MEANS), {
      name: "StartRefusal",
      message: `There is no folder ${join(target.path, "none")} for backup: create it first`,
    });
    assert.deepEqual(readdirSync(target.path), []);
  });

  test("does not replace a file created meanwhile, and leaves no other", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const places = await makeSealed(data.path);
    const file = join(target.path, "backup");
    let drawn = 0;
    const random = (length: number): Uint8Array => {
      if (drawn++ === 0) writeFileSync(file, "faster");
      return MEANS.random(length);
    };
    await assert.rejects(backupDatabase(places, file, { random }), /already exists/);
    assert.equal(statSync(file).size, "faster".length);
    assert.deepEqual(readdirSync(target.path), ["backup"]);
  });

  test("refuses a missing database, and creates none", async () => {
    using data = temporaryFolder();
    using target = temporaryFolder();
    const file = join(target.path, "backup");
    await assert.rejects(backupDatabase(placesIn(data.path), file, MEANS), /There is no database/);
    const places = await makeSealed(data.path);
    rmSync(places.databasePath);
    await assert.rejects(backupDatabase(places, file, MEANS), /empty or missing/);
    await assert.rejects(backupDatabase({ ...places, databasePath: ":memory:" }, file, MEANS), /in memory/);
    assert.deepEqual(readdirSync(target.path), []);
  });
});
