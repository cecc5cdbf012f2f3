import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Broker } from "../../../src/tee/broker/broker-client.ts";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import { openTdxTee } from "../../../src/tee/tdx/tdx.ts";
import type { TdxTeeOptions } from "../../../src/tee/tdx/tdx.ts";
import { sealKeyIdOf } from "../../../src/vault/sealing-key.ts";
import { primitives } from "../../../src/runtime/crypto.ts";
import { random } from "../../support/broker.ts";
import { memoryKernel } from "../../support/configfs.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const REPORT = "/sys/kernel/config/tsm/report";
const BROKER: Broker = {
  url: "http://broker",
  publicKey: new Uint8Array(32).with(31, 1),
  workload: "holdfast",
};

function optionsOf(change: Partial<TdxTeeOptions>): TdxTeeOptions {
  return {
    reportPath: REPORT,
    sealingKeyFile: undefined,
    files: memoryKernel(REPORT).files,
    random,
    now: () => 1_800_000_000_000,
    wait: () => Promise.resolve(),
    log: () => {},
    ...change,
  };
}

async function assertRefused(opening: Promise<unknown>, code: string, message: RegExp): Promise<void> {
  await assert.rejects(opening, (error) => {
    assert.ok(error instanceof TeeStartError, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });
}

describe("openTdxTee()", () => {
  test("requires exactly one of a sealing key's file and a broker", async () => {
    using folder = temporaryFolder();
    const sealingKeyFile = join(folder.path, "key");
    writeFileSync(sealingKeyFile, random(32), { mode: 0o600 });
    const neither = openTdxTee(optionsOf({}));
    await assertRefused(neither, "key_file", /set TEE_SEALING_KEY_FILE or TEE_BROKER_URL/);
    const both = openTdxTee(optionsOf({ sealingKeyFile, broker: BROKER }));
    await assertRefused(both, "key_file", /unset TEE_SEALING_KEY_FILE or TEE_BROKER_URL/);
  });

  test("requests the key once, when it is first needed, and quotes the broker's message", async () => {
    let calls = 0;
    const post = (): Promise<{ status: number; body: Uint8Array }> => {
      calls++;
      return Promise.resolve({ status: 403, body: new Uint8Array() });
    };
    const tee = await openTdxTee(optionsOf({ broker: BROKER, post }));
    assert.deepEqual(tee.keySource, { name: "broker", survivesUpgrades: "if_allowed" });
    assert.ok((await tee.quote(random(64))).quote.length > 1020);
    assert.equal(calls, 0);
    await assertRefused(tee.sealingKey(), "broker", /status 403/);
    // The operator also sees the broker's message when the vault is opened.
    await assertRefused(sealKeyIdOf(tee, primitives), "broker", /status 403/);
    assert.equal(calls, 1);
  });
});
