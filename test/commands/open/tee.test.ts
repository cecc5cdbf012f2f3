import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { openTee } from "../../../src/commands/open/tee.ts";
import type { TeeConfig } from "../../../src/commands/open/tee.ts";
import { readConfig } from "../../../src/config/config.ts";
import type { Environment } from "../../../src/config/config.ts";
import { startGuestAgent } from "../../support/guest-agent.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { contents, makeKey, random } from "../fixture.ts";

const MAKE = { absentKey: "make", random } as const;

/** Returns a configuration whose hardware, if any, is in a folder, independent of the test machine. */
function configIn(folder: string, environment: Environment = {}): TeeConfig {
  return readConfig({
    DATA_DIR: folder,
    TEE_DSTACK_SOCKET: join(folder, "agent.sock"),
    TEE_TSM_PATH: join(folder, "report"),
    ...environment,
  });
}

describe("openTee()", () => {
  test("uses a simulated TEE if there is no real one, on localhost", async () => {
    for (const BASE_URL of ["", "http://localhost:3000", "https://wallet.localhost"]) {
      using folder = temporaryFolder();
      const { tee, keySource } = await openTee(configIn(folder.path, { BASE_URL }), MAKE);
      assert.deepEqual([tee.provider, tee.inTee, keySource.name], ["simulated", false, "file"]);
    }
  });

  for (const tee of ["auto", "simulated"] as const) {
    test(`refuses to simulate for an origin that is not on localhost, and creates no key: ${tee}`, async () => {
      using folder = temporaryFolder();
      for (const baseUrl of ["https://keys.example.com", "http://notlocalhost", "http://localhost.example"]) {
        await assert.rejects(openTee({ ...configIn(folder.path), tee, baseUrl }, MAKE), {
          name: "StartRefusal",
          message: /only for localhost/,
        });
      }
      assert.deepEqual(contents(folder.path), {});
    });
  }

  test("refuses to simulate if there is a guest agent, which auto uses", async () => {
    using folder = temporaryFolder();
    const agent = await startGuestAgent(join(folder.path, "agent.sock"));
    mkdirSync(join(folder.path, "report"));
    await assert.rejects(openTee(configIn(folder.path, { TEE: "simulated" }), MAKE), {
      name: "StartRefusal",
      message: /There is a real TEE \(dstack\)/,
    });
    const { tee, keySource } = await openTee(configIn(folder.path), MAKE);
    assert.deepEqual([tee.provider, tee.inTee], ["dstack", true]);
    assert.deepEqual(keySource, { name: "kms", survivesUpgrades: "yes", place: agent.socketPath });
    await agent.close();
  });

  test("refuses to simulate if there is configfs-tsm, which auto uses with a key file", async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, "report"));
    await assert.rejects(openTee(configIn(folder.path, { TEE: "simulated" }), MAKE), {
      name: "StartRefusal",
      message: /There is a real TEE \(tdx\)/,
    });
    await assert.rejects(openTee(configIn(folder.path), MAKE), { message: /set TEE_SEALING_KEY_FILE/ });
    // A plain folder without a kernel.
    const TEE_SEALING_KEY_FILE = makeKey(join(folder.path, "key"));
    await assert.rejects(openTee(configIn(folder.path, { TEE_SEALING_KEY_FILE }), MAKE), {
      code: "unreachable",
    });
  });
});
