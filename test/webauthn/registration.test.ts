import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat, toBase64url } from "../../src/lib/bytes.ts";
import { createAuthenticator, FLAG, type RegisterTamper } from "../support/authenticator.ts";
import { type Cbor, encodeCbor } from "../support/cbor.ts";
import { authenticate, EXPECTED, ORIGIN, outcome, register, RP_ID } from "./ceremony.ts";

const { UP, UV, BE, BS, AT, ED } = FLAG;

function refuses(
  list: readonly (readonly [what: string, tamper: Partial<RegisterTamper>, code: string])[],
): void {
  for (const [what, tamper, code] of list) {
    test(`verifyRegistration() refuses ${what}`, async () => {
      assert.equal(await outcome(() => register(createAuthenticator(), tamper)), code);
    });
  }
}

describe("verifyRegistration()", () => {
  test("returns the credential record (section 7.1 step 27)", async () => {
    const aaguid = Uint8Array.fromHex("00112233445566778899aabbccddeeff");
    const authenticator = createAuthenticator({ aaguid });
    const record = await register(authenticator, { transports: ["usb", "nfc"] });
    const made = authenticator.credentials[0]!;
    assert.deepEqual(record, {
      credentialId: made.id,
      publicKey: made.publicKey,
      algorithm: -7,
      signCount: 1,
      backupEligible: true,
      backedUp: true,
      aaguid: "00112233-4455-6677-8899-aabbccddeeff",
      transports: ["usb", "nfc"],
    });
  });

  for (
    const [flags, backupEligible, backedUp] of [[0, false, false], [BE, true, false], [
      BE | BS,
      true,
      true,
    ]] as const
  ) {
    test(`keeps backup flags ${backupEligible}, ${backedUp}`, async () => {
      const record = await register(createAuthenticator(), { flags: UP | UV | flags });
      assert.deepEqual([record.backupEligible, record.backedUp], [backupEligible, backedUp]);
    });
  }

  for (const counter of [0, 0x7fffffff, 0x80000000, 0xffffffff]) {
    test(`keeps the counter ${counter} unsigned (A.2 38)`, async () => {
      assert.equal((await register(createAuthenticator(), { counter })).signCount, counter);
    });
  }

  for (const length of [1, 16, 255, 256, 1023]) {
    test(`accepts a credential id of ${length} bytes (A.2 37, step 25)`, async () => {
      const credentialId = new Uint8Array(length).fill(7);
      assert.deepEqual((await register(createAuthenticator(), { credentialId })).credentialId, credentialId);
    });
  }

  test("accepts the flags that are reserved for future use", async () => {
    assert.equal((await register(createAuthenticator(), { flags: UP | UV | 0x22 })).backedUp, false);
  });
});

describe("verifyRegistration(), relying party and flags (A.2 28 to 31)", () => {
  refuses([
    ["the hash of another RP ID (step 14)", { rpId: "example.com" }, "rp_id"],
    ["the hash of the origin", { rpId: ORIGIN }, "rp_id"],
    ["the hash of a sub-domain", { rpId: "login." + RP_ID }, "rp_id"],
    ["the hash of the RP ID in upper case", { rpId: "EXAMPLE.ORG" }, "rp_id"],
    ["a hash of zeros", { rpIdHash: new Uint8Array(32) }, "rp_id"],
    ["an absent user (step 15)", { flags: UV | BE }, "user_presence"],
    ["an unverified user (step 16, T158)", { flags: UP | BE }, "user_verification"],
    ["BS without BE (step 17)", { flags: UP | UV | BS }, "backup_state"],
  ]);
});

