import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { concat } from "../../src/lib/bytes.ts";
import {
  type AuthenticatorAlgorithm,
  createAuthenticator,
  newPrivateKey,
  type RegisterTamper,
  signWith,
} from "../support/authenticator.ts";
import { type Cbor, encodeCbor } from "../support/cbor.ts";
import { authenticate, outcome, register } from "./ceremony.ts";

function refuses(
  list: readonly (readonly [what: string, tamper: Partial<RegisterTamper>, code: string])[],
): void {
  for (const [what, tamper, code] of list) {
    test(`verifyRegistration() refuses ${what}`, async () => {
      assert.equal(await outcome(() => register(createAuthenticator(), tamper)), code);
    });
  }
}

const EMPTY: Cbor = new Map();

/** Returns the valid attestation object with some members replaced. */
function members(...entries: readonly (readonly [Cbor, Cbor])[]): Partial<RegisterTamper> {
  return {
    attestationObject: (honest) => {
      const authData = honest.slice(honest.length - 164);
      return encodeCbor(new Map(entries.map(([key, value]) => [key, value === "DATA" ? authData : value])));
    },
  };
}

describe("attestation object (A.2 49 to 51, step 13)", () => {
  const whole = (hex: string): Partial<RegisterTamper> => ({
    attestationObject: () => Uint8Array.fromHex(hex),
  });
  refuses([
    ["no map", whole("80"), "attestation_object"],
    ["a byte string", whole("43010203"), "attestation_object"],
    ["an empty map", whole("a0"), "attestation_object"],
    ["null", whole("f6"), "attestation_object"],
    ["undefined", whole("f7"), "attestation_object"],
    ["a break", whole("ff"), "attestation_object"],
    ["a huge byte string", whole("5bffffffffffffffff"), "attestation_object"],
    ["a huge array", whole("9affffffff"), "attestation_object"],
    ["a huge map", whole("bbffffffffffffffff"), "attestation_object"],
    ["8 000 nested arrays", whole("81".repeat(8_000)), "attestation_object"],
    ["8 000 nested tags", whole("c1".repeat(8_000)), "attestation_object"],
    [
      "a byte behind it",
      { attestationObject: (honest) => concat(honest, Uint8Array.of(0)) },
      "attestation_object",
    ],
    ["a truncated one", { attestationObject: (honest) => honest.slice(0, -1) }, "attestation_object"],
    ["no fmt (A.2 50)", members(["attStmt", EMPTY], ["authData", "DATA"]), "attestation_object"],
    [
      "a fmt that is no text",
      members(["fmt", 1], ["attStmt", EMPTY], ["authData", "DATA"]),
      "attestation_object",
    ],
    ["no attStmt (A.2 51)", members(["fmt", "none"], ["authData", "DATA"]), "attestation_object"],
    [
      "an array as attStmt",
      members(["fmt", "none"], ["attStmt", []], ["authData", "DATA"]),
      "attestation_object",
    ],
    [
      "null as attStmt",
      members(["fmt", "none"], ["attStmt", null], ["authData", "DATA"]),
      "attestation_object",
    ],
    [
      "bytes as attStmt",
      members(["fmt", "none"], ["attStmt", new Uint8Array()], ["authData", "DATA"]),
      "attestation_object",
    ],
    ["no authData", members(["fmt", "none"], ["attStmt", EMPTY]), "attestation_object"],
    [
      "a text as authData",
      members(["fmt", "none"], ["attStmt", EMPTY], ["authData", "x".repeat(164)]),
      "attestation_object",
    ],
    [
      "an array as authData",
      members(["fmt", "none"], ["attStmt", EMPTY], ["authData", [1]]),
      "attestation_object",
    ],
  ]);

  test("a repeated member is refused with both values right", async () => {
    const tamper: Partial<RegisterTamper> = {
      // a3 … becomes a4 with a second `fmt: none` at the end
      attestationObject: (honest) =>
        concat(Uint8Array.of(0xa4), honest.slice(1), encodeCbor("fmt"), encodeCbor("none")),
    };
    assert.equal(await outcome(() => register(createAuthenticator(), tamper)), "attestation_object");
  });

  test("members in another order and unknown ones are accepted", async () => {
    const tamper = members(["authData", "DATA"], ["fmt", "none"], ["__proto__", false], ["attStmt", EMPTY]);
    assert.equal(await outcome(() => register(createAuthenticator(), tamper)), "accepted");
  });
});

