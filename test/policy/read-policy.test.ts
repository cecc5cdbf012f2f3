import assert from "node:assert/strict";
import { test } from "node:test";
import { ProtocolError } from "../../src/lib/error.ts";
import { canonicalPolicy, policyHash } from "../../src/policy/canonical.ts";
import { POLICY_LIMITS } from "../../src/policy/policy.ts";
import { readKeyPolicy, readPolicy } from "../../src/policy/read-policy.ts";

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const PERMIT = "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9";
const TYPED = { chainId: "1", verifyingContract: USDC, typeHash: PERMIT };
const SENDING = { chainId: "1", to: [USDC], valueAtMost: "0", feeAtMost: "1", selectors: ["0x"] };
const FULL = {
  version: 1,
  messages: {
    signIn: [{
      domains: ["app.example.org", "localhost:3000"],
      chainIds: ["1"],
      resources: "any",
      outcome: "ask",
    }],
    text: "ask",
    bytes: "deny",
  },
  typedData: [{
    ...TYPED,
    name: "USD Coin",
    domainVersion: "2",
    where: { "/value": { atMost: "5" }, "/details/*/to": { oneOf: [USDC, "7", true], within: 60 } },
    spends: [{ budget: "usdc", path: "/value" }],
    outcome: "allow",
  }],
  transactions: [
    { ...SENDING, delegates: [USDC], spends: [{ budget: "usdc", path: "/fee" }], outcome: "ask" },
    {
      chainId: "1",
      to: "any",
      valueAtMost: "0",
      feeAtMost: "1",
      call: { function: "transfer(address to,uint256 value)", where: { "/value": { atMost: "1" } } },
      spends: [{ budget: "usdc", path: "/call/value" }],
      outcome: "allow",
    },
  ],
  authorizations: [{ chainId: "1", delegates: "any", outcome: "ask" }],
  raw: "deny",
  digest: "ask",
  perMinute: 3,
  perDay: 10,
  budgets: { usdc: { perDay: "100" } },
};

test("readPolicy() accepts a policy in canonical form unchanged", () => {
  assert.deepEqual(readPolicy(FULL), FULL);
  assert.deepEqual(readPolicy(JSON.parse(canonicalPolicy(readPolicy(FULL)))), FULL);
});

test("readPolicy() reads an omitted member as a denial", () => {
  assert.deepEqual(readPolicy({ version: 1 }), {
    version: 1,
    messages: { signIn: [], text: "deny", bytes: "deny" },
    typedData: [],
    transactions: [],
    authorizations: [],
    raw: "deny",
    digest: "deny",
    budgets: {},
  });
});

test("readPolicy() normalises equal policies to one form", () => {
  const written = {
    version: 1,
    messages: "any",
    typedData: [{
      chainId: 1,
      verifyingContract: USDC.toLowerCase(),
      typeHash: PERMIT.toUpperCase().replace("X", "x"),
    }],
  };
  const same = {
    typedData: [{ ...TYPED, where: {}, spends: [], outcome: "allow" }],
    version: 1,
    messages: { bytes: "allow", text: "allow" },
  };
  assert.equal(canonicalPolicy(readPolicy(written)), canonicalPolicy(readPolicy(same)));
  assert.deepEqual(policyHash(readPolicy(written)), policyHash(readPolicy(same)));
  assert.notDeepEqual(policyHash(readPolicy({ version: 1 })), policyHash(readPolicy(same)));
});

test("canonicalPolicy() sorts members and adds no white space (RFC 8785)", () => {
  assert.equal(
    canonicalPolicy(
      readPolicy({ version: 1, raw: "ask", budgets: { b: { perDay: 1 }, B: { perDay: "2" } } }),
    ),
    '{"authorizations":[],"budgets":{"B":{"perDay":"2"},"b":{"perDay":"1"}},"digest":"deny",' +
      '"messages":{"bytes":"deny","signIn":[],"text":"deny"},"raw":"ask","transactions":[],"typedData":[],"version":1}',
  );
});

function typed(change: object): object {
  return { version: 1, typedData: [{ ...TYPED, ...change }] };
}
const giving = (give: object, ...others: readonly object[]) => (
  { version: 1, effects: [{ chainId: 1, gives: [{ asset: USDC, to: "any", ...give }, ...others] }] }
);
function sending(change: object): object {
  return { version: 1, transactions: [{ ...SENDING, ...change }] };
}
function signingIn(change: object): object {
  return { version: 1, messages: { signIn: [{ domains: ["a.example"], ...change }] } };
}

