import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { KNOWN_TYPES } from "../../src/clear-signing/match-standard.ts";
import { keccak256 } from "../../src/ethereum/keccak.ts";
import { toHex, utf8 } from "../../src/lib/bytes.ts";
import { describeRules, keepRules, ruleIdsOf } from "../../src/policy/describe-rules.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { levelOf } from "../../src/policy/rule-level.ts";
import { POLICY_TEMPLATES } from "../../src/policy/templates.ts";

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const ADA = "0x1111111111111111111111111111111111111111";
const PERMIT = {
  chainId: 1,
  verifyingContract: USDC,
  typeHash: "0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9",
};
const SENDING = { chainId: 1, to: [USDC], valueAtMost: 0, feeAtMost: 0 };
const approve = (where: object) => (
  { transactions: [{ ...SENDING, call: { function: "approve(address spender,uint256 value)", where } }] }
);
const TO_ADA = { "/spender": { oneOf: [ADA] } };
const FIVE = { "/value": { atMost: 5 } };

const calling = (text: string, where: object) => (
  { transactions: [{ ...SENDING, call: { function: text, where } }] }
);
const SAFE_TX = {
  ...PERMIT,
  verifyingContract: ADA,
  typeHash: "0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8",
};
const withBudget = { budgets: { b: { perDay: 5 } } };

/** Policies of one rule, with their levels. */
const LEVELS: Readonly<Record<string, readonly [level: "red" | "amber" | undefined, policy: object]>> = {
  "a permit of any amount for anyone": ["red", { typedData: [PERMIT] }],
  "a permit of any amount for one spender": ["amber", { typedData: [{ ...PERMIT, where: TO_ADA }] }],
  "a permit of an amount for anyone": ["amber", { typedData: [{ ...PERMIT, where: FIVE }] }],
  "a permit of an amount for one spender": [undefined, {
    typedData: [{ ...PERMIT, where: { ...TO_ADA, ...FIVE } }],
  }],
  "an allowance of any amount for anyone": ["red", approve({})],
  "an allowance of any amount for one spender": ["amber", approve(TO_ADA)],
  "an allowance of an amount for one spender": [undefined, approve({ ...TO_ADA, ...FIVE })],
  "any call of approve": ["red", { transactions: [{ ...SENDING, selectors: ["0x095ea7b3"] }] }],
  "any call of a function": ["amber", { transactions: [{ ...SENDING, selectors: ["0x12345678"] }] }],
  "any call of transfer": ["red", { transactions: [{ ...SENDING, selectors: ["0xa9059cbb"] }] }],
  "any call of multicall": ["red", { transactions: [{ ...SENDING, selectors: ["0xac9650d8"] }] }],
  "a call of an account with free data": [
    "red",
    calling("execute(address to,uint256 value,bytes data)", {
      "/to": { oneOf: [ADA] },
      ...FIVE,
    }),
  ],
  "a new owner": ["red", calling("transferOwnership(address to)", {})],
  "a new owner who is listed": [
    undefined,
    calling("transferOwnership(address to)", { "/to": { oneOf: [ADA] } }),
  ],
  "free arguments": ["amber", calling("claim(uint256 id)", {})],
  "a call without arguments": [undefined, calling("claim()", {})],
  "an allowance that counts the ether sent along": [
    "amber",
    {
      ...withBudget,
      transactions: [{ ...approve(TO_ADA).transactions[0], spends: [{ budget: "b", path: "/value" }] }],
    },
  ],
  "a permit that counts its nonce": ["red", {
    ...withBudget,
    typedData: [{ ...PERMIT, spends: [{ budget: "b", path: "/nonce" }] }],
  }],
  "a permit with a budget for each spender": ["red", {
    ...withBudget,
    typedData: [{ ...PERMIT, spends: [{ budget: "b", path: "/value", recipient: "/spender" }] }],
  }],
  "a permit of at most everything": ["red", {
    typedData: [{ ...PERMIT, where: { "/value": { atMost: String(2n ** 256n - 1n) } } }],
  }],
  "a Safe's transaction with free data": ["red", {
    typedData: [{ ...SAFE_TX, where: { "/to": { oneOf: [ADA] }, ...FIVE } }],
  }],
  "a Safe's payment": [undefined, {
    typedData: [{ ...SAFE_TX, where: { "/to": { oneOf: [ADA] }, ...FIVE, "/data": { oneOf: ["0x"] } } }],
  }],
  "an unknown type of Permit2": ["red", {
    typedData: [{
      ...PERMIT,
      verifyingContract: "0x000000000022D473030F116dDEE9F6B43aC78BA3",
      typeHash: `0x${"12".repeat(32)}`,
      where: { "/witness/to": { oneOf: [ADA] }, "/witness/amount": { atMost: 5 }, "/nonce": { atMost: 5 } },
    }],
  }],
  "an order that only limits what comes back": ["red", {
    typedData: [{
      ...PERMIT,
      verifyingContract: "0x0000000000000068F116a894984e2DB1123eB395",
      typeHash: toHex(keccak256(utf8(KNOWN_TYPES.find((text) => text.startsWith("OrderComponents("))!))),
      where: {
        "/consideration/*/recipient": { oneOf: [ADA] },
        "/consideration/*/startAmount": { atMost: 5 },
      },
    }],
  }],
  "any data": ["red", { transactions: [{ ...SENDING, selectors: "any" }] }],
  "no data": [undefined, { transactions: [{ ...SENDING, selectors: ["0x"] }] }],
  "a creation": ["red", { transactions: [{ ...SENDING, to: "creation", selectors: "any" }] }],
  "a transaction that delegates": ["red", {
    transactions: [{ ...SENDING, selectors: ["0x"], delegates: "any" }],
  }],
  "an authorization": ["red", { authorizations: [{ chainId: 1, delegates: [ADA] }] }],
  "raw bytes": ["red", { raw: "allow" }],
  "a digest": ["red", { digest: "allow" }],
  "bytes as a message": ["red", { messages: { bytes: "allow" } }],
  "any text": ["amber", { messages: { text: "allow" } }],
  "a sign-in": [undefined, { messages: { signIn: [{ domains: ["a.example"] }] } }],
  "a sign-in with resources": ["amber", {
    messages: { signIn: [{ domains: ["a.example"], resources: "any" }] },
  }],
  "effects without limits": ["red", { effects: [{ chainId: 1, gives: [{ asset: USDC, to: "any" }] }] }],
  "effects for one recipient": ["amber", { effects: [{ chainId: 1, gives: [{ asset: USDC, to: [ADA] }] }] }],
  "effects with limits": [undefined, {
    effects: [{ chainId: 1, gives: [{ asset: USDC, to: [ADA], atMost: 5 }] }],
  }],
};

