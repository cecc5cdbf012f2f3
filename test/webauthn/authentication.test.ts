import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat, toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { verifyAuthentication } from "../../src/webauthn/authentication.ts";
import { readAuthenticationResponse } from "../../src/webauthn/response.ts";
import {
  type AuthenticateTamper,
  type AuthenticatorAlgorithm,
  coseKey,
  createAuthenticator,
  FLAG,
  newPrivateKey,
} from "../support/authenticator.ts";
import { type Cbor, encodeCbor } from "../support/cbor.ts";
import {
  authenticate,
  EXPECTED,
  ORIGIN,
  outcome,
  register,
  REQUEST,
  RP_ID,
  USER_HANDLE,
} from "./ceremony.ts";
import { derOf, P256_ORDER, scalarsOf } from "./der.ts";

const { UP, UV, BE, BS, AT, ED } = FLAG;
const authenticator = createAuthenticator();
const credential = await register(authenticator);
const ed25519 = createAuthenticator({ algorithm: -8 });
const ed25519Credential = await register(ed25519);

type Row = readonly [what: string, tamper: Partial<AuthenticateTamper>, code: string];

function refuses(list: readonly Row[], by = authenticator, stored = credential): void {
  for (const [what, tamper, code] of list) {
    test(`verifyAuthentication() refuses ${what}`, async () => {
      assert.equal(await outcome(() => authenticate(by, stored, tamper)), code);
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

describe("verifyAuthentication(), whose credential (step 6, A.3 71, 72, T159)", () => {
  const other = createAuthenticator();
  refuses([
    ["the id of another credential", { id: "AQID" }, "unknown_credential"],
    [
      "the id with a byte more",
      { id: toBase64url(concat(credential.credentialId, utf8("x"))) },
      "unknown_credential",
    ],
    ["no user handle", { userHandle: null }, "user_handle_missing"],
    [
      "the user handle of somebody else",
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

  test("a counter is looked at only after the signature", async () => {
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

describe("verifyAuthentication(), ES256 signature (step 21, A.3 73, 74, T160)", () => {
  const n = P256_ORDER;
  const bent = (
    change: (r: bigint, s: bigint) => readonly [bigint, bigint],
  ): Partial<AuthenticateTamper> => ({
    signature: (honest) => derOf(...change(...scalarsOf(honest))),
  });
  const raw = (signature: Uint8Array): Uint8Array =>
    concat(
      ...scalarsOf(signature).map((scalar) => Uint8Array.fromHex(scalar.toString(16).padStart(64, "0"))),
    );
  const stranger = { algorithm: -7, privateKey: newPrivateKey(-7) } as const;
  refuses([
    ["a bit changed", { signature: (honest) => honest.with(20, honest[20]! ^ 1) }, "signature"],
    ["r and s side by side", { signature: raw }, "signature"],
    ["a byte behind the DER", { signature: (honest) => concat(honest, Uint8Array.of(0)) }, "signature"],
    ["a length in its long form", {
      signature: (honest) => concat(Uint8Array.of(0x30, 0x81, honest[1]!), honest.slice(2)),
    }, "signature"],
    ["an indefinite length", {
      signature: (honest) => concat(Uint8Array.of(0x30, 0x80), honest.slice(2), Uint8Array.of(0, 0)),
    }, "signature"],
    ["an integer with a needless zero", {
      signature: (honest) => {
        const length = honest[3]!;
        return concat(
          Uint8Array.of(0x30, honest[1]! + 1, 0x02, length + 1, 0),
          honest.slice(4),
        );
      },
    }, "signature"],
    ["r + n", bent((r, s) => [r + n, s]), "signature"],
    ["s + n", bent((r, s) => [r, s + n]), "signature"],
    ["r = 0", bent((_, s) => [0n, s]), "signature"],
    ["s = 0", bent((r) => [r, 0n]), "signature"],
    ["r = s = 0 (CVE-2022-21449)", bent(() => [0n, 0n]), "signature"],
    ["r = n", bent((_, s) => [n, s]), "signature"],
    ["s = n", bent((r) => [r, n]), "signature"],
    ["r = s = n", bent(() => [n, n]), "signature"],
    ["r = s = 1", bent(() => [1n, 1n]), "signature"],
    ["a negative s", bent((r, s) => [r, s - n]), "signature"],
    ["r and s swapped", bent((r, s) => [s, r]), "signature"],
    ["the signature of another key", { signWith: stranger }, "signature"],
    ["an Ed25519 signature", { signWith: { algorithm: -8, privateKey: newPrivateKey(-8) } }, "signature"],
    [
      "a signature over the authenticator data alone",
      { signedMessage: (honest) => honest.slice(0, 37) },
      "signature",
    ],
    [
      "a signature over the client data's hash alone",
      { signedMessage: (honest) => honest.slice(37) },
      "signature",
    ],
    ["a signature over nothing", { signedMessage: () => new Uint8Array() }, "signature"],
    [
      "a signature over the message and more",
      { signedMessage: (honest) => concat(honest, utf8("x")) },
      "signature",
    ],
    ["zeros", { signature: (honest) => honest.map(() => 0) }, "signature"],
  ]);

  test("accepts s in its high and its low form (A.3 74)", async () => {
    for (const low of [true, false]) {
      const tamper = bent((r, s) => [r, s * 2n < n === low ? s : n - s]);
      assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "accepted");
    }
  });

  test("refuses a signature over the client data instead of its hash", async () => {
    const clientDataJSON = utf8(
      JSON.stringify({ type: "webauthn.get", challenge: REQUEST.challenge, origin: ORIGIN }),
    );
    const tamper: Partial<AuthenticateTamper> = {
      clientDataJSON,
      signedMessage: (honest) => concat(honest.slice(0, 37), clientDataJSON),
    };
    assert.equal(await outcome(() => authenticate(authenticator, credential, tamper)), "signature");
    const { signedMessage: _, ...honest } = tamper;
    assert.equal(await outcome(() => authenticate(authenticator, credential, honest)), "accepted");
  });

  test("refuses the signed bytes with anything changed after the signature", async () => {
    const json = await authenticator.authenticate(REQUEST, {
      origin: ORIGIN,
      credential: authenticator.credentials[0]!,
    });
    const response = readAuthenticationResponse(json);
    const expected = { ...EXPECTED, credential: { ...credential, userHandle: USER_HANDLE } };
    const { authenticatorData, clientDataJSON } = response;
    const data = { ...response, authenticatorData: authenticatorData.with(33, 1) };
    assert.equal(await outcome(() => verifyAuthentication(data, expected)), "signature");
    const client = { ...response, clientDataJSON: concat(clientDataJSON, utf8(" ")) };
    assert.equal(await outcome(() => verifyAuthentication(client, expected)), "signature");
    assert.equal(await outcome(() => verifyAuthentication(response, expected)), "accepted");
  });
});

describe("verifyAuthentication(), Ed25519 signature (A.3 76)", () => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const little = (bytes: Uint8Array): bigint => BigInt("0x" + bytes.toReversed().toHex());
  const plusOrder = (signature: Uint8Array): Uint8Array => {
    const s = little(signature.slice(32)) + order;
    return concat(signature.slice(0, 32), Uint8Array.fromHex(s.toString(16).padStart(64, "0")).toReversed());
  };
  refuses(
    [
      ["S + L", { signature: plusOrder }, "signature"],
      ["63 bytes", { signature: (honest) => honest.slice(0, 63) }, "signature"],
      ["65 bytes", { signature: (honest) => concat(honest, Uint8Array.of(0)) }, "signature"],
      ["a bit of R changed", { signature: (honest) => honest.with(0, honest[0]! ^ 1) }, "signature"],
      ["a bit of S changed", { signature: (honest) => honest.with(40, honest[40]! ^ 1) }, "signature"],
      ["zeros", { signature: () => new Uint8Array(64) }, "signature"],
      ["an ES256 signature", { signWith: { algorithm: -7, privateKey: newPrivateKey(-7) } }, "signature"],
    ],
    ed25519,
    ed25519Credential,
  );
});

describe("verifyAuthentication(), a stored key that is none", () => {
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
