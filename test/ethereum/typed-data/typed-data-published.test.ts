import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashTypedData, parseTypedData } from "../../../src/ethereum/typed-data/typed-data.ts";
import { toHex } from "../../../src/lib/bytes.ts";
import { MAIL } from "../mail.ts";
import type { Json } from "../refusing.ts";

/**
 * Examples that wallets publish with their hashes: MetaMask's for signTypedData_v4 and Trezor's for its devices. Where
 * MetaMask omits a recursive member, null replaces it, because a missing member is refused.
 */

interface Published {
  readonly document: Json;
  readonly digest?: string;
  readonly domainSeparator?: string;
  readonly structHash?: string;
}

const DOMAIN_FIELDS = [...MAIL.types.EIP712Domain, { name: "salt", type: "bytes32" }];
const COW = ["0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826", "0xDeaDbeefdEAdbeefdEadbEEFdeadbeEFdEaDbeeF"];
const BOB = [
  "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB",
  "0xB0BdaBea57B0BDABeA57b0bdABEA57b0BDabEa57",
  "0xB0B0b0b0b0b0B000000000000000000000000000",
];

/** Returns a document with an empty EIP712Domain and structs written as "type name" pairs. */
function document(structs: Readonly<Record<string, string>>, primaryType: string, message: unknown): Json {
  return { types: { EIP712Domain: [], ...typesOf(structs) }, primaryType, domain: {}, message };
}

function typesOf(structs: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(structs).map(([name, fields]) => [
      name,
      fields.split(", ").map((field) => ({ type: field.split(" ")[0], name: field.split(" ")[1] })),
    ]),
  );
}