describe("verifyRegistration(), lengths of the authenticator data (A.2 32 to 37)", () => {
  const map = encodeCbor(new Map<Cbor, Cbor>([["credProtect", 2]]));
  const header = (honest: Uint8Array): Uint8Array => honest.slice(0, 37);
  refuses([
    ["AT clear without a credential", { authenticatorData: header, flipFlags: AT }, "attested_credential"],
    ["AT clear with a credential", { flipFlags: AT }, "trailing_bytes"],
    ["AT set without a credential", { authenticatorData: header }, "authenticator_data"],
    ["no bytes", { authenticatorData: () => new Uint8Array() }, "authenticator_data"],
    ["36 bytes", { authenticatorData: (honest) => honest.slice(0, 36) }, "authenticator_data"],
    ["54 bytes", { authenticatorData: (honest) => honest.slice(0, 54) }, "authenticator_data"],
    ["a truncated key", { authenticatorData: (honest) => honest.slice(0, -1) }, "authenticator_data"],
    ["no key", { authenticatorData: (honest) => honest.slice(0, -77) }, "authenticator_data"],
    ["an id longer than the data", {
      authenticatorData: (honest) => honest.with(53, 0xff).with(54, 0xff),
    }, "authenticator_data"],
    [
      "an id one byte longer than it is",
      { authenticatorData: (honest) => honest.with(54, 33) },
      "trailing_bytes",
    ],
    ["an empty credential id", { credentialId: new Uint8Array(), id: "AQ" }, "credential_id"],
    ["a credential id of 1024 bytes", { credentialId: new Uint8Array(1024), id: "AQ" }, "credential_id"],
    ["a byte behind the key (A.2 33)", { trailing: Uint8Array.of(0) }, "trailing_bytes"],
    ["a second key behind the key", { publicKey: (honest) => concat(honest, honest) }, "trailing_bytes"],
    ["extension data without ED (A.2 34)", { extensions: map, flipFlags: ED }, "trailing_bytes"],
    ["ED without extension data", { flipFlags: ED }, "extensions"],
    ["ED with an array", { extensions: encodeCbor([]) }, "extensions"],
    ["ED with a text", { extensions: encodeCbor("credProtect") }, "extensions"],
    ["ED with a tagged map", { extensions: concat(Uint8Array.of(0xc0), map) }, "extensions"],
    ["ED with a truncated map", { extensions: map.slice(0, -1) }, "extensions"],
    ["ED with a break", { extensions: Uint8Array.of(0xff) }, "extensions"],
    ["ED with a map of 2^32 - 1 members", { extensions: Uint8Array.fromHex("baffffffff") }, "extensions"],
    ["a byte behind the extension data", { extensions: map, trailing: Uint8Array.of(0) }, "trailing_bytes"],
    ["extension data that never ends for a signed reader", {
      extensions: Uint8Array.fromHex("9f5afffffffb"),
    }, "extensions"],
    ["a key that never ends for a signed reader", {
      publicKey: () => Uint8Array.fromHex("9f5afffffffb"),
    }, "authenticator_data"],
    ["a second map of extensions", { extensions: concat(map, map) }, "trailing_bytes"],
  ]);

  for (
    const [what, extensions] of [
      ["an empty map", encodeCbor(new Map())],
      ["one that was not requested", map],
      ["nested ones", encodeCbor(new Map<Cbor, Cbor>([["uvm", [[2, 4, 2]]], ["x", new Map([["y", true]])]]))],
    ] as const
  ) {
    test(`accepts and ignores extension outputs: ${what} (A.2 35, step 28)`, async () => {
      const authenticator = createAuthenticator();
      const record = await register(authenticator, { extensions });
      assert.equal(record.publicKey.length, 77);
      assert.equal(await outcome(() => authenticate(authenticator, record, { extensions })), "accepted");
    });
  }
});

describe("verifyRegistration(), expected values and the envelope", () => {
  refuses([
    ["an id that is not the authenticator's (A.2 12)", { id: "AQID" }, "credential_id_mismatch"],
    ["the authenticator's id with a byte more", {
      credentialId: Uint8Array.of(1, 2, 3),
      id: toBase64url(Uint8Array.of(1, 2, 3, 4)),
    }, "credential_id_mismatch"],
    ["the start of the authenticator's id", {
      credentialId: Uint8Array.of(1, 2, 3),
      id: toBase64url(Uint8Array.of(1, 2)),
    }, "credential_id_mismatch"],
  ]);

  test("refuses a valid response of a ceremony on another host", async () => {
    const other = createAuthenticator();
    const tamper = { origin: "https://example.com", rpId: "example.com" };
    assert.equal(await outcome(() => register(other, tamper)), "origin");
    assert.equal(await outcome(() => register(other, { ...tamper, origin: EXPECTED.origin })), "rp_id");
  });

  test("never echoes input", async () => {
    const secret = "https://very-private.example";
    await assert.rejects(register(createAuthenticator(), { origin: secret }), (error: Error) => {
      assert.equal(error.name, "WebAuthnError");
      assert.equal(error.message, "Cannot verify passkey: the origin differs");
      return true;
    });
  });
});