describe("levelOf()", () => {
  for (const [name, [level, policy]] of Object.entries(LEVELS)) {
    test(`is ${level ?? "none"} for ${name}`, () => {
      assert.equal(levelOf(readPolicy({ version: 1, ...policy })), level);
    });
  }

  test("is none for a rule that asks", () => {
    const asking = { typedData: [{ ...PERMIT, outcome: "ask" }], raw: "ask", digest: "ask" };
    assert.equal(levelOf(readPolicy({ version: 1, ...asking })), undefined);
  });

  test("is red for no rule of a template", () => {
    for (const { id, policy } of POLICY_TEMPLATES) {
      const { rules } = describeRules(readPolicy(policy), "en");
      assert.ok(rules.length > 0 && rules.every(({ level }) => level !== "red"), id);
    }
  });
});

test("keepRules() drops a rule on effects that the user leaves out", () => {
  const gives = [{ asset: USDC, to: [ADA] }];
  const policy = readPolicy({ version: 1, effects: [{ chainId: 1, gives }, { chainId: 10, gives }] });
  assert.deepEqual(ruleIdsOf(policy), ["effects/0", "effects/1"]);
  assert.deepEqual(keepRules(policy, new Set(["effects/1"])).effects?.map(({ chainId }) => chainId), ["10"]);
  assert.deepEqual(keepRules(policy, new Set()), readPolicy({ version: 1 }));
});
