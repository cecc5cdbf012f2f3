import assert from "node:assert/strict";
import { test } from "node:test";
import { typeHashOf } from "../../src/ethereum/typed-data/typed-data.ts";
import { checkSignRequest } from "../../src/keys/digest.ts";
import { toHex } from "../../src/lib/bytes.ts";
import { decide, matchTask } from "../../src/policy/decide.ts";
import { localizeReason } from "../../src/policy/reason.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import type { Policy } from "../../src/policy/policy.ts";

const NOW = Date.UTC(2026, 0, 31);
const AT = { signer: new Uint8Array(20), now: NOW };
const CONTRACT = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const LISTED = ["1", "0x63"];

function listOf(values: readonly unknown[], type = "uint256[]") {
  return checkSignRequest({
    kind: "typed_data",
    typedData: {
      domain: { chainId: 1, verifyingContract: CONTRACT },
      primaryType: "List",
      types: { List: [{ name: "items", type }] },
      message: { items: values },
    },
  });
}

function policyOf(rules: number, where: object, type = "uint256[]"): Policy {
  const typeHash = toHex(typeHashOf(`List(${type} items)`));
  const rule = { chainId: 1, verifyingContract: CONTRACT, typeHash, where };
  return readPolicy({ version: 1, typedData: Array.from({ length: rules }, () => rule) });
}

const oneOf = (rules: number): Policy => policyOf(rules, { "/items/*": { oneOf: LISTED } });
const MOST = Array.from({ length: 3999 }, () => "99");

/** Returns the yields of a decision. */
function yieldsOf(policy: Policy, act: ReturnType<typeof listOf>): number {
  const work = matchTask(policy, act, AT);
  let yields = 0;
  while (!work.next().done) yields++;
  return yields;
}

test("a decision over 4,000 values reads them once for all rules, and compares each once for each rule", () => {
  // 12,000 steps to read them, and 4,000 a rule. The first part has 250, and each other 2,000.
  const act = listOf([...MOST, "100"]);
  assert.equal(yieldsOf(oneOf(1), act), 8);
  assert.equal(yieldsOf(oneOf(11), act), 28);
  assert.equal(decide(oneOf(11), act, AT).reason.code, "notListed");
});

test("a decision that reads few values does not yield", () => {
  assert.equal(yieldsOf(oneOf(1), listOf(["1", "2"])), 0);
});

test("a decision beyond its step limit is a denial with its own reason, whatever the rules say", () => {
  const act = listOf([...MOST, "1"]);
  assert.equal(decide(oneOf(46), act, AT).outcome, "allow");
  const decision = decide(oneOf(48), act, AT);
  assert.deepEqual([decision.outcome, decision.rule, decision.value], ["deny", null, null]);
  assert.equal(
    localizeReason(decision.reason, "en"),
    "The document has more values than the policy can check",
  );
  assert.equal(
    localizeReason(decision.reason, "de"),
    "Das Dokument hat mehr Werte, als die Richtlinie prüfen kann",
  );
});

test("a long text takes more steps than a short one, and bytes match in any case", () => {
  const type = "bytes[]";
  const policy = policyOf(1, { "/items/*": { oneOf: ["0xABcd"] } }, type);
  assert.equal(decide(policy, listOf(["0xabCD"], type), AT).outcome, "allow");
  const long = listOf([`0x${"ab".repeat(260_000)}`], type);
  assert.equal(decide(policy, long, AT).reason.code, "notListed");
  assert.equal(yieldsOf(policy, long), 1);
});

test("a call is decoded once for all rules that name its function", () => {
  const act = checkSignRequest({
    kind: "transaction",
    transaction: {
      type: "eip1559",
      chainId: 1,
      nonce: 0,
      gas: 1,
      maxFeePerGas: 1,
      maxPriorityFeePerGas: 1,
      to: CONTRACT,
      data: `0x${"00".repeat(4)}${"00".repeat(500_000)}`,
    },
  });
  const ruleOf = (index: number) => ({
    chainId: 1,
    to: [CONTRACT],
    valueAtMost: 0,
    feeAtMost: 1,
    call: { function: `put${index}(bytes data)` },
  });
  const policy = (rules: number, names: number): Policy =>
    readPolicy({
      version: 1,
      transactions: Array.from({ length: rules }, (_, index) => ruleOf(index % names)),
    });
  // Decoding these 500,000 bytes counts 15,626 steps.
  assert.equal(decide(policy(50, 1), act, AT).reason.code, "notCall");
  assert.equal(decide(policy(12, 12), act, AT).reason.code, "notCall");
  assert.equal(decide(policy(13, 13), act, AT).reason.code, "tooManySteps");
});
