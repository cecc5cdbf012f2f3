/**
 * Times decisions on the most expensive documents that a requester can send, in one process and without a database. Run
 * it with either runtime: `bun bench/policy.ts`, `deno run -A bench/policy.ts`. Prints milliseconds: the lowest of three
 * rounds, of the whole and of the longest part that blocks the process.
 */
import { encodeFunctionData, parseAbi } from "viem";
import { typeHashOf } from "../src/ethereum/typed-data/typed-data.ts";
import { type CheckedSignRequest, checkSignRequest } from "../src/keys/digest.ts";
import { toHex } from "../src/lib/bytes.ts";
import { matchTask } from "../src/policy/decide.ts";
import type { Policy } from "../src/policy/policy.ts";
import { readPolicy } from "../src/policy/read-policy.ts";

const ROUNDS = 3;
const NOW = 1_800_000_000_000;
const CONTRACT = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

function typedData(type: string, value: unknown): Extract<CheckedSignRequest, { kind: "typed_data" }> {
  const checked = checkSignRequest({
    kind: "typed_data",
    typedData: {
      domain: { chainId: 1, verifyingContract: CONTRACT },
      primaryType: "List",
      types: { List: [{ name: "items", type }] },
      message: { items: value },
    },
  });
  if (checked.kind !== "typed_data") throw new Error("This is no typed data");
  return checked;
}

/** Creates a policy of which every rule fits the document, except that no list names its last value. */
function typedPolicy(
  document: Extract<CheckedSignRequest, { kind: "typed_data" }>,
  path: string,
  rules: number,
): Policy {
  const { message, typeTexts } = document.typedData;
  const rule = {
    chainId: "1",
    verifyingContract: CONTRACT,
    typeHash: toHex(typeHashOf(typeTexts.get(message!.type)!)),
    where: { [path]: { oneOf: LISTED } },
    outcome: "allow",
  };
  return readPolicy({ version: 1, typedData: Array.from({ length: rules }, () => rule) });
}

const LISTED = Array.from({ length: 100 }, (_, index) => String(index));

const list = typedData("uint256[]", [...Array.from({ length: 3999 }, () => "99"), "100"]);
const shortList = typedData("uint256[]", [...Array.from({ length: 1999 }, () => "99"), "100"]);
const bytes = typedData("bytes", `0x${"ab".repeat(260_000)}`);
const call = checkSignRequest({
  kind: "transaction",
  transaction: {
    type: "eip1559",
    chainId: 1,
    nonce: 0,
    gas: 30_000_000,
    maxFeePerGas: 1,
    maxPriorityFeePerGas: 1,
    to: CONTRACT,
    data: encodeFunctionData({
      abi: parseAbi(["function put(bytes data)"]),
      args: [`0x${"ab".repeat(500_000)}`],
    }),
  },
});
const callPolicy = readPolicy({
  version: 1,
  transactions: Array.from({ length: 36 }, () => ({
    chainId: "1",
    to: [CONTRACT],
    valueAtMost: "0",
    feeAtMost: "100000000",
    call: { function: "put(bytes data)", where: { "/data": { oneOf: LISTED } } },
    outcome: "allow",
  })),
});

/** The runs: the number of documents, one of them, and the policy. */
const RUNS: Readonly<Record<string, readonly [count: number, act: CheckedSignRequest, policy: Policy]>> = {
  "11 rules, lists of 100, 10 arrays of 4,000": [
    10,
    list,
    typedPolicy(list, "/items/*", 11),
  ],
  "40 rules, lists of 100, 5 arrays of 2,000": [
    5,
    shortList,
    typedPolicy(shortList, "/items/*", 40),
  ],
  "40 rules, lists of 100, 520 KB of bytes": [
    1,
    bytes,
    typedPolicy(bytes, "/items", 40),
  ],
  "36 rules, lists of 100, a call with 500 KB": [1, call, callPolicy],
};

function runOnce(
  policy: Policy,
  act: CheckedSignRequest,
): { readonly total: number; readonly longest: number } {
  const begun = performance.now();
  const work = matchTask(policy, act, NOW);
  let [partBegun, longest] = [begun, 0];
  for (;;) {
    const { done, value } = work.next();
    const now = performance.now();
    longest = Math.max(longest, now - partBegun);
    partBegun = now;
    if (!done) continue;
    if (value.matches.length > 0) throw new Error("A rule allows the document");
    return { total: now - begun, longest };
  }
}

for (const [name, [count, act, policy]] of Object.entries(RUNS)) {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const runs = Array.from({ length: count }, () => runOnce(policy, act));
    return {
      total: runs.reduce((sum, { total }) => sum + total, 0),
      longest: Math.max(...runs.map(({ longest }) => longest)),
    };
  });
  const lowest = (of: "total" | "longest") => Math.min(...rounds.map((round) => round[of])).toFixed(1);
  console.log(`${name}: ${lowest("total")} ms, longest part ${lowest("longest")} ms`);
}
