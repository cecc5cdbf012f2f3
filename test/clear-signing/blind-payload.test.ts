import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashAuthorization, Transaction } from "ethers";
import { concatHex, hashTypedData, hexToBytes, keccak256, serializeTransaction, toRlp } from "viem";
import { blindPayloadReason } from "../../src/clear-signing/blind-payload.ts";
import { localizable, localize } from "../../src/clear-signing/format-message.ts";
import { utf8 } from "../../src/lib/bytes.ts";

const TO = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const FEES = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
const AUTHORIZATION = { chainId: 1, address: TO, nonce: 0 } as const;

const TRANSACTIONS: Readonly<Record<string, `0x${string}`>> = {
  "legacy before EIP-155": serializeTransaction({ type: "legacy", to: TO, gasPrice: 1n, gas: 21000n }),
  "legacy with EIP-155": serializeTransaction({
    type: "legacy",
    chainId: 1,
    to: TO,
    gasPrice: 1n,
    gas: 21000n,
  }),
  "legacy with 300 bytes of data": serializeTransaction({
    type: "legacy",
    chainId: 1,
    data: `0x${"ab".repeat(300)}`,
  }),
  "legacy with 70,000 bytes of data": serializeTransaction({
    type: "legacy",
    chainId: 1,
    data: `0x${"ab".repeat(70_000)}`,
  }),
  "EIP-2930": serializeTransaction({ type: "eip2930", chainId: 1, to: TO, gasPrice: 1n }),
  "EIP-1559": serializeTransaction({ type: "eip1559", chainId: 1, to: TO, ...FEES }),
  "EIP-4844": Transaction.from({
    type: 3,
    chainId: 1,
    to: TO,
    maxFeePerBlobGas: 1,
    blobVersionedHashes: ["0x01" + "00".repeat(31)],
  }).unsignedSerialized as `0x${string}`,
  "EIP-7702": serializeTransaction({
    type: "eip7702",
    chainId: 1,
    to: TO,
    authorizationList: [{
      ...AUTHORIZATION,
      r: `0x${"11".repeat(32)}`,
      s: `0x${"22".repeat(32)}`,
      yParity: 0,
    }],
    ...FEES,
  }),
};

/** A hash, the address of an entry point and a chain id. */
const USER_OPERATION = "ab".repeat(32) + "00".repeat(12) + "cd".repeat(20) + "00".repeat(31) + "01";

/** Returns the reason in English. */
function reasonFor(payload: Uint8Array): string {
  const reason = blindPayloadReason(payload);
  return reason === undefined ? "" : localize(localizable(reason), "en");
}

describe("blindPayloadReason()", () => {
  for (const [name, payload] of Object.entries(TRANSACTIONS)) {
    test(`blindPayloadReason() returns a reason when the payload is an unsigned transaction: ${name}`, () => {
      assert.match(reasonFor(hexToBytes(payload)), /transaction/);
    });
  }

  test("blindPayloadReason() returns a reason when the payload is an EIP-7702 authorization", () => {
    const payload = concatHex(["0x05", toRlp(["0x01", TO, "0x"])]);
    assert.equal(keccak256(payload), hashAuthorization(AUTHORIZATION));
    assert.match(reasonFor(hexToBytes(payload)), /authorization/);
  });

  test("blindPayloadReason() returns a reason when the payload is what EIP-712 hashes", () => {
    const domain = "0x6192106f129ce05c9075d319c1fa6ea9b3ae37cbd0c1ef92e2be7137bb07baa1";
    const types = { EIP712Domain: [] };
    const payload = concatHex(["0x1901", domain]);
    assert.equal(keccak256(payload), hashTypedData({ types, primaryType: "EIP712Domain", domain: {} }));
    assert.match(reasonFor(hexToBytes(payload)), /EIP-712/);
  });

  const refused: readonly (readonly [what: string, hex: string])[] = [
    ["the empty list", "c0"],
    ["a short list", "c20102"],
    ["a list with a long header for a short content", "f8020102"],
    ["each envelope byte alone: 1", "01"],
    ["each envelope byte alone: 2", "02"],
    ["each envelope byte alone: 3", "03"],
    ["each envelope byte alone: 4", "04"],
    ["each envelope byte alone: 5", "05"],
    ["data for a validator", "1900" + "ab".repeat(20)],
    ["0x1900 alone", "1900"],
    ["0x1901 alone", "1901"],
    ["0x19 alone", "19"],
    ["0x1902", "1902"],
    ["another chain's personal message", utf8("\x19TRON Signed Message:\n5hello").toHex()],
    ["a byte 0x00 and a list", "00c0"],
    ["a byte 0x06 and a list", "06c20102"],
    ["an envelope of Celo with a fee currency (0x7b)", "7bc20102"],
    ["a deposit of the OP stack (0x7e)", "7ef8020102"],
    ["a byte 0x7f and a list", "7fc0"],
    ["a transaction of Conflux", utf8("cfx\x02").toHex() + "c20102"],
    ["what a user operation's hash is made of", USER_OPERATION],
    ["a SignDoc of Cosmos", "0a03aabbcc" + "1201dd" + "1a0a636f736d6f732d312d31" + "2007"],
    ["a SignDoc of Cosmos whose body is long", "0a8101" + "ab".repeat(129) + "1200"],
    ["a StdSignDoc of Cosmos", utf8('{"account_number":"1","chain_id":"injective-1"}').toHex()],
    ["a personal message", "19457468657265756d205369676e6564204d6573736167653a0a3568656c6c6f"],
  ];
  for (const [what, hex] of refused) {
    test(`blindPayloadReason() returns a reason when the payload is ${what}`, () => {
      assert.equal(typeof blindPayloadReason(Uint8Array.fromHex(hex)), "string");
    });
  }

  const accepted: readonly (readonly [what: string, hex: string])[] = [
    ["empty", ""],
    ["a text", utf8("hello").toHex()],
    ["one byte 0x00", "00"],
    ["one byte 0x06", "06"],
    ["a byte 0x06 and a list with something behind it", "06c000"],
    ["a byte 0x06 and less than a list", "06c2"],
    ["a byte 0x80 and a list", "80c0"],
    ["cfx without a list", utf8("cfx\x02hello").toHex()],
    ["96 bytes that are not laid out as a user operation", "ab".repeat(96)],
    ["a protobuf whose first field is cut off", "0a05aabb"],
    ["a protobuf with one field of bytes", "0a02aabb"],
    ["a protobuf with a length of six bytes", "0a" + "ff".repeat(6)],
    ["JSON", utf8('{"account":"1"}').toHex()],
    ["a list header that counts too little", "c2010203"],
    ["a list header that counts too much", "c201"],
    ["a long list header without its length", "f9"],
    ["a long list header that counts too little", "f8010102"],
    ["a long list header that counts more than there can be", "ffffffffffffffffff00"],
    ["an RLP string", "83646f67"],
    ["0xdeadbeef", "deadbeef"],
  ];
  for (const [what, hex] of accepted) {
    test(`blindPayloadReason() returns undefined when the payload is ${what}`, () => {
      assert.equal(blindPayloadReason(Uint8Array.fromHex(hex)), undefined);
    });
  }
});
