import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keccak256 } from "../../../src/ethereum/keccak.ts";
import {
  hashTypedData,
  parseTypedData,
  TypedDataError,
} from "../../../src/ethereum/typed-data/typed-data.ts";
import { explainTypedData } from "../../../src/ethereum/typed-data/typed-data-explain.ts";
import { toHex, utf8 } from "../../../src/lib/bytes.ts";
import { MAIL, MAIL_PUBLISHED } from "../mail.ts";
import { single } from "../refusing.ts";

function digestOf(input: unknown): string {
  return toHex(hashTypedData(parseTypedData(input)).digest);
}

describe("hashTypedData() with the Mail example of EIP-712", () => {
  const explained = explainTypedData(parseTypedData(MAIL));

  test("hashTypedData() returns the published digest, domain separator and struct hash", () => {
    const { digest, domainSeparator, structHash } = hashTypedData(parseTypedData(MAIL));
    assert.equal(toHex(digest), MAIL_PUBLISHED.digest);
    assert.equal(toHex(domainSeparator), MAIL_PUBLISHED.domainSeparator);
    assert.equal(toHex(structHash!), MAIL_PUBLISHED.structHash);
  });

  test("explainTypedData() returns the published canonical type, whose hash is the published type hash", () => {
    assert.equal(explained.encodeType, MAIL_PUBLISHED.encodeType);
    assert.equal(toHex(keccak256(utf8(explained.encodeType))), MAIL_PUBLISHED.typeHash);
  });

  test("hashTypedData() returns the published words of encodeData when each person is the message", () => {
    for (const [person, hash] of Object.entries(MAIL_PUBLISHED.personHashes)) {
      const message = MAIL.message[person as "from" | "to"];
      const { structHash } = hashTypedData(parseTypedData({ ...MAIL, primaryType: "Person", message }));
      assert.equal(toHex(structHash!), hash);
    }
    assert.equal(toHex(keccak256(utf8(MAIL.message.contents))), MAIL_PUBLISHED.contentsHash);
  });

  test("hashTypedData() returns the published digest when EIP712Domain is left out of types", () => {
    const { EIP712Domain: _, ...types } = MAIL.types;
    assert.equal(digestOf({ ...MAIL, types }), MAIL_PUBLISHED.digest);
  });
});

describe("hashTypedData() reads one value written in different ways", () => {
  const equal: readonly (readonly [type: string, ...spellings: readonly unknown[]])[] = [
    ["uint256", 255, "255", "0xff", "0xFF", "0x0ff"],
    ["uint256", 0, -0, "0", "-0", "0x0", "0x00"],
    ["uint256", Number.MAX_SAFE_INTEGER, "9007199254740991", "0x1fffffffffffff"],
    ["uint256", "0x" + "ff".repeat(32), (2n ** 256n - 1n).toString()],
    ["int256", -1, "-1"],
    ["int256", (-(2n ** 255n)).toString()],
    ["int8", 127, "127", "0x7f"],
    ["int8", -128, "-128"],
    ["bytes", "0xabcd", "0xABCD", "0xaBcD"],
    ["bytes4", "0xabcd0102", "0xABCD0102"],
    [
      "address",
      "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
      "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED",
    ],
  ];
  for (const [type, ...spellings] of equal) {
    test(`hashTypedData() returns one digest when a ${type} is written as ${spellings.join(", ")}`, () => {
      assert.equal(new Set(spellings.map((spelling) => digestOf(single(type, spelling)))).size, 1);
    });
  }

  test("hashTypedData() never takes text for hex, and never normalises it", () => {
    const texts = ["0x1234", "\u1234", "é", "e\u0301", "", " ", "\ufeff"];
    assert.equal(new Set(texts.map((text) => digestOf(single("string", text)))).size, texts.length);
  });
});