const PUBLISHED: Readonly<Record<string, Published>> = {
  "MetaMask: bytes": {
    document: {
      ...MAIL,
      types: { ...MAIL.types, Mail: [...MAIL.types.Mail, { name: "payload", type: "bytes" }] },
      message: {
        ...MAIL.message,
        payload: "0x25192142931f380985072cdd991e37f65cf8253ba7a0e675b54163a1d133b8ca",
      },
    },
    digest: "0xb4aaf457227fec401db772ec22d2095d1235ee5d0833f56f59108c9ffc90fb4b",
    structHash: "0xe004bdc1ca57ba9ad5ea8c81e54dcbdb3bfce2d1d5ad92113f0871fb2a6eb052",
  },
  "MetaMask: arrays, and a struct that nothing uses": {
    document: {
      ...MAIL,
      types: {
        EIP712Domain: MAIL.types.EIP712Domain,
        ...typesOf({
          Person: "string name, address[] wallets",
          Mail: "Person from, Person[] to, string contents",
          Group: "string name, Person[] members",
        }),
      },
      message: {
        from: { name: "Cow", wallets: COW },
        to: [{ name: "Bob", wallets: BOB }],
        contents: "Hello, Bob!",
      },
    },
    digest: "0xa85c2e2b118698e88db68a8105b794a8cc7cec074e89ef991cb4f5f533819cc2",
    structHash: "0xeb4221181ff3f1a83ea7313993ca9218496e424604ba9492bb4052c03d5c3df8",
  },
  "MetaMask: recursion": {
    document: {
      ...MAIL,
      types: {
        EIP712Domain: MAIL.types.EIP712Domain,
        ...typesOf({ Person: "string name, Person mother, Person father" }),
      },
      primaryType: "Person",
      domain: { ...MAIL.domain, name: "Family Tree" },
      message: {
        name: "Jon",
        mother: {
          name: "Lyanna",
          mother: null,
          father: { name: "Rickard", mother: null, father: null },
        },
        father: {
          name: "Rhaegar",
          mother: null,
          father: { name: "Aeris II", mother: null, father: null },
        },
      },
    },
    digest: "0x807773b9faa9879d4971b43856c4d60c2da15c6f8c062bd9d33afefb756de19c",
    domainSeparator: "0xfacb2c1888f63a780c84c216bd9a81b516fc501a19bae1fc81d82df590bbdc60",
    structHash: "0xfdc7b6d35bbd81f7fa78708604f57569a10edff2ca329c8011373f0667821a45",
  },
  "Trezor: an empty domain alone": {
    document: { types: { EIP712Domain: [] }, primaryType: "EIP712Domain", domain: {}, message: {} },
    domainSeparator: "0x6192106f129ce05c9075d319c1fa6ea9b3ae37cbd0c1ef92e2be7137bb07baa1",
  },
  "Trezor: a full domain alone": {
    document: {
      types: { EIP712Domain: DOMAIN_FIELDS },
      primaryType: "EIP712Domain",
      domain: {
        name: "Trezor",
        version: "Test v0.0.0",
        chainId: 1,
        verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
        salt: "0x" + "0123456789abcdef".repeat(4),
      },
      message: {},
    },
    domainSeparator: "0xf85aaf157e9a36dc6e12643fff450fdf8d98fd0d0e41c5b42bb1f7aae6c83388",
  },
  "Trezor: every kind of type": {
    document: {
      types: {
        EIP712Domain: DOMAIN_FIELDS,
        ...typesOf({
          Person: "string name, address wallet, bool married, uint8 kids, int16 karma, bytes secret, " +
            "bytes16 small_secret, string[] pets, string[2] two_best_friends",
          Mail: "Person from, Person to, string[] messages",
        }),
      },
      primaryType: "Mail",
      domain: {
        name: "Ether Mail",
        version: "1",
        chainId: 1,
        verifyingContract: "0x1e0Ae8205e9726E6F296ab8869160A6423E2337E",
        salt: "0xca92da1a6e91d9358328d2f2155af143a7cb74b81a3a4e3e57e2191823dbb56c",
      },
      message: {
        from: {
          name: "Amy",
          wallet: "0xc0004B62C5A39a728e4Af5bee0c6B4a4E54b15ad",
          married: true,
          kids: 2,
          karma: 4,
          secret: "0x" + "62c5a39a728e4af5bee0c6b4".repeat(4),
          small_secret: "0x5ccf0e54367104795a47bc0481645d9e",
          pets: ["parrot"],
          two_best_friends: ["Carl", "Denis"],
        },
        to: {
          name: "Bob",
          wallet: "0x54B0Fa66A065748C40dCA2C7Fe125A2028CF9982",
          married: false,
          kids: 0,
          karma: -4,
          secret: "0x" + "7fe125a2028cf9".repeat(7),
          small_secret: "0xa5e5c47b64775abc476d2962403258de",
          pets: ["dog", "cat"],
          two_best_friends: ["Emil", "Franz"],
        },
        messages: ["Hello, Bob!", "How are you?", "Hope you're fine"],
      },
    },
    domainSeparator: "0xc4f4e0cd1376e27837fe933e3f77b7bd6213211b377f0e19815a0dbd194731cc",
    structHash: "0xdbafe746b1c47e4870f6f77205660d3c49a94db9a80939809bfca7bf43919df5",
  },
  "Trezor: an array of structs": {
    document: document({ Message: "Element[] element", Element: "int8 foo" }, "Message", {
      element: [{ foo: 1 }, { foo: 2 }],
    }),
    structHash: "0x7be2cca6dd2e37cf3e8ab76ab19df174e369ad48e3fd0088c7f99137cbf6a2d8",
  },
  "Trezor: arrays of strings in an array": {
    document: document({ Message: "string[][] text" }, "Message", { text: [["1", "2"], ["3", "4"]] }),
    digest: "0xc40dc798242ec8a6a0f2974e8f687583c118a6b74f161dc39cd79025d228ca1d",
  },
  "Trezor: arrays of structs in an array": {
    document: document({ Message: "Element[][] element", Element: "int8 foo" }, "Message", {
      element: [[{ foo: 1 }], [{ foo: 2 }]],
    }),
    digest: "0x56034f4b5afe2fb032f1e60b3bc649c8725396d1e9b4d85725bdff1d366a86e6",
  },
};

describe("hashTypedData() with the examples that wallets publish", () => {
  for (const [name, published] of Object.entries(PUBLISHED)) {
    test(`hashTypedData() returns the published hashes when given the example ${name}`, () => {
      const { digest, domainSeparator, structHash } = hashTypedData(parseTypedData(published.document));
      if (published.digest !== undefined) assert.equal(toHex(digest), published.digest);
      if (published.domainSeparator !== undefined) {
        assert.equal(toHex(domainSeparator), published.domainSeparator);
      }
      if (published.structHash !== undefined) assert.equal(toHex(structHash!), published.structHash);
    });
  }
});
