import { MAIL } from "./mail.ts";
import type { Json } from "./refusing.ts";

/** A document on which viem, ethers and eth-sig-util disagree with us, and the reason for our result. */
export interface Disagreement {
  readonly what: string;
  readonly document: Json;
  readonly reason: string;
}

const { EIP712Domain: _, ...TYPES_WITHOUT_DOMAIN } = MAIL.types;
const BARE = { ...MAIL, types: TYPES_WITHOUT_DOMAIN };

/** Returns a document with one struct of the given fields. */
function struct(fields: readonly (readonly [type: string, name: string])[], message: Json, name = "T"): Json {
  const types = { EIP712Domain: [], [name]: fields.map(([type, name]) => ({ name, type })) };
  return { types, primaryType: name, domain: {}, message };
}

/** Returns a document with one member, and an EIP712Domain for the library that needs one. */
function one(type: string, x: unknown): Json {
  return struct([[type, "x"]], { x });
}

function recursive(next: unknown): Json {
  return struct([["T", "next"]], { next });
}

function domainFields(...fields: readonly (readonly [type: string, name: string])[]): Json {
  return { ...TYPES_WITHOUT_DOMAIN, EIP712Domain: fields.map(([type, name]) => ({ name, type })) };
}

const DOMAIN: readonly Disagreement[] = [
  {
    what: "`EIP712Domain` absent from `types`",
    document: BARE,
    reason: "The type follows from the domain's members",
  },
  {
    what: '`EIP712Domain` absent, `chainId: "1"`',
    document: { ...BARE, domain: { ...MAIL.domain, chainId: "1" } },
    reason: "A string is a form of the number; viem omits the member",
  },
  {
    what: '`EIP712Domain` absent, `version: ""`',
    document: { ...BARE, domain: { ...MAIL.domain, version: "" } },
    reason: "An empty string is a value; viem omits the member",
  },
  {
    what: "`EIP712Domain` present in another order",
    document: {
      ...MAIL,
      types: domainFields(["address", "verifyingContract"], ["uint256", "chainId"], ["string", "version"], [
        "string",
        "name",
      ]),
    },
    reason: "The given type is signed; ethers ignores it",
  },
  {
    what: "`EIP712Domain` lists less than `domain` has",
    document: { ...MAIL, types: domainFields(["string", "name"]) },
    reason: "A value that is not signed must not look signed",
  },
  {
    what: "`EIP712Domain` lists more than `domain` has",
    document: { ...MAIL, domain: { name: "Ether Mail", version: "1", chainId: 1 } },
    reason: "A missing member has no value",
  },
  {
    what: "a private domain member, with its type",
    document: { ...MAIL, types: domainFields(["string", "foo"]), domain: { foo: "x" } },
    reason: "EIP-712 has five members; wallets show no others",
  },
  {
    what: "`chainId` typed `uint160`",
    document: { ...MAIL, types: domainFields(["uint160", "chainId"]), domain: { chainId: 1 } },
    reason: "EIP-712 types it uint256; ethers always signs that type",
  },
  {
    what: "`verifyingContract` typed `string`",
    document: {
      ...MAIL,
      types: domainFields(["string", "verifyingContract"]),
      domain: { verifyingContract: "cosmos" },
    },
    reason: "EIP-712 types it address",
  },
  { what: "`domain: null`", document: { ...MAIL, domain: null }, reason: "viem signs no domain at all" },
  {
    what: "`version: 1`, a number",
    document: { ...MAIL, domain: { ...MAIL.domain, version: 1 } },
    reason: "A number is not a string; viem and eth-sig-util hash one byte",
  },
  {
    what: '`primaryType: "EIP712Domain"`, empty message',
    document: { ...MAIL, primaryType: "EIP712Domain", message: {} },
    reason: "Wallets sign the domain only; ethers ignores the primary type",
  },
  {
    what: '`primaryType: "EIP712Domain"`, a message',
    document: { ...MAIL, primaryType: "EIP712Domain" },
    reason: "The message would not be signed",
  },
  {
    what: "`primaryType` unknown",
    document: { ...MAIL, primaryType: "Other" },
    reason: "ethers ignores the primary type and signs the root",
  },
  {
    what: "`primaryType` not the root",
    document: { ...MAIL, primaryType: "Person", message: MAIL.message.from },
    reason: "Any struct can be signed; ethers finds the root itself",
  },
];

