import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recoverAddress } from "viem";
import { encodeSignature } from "../../src/ethereum/signature.ts";

/** The signature that EIP-712 publishes for its Mail example. */
const R = "4355c47d63924e8a72e509b65029052eb6c299d53a04e167c5775fd466751c9d";
const S = "07299936d304c153f6443dfa05f40ff007d72911b6f72307f996231605b91562";

describe("encodeSignature()", () => {
  test("encodeSignature() writes r, s and v 28 when the recovery id is 1 (EIP-712's example)", async () => {
    const text = encodeSignature({ compact: Uint8Array.fromHex(R + S), recovery: 1 });
    assert.equal(text, `0x${R}${S}1c`);
    const hash = "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2";
    const signer = await recoverAddress({ hash, signature: text as `0x${string}` });
    assert.equal(signer, "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826");
  });

  test("encodeSignature() writes v 27 when the recovery id is 0", () => {
    assert.equal(encodeSignature({ compact: Uint8Array.fromHex(R + S), recovery: 0 }), `0x${R}${S}1b`);
  });

  test("encodeSignature() throws when the recovery id has no v or the length is not 64", () => {
    for (const recovery of [2, 3, -1, 27, NaN]) {
      assert.throws(() => encodeSignature({ compact: new Uint8Array(64), recovery }), RangeError);
    }
    assert.throws(() => encodeSignature({ compact: new Uint8Array(65), recovery: 0 }), TypeError);
  });
});
