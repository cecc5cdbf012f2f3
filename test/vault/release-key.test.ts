import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createDecipheriv, createPrivateKey, createPublicKey, hkdfSync } from "node:crypto";
import { describe, test } from "node:test";
import { utf8 } from "../../src/lib/bytes.ts";
import { isSignedBy } from "../../src/tee/broker/broker-protocol.ts";
import { SealError } from "../../src/vault/error.ts";
import type { ReleaseWrapping } from "../../src/vault/release-key.ts";
import { createTestVault } from "../support/vault.ts";

function wrapping(byte = 1): ReleaseWrapping {
  return {
    key: new Uint8Array(32).fill(byte),
    nonce: new Uint8Array(12).fill(byte),
    additionalData: utf8("report data"),
  };
}

function unwrap(ciphertext: Uint8Array, { key, nonce, additionalData }: ReleaseWrapping): Uint8Array {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce);
  decipher.setAAD(additionalData);
  decipher.setAuthTag(ciphertext.subarray(32));
  const plaintext = new Uint8Array(decipher.update(ciphertext.subarray(0, 32)));
  decipher.final();
  return plaintext;
}

describe("the vault of a broker", () => {
  test("has one identity for its seed, and another for another seed", async () => {
    // Guests pin this key, so it must never change.
    const golden = "Nppv_UcycO-oTAVZCCDFrUxP9iHr6vP-h1gG5RG09Gw";
    const key = await createTestVault().brokerPublicKey();
    assert.equal(key.toBase64({ alphabet: "base64url", omitPadding: true }), golden);
    const secret = hkdfSync("sha256", new Uint8Array(32).fill(7), "holdfast", "broker-identity/v1", 32);
    const pkcs8 = Buffer.concat([
      Buffer.from("302e020100300506032b657004220420", "hex"),
      Buffer.from(secret),
    ]);
    const spki = createPublicKey(createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" }))
      .export({ format: "der", type: "spki" });
    assert.deepEqual(new Uint8Array(spki).slice(12), key);
    assert.notDeepEqual(await createTestVault(8).brokerPublicKey(), key);
  });

  test("signs what the identity verifies, and nothing else", async () => {
    const vault = createTestVault();
    const key = await vault.brokerPublicKey();
    const signature = await vault.signAsBroker(utf8("transcript"));
    assert.equal(isSignedBy(key, utf8("transcript"), signature), true);
    assert.equal(isSignedBy(key, utf8("transcripT"), signature), false);
    assert.equal(isSignedBy(key, utf8("transcript"), signature.subarray(1)), false);
    assert.equal(
      isSignedBy(await createTestVault(8).brokerPublicKey(), utf8("transcript"), signature),
      false,
    );
    assert.equal(isSignedBy(new Uint8Array(32), utf8("transcript"), new Uint8Array(64)), false);
  });

  test("wraps a key so that only the wrapping key opens it, and the same each time", async () => {
    const vault = createTestVault();
    const key = { workload: "holdfast", sealed: vault.makeReleaseKey("holdfast") };
    const [one, two] = [wrapping(1), wrapping(2)];
    const opened = unwrap(await vault.wrapReleaseKey(key, one), one);
    assert.deepEqual(unwrap(await vault.wrapReleaseKey(key, two), two), opened);
    assert.ok(!key.sealed.toHex().includes(opened.toHex()));
    const other = { ...key, sealed: vault.makeReleaseKey("holdfast") };
    assert.notDeepEqual(unwrap(await vault.wrapReleaseKey(other, one), one), opened);
  });

  test("wraps another key for another workload, vault or purpose", async () => {
    const vault = createTestVault();
    const sealed = vault.makeReleaseKey("holdfast");
    const others = [
      { workload: "other", sealed },
      { workload: "holdfast", sealed: createTestVault(8).makeReleaseKey("holdfast") },
      {
        workload: "holdfast",
        sealed: vault.seal("release-key", [utf8("holdfast")], new Uint8Array(32)),
      },
      { workload: "holdfast", sealed: sealed.with(40, sealed[40]! ^ 1) },
    ];
    for (const key of others) await assert.rejects(vault.wrapReleaseKey(key, wrapping()), SealError);
  });

  test("does not open a release key with open()", () => {
    const vault = createTestVault();
    const sealed = vault.makeReleaseKey("holdfast");
    assert.throws(() => vault.open("release-key", [utf8("holdfast")], sealed), SealError);
  });
});