const REFUSED: readonly [what: string, policy: unknown, path: string][] = [
  ["no object", [], ""],
  ["no version", {}, "/version"],
  ["another version", { version: 2 }, "/version"],
  ["a version in a text", { version: "1" }, "/version"],
  ["an unknown member", { version: 1, message: "any" }, "/message"],
  ["members of a key's policy", { version: 1, locked: true }, "/locked"],
  ["another word for messages", { version: 1, messages: "some" }, "/messages"],
  ["another outcome", { version: 1, raw: "maybe" }, "/raw"],
  ["an unknown member of messages", { version: 1, messages: { texts: "allow" } }, "/messages/texts"],
  ["a domain with a path", signingIn({ domains: ["a.example/x"] }), "/messages/signIn/0/domains/0"],
  ["a domain with a scheme", signingIn({ domains: ["https://a.example"] }), "/messages/signIn/0/domains/0"],
  ["a domain beyond ASCII", signingIn({ domains: ["exаmple.org"] }), "/messages/signIn/0/domains/0"],
  ["a domain with a wildcard", signingIn({ domains: ["*.example.org"] }), "/messages/signIn/0/domains/0"],
  ["a domain with a user", signingIn({ domains: ["a@example.org"] }), "/messages/signIn/0/domains/0"],
  ["no domains", signingIn({ domains: [] }), "/messages/signIn/0/domains"],
  ["a domain twice", signingIn({ domains: ["a.example", "A.example"] }), "/messages/signIn/0/domains/1"],
  ["a rule that denies", signingIn({ outcome: "deny" }), "/messages/signIn/0/outcome"],
  [
    "typed data without a type",
    { version: 1, typedData: [{ chainId: 1, verifyingContract: USDC }] },
    "/typedData/0/typeHash",
  ],
  ["a type by its name", typed({ typeHash: "Permit" }), "/typedData/0/typeHash"],
  [
    "an address with a wrong checksum",
    typed({ verifyingContract: USDC.replace("A", "a") }),
    "/typedData/0/verifyingContract",
  ],
  ["a domain without contract and name", typed({ verifyingContract: null }), "/typedData/0/name"],
  ["a chain with leading zeros", typed({ chainId: "01" }), "/typedData/0/chainId"],
  ["a negative chain", typed({ chainId: -1 }), "/typedData/0/chainId"],
  ["a path without slash", typed({ where: { value: { atMost: 1 } } }), "/typedData/0/where"],
  ["a path with an empty step", typed({ where: { "/a//b": { atMost: 1 } } }), "/typedData/0/where"],
  ["an escaped step", typed({ where: { "/a~1b": { atMost: 1 } } }), "/typedData/0/where"],
  ["an index with leading zeros", typed({ where: { "/a/01": { atMost: 1 } } }), "/typedData/0/where"],
  ["no limit", typed({ where: { "/value": {} } }), "/typedData/0/where/~1value"],
  ["an unknown limit", typed({ where: { "/value": { atmost: 1 } } }), "/typedData/0/where/~1value/atmost"],
  ["a fraction", typed({ where: { "/value": { atMost: 1.5 } } }), "/typedData/0/where/~1value/atMost"],
  [
    "a number that is not exact",
    typed({ where: { "/value": { atMost: 2 ** 53 } } }),
    "/typedData/0/where/~1value/atMost",
  ],
  [
    "more than a word holds",
    typed({ where: { "/value": { atMost: (2n ** 256n).toString() } } }),
    "/typedData/0/where/~1value/atMost",
  ],
  [
    "less than nothing",
    typed({ where: { "/value": { atMost: "-1" } } }),
    "/typedData/0/where/~1value/atMost",
  ],
  ["a list of nothing", typed({ where: { "/value": { oneOf: [] } } }), "/typedData/0/where/~1value/oneOf"],
  [
    "a listed address with a wrong checksum",
    typed({ where: { "/to": { oneOf: [USDC.replace("A", "a")] } } }),
    "/typedData/0/where/~1to/oneOf/0",
  ],
  ["a listed object", typed({ where: { "/to": { oneOf: [{}] } } }), "/typedData/0/where/~1to/oneOf/0"],
  [
    "a time in a text",
    typed({ where: { "/deadline": { within: "60" } } }),
    "/typedData/0/where/~1deadline/within",
  ],
  [
    "a budget that is not there",
    typed({ spends: [{ budget: "usdc", path: "/value" }] }),
    "/typedData/0/spends/0/budget",
  ],
  [
    "a budget of an object's own",
    typed({ spends: [{ budget: "constructor", path: "/value" }] }),
    "/typedData/0/spends/0/budget",
  ],
  ["a recipient that is none", sending({ to: ["vitalik.eth"] }), "/transactions/0/to/0"],
  ["no recipients", sending({ to: [] }), "/transactions/0/to"],
  ["neither selectors nor call", {
    version: 1,
    transactions: [{ chainId: 1, to: "any", valueAtMost: 0, feeAtMost: 0 }],
  }, "/transactions/0/selectors"],
  ["both selectors and call", sending({ call: { function: "a()" } }), "/transactions/0/selectors"],
  ["a selector of three bytes", sending({ selectors: ["0xa9059c"] }), "/transactions/0/selectors/0"],
  ["a creation by selector", sending({ to: "creation" }), "/transactions/0/selectors"],
  ["a transaction without a limit on its value", {
    version: 1,
    transactions: [{ chainId: 1, to: "any", feeAtMost: 0, selectors: "any" }],
  }, "/transactions/0/valueAtMost"],
  ["a transaction without a limit on its fee", {
    version: 1,
    transactions: [{ chainId: 1, to: "any", valueAtMost: 0, selectors: "any" }],
  }, "/transactions/0/feeAtMost"],
  ["a function without names", {
    version: 1,
    transactions: [{ chainId: 1, to: "any", valueAtMost: 0, feeAtMost: 0, call: { function: "a(uint256)" } }],
  }, "/transactions/0/call/function"],
  ["spending of what transactions lack", {
    version: 1,
    budgets: { a: { perDay: 1 } },
    transactions: [{ ...SENDING, spends: [{ budget: "a", path: "/gas" }] }],
  }, "/transactions/0/spends/0/path"],
  ["a recipient that transactions lack", {
    version: 1,
    budgets: { a: { perDay: 1 } },
    transactions: [{ ...SENDING, spends: [{ budget: "a", path: "/value", recipient: "/value" }] }],
  }, "/transactions/0/spends/0/recipient"],
  ["a channel that transactions lack", {
    version: 1,
    budgets: { a: { perDay: 1 } },
    transactions: [{ ...SENDING, spends: [{ budget: "a", path: "/value", channel: "/to" }] }],
  }, "/transactions/0/spends/0/channel"],
  ["a budget for all and for each recipient", {
    version: 1,
    budgets: { a: { perDay: 1 } },
    transactions: [
      { ...SENDING, spends: [{ budget: "a", path: "/value", recipient: "/to" }] },
      { ...SENDING, spends: [{ budget: "a", path: "/value" }] },
    ],
  }, "/transactions/1/spends/0/recipient"],
  ["effects without assets", { version: 1, effects: [{ chainId: 1, gives: [] }] }, "/effects/0/gives"],
  ["an asset that is no address", giving({ asset: "USDC" }), "/effects/0/gives/0/asset"],
  [
    "an asset without recipients",
    { version: 1, effects: [{ chainId: 1, gives: [{ asset: USDC }] }] },
    "/effects/0/gives/0/to",
  ],
  ["an asset twice", giving({}, { asset: USDC, to: [USDC] }), "/effects/0/gives/1/asset"],
  ["effects that count against no budget", giving({ budget: "none" }), "/effects/0/gives/0/budget"],
  [
    "effects that count against a budget of each recipient",
    {
      ...giving({ budget: "a" }),
      budgets: { a: { perDay: 1 } },
      transactions: [{ ...SENDING, spends: [{ budget: "a", path: "/value", recipient: "/to" }] }],
    },
    "/effects/0/gives/0/budget",
  ],
  ["a chain of zero", sending({ chainId: 0 }), "/transactions/0/chainId"],
  [
    "authorizations without code",
    { version: 1, authorizations: [{ chainId: 1 }] },
    "/authorizations/0/delegates",
  ],
  ["no signatures at all", { version: 1, perMinute: 0 }, "/perMinute"],
  ["half a signature", { version: 1, perDay: 1.5 }, "/perDay"],
  ["a budget with another name", { version: 1, budgets: { "a b": { perDay: 1 } } }, "/budgets"],
  ["a budget without a limit", { version: 1, budgets: { a: {} } }, "/budgets/a"],
  ["a budget of a year", { version: 1, budgets: { a: { perYear: 1 } } }, "/budgets/a/perYear"],
  ["a number of signatures beyond any account", { version: 1, rollingHour: 360_001 }, "/rollingHour"],
  ["an end without a time", { version: 1, notAfter: "2030-12-31" }, "/notAfter"],
  ["an end in another time zone", { version: 1, notAfter: "2030-12-31T00:00:00+01:00" }, "/notAfter"],
  [
    "a channel without amounts",
    typed({ spends: [{ budget: "usdc", channel: "/id" }] }),
    "/typedData/0/spends/0/path",
  ],
];

