import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describeRules, keepRules, ruleIdsOf } from "../../src/oauth/authorize/policy-rules.ts";
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
