import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { verifyLogFromCheckpoint } from "../../src/audit/log-scrubber.ts";
import { recordFault } from "../../src/audit/rollback.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addAccount, contents, makeKey, makeSealed, NOW, started, useKey } from "./fixture.ts";
import { builtPrograms, runCommand, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };

/** Edits the closed file like an attacker with write access, without a change of its schema. */
function edit({ databasePath }: StorageConfig, ...statements: readonly string[]): void {
  const raw = new DatabaseSync(databasePath);
  const triggers = raw.prepare("select name, sql from sqlite_schema where type = 'trigger'").all();
  for (const { name } of triggers) raw.exec(`drop trigger ${name}`);
  for (const statement of statements) raw.exec(statement);
  for (const { sql } of triggers) raw.exec(String(sql));
  raw.close();
}

/** Starts, and returns the fault of the log, which the start records. */
async function start(places: StorageConfig): Promise<string | undefined> {
  return await started(places, async ({ db, vault }) => {
    await verifyLogFromCheckpoint(db, vault);
    await recordFault(db, vault, NOW);
    return watchOf(db).fault?.reason;
  });
}

const NEXT = { account: 5 };

/** Returns true if the log takes entries again after a start. */
async function goesOn(places: StorageConfig): Promise<boolean> {
  return await started(places, async (openedVault) => {
    await verifyLogFromCheckpoint(openedVault.db, openedVault.vault);
    await addAccount(openedVault, `acct_${NEXT.account++}`, 1);
    return watchOf(openedVault.db).fault === undefined;
  });
}

for (const [name, program] of Object.entries(builtPrograms())) {
  describe(`holdfast acknowledge-rollback as ${titleOf(name)}`, () => {
    test("lets a service with a truncated log continue, and states the recorded fault", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      assert.equal(await start(places), undefined);
      edit(places, "delete from audit_event where seq > 1");
      assert.equal(await start(places), "cut");
      await assert.rejects(goesOn(places), /it ends before entry 3/);
      const { code, stdout, stderr } = await runCommand(program, folder.path, "acknowledge-rollback");
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(
        stdout,
        /^noticed {7}it ends before entry 3.*\naudit log {5}valid up to entry 2\nacknowledged {2}in entry 3, .*\n$/,
      );
      assert.equal(await goesOn(places), true);
    });

    test("accepts a log that stays broken, up to that entry", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      edit(places, "update audit_event set at = 0 where seq = 1", "delete from audit_checkpoint");
      const { code, stdout } = await runCommand(program, folder.path, "acknowledge-rollback");
      assert.equal(code, 0);
      assert.match(stdout, /^noticed {7}nothing\naudit log {5}not valid from entry 1 to 3: accepted/);
      assert.equal(await goesOn(places), true);
      const verified = await runCommand(program, folder.path, "verify-audit");
      assert.equal(verified.code, 0, verified.stdout);
      assert.match(verified.stdout, /^but {12}entries 1 to 3 are not valid; .* in entry 4$/m);
      const looked = await runCommand(program, folder.path, "doctor");
      assert.match(looked.stdout, /^audit log {10}\d entries, sound; but entries 1 to 3 .* in entry 4$/m);
      const backup = `${folder.path}/backup.db`;
      assert.equal((await runCommand(program, folder.path, "backup", backup)).code, 0);
      const restored = await runCommand(program, folder.path, "restore", backup, "--dry-run");
      assert.equal(restored.code, 0, restored.stderr);
    });

    test("refuses arguments and another sealing key, and then changes no byte", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      const before = contents(folder.path);
      const { code } = await runCommand(program, folder.path, "acknowledge-rollback", "--force");
      assert.deepEqual([code, contents(folder.path)], [2, before]);
      using aside = temporaryFolder();
      useKey(places, makeKey(`${aside.path}/key`));
      assert.equal((await runCommand(program, folder.path, "acknowledge-rollback")).code, 2);
      assert.equal(contents(folder.path)["holdfast.db"], before["holdfast.db"]);
    });
  });
}