for (const [what, policy, path] of REFUSED) {
  test(`readPolicy() refuses ${what}, with its pointer`, () => {
    assert.throws(() => readPolicy(policy, "/policy"), (error) => {
      assert.ok(error instanceof ProtocolError && error.code === "invalid_request");
      assert.equal(error.errors![0]!.path, `/policy${path}`);
      return true;
    });
  });
}

for (
  const text of [
    "transferFrom(address to,address from,uint256 value)",
    "transferFrom(address a,address b,uint256 c)",
    "transfer(address value,uint256 to)",
    "approve(address to,uint256 value)",
    "safeTransferFrom(address to,address from,uint256 tokenId)",
    "setApprovalForAll(address approved,bool operator)",
    "permit(address spender,address owner,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s)",
    // Other functions with the selector of transfer(address,uint256).
    "many_msg_babbage(bytes1 to)",
    "func_2093253501(bytes to)",
    "transfer(bytes4[9] to,bytes5[6] value,int48[11] extra)",
  ]
) {
  test(`readPolicy() refuses other names than those of the standard: ${text}`, () => {
    const rule = { chainId: 1, to: "any", valueAtMost: 0, feeAtMost: 0, call: { function: text } };
    assert.throws(() => readPolicy({ version: 1, transactions: [rule] }, ""), (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.errors?.[0]?.path, "/transactions/0/call/function");
      return true;
    });
  });
}

