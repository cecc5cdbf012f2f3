import { MAIL } from "../mail.ts";
import { mail, mailWithout, type Refusal, refuses, single } from "../refusing.ts";

const OTHER_DOMAIN = { ...MAIL.domain, verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccc" };

const DOMAIN: readonly Refusal[] = [
  ["the domain is null", mail("domain", null), "/domain", /^Expected an object$/],
  ["the domain is an array", mail("domain", []), "/domain", /^Expected an object$/],
  [
    "types lists less than the domain has",
    mail("domain/salt", "0x" + "00".repeat(32)),
    "/domain/salt",
    /^Unsigned domain member "salt"/,
  ],
  [
    "types lists more than the domain has",
    mailWithout("domain/version"),
    "/domain/version",
    /^Missing member "version"$/,
  ],
  [
    "the domain has a private member",
    { ...single("bool", true), domain: { foo: "1" } },
    "/domain/foo",
    /^Unknown domain member "foo"$/,
  ],
  [
    "the domain has a member in the wrong case",
    { ...single("bool", true), domain: { chainID: 1 } },
    "/domain/chainID",
    /did you mean "chainId"\?$/,
  ],
  [
    "the domain has a member named __proto__",
    { ...single("bool", true), domain: JSON.parse(`{"__proto__": 1}`) },
    "/domain/__proto__",
    /^Unknown domain member/,
  ],
  [
    "the domain has a member named toString",
    { ...single("bool", true), domain: { toString: "a" } },
    "/domain/toString",
    /^Unknown domain member/,
  ],
  [
    "types gives the domain a private field",
    mail("types/EIP712Domain/4", { name: "foo", type: "string" }),
    "/types/EIP712Domain/4/name",
    /^Unknown domain member "foo"$/,
  ],
  [
    "types gives the domain a field named constructor",
    mail("types/EIP712Domain/4", { name: "constructor", type: "string" }),
    "/types/EIP712Domain/4/name",
    /^Unknown domain member/,
  ],
  [
    "chainId is typed uint160",
    mail("types/EIP712Domain/2/type", "uint160"),
    "/types/EIP712Domain/2/type",
    /^Wrong type: chainId of a domain is uint256$/,
  ],
  [
    "chainId is typed string",
    mail("types/EIP712Domain/2/type", "string"),
    "/types/EIP712Domain/2/type",
    /is uint256$/,
  ],
  [
    "name is typed bytes",
    mail("types/EIP712Domain/0/type", "bytes"),
    "/types/EIP712Domain/0/type",
    /is string$/,
  ],
  [
    "verifyingContract is typed string",
    mail("types/EIP712Domain/3/type", "string"),
    "/types/EIP712Domain/3/type",
    /is address$/,
  ],
  ["version is a number", mail("domain/version", 1), "/domain/version", /^Expected a string$/],
  ["name is null", mail("domain/name", null), "/domain/name", /^Expected a string$/],
  ["chainId is null", mail("domain/chainId", null), "/domain/chainId", /^Expected an integer/],
  ["chainId is negative", mail("domain/chainId", -1), "/domain/chainId", /^Out of range for uint256$/],
  [
    "verifyingContract has a wrong checksum",
    { ...MAIL, domain: OTHER_DOMAIN },
    "/domain/verifyingContract",
    /^Wrong checksum/,
  ],
  [
    "verifyingContract is empty",
    mail("domain/verifyingContract", ""),
    "/domain/verifyingContract",
    /^Expected an address/,
  ],
  [
    "salt is 31 bytes",
    { ...single("bool", true), domain: { salt: "0x" + "00".repeat(31) } },
    "/domain/salt",
    /^Wrong length: bytes32 takes 32 bytes, not 31$/,
  ],
];

const STRUCTS: readonly Refusal[] = [
  ["the message is null", mail("message", null), "/message", /^Expected an object for Mail$/],
  ["the message is an array", mail("message", []), "/message", /^Expected an object for Mail$/],
  ["a struct is a string", mail("message/to", "Bob"), "/message/to", /^Expected an object for Person$/],
  [
    "a struct is an array",
    mail("message/to", ["Bob", "0x"]),
    "/message/to",
    /^Expected an object for Person$/,
  ],
  [
    "a member is missing",
    mailWithout("message/to/wallet"),
    "/message/to/wallet",
    /^Missing member "wallet"$/,
  ],
  [
    "a struct is missing where null would do",
    mailWithout("message/to"),
    "/message/to",
    /^Missing member "to"$/,
  ],
  [
    "there is one member too many",
    mail("message/to/note", "x"),
    "/message/to/note",
    /^Unknown member "note"$/,
  ],
  [
    "a member is misspelt",
    { ...MAIL, message: { form: MAIL.message.from, to: MAIL.message.to, contents: "" } },
    "/message/form",
    /^Unknown member "form"; did you mean "from"\?$/,
  ],
  [
    "a member too many has a long name",
    mail(`message/${"x".repeat(300)}`, 1),
    "/message",
    /^Unknown member "x{61}\.\.\."$/,
  ],
  [
    "a member too many has a lone surrogate",
    mail("message/\udfff", 1),
    "/message",
    /^Unknown member "\\udfff"$/,
  ],
  [
    "a member named constructor is only inherited",
    {
      types: {
        T: [{ name: "constructor", type: "C" }],
        C: [{ name: "name", type: "string" }, { name: "length", type: "uint256" }],
      },
      primaryType: "T",
      domain: {},
      message: {},
    },
    "/message/constructor",
    /^Missing member "constructor"$/,
  ],
  [
    "a member named toString is only inherited",
    {
      types: { T: [{ name: "toString", type: "string" }] },
      primaryType: "T",
      domain: {},
      message: {},
    },
    "/message/toString",
    /^Missing member "toString"$/,
  ],
];

/** Values that do not match their type. */
const VALUES: readonly (readonly [type: string, value: unknown, message: RegExp])[] = [
  ...[
    "",
    " ",
    "0b11",
    "0o7",
    " 1 ",
    "1 ",
    "01",
    "-01",
    "0X1",
    "-0x1",
    "0x",
    "0xg",
    "1e3",
    "1.0",
    "+1",
    "1_000",
    "١",
    "Infinity",
    "1n",
  ]
    .map((value) => ["uint256", value, /^Expected decimal digits/] as const),
  ...[true, false, null, [], [1], {}].map((value) =>
    ["uint256", value, /^Expected an integer or a string/] as const
  ),
  ["uint256", 1.5, /^Expected an integer for uint256$/],
  ["uint256", 2 ** 53, /^Number beyond 2\^53 is not exact/],
  ["int256", -(2 ** 53), /^Number beyond 2\^53 is not exact/],
  ["uint256", 1e300, /^Number beyond 2\^53 is not exact/],
  ["uint256", -1, /^Out of range/],
  ["uint256", "-1", /^Out of range/],
  ["uint256", (2n ** 256n).toString(), /^Out of range for uint256$/],
  ["uint256", "0x1" + "00".repeat(32), /^Expected decimal digits/],
  ["uint256", "1".repeat(79), /^Expected decimal digits/],
  ["uint8", 256, /^Out of range for uint8$/],
  ["uint8", "0x100", /^Out of range for uint8$/],
  ["uint248", (2n ** 248n).toString(), /^Out of range/],
  ["int8", 128, /^Out of range for int8$/],
  ["int8", 255, /^Out of range/],
  ["int8", "0xff", /^Out of range/],
  ["int8", -129, /^Out of range/],
  ["int256", (2n ** 255n).toString(), /^Out of range/],
  ["int256", (-(2n ** 255n) - 1n).toString(), /^Out of range/],
  ...["true", "false", "", "0", 0, 1, null, [], {}].map((value) =>
    ["bool", value, /^Expected true or false$/] as const
  ),
  ...[5, null, true, [], {}, ["a"]].map((value) => ["string", value, /^Expected a string$/] as const),
  ...["\ud800", "a\udc00", "\udc00\ud800"].map((value) => ["string", value, /^Ill-formed text/] as const),
  ...["abcd", "", "0x123", "0XAB", "0xzz", "0x 0", " 0x00", "0x00\n", 0, 171, null, [], [1, 2], {}, true]
    .map((value) => ["bytes", value, /^Expected 0x and an even number of hex digits for bytes$/] as const),
  ["bytes4", "0x0102", /^Wrong length: bytes4 takes 4 bytes, not 2$/],
  ["bytes4", "0x0102030405", /^Wrong length: bytes4 takes 4 bytes, not 5$/],
  ["bytes32", "0x", /^Wrong length/],
  ["bytes1", "0x1", /^Expected 0x/],
  ["bytes1", 1, /^Expected 0x/],
  ["address", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD", /^Wrong checksum/],
  ...[
    "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea",
    "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed00",
    "0x",
    "",
    "vitalik.eth",
    "XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36",
    0,
    null,
    [],
    {},
  ]
    .map((value) => ["address", value, /^Expected an address: 0x and 40 hex digits$/] as const),
  ["bool[]", null, /^Expected an array for bool\[\]$/],
  ["bool[]", {}, /^Expected an array/],
  ["bool[]", { length: 0 }, /^Expected an array/],
  ["bool[]", "", /^Expected an array/],
  ["bool[2]", [true], /^Wrong length: bool\[2\] does not take 1 items$/],
  ["bool[2]", [true, true, true], /^Wrong length/],
  ["bool[0]", [true], /^Wrong length/],
  ["bool[99999999999999999999]", [], /^Wrong length: bool\[99999999999999999999\] does not take 0 items$/],
];

refuses("a domain", DOMAIN);
refuses("a struct", STRUCTS);
refuses(
  "a value",
  VALUES.map(([type, value, message]) => [
    `${type} is ${JSON.stringify(value).slice(0, 60)}`,
    single(type, value),
    "/message/x",
    message,
  ]),
);
refuses("an item", [
  ["an item is not of its type", single("bool[]", [true, 1]), "/message/x/1", /^Expected true or false$/],
  [
    "an inner item is not of its type",
    single("uint8[2][]", [[1, 2], [3, 256]]),
    "/message/x/1/1",
    /^Out of range/,
  ],
  ["an inner array has another length", single("uint8[2][]", [[1, 2], [3]]), "/message/x/1", /^Wrong length/],
  [
    "an item of a struct array is no object",
    single("T[]", [[]]),
    "/message/x/0",
    /^Expected an object for T$/,
  ],
  [
    "an item of a struct array has a fault",
    single("T[]", [{ x: [] }, {}]),
    "/message/x/1/x",
    /^Missing member "x"$/,
  ],
]);
