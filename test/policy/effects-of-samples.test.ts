import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFunctionData, hexToBytes, maxUint256, parseAbi } from "viem";
import { parseTypedData } from "../../src/ethereum/typed-data/typed-data.ts";
import { TypedDataError } from "../../src/ethereum/typed-data/typed-data-reading.ts";
import type { Act } from "../../src/policy/act.ts";
import { decide } from "../../src/policy/decide.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { CONTAINERS } from "../clear-signing/containers.ts";
import { NOW, type Sample, SAMPLES, SIGNER, STRANGER, USDC } from "../clear-signing/documents.ts";
import { transactionOf } from "../clear-signing/explain-sample.ts";
import { FURTHER } from "../clear-signing/further-documents.ts";
import { PAYLOADS } from "../clear-signing/payloads.ts";

const AT = { signer: hexToBytes(SIGNER), now: NOW };
const CHAINS = ["1", "10", "56", "137", "8453", "42161"];
const NO_ONE = "0x000000000000000000000000000000000000dEaD";

/** Allows one give on every chain, at any fee. */
function policyOf(give: object) {
  const rules = CHAINS.map((chainId) => ({ chainId, gives: [give], feeAtMost: `1${"0".repeat(30)}` }));
  return readPolicy({ version: 1, effects: rules });
}

/** Returns undefined for a sample that the service does not read, or that is no typed data and no transaction. */
function actOf(sample: Sample): Act | undefined {
  if ("call" in sample) return { kind: "transaction", transaction: transactionOf(sample.call) };
  if (!("typedData" in sample)) return undefined;
  try {
    return { kind: "typed_data", typedData: parseTypedData(sample.typedData) };
  } catch (error) {
    if (error instanceof TypedDataError) return undefined;
    throw error;
  }
}

test("a rule on effects that covers nothing of the samples allows only those that give nothing", () => {
  const policy = policyOf({ asset: NO_ONE, to: [NO_ONE] });
  const acts = [...SAMPLES, ...FURTHER, ...PAYLOADS].flatMap((sample) => {
    const act = actOf(sample);
    return act === undefined ? [] : [{ name: sample.name, act }];
  });
  assert.ok(acts.length > 120, String(acts.length));
  const allowed = acts.filter(({ act }) => decide(policy, act, AT).outcome !== "deny");
  assert.deepEqual(allowed.map(({ name }) => name), [
    "Cancellation of a transfer (ERC-3009)",
    "allowance taken back",
    "less allowance",
    "less allowance of an old token",
    "Permit2 allowance taken back",
    "permit of nothing",
    "Permit2.lockdown",
    "wrapped ether",
  ]);
});

test("a rule on effects allows no allowance without limit, in any container", () => {
  const abi = parseAbi(["function approve(address spender,uint256 value)"]);
  const approve = (value: bigint) => encodeFunctionData({ abi, args: [STRANGER, value] });
  const anyone = policyOf({ asset: USDC, to: "any" });
  const listed = policyOf({ asset: USDC, to: [STRANGER], atMost: "5" });
  let allowed = 0;
  for (const { name, wrap } of CONTAINERS) {
    const outcomeOf = (value: bigint, policy = listed) =>
      decide(policy, actOf(wrap([[USDC, approve(value)]]))!, AT).outcome;
    assert.equal(outcomeOf(maxUint256, anyone), "deny", name);
    assert.equal(outcomeOf(6n), "deny", name);
    if (outcomeOf(5n) === "allow") allowed++;
  }
  assert.ok(allowed > 10, `${allowed} of ${CONTAINERS.length}`);
});
