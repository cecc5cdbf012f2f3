import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { diagnose } from "../../src/commands/diagnose.ts";
import { openConfiguredVaultToRead } from "../../src/commands/open/vault.ts";
import { testConfiguredSlots } from "../../src/commands/seal-list.ts";
import { closeDatabase } from "../../src/db/database.ts";
import { bundled, runtimes } from "../support/program.ts";
import { runsOf, seedOf } from "../support/share.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { addressesAfterStart, makeKey, makeSealed, MEANS, random } from "./fixture.ts";

const PROGRAM = new URL("./program/change-slots.ts", import.meta.url);
/** `npm run fuzz` kills 1,000 times, in five tests. */
const ALL = 200;
const KILLS = runsOf(ALL) === ALL ? ALL : 3;
/** Milliseconds of changes before a kill, at most. */
const LONGEST = 150;

for (let part = 1; part <= 5; part++) {
  test(
    `some slot opens the same addresses after each of ${ALL} kills during changes of slots, part ${part}`,
    { timeout: 600_000 },
    async () => {
      using data = temporaryFolder();
      using keys = temporaryFolder();
      const places = await makeSealed(data.path);
      const addresses = await addressesAfterStart(places);
      const files = [1, 2, 3].map((number) => makeKey(join(keys.path, String(number))));
      const config = { ...places, sealSources: files.map((path) => ({ name: "file", path }) as const) };
      const [command, ...values] = Object.values(runtimes())[0]!;
      let drawn = seedOf(part) >>> 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const child = spawn(command!, [...values, fileURLToPath(bundled(PROGRAM)), data.path, ...files]);
        const ended = once(child, "close");
        await once(child.stdout, "data");
        drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
        await delay(drawn % LONGEST);
        child.kill("SIGKILL");
        await ended;
        assert.equal(child.signalCode, "SIGKILL");
        const { slots, faults } = await testConfiguredSlots(config, random);
        assert.deepEqual(faults, []);
        assert.ok(slots.some(({ opens }) => opens === true), `no slot opens after kill ${kill}`);
        assert.ok(slots.every(({ opens }) => opens !== false));
        const { db, vault } = await openConfiguredVaultToRead(config, { random });
        const derived = [0, 1].map((index) =>
          `0x${vault.ethereumPublicKey("acct_1", index).address.toHex()}`
        );
        await closeDatabase(db);
        assert.deepEqual(derived, addresses.map((address) => address.toLowerCase()));
      }
      assert.deepEqual(await addressesAfterStart(config), addresses);
      assert.deepEqual((await diagnose(config, MEANS)).faults, []);
    },
  );
}
