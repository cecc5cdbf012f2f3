import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { temporaryFolder } from "../support/temporary.ts";
import { addressesAfterStart, configuredKey, contents, makeKey, makeSealed, useKey } from "./fixture.ts";
import { programs, rowsFor, runCommand, skipReason, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };

for (const [name, program] of Object.entries(programs())) {
  describe(`holdfast as ${titleOf(name)}`, { skip: skipReason(program) }, () => {
    test("prints help and its version, without a configuration, and exits 0", TIMEOUT, async () => {
      using folder = temporaryFolder();
      for (const option of ["help", "--help", "-h"]) {
        const { code, stdout, stderr } = await runCommand(program, folder.path, option);
        assert.deepEqual([code, stderr], [0, ""]);
        for (const command of ["serve", "doctor", "derive", "backup FILE", "restore FILE", "reseal"]) {
          assert.ok(stdout.includes(`\n  ${command}`), stdout);
        }
      }
      const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
      assert.equal((await runCommand(program, folder.path, "--version")).stdout, `holdfast ${version}\n`);
      assert.match(
        (await runCommand(program, folder.path, "derive", "--help")).stdout,
        /^usage: holdfast derive /,
      );
      assert.deepEqual(contents(folder.path), {});
    });

    const REFUSED = [
      ["nope"],
      ["toString"],
      ["--nope"],
      ["serve", "--port", "1"],
      ["serve", "now"],
      ["derive", "--account", "a"],
      ["derive", "--account", "a", "--index", "-1"],
      ["derive", "--account", "a", "--index", "4294967295", "--count", "2"],
      ["doctor", "--verbose"],
      ["doctor", "now"],
      ["doctor", "--json", "--expect"],
      ["backup"],
      ["backup", "a", "b"],
      ["backup", "--force", "a"],
      ["restore"],
      ["restore", "/nowhere/backup"],
      ["upgrade-check"],
      ["upgrade-check", "/nowhere/backup"],
      ["reseal", "--from", "configured"],
      ["reseal", "--from", "configured", "--to", "file:/x", "--force"],
    ];
    test("refuses invalid calls with exit 2 and a message", TIMEOUT, async () => {
      using folder = temporaryFolder();
      for (const list of rowsFor(name, REFUSED)) {
        const { code, stdout, stderr } = await runCommand(program, folder.path, ...list);
        assert.deepEqual([code, stdout], [2, ""], list.join(" "));
        assert.match(stderr, /^holdfast: .+\n/);
        assert.ok(!stderr.includes("    at "), stderr);
      }
      assert.deepEqual(contents(folder.path), {});
    });

    test("derives, reseals, and derives the same with the new key", TIMEOUT, async () => {
      using folder = temporaryFolder();
      using keys = temporaryFolder();
      const places = await makeSealed(folder.path);
      const addresses = await addressesAfterStart(places);
      const newKey = makeKey(join(keys.path, "new"));
      const oldKey = join(keys.path, "old");
      copyFileSync(configuredKey(places), oldKey);
      const derive = ["derive", "--account", "acct_1", "--index", "0", "--count=2"];
      const lines = addresses.map((address, index) => `${index} ${address}\n`).join("");
      assert.equal((await runCommand(program, folder.path, ...derive)).stdout, lines);

      const reseal = ["reseal", "--from", "configured", "--to", `file:${newKey}`];
      const dry = await runCommand(program, folder.path, ...reseal, "--dry-run");
      assert.deepEqual([dry.code, dry.stderr], [0, ""]);
      assert.match(dry.stdout, /\ndry run: /);
      assert.equal((await runCommand(program, folder.path, ...derive)).code, 0);
      const written = await runCommand(program, folder.path, ...reseal);
      assert.deepEqual([written.code, written.stderr], [0, ""]);
      assert.match(written.stdout, /\nresealed: /);

      const refused = await runCommand(program, folder.path, ...derive);
      assert.deepEqual([refused.code, refused.stdout], [2, ""]);
      assert.match(refused.stderr, /is not the one that sealed/);
      useKey(places, newKey);
      assert.equal((await runCommand(program, folder.path, ...derive)).stdout, lines);
    });
  });
}

test("docs/reference/commands.md has every command, and no other", async () => {
  const page = readFileSync(new URL("../../docs/reference/commands.md", import.meta.url), "utf8");
  using folder = temporaryFolder();
  const [program] = Object.values(programs());
  const { stdout } = await runCommand(program!, folder.path, "help");
  const commands = [...stdout.matchAll(/^ {2}([a-z-]+)/gm)].map(([, command]) => command!);
  assert.ok(commands.includes("serve") && commands.length >= 6, stdout);
  const documented = [...page.matchAll(/^\| `holdfast ([a-z-]+)/gm)].map(([, command]) => command!);
  // A command such as `seal` has several rows.
  assert.deepEqual([...new Set(documented)].toSorted(), [...new Set(commands)].toSorted());
});