describe("attestation format (A.2 50, 52, 54, step 21)", () => {
  const formats = [
    "",
    "None",
    "none ",
    "NONE",
    "tpm",
    "android-key",
    "android-safetynet",
    "fido-u2f",
    "apple",
  ];
  refuses([
    ...[...formats, "compound", "toString", "constructor"].map((format) =>
      [`the format "${format}"`, { format }, "attestation_format"] as const
    ),
    [
      "a statement with format none (A.2 52)",
      { statement: () => new Map([["alg", -7]]) },
      "attestation_statement",
    ],
    [
      "a nested statement with format none",
      { statement: () => new Map([["x", [1]]]) },
      "attestation_statement",
    ],
  ]);
});

describe("packed self attestation (A.2 53, step 22, section 8.2)", () => {
  type Statement = NonNullable<RegisterTamper["statement"]>;
  const packed = (...[statement]: [Statement]): Partial<RegisterTamper> => ({ format: "packed", statement });
  const good: Statement = (signed, credential) =>
    new Map<Cbor, Cbor>([["alg", credential.algorithm], ["sig", signWith(credential, signed)]]);
  const withMember = (name: string, value: Cbor): Partial<RegisterTamper> =>
    packed((signed, credential) =>
      new Map(good(signed, credential) as ReadonlyMap<Cbor, Cbor>).set(name, value)
    );

  for (const algorithm of [-7, -8, -257] satisfies AuthenticatorAlgorithm[]) {
    test(`verifyRegistration() accepts the key's own signature with ${algorithm}`, async () => {
      const authenticator = createAuthenticator({ algorithm });
      const record = await register(authenticator, packed(good));
      assert.equal(await outcome(() => authenticate(authenticator, record)), "accepted");
    });
  }

  const stranger = { algorithm: -7, privateKey: newPrivateKey(-7) } as const;
  refuses([
    ["an empty statement", packed(() => EMPTY), "attestation_statement"],
    [
      "a statement without alg",
      packed((signed, key) => new Map([["sig", signWith(key, signed)]])),
      "attestation_statement",
    ],
    ["a statement without sig", packed(() => new Map([["alg", -7]])), "attestation_statement"],
    ["an alg that is not the key's", withMember("alg", -8), "attestation_statement"],
    ["an alg that is a text", withMember("alg", "-7"), "attestation_statement"],
    ["a sig that is a text", withMember("sig", "signature"), "attestation_statement"],
    ["an empty sig", withMember("sig", new Uint8Array()), "attestation_statement"],
    [
      "a sig of another key",
      packed((signed) => new Map<Cbor, Cbor>([["alg", -7], ["sig", signWith(stranger, signed)]])),
      "attestation_statement",
    ],
    [
      "a sig over other client data",
      packed((signed, key) =>
        new Map<Cbor, Cbor>([["alg", -7], ["sig", signWith(key, signed.with(-1, signed.at(-1)! ^ 1))]])
      ),
      "attestation_statement",
    ],
    [
      "a sig over the authenticator data alone",
      packed((signed, key) =>
        new Map<Cbor, Cbor>([["alg", -7], ["sig", signWith(key, signed.slice(0, -32))]])
      ),
      "attestation_statement",
    ],
    ["an empty x5c", withMember("x5c", []), "attestation_statement"],
    ["an x5c with garbage", withMember("x5c", [Uint8Array.of(0x30, 0)]), "attestation_statement"],
    ["an ECDAA key", withMember("ecdaaKeyId", Uint8Array.of(1)), "attestation_statement"],
  ]);
});