const TYPES: readonly Disagreement[] = [
  {
    what: "`uint`",
    document: one("uint", 1),
    reason: "EIP-712 has no aliases; libraries that accept one disagree",
  },
  {
    what: "`int`",
    document: one("int", 1),
    reason: "EIP-712 has no aliases; libraries that accept one disagree",
  },
  { what: "`uint7`", document: one("uint7", 1), reason: "No such type" },
  { what: "`uint264`", document: one("uint264", 1), reason: "No such type" },
  { what: "`uint08`", document: one("uint08", 1), reason: "One spelling for each type" },
  {
    what: "`bytes032`",
    document: one("bytes032", "0x" + "01".repeat(32)),
    reason: "One spelling for each type",
  },
  { what: "`uint256[-1]`", document: one("uint256[-1]", [1]), reason: "No such type" },
  { what: "`uint256[01]`", document: one("uint256[01]", [1]), reason: "One spelling for each type" },
  {
    what: "`uint256[2]` with 3 items",
    document: one("uint256[2]", [1, 2, 3]),
    reason: "A fixed array has exactly its length",
  },
  {
    what: "struct named `_P$1`",
    document: {
      types: { EIP712Domain: [], T: [{ name: "p", type: "_P$1" }], _P$1: [{ name: "x", type: "uint256" }] },
      primaryType: "T",
      domain: {},
      message: { p: { x: 1 } },
    },
    reason: "A valid name; viem and eth-sig-util omit the type from the canonical text",
  },
  {
    what: "struct named `Hyper:Agent`, used by another",
    document: {
      types: {
        EIP712Domain: [],
        T: [{ name: "p", type: "Hyper:Agent" }],
        "Hyper:Agent": [{ name: "x", type: "uint256" }],
      },
      primaryType: "T",
      domain: {},
      message: { p: { x: 1 } },
    },
    reason: "Hyperliquid's types have a colon; libraries that cut a name at it sign another type",
  },
  {
    what: "struct named `bytesFoo`",
    document: {
      types: {
        EIP712Domain: [],
        T: [{ name: "p", type: "bytesFoo" }],
        bytesFoo: [{ name: "x", type: "uint256" }],
      },
      primaryType: "T",
      domain: {},
      message: { p: { x: 1 } },
    },
    reason: "A valid name",
  },
  {
    what: "struct named `A B`",
    document: struct([["bool", "x"]], { x: true }, "A B"),
    reason: "Not an identifier",
  },
  {
    what: "field named `a,uint256 b`",
    document: struct([["uint256", "a,uint256 b"]], { "a,uint256 b": 1 }),
    reason: "The canonical text would be that of another type",
  },
  {
    what: "two fields of one name",
    document: struct([["uint256", "x"], ["uint256", "x"]], { x: 1 }),
    reason: "One value would be signed twice",
  },
  {
    what: "a struct that nothing uses",
    document: { ...one("bool", true), types: { EIP712Domain: [], T: [{ name: "x", type: "bool" }], U: [] } },
    reason: "It changes nothing",
  },
  {
    what: "recursion ended by `null`",
    document: recursive(null),
    reason: "32 zero bytes, as in deployed wallets",
  },
  {
    what: "recursion ended by absence",
    document: struct([["T", "next"]], {}),
    reason: "A missing member is not null",
  },
  {
    what: "recursion ended by an empty array",
    document: struct([["T[]", "next"]], { next: [] }),
    reason: "Recursion is valid; ethers does not support it",
  },
];

