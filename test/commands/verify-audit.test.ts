import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readHead } from "../../src/commands/verify-audit.ts";
import type { StorageConfig } from "../../src/commands/open/data-folder.ts";
import { editAudit } from "../support/hostile-file.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addAccount, configuredKey, contents, makeKey, makeSealed, started, useKey } from "./fixture.ts";
import { builtPrograms, runCommand, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };

async function addKeys(places: StorageConfig, id: string, keys: number): Promise<void> {
  await started(places, (openedVault) => addAccount(openedVault, id, keys));
}

function headIn(stdout: string): string {
  return /^head +(\d+:[0-9a-f]{64})$/m.exec(stdout)![1]!;
}

describe("readHead()", () => {
  test("reads the command's output, in either case", () => {
    const hash = "aB".repeat(32);
    assert.deepEqual(readHead(`12:${hash}`), { seq: 12, hash: Uint8Array.fromHex(hash) });
    assert.equal(readHead(`0:${"0".repeat(64)}`).seq, 0);
  });

  for (const text of ["", "1", "1:", `:${"a".repeat(64)}`, `01:${"a".repeat(64)}`, `-1:${"a".repeat(64)}`]) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => readHead(text), /--head must be ENTRY:HASH/);
      assert.throws(() => readHead(`1:${"a".repeat(63)}`), /--head must be ENTRY:HASH/);
      assert.throws(() => readHead(`1:${"a".repeat(65)}`), /--head must be ENTRY:HASH/);
      assert.throws(() => readHead(`1:${"g".repeat(64)}`), /--head must be ENTRY:HASH/);
    });
  }
});

for (const [name, program] of Object.entries(builtPrograms())) {
  describe(`holdfast verify-audit as ${titleOf(name)}`, () => {
    test("exits 0 for a valid log, prints its head and changes no byte", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      const before = contents(folder.path);
      const { code, stdout, stderr } = await runCommand(program, folder.path, "verify-audit");
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(
        stdout,
        /^sound entries {2}\d+\nhead {11}\d+:[0-9a-f]{64}\nno head was given.*\nall is well\n$/,
      );
      const compared = await runCommand(program, folder.path, "verify-audit", "--head", headIn(stdout));
      assert.equal(compared.code, 0);
      assert.match(compared.stdout, /all is well\n$/);
      assert.doesNotMatch(compared.stdout, /no head was given/);
      assert.deepEqual(contents(folder.path), before);
      await addKeys(places, "acct_2", 1);
      assert.equal(
        (await runCommand(program, folder.path, "verify-audit", "--head", headIn(stdout))).code,
        0,
      );
    });

    test("exits 1 and names the first entry that was changed or removed", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      await addKeys(places, "acct_2", 3);
      const { stdout: sound } = await runCommand(program, folder.path, "verify-audit");
      editAudit(places.databasePath, `update audit_event set subject = 'key_x' where seq = 3`);
      const changed = await runCommand(program, folder.path, "verify-audit", "--head", headIn(sound));
      assert.equal(changed.code, 1);
      assert.match(changed.stdout, /^sound entries {2}2\n/);
      assert.match(changed.stdout, /^fault: the audit log is broken: entry 3 is altered\n/m);
      assert.match(changed.stdout, /^fault: the given head at entry \d+ is after the fault/m);
      editAudit(places.databasePath, `delete from audit_event where seq = 2`);
      const removed = await runCommand(program, folder.path, "verify-audit");
      assert.equal(removed.code, 1);
      assert.match(removed.stdout, /^fault: the audit log is broken: entry 2 is missing\n/m);
      assert.doesNotMatch(removed.stdout, /all is well/);
    });

    test("detects a truncated or restored log only by a stored head", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      const copy = join(folder.path, "copy");
      copyFileSync(places.databasePath, copy);
      await addKeys(places, "acct_2", 3);
      const kept = headIn((await runCommand(program, folder.path, "verify-audit")).stdout);
      const compare = () => runCommand(program, folder.path, "verify-audit", "--head", kept);
      editAudit(places.databasePath, `delete from audit_event where seq = ${Number.parseInt(kept)}`);
      assert.equal((await runCommand(program, folder.path, "verify-audit")).code, 0);
      const cut = await compare();
      assert.equal(cut.code, 1);
      assert.match(
        cut.stdout,
        /^fault: entries (\d+) to \1 of the audit log are missing: the log was cut off/m,
      );
      copyFileSync(copy, places.databasePath);
      assert.equal((await compare()).code, 1);
      await addKeys(places, "acct_3", 9);
      assert.equal((await runCommand(program, folder.path, "verify-audit")).code, 0);
      const replaced = await compare();
      assert.equal(replaced.code, 1);
      assert.match(
        replaced.stdout,
        /^fault: entry \d+ of the audit log does not match the given head: this is another log/m,
      );
    });

    test("exits 2 for another sealing key, no database and invalid arguments", TIMEOUT, async () => {
      using folder = temporaryFolder();
      for (const list of [[], ["--head", "1:ff"], ["--head"], ["now"], ["--json"]]) {
        const { code, stdout, stderr } = await runCommand(program, folder.path, "verify-audit", ...list);
        assert.deepEqual([code, stdout], [2, ""], list.join(" "));
        assert.match(stderr, /^holdfast: /);
      }
      assert.deepEqual(contents(folder.path), {});
      const places = await makeSealed(folder.path);
      useKey(places, makeKey(join(folder.path, "other")));
      const before = contents(folder.path);
      const { code, stderr } = await runCommand(program, folder.path, "verify-audit");
      assert.equal(code, 2);
      assert.ok(stderr.includes(configuredKey(places)), stderr);
      assert.deepEqual(contents(folder.path), before);
    });
  });
}