describe("hashTypedData() accepts what EIP-712 leaves open", () => {
  const recursive = {
    types: { Node: [{ name: "value", type: "uint8" }, { name: "next", type: "Node" }] },
    primaryType: "Node",
    domain: {},
  };
  const typeHash = keccak256(utf8("Node(uint8 value,Node next)")).toHex();
  const word = (value: number) => value.toString(16).padStart(64, "0");

  test("hashTypedData() writes 32 zero bytes when a struct member is null", () => {
    const leaf = keccak256(Uint8Array.fromHex(typeHash + word(2) + word(0)));
    const root = keccak256(Uint8Array.fromHex(typeHash + word(1) + leaf.toHex()));
    const message = { value: 1, next: { value: 2, next: null } };
    assert.deepEqual(hashTypedData(parseTypedData({ ...recursive, message })).structHash, root);
  });

  test("hashTypedData() writes 32 zero bytes when an item of a struct array is null", () => {
    const types = { Tree: [{ name: "children", type: "Tree[]" }] };
    const message = { children: [null, { children: [] }] };
    const hash = keccak256(utf8("Tree(Tree[] children)")).toHex();
    const leaf = keccak256(Uint8Array.fromHex(hash + keccak256(new Uint8Array()).toHex()));
    const items = keccak256(Uint8Array.fromHex(word(0) + leaf.toHex()));
    const root = keccak256(Uint8Array.fromHex(hash + items.toHex()));
    const parsed = parseTypedData({ types, primaryType: "Tree", domain: {}, message });
    assert.deepEqual(hashTypedData(parsed).structHash, root);
  });

  test("hashTypedData() hashes only the domain when the primary type is EIP712Domain", () => {
    const parsed = parseTypedData({ ...MAIL, primaryType: "EIP712Domain", message: {} });
    const { digest, structHash } = hashTypedData(parsed);
    const expected = keccak256(Uint8Array.fromHex("1901" + MAIL_PUBLISHED.domainSeparator.slice(2)));
    assert.equal(structHash, undefined);
    assert.deepEqual(digest, expected);
  });

  test("hashTypedData() accepts an empty domain when EIP712Domain is absent, or present and empty", () => {
    const absent = hashTypedData(parseTypedData(single("bool", true)));
    const types = { EIP712Domain: [], T: [{ name: "x", type: "bool" }] };
    const present = hashTypedData(parseTypedData({ ...single("bool", true), types }));
    assert.deepEqual(absent.domainSeparator, keccak256(keccak256(utf8("EIP712Domain()"))));
    assert.deepEqual(absent, present);
  });

  test("hashTypedData() builds the domain from its members in the EIP's order when EIP712Domain is absent", () => {
    const domain = {
      salt: "0x" + "01".repeat(32),
      verifyingContract: "0x" + "02".repeat(20),
      chainId: "1",
      version: "",
      name: "",
    };
    const text =
      "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract,bytes32 salt)";
    const explained = explainTypedData(parseTypedData({ ...single("bool", true), domain }));
    assert.deepEqual("members" in explained.domain && explained.domain.members.map((member) => member.name), [
      "name",
      "version",
      "chainId",
      "verifyingContract",
      "salt",
    ]);
    const empty = keccak256(new Uint8Array()).toHex();
    const words = keccak256(utf8(text)).toHex() + empty + empty + word(1) + "00".repeat(12) +
      "02".repeat(20) +
      "01".repeat(32);
    assert.equal(explained.domainSeparator, toHex(keccak256(Uint8Array.fromHex(words))));
  });

  test("hashTypedData() keeps the order of EIP712Domain when types has it", () => {
    const EIP712Domain = [{ name: "version", type: "string" }, { name: "name", type: "string" }];
    const types = { EIP712Domain, T: [{ name: "x", type: "bool" }] };
    const parsed = parseTypedData({ ...single("bool", true), types, domain: { name: "a", version: "b" } });
    const words = keccak256(utf8("EIP712Domain(string version,string name)")).toHex() +
      keccak256(utf8("b")).toHex() + keccak256(utf8("a")).toHex();
    assert.deepEqual(hashTypedData(parsed).domainSeparator, keccak256(Uint8Array.fromHex(words)));
  });

  test("hashTypedData() accepts members that share a name with what objects inherit when the document has them", () => {
    const input = JSON.parse(
      `{"types": {"constructor": [{"name": "__proto__", "type": "uint8"}, {"name": "toString", "type": "string"}]},
        "primaryType": "constructor", "domain": {}, "message": {"toString": "a", "__proto__": 7}}`,
    );
    const words = keccak256(utf8("constructor(uint8 __proto__,string toString)")).toHex() + word(7) +
      keccak256(utf8("a")).toHex();
    assert.deepEqual(
      hashTypedData(parseTypedData(input)).structHash,
      keccak256(Uint8Array.fromHex(words)),
    );
  });

  test("explainTypedData() sorts the referenced structs by name and follows $ and _ in names", () => {
    const types = {
      B: [{ name: "a", type: "A[]" }, { name: "p", type: "_P$1[2][]" }],
      "_P$1": [{ name: "$", type: "uint256" }],
      A: [{ name: "b", type: "B" }],
      Unused: [{ name: "x", type: "bool" }],
    };
    const parsed = parseTypedData({ types, primaryType: "B", domain: {}, message: { a: [], p: [] } });
    assert.equal(explainTypedData(parsed).encodeType, "B(A[] a,_P$1[2][] p)A(B b)_P$1(uint256 $)");
  });
});

describe("TypedDataError", () => {
  test("TypedDataError shows no value of the document when it refuses one", () => {
    const secret = "4f6a1c";
    for (const type of ["uint256", "int8", "bool", "address", "bytes", "bytes4", "string", "bool[]", "T"]) {
      for (const value of [{ x: secret }, [secret], ...(type === "string" ? [] : [secret])]) {
        assert.throws(() => parseTypedData(single(type, value)), (error) => {
          assert.ok(error instanceof TypedDataError, type);
          return !error.message.includes(secret) && !error.path.includes(secret);
        });
      }
    }
  });
});
