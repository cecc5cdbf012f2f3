import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { explainTransaction, maximumFee, selectorOf } from "../../../src/ethereum/transaction/explain.ts";
import { readTransaction } from "../../../src/ethereum/transaction/parse.ts";
import { serializeSigned } from "../../../src/ethereum/transaction/serialize.ts";
import { AUTHORIZATION, GOOD, HASH, KEY, TO } from "./refusing.ts";

describe("explainTransaction()", () => {
  test("explainTransaction() shows every member by its name, integers in decimal digits", () => {
    const members = { ...GOOD.eip2930, chainId: "0xa", value: "0xde0b6b3a7640000", data: "0xA9059CBB" };
    const { transaction } = explainTransaction(readTransaction({ ...members, to: TO.toLowerCase() }));
    assert.deepEqual(transaction, {
      type: "eip2930",
      chainId: "10",
      nonce: "0",
      gasPrice: "1",
      gasLimit: "21000",
      to: TO,
      value: "1000000000000000000",
      data: "0xa9059cbb",
      accessList: [{ address: TO, storageKeys: [KEY] }],
    });
  });

  test("explainTransaction() shows authorizations with r and s of 32 bytes, and a contract creation", () => {
    const small = { ...AUTHORIZATION, r: 1, s: "0x2", yParity: "1" };
    const { transaction } = explainTransaction(
      readTransaction({ ...GOOD.eip7702, authorizationList: [small] }),
    );
    assert.deepEqual(transaction.authorizationList, [{
      chainId: "1",
      address: TO,
      nonce: "0",
      yParity: 1,
      r: "0x" + "00".repeat(31) + "01",
      s: "0x" + "00".repeat(31) + "02",
    }]);
    assert.equal(explainTransaction(readTransaction({ ...GOOD.legacy, to: null })).transaction.to, null);
  });
});

describe("maximumFee()", () => {
  const fees: readonly (readonly [what: string, members: unknown, fee: bigint])[] = [
    ["gas times price", { ...GOOD.legacy, gas: 30_000, gasPrice: 7 }, 210_000n],
    ["gas times the highest fee, tip included", { ...GOOD.eip1559, gas: 30_000, maxFeePerGas: 7 }, 210_000n],
    [
      "that and 131,072 gas for each blob",
      { ...GOOD.eip4844, gas: 10, maxFeePerBlobGas: 3, blobVersionedHashes: [HASH, HASH] },
      20n + 3n * 131_072n * 2n,
    ],
  ];
  for (const [what, members, fee] of fees) {
    test(`maximumFee() is ${what}`, () => {
      const transaction = readTransaction(members);
      assert.equal(maximumFee(transaction), fee);
      assert.equal(explainTransaction(transaction).maximumFee, fee.toString());
    });
  }
});

describe("selectorOf()", () => {
  test("selectorOf() returns the first four bytes of a call's data, and undefined for shorter data or a contract's code", () => {
    const selector = (members: unknown): string | undefined => selectorOf(readTransaction(members))?.toHex();
    assert.equal(selector({ ...GOOD.legacy, data: "0xa9059cbb00" }), "a9059cbb");
    assert.equal(selector({ ...GOOD.legacy, data: "0xa9059cbb" }), "a9059cbb");
    assert.equal(selector({ ...GOOD.legacy, data: "0xa9059c" }), undefined);
    assert.equal(selector(GOOD.legacy), undefined);
    assert.equal(selector({ ...GOOD.legacy, to: null, data: "0xa9059cbb00" }), undefined);
  });
});

describe("serializeSigned()", () => {
  test("serializeSigned() throws for an invalid signature", () => {
    const transaction = readTransaction(GOOD.eip1559);
    const signed = (length: number, recovery: number) => () =>
      serializeSigned(transaction, { compact: new Uint8Array(length).fill(1), recovery });
    assert.throws(signed(63, 0), TypeError);
    assert.throws(signed(64, 2), RangeError);
    assert.doesNotThrow(signed(64, 1));
  });

  test("serializeSigned() writes v of the largest chain id in 64 bits (EIP-2294)", () => {
    const transaction = readTransaction({ ...GOOD.legacy, chainId: "9223372036854775771" });
    const bytes = serializeSigned(transaction, { compact: new Uint8Array(64).fill(1), recovery: 1 });
    assert.match(bytes.toHex(), /88ffffffffffffffdaa0/);
  });
});
