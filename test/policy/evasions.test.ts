import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createSiweMessage } from "viem/siwe";
import { checkSignRequest } from "../../src/keys/digest.ts";
import { decide } from "../../src/policy/decide.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const AT = { signer: new Uint8Array(20), now: NOW };
const SECONDS = NOW / 1000;
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const OTHER = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const FRIEND = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

const MEMBERS = [
  { name: "owner", type: "address" },
  { name: "spender", type: "address" },
  { name: "value", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
];
const PERMIT = {
  types: { Permit: MEMBERS },
  primaryType: "Permit",
  domain: { name: "USD Coin", version: "2", chainId: 1, verifyingContract: USDC },
  message: { owner: FRIEND, spender: FRIEND, value: "100", nonce: "0", deadline: String(SECONDS + 60) },
};

const POLICY = readPolicy({
  version: 1,
  messages: { signIn: [{ domains: ["app.example.org"], chainIds: [1] }] },
  typedData: [
    {
      chainId: 1,
      verifyingContract: USDC,
      typeHash: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
      where: { "/value": { atMost: "100" }, "/spender": { oneOf: [FRIEND] }, "/deadline": { within: 60 } },
    },
    {
      // Batch(Item[] items,int256[][] deltas)Item(address to,uint256 amount)
      chainId: 1,
      verifyingContract: USDC,
      typeHash: "0xa1d0e28c88871bee38833aded34801e5380658c1a99851b33b9d9623da18131e",
      where: {
        "/items/*/amount": { atMost: 5 },
        "/items/*/to": { oneOf: [FRIEND] },
        "/deltas/*/*": { atMost: 5 },
      },
    },
    {
      // SafeTx of Safe 1.0.0 and later
      chainId: 1,
      verifyingContract: USDC,
      typeHash: "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8",
    },
  ],
  transactions: [
    { chainId: 1, to: [FRIEND], valueAtMost: "100", feeAtMost: "21000", selectors: ["0x"] },
    {
      chainId: 1,
      to: [USDC],
      valueAtMost: 0,
      feeAtMost: "1000000",
      call: {
        function: "transfer(address to,uint256 value)",
        where: { "/to": { oneOf: [FRIEND] }, "/value": { atMost: "100" } },
      },
    },
  ],
  authorizations: [{ chainId: 1, delegates: [FRIEND] }],
});

type Change = Readonly<Record<string, unknown>>;

function permit(message: Change = {}, domain: Change = {}, whole: Change = {}): unknown {
  return {
    ...PERMIT,
    domain: { ...PERMIT.domain, ...domain },
    message: { ...PERMIT.message, ...message },
    ...whole,
  };
}

function without(member: string): unknown {
  return {
    ...PERMIT,
    domain: Object.fromEntries(Object.entries(PERMIT.domain).filter(([name]) => name !== member)),
  };
}

const BATCH = {
  types: {
    Batch: [{ name: "items", type: "Item[]" }, { name: "deltas", type: "int256[][]" }],
    Item: [{ name: "to", type: "address" }, { name: "amount", type: "uint256" }],
  },
  primaryType: "Batch",
  domain: PERMIT.domain,
};
const item = (amount: unknown, to = FRIEND) => ({ to, amount });
const batch = (items: unknown[], deltas: unknown[][] = [["5"]]) => ({ ...BATCH, message: { items, deltas } });

const SAFE_MEMBERS =
  "address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas," +
  "uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce";
const safe = (operation: number) => ({
  types: {
    SafeTx: SAFE_MEMBERS.split(",").map((one) => ({ type: one.split(" ")[0], name: one.split(" ")[1] })),
  },
  primaryType: "SafeTx",
  domain: { chainId: 1, verifyingContract: USDC },
  message: {
    to: FRIEND,
    value: 0,
    data: "0x",
    operation,
    safeTxGas: 0,
    baseGas: 0,
    gasPrice: 0,
    gasToken: FRIEND,
    refundReceiver: FRIEND,
    nonce: 0,
  },
});

const CREDIT = {
  chainId: 1,
  nonce: 0,
  gas: 21_000,
  to: FRIEND,
  value: "100",
  maxFeePerGas: 1,
  maxPriorityFeePerGas: 0,
};
const pay = (change: Change = {}) => ({ type: "eip1559", ...CREDIT, ...change });
const word = (digits: string) => digits.padStart(64, "0");
const CALL = `0xa9059cbb${word(FRIEND.slice(2).toLowerCase())}${word("64")}`;
const call = (data: string, change: Change = {}) => pay({ to: USDC, value: 0, data, ...change });
const SIGNED = {
  chainId: 1,
  address: FRIEND,
  nonce: 0,
  yParity: 0,
  r: `0x${"11".repeat(32)}`,
  s: `0x${"11".repeat(32)}`,
};

const SIGN_IN = createSiweMessage({
  domain: "app.example.org",
  address: USDC,
  uri: "https://app.example.org/login",
  version: "1",
  chainId: 1,
  nonce: "abcdefgh",
  issuedAt: new Date(NOW),
});

type Kind = "typed_data" | "transaction" | "authorization" | "message";

function decisionOn(kind: Kind, document: unknown): string {
  const request = {
    typed_data: { kind: "typed_data", typedData: document },
    transaction: { kind: "transaction", transaction: document },
    authorization: { kind: "authorization", authorization: document },
    message: { kind: "message", format: "personal_sign", message: document },
  }[kind] as Parameters<typeof checkSignRequest>[0];
  return decide(POLICY, checkSignRequest(request), AT).outcome;
}

/** Other spellings of allowed documents, which are allowed too. */
const ALLOWED: readonly [what: string, kind: Kind, document: unknown][] = [
  ["a permit at its limits", "typed_data", permit()],
  [
    "addresses in lower case",
    "typed_data",
    permit({ spender: FRIEND.toLowerCase() }, { verifyingContract: USDC.toLowerCase() }),
  ],
  ["addresses in upper case", "typed_data", permit({ spender: FRIEND.toUpperCase().replace("X", "x") })],
  ["integers in hex with leading zeros", "typed_data", permit({ value: "0x0000064" })],
  ["the chain in hex", "typed_data", permit({}, { chainId: "0x1" })],
  [
    "a message whose members stand in another order",
    "typed_data",
    permit({}, {}, { message: Object.fromEntries(Object.entries(PERMIT.message).reverse()) }),
  ],
  [
    "types that are not used",
    "typed_data",
    permit({}, {}, { types: { Permit: MEMBERS, Mail: [{ name: "a", type: "string" }] } }),
  ],
  ["a deadline that has passed", "typed_data", permit({ deadline: 0 })],
  [
    "a batch whose every item is within its limits",
    "typed_data",
    batch([item(5), item("0x5")], [["0", "5"], ["1"]]),
  ],
  ["a call of a Safe", "typed_data", safe(0)],
  ["a payment", "transaction", pay()],
  ["a payment of the oldest type", "transaction", {
    type: "legacy",
    chainId: 1,
    nonce: 0,
    gas: 21_000,
    gasPrice: 1,
    to: FRIEND,
    value: 100,
  }],
  ["a transfer of a token", "transaction", call(CALL)],
  ["a delegate in lower case", "authorization", { chainId: 1, address: FRIEND.toLowerCase(), nonce: 0 }],
  ["a sign-in", "message", SIGN_IN],
  [
    "a sign-in whose domain is in capitals",
    "message",
    SIGN_IN.replace("app.example.org wants", "APP.example.org wants"),
  ],
];

/** Documents that differ a little from allowed ones. */
const DENIED: readonly [what: string, kind: Kind, document: unknown][] = [
  ["one more than the limit", "typed_data", permit({ value: "101" })],
  ["all that a word holds", "typed_data", permit({ value: (2n ** 256n - 1n).toString() })],
  ["more than a word of JavaScript holds exactly", "typed_data", permit({ value: "9007199254740993" })],
  ["the largest number, in hex", "typed_data", permit({ value: `0x${"f".repeat(64)}` })],
  ["another spender", "typed_data", permit({ spender: OTHER })],
  ["a spender of all zeros", "typed_data", permit({ spender: `0x${"00".repeat(20)}` })],
  ["a later deadline", "typed_data", permit({ deadline: String(SECONDS + 61) })],
  ["a deadline in milliseconds", "typed_data", permit({ deadline: String(NOW + 60_000) })],
  ["another chain", "typed_data", permit({}, { chainId: 137 })],
  ["a chain of 2^64 more", "typed_data", permit({}, { chainId: (2n ** 64n + 1n).toString() })],
  ["a domain without a chain", "typed_data", without("chainId")],
  ["a domain without a contract", "typed_data", without("verifyingContract")],
  ["another contract", "typed_data", permit({}, { verifyingContract: OTHER })],
  [
    "the type under another name",
    "typed_data",
    permit({}, {}, { types: { Permit_: MEMBERS }, primaryType: "Permit_" }),
  ],
  [
    "the type under a name that looks the same",
    "typed_data",
    permit({}, {}, { types: { Permit$: MEMBERS }, primaryType: "Permit$" }),
  ],
  [
    "the name on another type",
    "typed_data",
    permit({}, {}, {
      types: { Permit: MEMBERS.map((one) => one.name === "nonce" ? { ...one, type: "uint128" } : one) },
    }),
  ],
  [
    "a member more",
    "typed_data",
    permit({ extra: "1" }, {}, {
      types: { Permit: [...MEMBERS, { name: "extra", type: "uint256" }] },
      message: { ...PERMIT.message, extra: "1" },
    }),
  ],
  ["members in another order", "typed_data", permit({}, {}, { types: { Permit: [...MEMBERS].reverse() } })],
  [
    "the message under another one",
    "typed_data",
    permit({}, {}, {
      types: { Outer: [{ name: "inner", type: "Permit" }], Permit: MEMBERS },
      primaryType: "Outer",
      message: { inner: PERMIT.message },
    }),
  ],
  ["the domain alone", "typed_data", permit({}, {}, { primaryType: "EIP712Domain", message: {} })],
  ["one item too much behind one that is not", "typed_data", batch([item(5), item(6)])],
  ["one item to another recipient", "typed_data", batch([item(5), item(1, OTHER)])],
  ["a list without items", "typed_data", batch([])],
  ["one number too much in a list of lists", "typed_data", batch([item(1)], [["1"], ["5", "6"]])],
  ["an empty list in a list of lists", "typed_data", batch([item(1)], [["1"], []])],
  ["less than nothing", "typed_data", batch([item(1)], [["-1"]])],
  ["a delegate call of a Safe", "typed_data", safe(1)],
  ["an operation of a Safe that there is not", "typed_data", safe(2)],
  ["one wei more", "transaction", pay({ value: "101" })],
  ["one unit of gas more", "transaction", pay({ gas: 21_001 })],
  ["a higher price of gas", "transaction", pay({ maxFeePerGas: 2 })],
  ["another chain", "transaction", pay({ chainId: 10 })],
  ["another recipient", "transaction", pay({ to: OTHER })],
  ["a contract to be made", "transaction", pay({ to: null })],
  ["data beside a payment", "transaction", pay({ data: "0x00" })],
  ["a selector beside a payment", "transaction", pay({ data: "0xa9059cbb" })],
  ["blobs that cost beyond the fee", "transaction", {
    ...CREDIT,
    type: "eip4844",
    maxFeePerBlobGas: 1,
    blobVersionedHashes: [`0x01${"00".repeat(31)}`],
  }],
  ["authorizations within a payment", "transaction", {
    ...CREDIT,
    type: "eip7702",
    authorizationList: [SIGNED],
  }],
  ["authorizations for every chain within a payment", "transaction", {
    ...CREDIT,
    type: "eip7702",
    authorizationList: [{ ...SIGNED, chainId: 0 }],
  }],
  ["a transfer of one unit more", "transaction", call(CALL.replace(/64$/, "65"))],
  [
    "a transfer to another recipient",
    "transaction",
    call(CALL.replace(FRIEND.slice(2).toLowerCase(), OTHER.slice(2).toLowerCase())),
  ],
  [
    "a transfer with dirty bytes before the address",
    "transaction",
    call(CALL.replace("0xa9059cbb00", "0xa9059cbb01")),
  ],
  ["a transfer with bytes behind it", "transaction", call(`${CALL}00`)],
  ["a transfer with a word behind it", "transaction", call(CALL + word(""))],
  ["a transfer that is cut short", "transaction", call(CALL.slice(0, -2))],
  ["another function with the same arguments", "transaction", call(CALL.replace("a9059cbb", "095ea7b3"))],
  ["a transfer with value", "transaction", call(CALL, { value: 1 })],
  ["a transfer of another token", "transaction", call(CALL, { to: OTHER })],
  ["another delegate", "authorization", { chainId: 1, address: OTHER, nonce: 0 }],
  ["a delegate on another chain", "authorization", { chainId: 10, address: FRIEND, nonce: 0 }],
  ["any other text", "message", "hello"],
  ["no text", "message", ""],
  ["a domain that goes on", "message", SIGN_IN.replaceAll("app.example.org", "app.example.org.evil.org")],
  ["a domain that begins earlier", "message", SIGN_IN.replaceAll("app.example.org", "evil-app.example.org")],
  ["a domain above", "message", SIGN_IN.replaceAll("app.example.org", "example.org")],
  ["a domain with a dot behind it", "message", SIGN_IN.replaceAll("app.example.org", "app.example.org.")],
  ["a domain with a port", "message", SIGN_IN.replaceAll("app.example.org", "app.example.org:8443")],
  [
    "a domain with letters that look alike",
    "message",
    SIGN_IN.replaceAll("app.example.org", "аpp.example.org"),
  ],
  ["a domain in Punycode", "message", SIGN_IN.replaceAll("app.example.org", "xn--pp-6kc.example.org")],
  [
    "a domain as a user of another",
    "message",
    SIGN_IN.replace("app.example.org wants", "app.example.org@evil.org wants"),
  ],
  [
    "a URI of another site",
    "message",
    SIGN_IN.replace("URI: https://app.example.org", "URI: https://evil.org"),
  ],
  [
    "a URI with the site as its user",
    "message",
    SIGN_IN.replace("URI: https://app.example.org", "URI: https://app.example.org@evil.org"),
  ],
  ["a sign-in within a text", "message", `Hello\n${SIGN_IN}`],
  ["a sign-in with a text behind it", "message", `${SIGN_IN}\nand all my tokens`],
  ["a sign-in with carriage returns", "message", SIGN_IN.replaceAll("\n", "\r\n")],
  ["a sign-in behind a byte order mark", "message", `\uFEFF${SIGN_IN}`],
  ["a sign-in for another chain", "message", SIGN_IN.replace("Chain ID: 1", "Chain ID: 10")],
  ["a chain with a leading zero", "message", SIGN_IN.replace("Chain ID: 1", "Chain ID: 01")],
  ["a sign-in of another version", "message", SIGN_IN.replace("Version: 1", "Version: 2")],
  ["a sign-in that gives rights to others", "message", `${SIGN_IN}\nResources:\n- urn:recap:e30`],
];

describe("a policy is not bypassed by", () => {
  for (const [what, kind, document] of DENIED) {
    test(`${what} (${kind})`, () => assert.equal(decisionOn(kind, document), "deny"));
  }
});

describe("a policy allows", () => {
  for (const [what, kind, document] of ALLOWED) {
    test(`${what} (${kind})`, () => assert.equal(decisionOn(kind, document), "allow"));
  }
});

test("members beside the document are refused before any policy is evaluated", () => {
  const beside = { typeHash: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9" };
  for (const more of [beside, { policy: null }, { domainSeparator: "0x00" }]) {
    assert.throws(() => decisionOn("typed_data", { ...PERMIT, ...more }), /Unknown member/);
  }
  assert.throws(() => decisionOn("typed_data", permit({ value: "0100" })), /Expected decimal digits/);
  assert.throws(() => decisionOn("typed_data", permit({ value: 1e30 })), /not exact/);
  assert.throws(() => decisionOn("typed_data", permit({ spender: FRIEND.replace("F", "f") })), /checksum/);
  assert.throws(() => decisionOn("typed_data", permit({ value: (2n ** 256n).toString() })), /Out of range/);
});
