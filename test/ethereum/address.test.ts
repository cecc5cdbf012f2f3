import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { privateKeyToAccount } from "viem/accounts";
import { addressOf, readAddress, toChecksumAddress } from "../../src/ethereum/address.ts";
import { keccak256 } from "../../src/ethereum/keccak.ts";
import { fromHex, utf8 } from "../../src/lib/bytes.ts";

/** The examples of EIP-55. */
const EIP_55 = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

describe("toChecksumAddress()", () => {
  for (const text of EIP_55) {
    test(`toChecksumAddress() writes ${text} when given its bytes (EIP-55)`, () => {
      assert.equal(toChecksumAddress(fromHex(text)!), text);
    });
  }

  test("toChecksumAddress() throws when given other than 20 bytes", () => {
    assert.throws(() => toChecksumAddress(new Uint8Array(19)), TypeError);
    assert.throws(() => toChecksumAddress(new Uint8Array(21)), TypeError);
  });
});

describe("readAddress()", () => {
  for (const text of EIP_55) {
    test(`readAddress() reads ${text} in its three spellings`, () => {
      const expected = text.slice(2).toLowerCase();
      assert.equal(readAddress(text)?.toHex(), expected);
      assert.equal(readAddress("0x" + expected)?.toHex(), expected);
      assert.equal(readAddress("0x" + expected.toUpperCase())?.toHex(), expected);
    });
  }

  const refused: readonly (readonly [fault: string, text: string])[] = [
    ["one letter has the wrong case", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"],
    ["0x is missing", "5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["the prefix is 0X", "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"],
    ["a digit is missing", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae"],
    ["a byte is too many", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed00"],
    ["a space follows", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed "],
    ["a line feed follows", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n"],
    ["it is an ICAP number", "XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36"],
    ["it is a name", "vitalik.eth"],
    ["it is empty", ""],
    ["it is only 0x", "0x"],
  ];
  for (const [fault, text] of refused) {
    test(`readAddress() returns undefined when ${fault}`, () => assert.equal(readAddress(text), undefined));
  }
});

describe("addressOf()", () => {
  test("addressOf() returns EIP-712's example address for the key of the word cow", () => {
    const account = privateKeyToAccount(`0x${keccak256(utf8("cow")).toHex()}`);
    assert.equal(
      toChecksumAddress(addressOf(fromHex(account.publicKey)!)),
      "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826",
    );
  });

  test("addressOf() throws when the key is not 65 uncompressed bytes", () => {
    assert.throws(() => addressOf(new Uint8Array(65)), TypeError);
    assert.throws(() => addressOf(new Uint8Array(33).fill(2, 0, 1)), TypeError);
    assert.throws(() => addressOf(new Uint8Array(64).fill(4, 0, 1)), TypeError);
  });
});
