import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readCbor } from "../../src/webauthn/cbor.ts";
import { WebAuthnError } from "../../src/webauthn/error.ts";
import { encodeCbor } from "../support/cbor.ts";

function read(hex: string): unknown {
  return readCbor(Uint8Array.fromHex(hex), 0, "attestation_object");
}

describe("readCbor()", () => {
  // RFC 8949 appendix A, limited to the items that CTAP2 allows.
  for (
    const [hex, value] of [
      ["00", 0],
      ["17", 23],
      ["1818", 24],
      ["1903e8", 1000],
      ["1a000f4240", 1_000_000],
      ["1affffffff", 4_294_967_295],
      ["1b000000e8d4a51000", 1_000_000_000_000],
      ["20", -1],
      ["3903e7", -1000],
      ["390100", -257],
      ["3affffffff", -4_294_967_296],
      ["f4", false],
      ["f5", true],
      ["f6", null],
      ["f7", undefined],
      ["40", new Uint8Array()],
      ["4401020304", Uint8Array.of(1, 2, 3, 4)],
      ["60", ""],
      ["6449455446", "IETF"],
      ["62c3bc", "\u00fc"],
      ["64f0908591", "\u{10151}"],
      ["80", []],
      ["8301820203820405", [1, [2, 3], [4, 5]]],
      ["a0", new Map()],
      ["a201020304", new Map([[1, 2], [3, 4]])],
      ["a26161016162820203", new Map<unknown, unknown>([["a", 1], ["b", [2, 3]]])],
      ["a2016131613102", new Map<unknown, unknown>([[1, "1"], ["1", 2]])],
    ] as const
  ) {
    test(`reads ${hex}`, () => assert.deepEqual(read(hex), { value, end: hex.length / 2 }));
  }

  test("reads at an offset of a view into a larger buffer and says where the item ends", () => {
    const view = new Uint8Array(Uint8Array.fromHex("ffff00190100ff").buffer, 2, 5);
    assert.deepEqual(readCbor(view, 1, "extensions"), { value: 256, end: 4 });
  });

  test("reads four levels and refuses five", () => {
    assert.deepEqual(read("8181818100"), { value: [[[[0]]]], end: 5 });
    assert.deepEqual(read("a100a100a100a0"), {
      value: new Map([[0, new Map([[0, new Map([[0, new Map()]])]])]]),
      end: 7,
    });
    assert.throws(() => read("818181818100"), WebAuthnError);
    assert.throws(() => read("a100a100a100a100a0"), WebAuthnError);
  });

  for (
    const [what, hex] of [
      ["nothing", ""],
      ["a head without its argument", "18"],
      ["a 16-bit argument cut short", "1901"],
      ["a 64-bit argument cut short", "1b00000001000000"],
      ["23 in two bytes", "1817"],
      ["255 in three bytes", "1900ff"],
      ["65535 in five bytes", "1a0000ffff"],
      ["2^32 - 1 in nine bytes", "1b00000000ffffffff"],
      ["a length in a longer form than it needs", "580101"],
      ["reserved information 28", "1c"],
      ["reserved information 30", "5e"],
      ["an indefinite byte string", "5f4101ff"],
      ["an indefinite text", "7f6161ff"],
      ["an indefinite array", "9f01ff"],
      ["an indefinite map", "bf0102ff"],
      ["a break", "ff"],
      ["a tag", "c101"],
      ["a 16-bit float", "f93c00"],
      ["a 32-bit float", "fa47c35000"],
      ["a 64-bit float", "fb3ff199999999999a"],
      ["an unassigned simple value", "f0"],
      ["a simple value in two bytes", "f8ff"],
      ["false in two bytes", "f814"],
      ["bytes cut short", "420a"],
      ["a text cut short", "6261"],
      ["a text that is not UTF-8", "61ff"],
      ["a text with a surrogate", "63eda080"],
      ["an array cut short", "8201"],
      ["a map cut short", "a2010203"],
      ["a map without its last value", "a101"],
      ["a repeated integer key", "a201020103"],
      ["a repeated text key", "a2616101616102"],
      ["bytes as a key", "a1410101"],
      ["an array as a key", "a18001"],
      ["true as a key", "a1f501"],
      ["2^64 - 1 bytes", "5bffffffffffffffff"],
      ["2^32 - 5 bytes, a negative length to others", "5afffffffb"],
      ["an endless array of them", "9f5afffffffb"],
      ["an array of 2^32 - 1", "9affffffff"],
      ["an array of 2^31 - 1 around them", "9a7fffffff5afffffffb"],
      ["a map of 2^64 - 1", "bbffffffffffffffff"],
    ] as const
  ) {
    test(`refuses ${what}`, () => {
      assert.throws(() => read(hex), { name: "WebAuthnError", code: "attestation_object" });
    });
  }

  test("reads what the encoder of these tests writes, and no shorter text", () => {
    const bytes = encodeCbor(
      new Map([["fmt", "none"], ["attStmt", new Map()], ["authData", new Uint8Array(300)]] as never),
    );
    assert.equal((readCbor(bytes, 0, "attestation_object").value as Map<string, unknown>).get("fmt"), "none");
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => readCbor(bytes.slice(0, length), 0, "attestation_object"), WebAuthnError);
    }
  });
});
