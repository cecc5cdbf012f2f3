import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat, toBase64url, utf8 } from "../../src/lib/bytes.ts";
import {
  type AuthenticateTamper,
  type AuthenticatorAlgorithm,
  coseKey,
  createAuthenticator,
  FLAG,
  newPrivateKey,
} from "../support/authenticator.ts";
import { type Cbor, encodeCbor } from "../support/cbor.ts";
import { authenticate, ORIGIN, outcome, register, RP_ID, USER_HANDLE } from "./ceremony.ts";

const { UP, UV, BE, BS, AT, ED } = FLAG;
const authenticator = createAuthenticator();
const credential = await register(authenticator);

type Row = readonly [what: string, tamper: Partial<AuthenticateTamper>, code: string];

function refuses(list: readonly Row[]): void {
  for (const [what, tamper, code] of list) {
    test(`verifyAuthentication() refuses ${what}`, async () => {
      assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), code);
    });
  }
}

describe("verifyAuthentication()", () => {
  for (const algorithm of [-7, -8, -257] satisfies AuthenticatorAlgorithm[]) {
    test(`accepts an honest assertion with ${algorithm} and returns the new state (step 24)`, async () => {
      const own = createAuthenticator({ algorithm });
      const record = await register(own);
      assert.deepEqual(await authenticate(own, record), { signCount: 2, backedUp: true });
    });
  }

  test("accepts a change of the backup state and returns it (A.3 68)", async () => {
    assert.equal((await authenticate(authenticator, credential, { flags: UP | UV | BE })).backedUp, false);
    const before = { ...credential, backedUp: false };
    assert.equal((await authenticate(authenticator, before, { flags: UP | UV | BE | BS })).backedUp, true);
  });
});

describe("verifyAuthentication(), the credential's owner (step 6, A.3 71, 72, T159)", () => {
  const other = createAuthenticator();
  refuses([
    ["the id of another credential", { id: "AQID" }, "unknown_credential"],
    [
      "the id with a byte more",
      { id: toBase64url(concat(credential.credentialId, utf8("x"))) },
      "unknown_credential",
    ],
    ["no user handle", { userHandle: null }, "user_handle_missing"],
    ["an empty user handle", { userHandle: "" }, "user_handle_missing"],
    [
      "the user handle of another user",
      { userHandle: toBase64url(utf8("fedcba9876543210")) },
      "user_handle_mismatch",
    ],
    [
      "a prefix of the user handle",
      { userHandle: toBase64url(USER_HANDLE.slice(0, -1)) },
      "user_handle_mismatch",
    ],
    [
      "the user handle with a byte more",
      { userHandle: toBase64url(concat(USER_HANDLE, utf8("x"))) },
      "user_handle_mismatch",
    ],
  ]);

  test("refuses another user's honest assertion under this credential's id (T160)", async () => {
    await register(other);
    const tamper = { credential: other.credentials[0]!, id: toBase64url(credential.credentialId) };
    assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "signature");
  });

  test("refuses another user's honest assertion altogether", async () => {
    await register(other);
    const tamper = { credential: other.credentials[0]! };
    assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "unknown_credential");
  });
});

