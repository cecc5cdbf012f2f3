import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { connectUnix } from "../../../src/runtime/unix-socket.ts";
import { openDstackTee } from "../../../src/tee/dstack/dstack.ts";
import { isCompressedPoint } from "../../../src/tee/dstack/key-chain.ts";
import type { KmsPin } from "../../../src/tee/dstack/key-chain.ts";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import type { HardwareTee } from "../../../src/tee/hardware.ts";
import { inFolder } from "../../support/folder.ts";
import { kmsIdOf, kmsRootOf, startGuestAgent } from "../../support/guest-agent.ts";
import type { AgentBehaviour, AgentFault } from "../../support/guest-agent.ts";

/** Two KMS, and two applications on each. */
const [KMS, OTHER_KMS] = ["22".repeat(32), "23".repeat(32)];
const [APP, OTHER_APP] = ["11".repeat(20), "12".repeat(20)];

function pinOf(root: string, appId?: string): KmsPin {
  return {
    root: Uint8Array.fromHex(kmsRootOf(root)),
    appId: appId === undefined ? undefined : Uint8Array.fromHex(appId),
  };
}

/** Opens the TEE of an agent with this behaviour. */
async function openOver(behaviour: Partial<AgentBehaviour>, kms: KmsPin | undefined): Promise<HardwareTee> {
  return await inFolder(async (folder) => {
    const agent = await startGuestAgent(join(folder, "dstack.sock"), behaviour);
    const { socketPath } = agent;
    try {
      return await openDstackTee({
        socketPath,
        connect: connectUnix,
        api: "v0",
        kms,
        now: Date.now,
        log: () => {},
      });
    } finally {
      await agent.close();
    }
  });
}

async function assertRefused(
  behaviour: Partial<AgentBehaviour>,
  pin: KmsPin,
  says: RegExp,
): Promise<void> {
  await assert.rejects(openOver(behaviour, pin), (error) => {
    assert.ok(error instanceof TeeStartError, String(error));
    assert.equal(error.code, "key_source");
    assert.match(error.message, says);
    return true;
  });
}

describe("openDstackTee() with a pinned KMS", () => {
  test("accepts the key that the KMS issued for the application, and marks it as verified", async () => {
    for (const [root, appId] of [[KMS, APP], [KMS, OTHER_APP], [OTHER_KMS, APP]] as const) {
      for (const pin of [pinOf(root), pinOf(root, appId)]) {
        const { keyProvider } = await openOver({ root, appId }, pin);
        const verified = { root: kmsRootOf(root), appId };
        assert.deepEqual(keyProvider, { name: "kms", id: kmsIdOf(root), verified });
      }
    }
  });

  test("refuses the key of another KMS, of the same application", async () => {
    await assertRefused({ root: OTHER_KMS }, pinOf(KMS), /the pinned root .* did not issue its key/);
  });

  test("refuses the key that the same KMS issued for another application", async () => {
    await assertRefused(
      { appId: OTHER_APP },
      pinOf(KMS, APP),
      /belongs to the application 1212.*not to the pinned/,
    );
  });

  test("refuses a key provider that is not a KMS", async () => {
    await assertRefused({ keyProvider: "local-sgx" }, pinOf(KMS), /its key provider is local-sgx/);
  });

  const chains: readonly (readonly [AgentFault, RegExp])[] = [
    ["no_chain", /no signature chain/],
    ["half_chain", /did not issue/],
    ["long_chain", /no signature chain/],
    ["cut_chain", /no signature chain/],
    ["turned_chain", /did not issue/],
    ["foreign_key", /did not issue/],
  ];
  for (const [fault, says] of chains) {
    test(`refuses a reply to GetKey: ${fault}`, async () => {
      await assertRefused({ faults: { GetKey: fault } }, pinOf(KMS, APP), says);
    });
  }

  test("refuses an agent that does not name the issuer of its key", async () => {
    await assertRefused({ faults: { Info: "no_app_id" } }, pinOf(KMS), /does not name the application/);
  });

  test("requests no chain if none is pinned, and marks the key as not verified", async () => {
    for (const fault of ["no_chain", "turned_chain"] as const) {
      const { keyProvider } = await openOver({ faults: { GetKey: fault } }, undefined);
      assert.deepEqual(keyProvider, { name: "kms", id: kmsIdOf(KMS), verified: null });
    }
    const { keyProvider } = await openOver({ faults: { Info: "no_app_id" } }, undefined);
    assert.equal(keyProvider.verified, null);
  });
});

describe("isCompressedPoint()", () => {
  const root = Uint8Array.fromHex(kmsRootOf(KMS));

  test("returns true for a key, of either sign", () => {
    assert.equal(isCompressedPoint(root), true);
    assert.equal(isCompressedPoint(root.with(0, root[0]! ^ 1)), true);
  });

  const bad: Readonly<Record<string, Uint8Array>> = {
    "nothing": new Uint8Array(),
    "32 bytes": root.slice(1),
    "another prefix": root.with(0, 4),
    "zeros": new Uint8Array(33).with(0, 2),
    "a coordinate beyond the field": new Uint8Array(33).fill(0xff).with(0, 2),
    "a coordinate that no point has": new Uint8Array(33).with(0, 2).with(32, 5),
  };
  for (const [name, bytes] of Object.entries(bad)) {
    test(`returns false for ${name}`, () => assert.equal(isCompressedPoint(bytes), false));
  }
});
