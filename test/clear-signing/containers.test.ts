import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Effect } from "../../src/clear-signing/intent.ts";
import { CONTAINERS, multicall, routerPermit } from "./containers.ts";
import { calldata, CONTEXT, MOST, NOW, type Sample, SIGNER, STRANGER, USDC } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { aggregate, approve, MULTICALL3 } from "./further-documents.ts";

const UNLIMITED = approve(STRANGER, BigInt(MOST));
const SMALL = approve(SIGNER, 1n);

function allowancesOf(sample: Sample): readonly Extract<Effect, { effect: "allowance" }>[] {
  return explainSample(sample, CONTEXT).effects.filter((one) => one.effect === "allowance");
}

function codesOf(sample: Sample): readonly string[] {
  return explainSample(sample, CONTEXT).warnings.map(({ level, code }) => `${level} ${code}`);
}

describe("calls in calls", () => {
  for (const { name, owner, wrap } of CONTAINERS) {
    test(`an unlimited allowance is said, warned of and an effect in: ${name}`, () => {
      const sample = wrap([[USDC, SMALL], [USDC, UNLIMITED]]);
      const { sentence } = explainSample(sample, CONTEXT);
      assert.match(sentence, new RegExp(`Allow ${STRANGER} to spend unlimited USDC from `));
      assert.ok(codesOf(sample).includes("red unlimited_allowance"));
      assert.ok(!codesOf(sample).some((code) => code.endsWith("not_understood")), codesOf(sample).join());
      const asset = { standard: "erc20", address: USDC, id: null };
      const common = { effect: "allowance", asset, adds: false, until: null };
      const by = name === "ForwardRequest" ? MULTICALL3 : owner;
      assert.deepEqual(allowancesOf(sample), [
        { ...common, owner: by, spender: SIGNER, amount: "1" },
        { ...common, owner: by, spender: STRANGER, amount: null },
      ]);
    });

    test(`the danger of the last of 50 calls is in the sentence of: ${name}`, () => {
      const calls = [...Array.from({ length: 49 }, () => [USDC, SMALL] as const), [USDC, UNLIMITED] as const];
      const { sentence, effectsComplete } = explainSample(wrap(calls), CONTEXT);
      assert.match(sentence, new RegExp(`Allow ${STRANGER} to spend unlimited USDC from `));
      // A Safe that the key calls is a contract that is not known.
      assert.equal(effectsComplete, name !== "execTransaction with a batch");
    });

    test(`a call that is not understood is warned of in: ${name}`, () => {
      const sample = wrap([[USDC, SMALL], [USDC, "0xdeadbeef"]]);
      assert.ok(codesOf(sample).includes("red not_understood"));
      assert.equal(explainSample(sample, CONTEXT).effectsComplete, false);
    });

    test(`a call of a contract that is not known is not assumed to be what its name says in: ${name}`, () => {
      const sample = wrap([[STRANGER, calldata("function multicall(bytes[] calls)", [["0x"]])]]);
      // An entry point calls only accounts.
      assert.equal(explainSample(sample, CONTEXT).effectsComplete, name.startsWith("handleOps"));
    });
  }

  test("a red warning is not lost behind an amber one about the same contract", () => {
    const itself = calldata("function execute(address to, uint256 value, bytes data)", [
      STRANGER,
      0n,
      "0xdeadbeef",
    ]);
    const data = aggregate([[STRANGER, "0xdeadbeef"], [STRANGER, itself]]);
    const codes = codesOf({ name: "", call: { chainId: 1n, to: MULTICALL3, value: 0n, data } });
    assert.deepEqual(codes.filter((code) => code.endsWith("not_understood")), [
      "red not_understood",
      "amber not_understood",
    ]);
  });

  test("a permit inside of a router's plan is an allowance of the caller", () => {
    const sample = { name: "", call: routerPermit(USDC, STRANGER, (1n << 160n) - 1n, NOW / 1000 + 60) };
    assert.ok(codesOf(sample).includes("red unlimited_allowance"));
    assert.deepEqual(allowancesOf(sample).map(({ owner, spender, amount }) => [owner, spender, amount]), [
      [SIGNER, STRANGER, null],
    ]);
  });

  test("a contract that calls itself for the caller acts in the caller's name", () => {
    const sample = { name: "", call: multicall([UNLIMITED]) };
    assert.deepEqual(allowancesOf(sample).map(({ owner, spender }) => [owner, spender]), [[
      SIGNER,
      STRANGER,
    ]]);
  });

  test("calls are read up to a depth of ten, and at most 256 of them", () => {
    const nested = (depth: number): string =>
      depth === 0 ? UNLIMITED : aggregate([[depth === 1 ? USDC : MULTICALL3, nested(depth - 1)]]);
    const deep = (depth: number): Sample => ({
      name: "",
      call: { chainId: 1n, to: MULTICALL3, value: 0n, data: nested(depth) },
    });
    assert.ok(codesOf(deep(10)).includes("red unlimited_allowance"));
    assert.ok(!codesOf(deep(10)).includes("red not_understood"));
    assert.deepEqual(codesOf(deep(11)), ["red not_understood"]);
    assert.equal(explainSample(deep(11), CONTEXT).effectsComplete, false);
    const many = (count: number): Sample => ({
      name: "",
      call: {
        chainId: 1n,
        to: MULTICALL3,
        value: 0n,
        data: aggregate(Array.from({ length: count }, () => [USDC, SMALL])),
      },
    });
    assert.deepEqual(codesOf(many(256)), []);
    assert.deepEqual(codesOf(many(257)), ["red not_understood"]);
  });
});