describe("verifyAuthentication(), authenticator data (A.3 64 to 69)", () => {
  const map = encodeCbor(new Map<Cbor, Cbor>([["uvm", [[2, 4, 2]]]]));
  const attested = concat(new Uint8Array(16), Uint8Array.of(0, 1, 7), credential.publicKey);
  refuses([
    ["the hash of another RP ID (step 15)", { rpId: "example.com" }, "rp_id"],
    ["the hash of the origin", { rpId: ORIGIN }, "rp_id"],
    ["the hash of a parent domain", { rpId: "org" }, "rp_id"],
    ["the hash of a sub-domain", { rpId: "login." + RP_ID }, "rp_id"],
    ["a hash of zeros", { rpIdHash: new Uint8Array(32) }, "rp_id"],
    ["an absent user (step 16)", { flags: UV | BE | BS }, "user_presence"],
    ["an unverified user (step 17, T158)", { flags: UP | BE | BS }, "user_verification"],
    ["no flag at all", { flags: 0 }, "user_presence"],
    ["BS without BE (step 18)", { flags: UP | UV | BS }, "backup_state"],
    ["a credential that lost its backup eligibility (step 19)", { flags: UP | UV }, "backup_eligibility"],
    [
      "attested credential data (section 6.1)",
      { trailing: attested, flipFlags: AT },
      "attested_credential_unexpected",
    ],
    ["AT without its data", { flipFlags: AT }, "authenticator_data"],
    ["AT with data that never end for a signed reader", {
      trailing: concat(new Uint8Array(16), Uint8Array.of(0, 1, 7), Uint8Array.fromHex("9f5afffffffb")),
      flipFlags: AT,
    }, "authenticator_data"],
    ["a byte behind the counter", { trailing: Uint8Array.of(0) }, "trailing_bytes"],
    ["ED without extension data", { flipFlags: ED }, "extensions"],
    ["extension data without ED", { extensions: map, flipFlags: ED }, "trailing_bytes"],
    ["extension data that are no map", { extensions: encodeCbor([1]) }, "extensions"],
    ["extension data cut short", { extensions: map.slice(0, -1) }, "extensions"],
    [
      "a byte behind the extension data",
      { extensions: map, trailing: Uint8Array.of(0xf6) },
      "trailing_bytes",
    ],
    ["36 bytes", { authenticatorData: (honest) => honest.slice(0, 36) }, "authenticator_data"],
    ["one byte", { authenticatorData: () => Uint8Array.of(5) }, "authenticator_data"],
  ]);

  test("refuses a credential that gained backup eligibility (step 19)", async () => {
    const stored = { ...credential, backupEligible: false };
    assert.equal(await outcome(() => authenticate(authenticator, stored)), "backup_eligibility");
  });

  for (const flags of [0, BE]) {
    test(`accepts flags ${flags} for a credential that was registered with them`, async () => {
      const stored = { ...credential, backupEligible: flags === BE };
      const tamper = { flags: UP | UV | flags, extensions: map };
      assert.equal(await outcome(() => authenticate(authenticator, stored, tamper)), "accepted");
    });
  }
});

describe("verifyAuthentication(), signature counter (step 22, A.3 77)", () => {
  for (
    const [stored, presented, expected] of [
      [0, 0, "accepted"],
      [0, 1, "accepted"],
      [1, 2, "accepted"],
      [1, 0xffffffff, "accepted"],
      [0x7fffffff, 0x80000000, "accepted"],
      [0xfffffffe, 0xffffffff, "accepted"],
      [1, 1, "sign_count"],
      [2, 1, "sign_count"],
      [1, 0, "sign_count"],
      [0x80000000, 0x7fffffff, "sign_count"],
      [0xffffffff, 0, "sign_count"],
      [0xffffffff, 0xffffffff, "sign_count"],
    ] as const
  ) {
    test(`${stored} then ${presented}: ${expected}`, async () => {
      const before = { ...credential, signCount: stored };
      assert.equal(
        await outcome(() => authenticate(authenticator, before, { counter: presented })),
        expected,
      );
    });
  }

  test("the counter is checked only after the signature", async () => {
    const before = { ...credential, signCount: 100 };
    const tamper = { counter: 1, signature: (honest: Uint8Array) => honest.with(-1, honest.at(-1)! ^ 1) };
    assert.equal(await outcome(() => authenticate(authenticator, before, tamper)), "signature");
  });

  test("returns a counter above 2^31 unsigned", async () => {
    assert.equal(
      (await authenticate(authenticator, credential, { counter: 0xfffffff0 })).signCount,
      0xfffffff0,
    );
  });
});

describe("verifyAuthentication(), an invalid stored key", () => {
  for (
    const [what, publicKey] of [
      ["empty", new Uint8Array()],
      ["of another algorithm", coseKey(newPrivateKey(-8), -8)],
      ["off its curve", credential.publicKey.with(-1, credential.publicKey.at(-1)! ^ 1)],
    ] as const
  ) {
    test(`refuses when it is ${what}`, async () => {
      const stored = { ...credential, publicKey };
      assert.equal(await outcome(() => authenticate(authenticator, stored)), "public_key");
    });
  }
});
