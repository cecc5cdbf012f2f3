import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { getPublicKey, recoverPublicKey } from "@noble/secp256k1";
import { concat } from "../../../src/lib/bytes.ts";
import { connectUnix } from "../../../src/runtime/unix-socket.ts";
import { AttestationError, decodeAttestation } from "../../../src/tee/dstack/attestation.ts";
import { type DstackTeeOptions, openDstackTee } from "../../../src/tee/dstack/dstack.ts";
import { claimOfV1 } from "../../../src/tee/dstack/key-chain.ts";
import { TeeStartError } from "../../../src/tee/hardware.ts";
import { parseQuote } from "../../../src/tee/quote/parse.ts";
import { sealingKeysOf, TeeUnavailableError } from "../../../src/tee/tee.ts";
import { inFolder } from "../../support/folder.ts";
import {
  type AgentBehaviour,
  type AgentFault,
  deriveV1Key,
  type GuestAgent,
  kmsRootOf,
  startGuestAgent,
} from "../../support/guest-agent.ts";

const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);
const ROOT = "22".repeat(32);

async function withAgent(
  behaviour: Partial<AgentBehaviour>,
  job: (agent: GuestAgent, options: DstackTeeOptions) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const agent = await startGuestAgent(join(folder, "dstack.sock"), behaviour);
    let time = 0;
    try {
      await job(agent, {
        socketPath: agent.socketPath,
        connect: connectUnix,
        api: "v1",
        kms: undefined,
        now: () => time,
        wait: (milliseconds) => Promise.resolve(time += milliseconds),
        log: () => {},
      });
    } finally {
      await agent.close();
    }
  });
}

// The vectors of dstack's specification of the guest API v1.
describe("the guest API v1", () => {
  const appKey = Uint8Array.fromHex("1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b");
  const publicKey = Uint8Array.fromHex("03d962450a41748021c8b02787ac36ce642ff0ae25f4c55019eb527e1112cfd764");

  test("derives the published keys", () => {
    const keys = ["", "storage-encryption", "a/b/c"].map((domain) =>
      deriveV1Key(appKey, domain, "secp256k1").toHex()
    );
    assert.deepEqual(keys, [
      "59f60584ce6fd2a3a31997256db9d77322463fc8a6b1520110401bcb1ee92387",
      "5510330f86902ddae38c6d89c93a8408019332c17a429e1abd01c4a28d1544a6",
      "7f0973449298085d2d36a3b4c4d3243c100ba1981ffa885fe9e9dee883e69538",
    ]);
  });

  test("signs the published claim with the application's key", () => {
    const claim = claimOfV1({ algorithm: "secp256k1", domain: "storage-encryption", publicKey });
    const link = Uint8Array.fromHex(
      "5b6193729ce7976ec67863f21692d4b98c69832698aae8e001a7d33a6f818b6e" +
        "46ca950725b6e90e8ca9bcf394abd03ce264bf9b7eec1e91693247f9dd53c269",
    );
    const signer = recoverPublicKey(concat(Uint8Array.of(1), link), keccak_256(claim), { prehash: false });
    assert.equal(signer.toHex(), getPublicKey(appKey, true).toHex());
  });
});

