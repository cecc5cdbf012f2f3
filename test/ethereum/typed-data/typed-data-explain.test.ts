import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseTypedData } from "../../../src/ethereum/typed-data/typed-data.ts";
import { explainTypedData } from "../../../src/ethereum/typed-data/typed-data-explain.ts";
import { MAIL, MAIL_PUBLISHED } from "../mail.ts";
import { single } from "../refusing.ts";

describe("explainTypedData()", () => {
  test("explainTypedData() shows the Mail example as a tree, with the hashes that EIP-712 publishes", () => {
    const person = (name: string, whose: "from" | "to") => ({
      name,
      type: "Person",
      members: [
        { name: "name", type: "string", value: MAIL.message[whose].name },
        { name: "wallet", type: "address", value: MAIL.message[whose].wallet },
      ],
    });
    assert.deepEqual(explainTypedData(parseTypedData(MAIL)), {
      primaryType: "Mail",
      encodeType: MAIL_PUBLISHED.encodeType,
      digest: MAIL_PUBLISHED.digest,
      domainSeparator: MAIL_PUBLISHED.domainSeparator,
      structHash: MAIL_PUBLISHED.structHash,
      domain: {
        name: "domain",
        type: "EIP712Domain",
        members: [
          { name: "name", type: "string", value: "Ether Mail" },
          { name: "version", type: "string", value: "1" },
          { name: "chainId", type: "uint256", value: "1" },
          { name: "verifyingContract", type: "address", value: MAIL.domain.verifyingContract },
        ],
      },
      message: {
        name: "message",
        type: "Mail",
        members: [
          person("from", "from"),
          person("to", "to"),
          { name: "contents", type: "string", value: "Hello, Bob!" },
        ],
      },
    });
  });

  const shown: readonly (readonly [type: string, given: unknown, shown: unknown])[] = [
    ["uint256", "0x" + "ff".repeat(32), (2n ** 256n - 1n).toString()],
    ["int8", "-128", "-128"],
    ["int256", -1, "-1"],
    ["bool", false, false],
    ["bytes4", "0xABCD0000", "0xabcd0000"],
    ["bytes", "0x", "0x"],
    ["string", "\ufeff<b>é\u0000", "\ufeff<b>é\u0000"],
    ["address", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["T", null, null],
  ];
  for (const [type, given, value] of shown) {
    test(`explainTypedData() shows ${type} ${JSON.stringify(given)} as ${JSON.stringify(value)}`, () => {
      const { message } = explainTypedData(parseTypedData(single(type, given)));
      assert.deepEqual(message, { name: "message", type: "T", members: [{ name: "x", type, value }] });
    });
  }

  test("explainTypedData() names the items of arrays by their index", () => {
    const { message } = explainTypedData(parseTypedData(single("bool[1][]", [[true], [false]])));
    const inner = (name: string, value: boolean) => ({
      name,
      type: "bool[1]",
      items: [{ name: "0", type: "bool", value }],
    });
    assert.deepEqual(message, {
      name: "message",
      type: "T",
      members: [{ name: "x", type: "bool[1][]", items: [inner("0", true), inner("1", false)] }],
    });
  });

  test("explainTypedData() has no message and no struct hash when the domain alone is signed", () => {
    const explained = explainTypedData(parseTypedData({ ...MAIL, primaryType: "EIP712Domain", message: {} }));
    assert.equal(explained.message, null);
    assert.equal(explained.structHash, null);
    assert.equal(explained.primaryType, "EIP712Domain");
    assert.match(explained.encodeType, /^EIP712Domain\(string name,/);
  });
});
