import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { lockDatabase } from "../../src/commands/open/database-lock.ts";
import { insertRow } from "../../src/store/write.ts";
import { samplesOf } from "../store/sample.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addressesAfterStart, contents, makeSealed, MEANS, started } from "./fixture.ts";
import { builtPrograms, runCommand, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };

for (const [name, program] of Object.entries(builtPrograms())) {
  describe(`holdfast repair-account as ${titleOf(name)}`, () => {
    test("shows what does not add up, and repairs it with --yes only", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      const addresses = await addressesAfterStart(places);
      const raw = new DatabaseSync(places.databasePath);
      raw.exec("delete from ethereum_key where key_index = 1");
      raw.close();
      const shown = await runCommand(program, folder.path, "repair-account", "acct_1");
      assert.deepEqual([shown.code, shown.stderr], [0, ""]);
      assert.match(
        shown.stdout,
        /^ethereum_key {9}DOES NOT ADD UP: 1 stored, 1 missing, 0 removed or unknown, 2 after the repair$/m,
      );
      assert.match(shown.stdout, /^session {14}adds up: 0 stored, 0 after the repair$/m);
      assert.match(
        shown.stdout,
        /The address is kept; the account is enabled\nNothing was changed: --yes .*\n$/,
      );
      assert.deepEqual((await addressesAfterStart(places)).length, 1);
      const lock = lockDatabase(places, "use");
      const refused = await runCommand(program, folder.path, "repair-account", "acct_1", "--yes");
      lock.release();
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /is in use: stop the service/);
      const repaired = await runCommand(program, folder.path, "repair-account", "acct_1", "--yes");
      assert.equal(repaired.code, 0, repaired.stderr);
      assert.match(repaired.stdout, /\nRepaired\n$/);
      assert.deepEqual(await addressesAfterStart(places), addresses);
      const looked = await runCommand(program, folder.path, "doctor");
      assert.match(looked.stdout, /^all is well$/m);
    });

    test("repairs the service, whose kinds doctor names", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      await started(places, async ({ db, vault }) => {
        const { plain } = await samplesOf(db, "invitation");
        const authority = createRowAuthority(vault, () => MEANS.now);
        await insertRow(db, authority, "invitation", plain(60) as never);
      });
      const service = ["repair-account", "service"];
      const sound = await runCommand(program, folder.path, ...service, "--yes");
      assert.deepEqual([sound.code, sound.stdout], [2, ""]);
      assert.match(sound.stderr, /rows of this owner add up: there is nothing to repair/);
      const raw = new DatabaseSync(places.databasePath);
      raw.exec("delete from invitation");
      raw.close();
      const doctor = await runCommand(program, folder.path, "doctor");
      assert.match(doctor.stdout, /^fault: rows of invitation of service are missing/m);
      const shown = await runCommand(program, folder.path, ...service);
      assert.deepEqual([shown.code, shown.stderr], [0, ""]);
      assert.match(shown.stdout, /^invitation {11}DOES NOT ADD UP: 0 stored, 0 after the repair$/m);
      const repaired = await runCommand(program, folder.path, ...service, "--yes");
      assert.match(repaired.stdout, /\nRepaired\n$/);
      const after = await runCommand(program, folder.path, "doctor");
      assert.match(after.stdout, /^all is well$/m);
    });

    test("changes nothing of a broker's keys, but names the page", TIMEOUT, async () => {
      using folder = temporaryFolder();
      const places = await makeSealed(folder.path);
      await started(places, async ({ db, vault }) => {
        const { plain } = await samplesOf(db, "release_key");
        const authority = createRowAuthority(vault, () => MEANS.now);
        await insertRow(db, authority, "release_key", plain(60) as never);
        await db.deleteFrom("release_key").execute();
      });
      const refused = await runCommand(program, folder.path, "repair-account", "service", "--yes");
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /rows of release_key cannot be repaired: .*repair-account\.md/);
      assert.match(refused.stdout, /Nothing was changed/);
    });

    test("refuses an unknown account, one that adds up and no account", TIMEOUT, async () => {
      using folder = temporaryFolder();
      await makeSealed(folder.path);
      const before = contents(folder.path);
      for (
        const [list, said] of [
          [["acct_9", "--yes"], /knows no such account/],
          [["acct_1", "--yes"], /there is nothing to repair/],
          [["--yes"], /OWNER is missing/],
        ] as const
      ) {
        const { code, stderr } = await runCommand(program, folder.path, "repair-account", ...list);
        assert.equal(code, 2);
        assert.match(stderr, said);
      }
      assert.equal(contents(folder.path)["holdfast.db"], before["holdfast.db"]);
    });
  });
}