for (
  const text of [
    "transferFrom(address from,address to,uint256 value)",
    "transferFrom(address _from,address _to,uint256 _tokenId)",
    "transferFrom(address src,address dst,uint256 wad)",
    "transfer(address recipient,uint256 amount)",
    "safeTransferFrom(address from,address to,uint256 id,uint256 value,bytes data)",
    "order(address to,address from)",
  ]
) {
  test(`readPolicy() accepts ${text}`, () => {
    const rule = { chainId: 1, to: "any", valueAtMost: 0, feeAtMost: 0, call: { function: text } };
    assert.equal(readPolicy({ version: 1, transactions: [rule] }, "").transactions[0]!.call!.function, text);
  });
}

test("readPolicy() refuses a policy beyond its limits", () => {
  const rules = Array.from({ length: POLICY_LIMITS.rules + 1 }, () => TYPED);
  assert.throws(() => readPolicy({ version: 1, typedData: rules }), ProtocolError);
  const values = Array.from({ length: POLICY_LIMITS.list }, (_, index) => String(index).padStart(200, "x"));
  const where = Object.fromEntries(["/a", "/b"].map((path) => [path, { oneOf: values }]));
  assert.throws(() => readPolicy(typed({ where })), /./);
});

test("readKeyPolicy() has no delay and no lock by default", () => {
  const { delayHours, locked } = readKeyPolicy({ version: 1 });
  assert.deepEqual([delayHours, locked], [0, false]);
  assert.equal(readKeyPolicy({ version: 1, delayHours: 168, locked: true }).delayHours, 168);
  for (const wrong of [{ delayHours: 169 }, { delayHours: -1 }, { delayHours: "1" }, { locked: 1 }]) {
    assert.throws(() => readKeyPolicy({ version: 1, ...wrong }), ProtocolError);
  }
});