const VALUES: readonly Disagreement[] = [
  {
    what: "`uint256`: `2**53`, a number",
    document: one("uint256", 2 ** 53),
    reason: "JSON may have rounded it",
  },
  ...["", " ", "0b11", " 1 ", "01", "0X1"].map((text) => ({
    what: `\`uint256\`: \`${JSON.stringify(text)}\``,
    document: one("uint256", text),
    reason: "Decimal without leading zeros, or 0x-hex",
  })),
  { what: "`uint256`: `true`", document: one("uint256", true), reason: "Values are not converted" },
  { what: "`uint256`: `[]`", document: one("uint256", []), reason: "Values are not converted" },
  { what: '`int256`: `"-0x1"`', document: one("int256", "-0x1"), reason: "0x-hex has no sign" },
  { what: "`int8`: `128`", document: one("int8", 128), reason: "Out of range" },
  { what: "`int8`: `-129`", document: one("int8", -129), reason: "Out of range" },
  { what: "`bytes4`: `0x0102`", document: one("bytes4", "0x0102"), reason: "bytesN has N bytes" },
  { what: "`bytes4`: `0x0102030405`", document: one("bytes4", "0x0102030405"), reason: "bytesN has N bytes" },
  {
    what: "`bytes`: `abcd`",
    document: one("bytes", "abcd"),
    reason: "Hex needs 0x; some libraries hash the text",
  },
  { what: "`bytes`: `0x123`", document: one("bytes", "0x123"), reason: "A byte has two digits" },
  {
    what: "`bytes`: `0XAB`",
    document: one("bytes", "0XAB"),
    reason: "Only the prefix 0x; viem hashes the text",
  },
  { what: "`string`: `5`", document: one("string", 5), reason: "Values are not converted" },
  { what: "`string`: `null`", document: one("string", null), reason: "Null is not text" },
  { what: "`string`: a lone surrogate", document: one("string", "\ud800"), reason: "It has no UTF-8 form" },
  ...["false", "0", {}].map((value) => ({
    what: `\`bool\`: \`${JSON.stringify(value)}\``,
    document: one("bool", value),
    reason: "Only true and false",
  })),
  { what: "`bool`: `null`", document: one("bool", null), reason: "Only true and false" },
  {
    what: "`address`: wrong checksum",
    document: one("address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"),
    reason: "The checksum is verified",
  },
  {
    what: "`address`: all capitals",
    document: one("address", "0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"),
    reason: "A single case has no checksum (EIP-55)",
  },
  {
    what: "`address`: without `0x`",
    document: one("address", "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"),
    reason: "eth-sig-util reads other bytes",
  },
  { what: '`address`: `""`', document: one("address", ""), reason: "Not 20 bytes" },
  {
    what: "`address`: ICAP",
    document: one("address", "XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36"),
    reason: "Not hex; eth-sig-util reads other bytes",
  },
  {
    what: "a member that no type lists",
    document: struct([["bool", "x"]], { x: true, note: "free" }),
    reason: "A value that is not signed must not look signed",
  },
  {
    what: "a struct given a string",
    document: { ...struct([["uint256", "length"]], {}), message: "abc" },
    reason: "A struct is an object",
  },
  {
    what: "member `constructor` absent, of a struct type",
    document: {
      types: {
        EIP712Domain: [],
        T: [{ name: "constructor", type: "C" }],
        C: [{ name: "name", type: "string" }, { name: "length", type: "uint256" }],
      },
      primaryType: "T",
      domain: {},
      message: {},
    },
    reason: "Only the document's own members are signed",
  },
  {
    what: "member `toString` absent",
    document: struct([["string", "toString"]], {}),
    reason: "Only the document's own members are signed",
  },
];

export const DISAGREEMENTS: readonly Disagreement[] = [...DOMAIN, ...TYPES, ...VALUES];