describe("openDstackTee() with API v1", () => {
  test("asks for a key by its domain, and for an attestation, below /v1", async () => {
    await withAgent({}, async (agent, options) => {
      const tee = await openDstackTee(options);
      assert.deepEqual(agent.requests.map(({ method }) => method), ["v1/Info", "v1/GetKey", "v1/Attest"]);
      assert.deepEqual(JSON.parse(agent.requests[1]!.body), {
        domain: "holdfast/seal/v1",
        algorithm: "secp256k1",
      });
      assert.deepEqual(sealingKeysOf(tee).map(({ source, api }) => `${source} ${api}`), [
        "dstack v1",
        "dstack v0",
      ]);
    });
  });

  test("gives another key than API v0, whose key is the earlier one", async () => {
    await withAgent({}, async (_agent, options) => {
      const [v1, v0] = sealingKeysOf(await openDstackTee(options));
      const keys = [await v1.sealingKey(), await v0!.sealingKey()].map((key) => key.toHex());
      assert.notEqual(keys[0], keys[1]);
      const earlier = await openDstackTee({ ...options, api: "v0" });
      assert.equal((await earlier.sealingKey()).toHex(), keys[1]);
      assert.equal(earlier.earlierKey, undefined);
    });
  });

  test("gives another key after the epoch advanced, in each version", async () => {
    await withAgent({}, async (agent, options) => {
      const keysOf = async (): Promise<string[]> => {
        const keys = sealingKeysOf(await openDstackTee(options));
        return await Promise.all(keys.map(async (key) => (await key.sealingKey()).toHex()));
      };
      const before = await keysOf();
      agent.behave({ epoch: 1 });
      const after = await keysOf();
      assert.equal(new Set([...before, ...after]).size, 4);
      agent.behave({ epoch: 0 });
      assert.deepEqual(await keysOf(), before);
    });
  });

  test("verifies the chain of the key up to the pinned KMS and application", async () => {
    const kms = { root: Uint8Array.fromHex(kmsRootOf(ROOT)), appId: new Uint8Array(20).fill(0x11) };
    await withAgent({}, async (agent, options) => {
      const { keyProvider } = await openDstackTee({ ...options, kms });
      assert.deepEqual(keyProvider.verified, { root: kmsRootOf(ROOT), appId: "11".repeat(20) });
      for (const fault of ["foreign_key", "turned_chain", "no_chain"] as const) {
        agent.behave({ faults: { "v1/GetKey": fault } });
        await assert.rejects(openDstackTee({ ...options, kms }), { code: "key_source" }, fault);
      }
      agent.behave({ faults: {}, root: "33".repeat(32) });
      await assert.rejects(openDstackTee({ ...options, kms }), { code: "key_source" });
    });
  });

  test("says that an agent without v1 has none", async () => {
    await withAgent({ apis: ["v0"] }, async (_agent, options) => {
      await assert.rejects(openDstackTee(options), (error) => {
        assert.ok(error instanceof TeeStartError);
        assert.match(error.message, /no guest API v1; unset TEE_DSTACK_API/);
        return true;
      });
    });
  });

  for (const attestation of ["scale", "msgpack"] as const) {
    test(`quotes over the report data, with the event log: ${attestation}`, async () => {
      await withAgent({ attestation }, async (_agent, options) => {
        const { quote, eventLog } = await (await openDstackTee(options)).quote(REPORT_DATA);
        assert.deepEqual(parseQuote(quote).report.reportData, REPORT_DATA);
        const v0 = await (await openDstackTee({ ...options, api: "v0" })).quote(REPORT_DATA);
        const events = (text: string) =>
          (JSON.parse(text) as Record<string, unknown>[]).map(({ imr, event, event_payload }) => [
            imr,
            event,
            event_payload,
          ]);
        assert.deepEqual(events(eventLog!), events(v0.eventLog!));
      });
    });
  }

  const WRONG: readonly AgentFault[] = [
    "empty_attestation",
    "cut_attestation",
    "other_platform",
    "other_version",
    "error_400",
    "html",
    "drop",
  ];
  for (const wrong of WRONG) {
    test(`has no quote while the agent's attestation is wrong: ${wrong}`, async () => {
      await withAgent({}, async (agent, options) => {
        const tee = await openDstackTee(options);
        agent.behave({ faults: { "v1/Attest": wrong } });
        await assert.rejects(tee.quote(REPORT_DATA), TeeUnavailableError);
      });
    });
  }

  test("names the platform of an attestation without a TDX quote", async () => {
    await withAgent({ faults: { "v1/Attest": "other_platform" } }, async (_agent, options) => {
      await assert.rejects(openDstackTee(options), /this platform is not TDX/);
    });
  });
});

describe("decodeAttestation()", () => {
  test("throws AttestationError for any cut or changed encoding, and nothing else", () => {
    const scale = Uint8Array.of(0, 0, 8, 1, 2, 4, 3, 0, 0, 0, 1, 0, 0, 8, 4, 7, 4, 0x61, 4, 9);
    assert.deepEqual(decodeAttestation(scale).quote, Uint8Array.of(1, 2));
    for (let length = 0; length < scale.length; length++) {
      assert.throws(() => decodeAttestation(scale.subarray(0, length)), AttestationError, String(length));
    }
    for (let index = 0; index < scale.length; index++) {
      for (const value of [0, 1, 3, 0x7f, 0xff]) {
        try {
          decodeAttestation(scale.with(index, value));
        } catch (error) {
          assert.ok(error instanceof AttestationError, `${index} ${value}: ${error}`);
        }
      }
    }
  });
});
