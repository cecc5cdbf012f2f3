/**
 * Times decisions on the most expensive documents that a requester can send, in one process and without a database. Run
 * it with either runtime: `bun bench/policy.ts`, `deno run -A bench/policy.ts`. Prints milliseconds: the lowest of
 * three rounds, of the whole and of the longest part that blocks the process.
 */
import { type CheckedSignRequest, checkSignRequest } from "../src/keys/digest.ts";
import { matchTask } from "../src/policy/decide.ts";
import type { Policy } from "../src/policy/policy.ts";
import { readPolicy } from "../src/policy/read-policy.ts";
import { WORST_INPUTS } from "./worst-inputs.ts";

const ROUNDS = 3;
const NOW = 1_800_000_000_000;
const AT = { signer: new Uint8Array(20), now: NOW };

function runOnce(
  policy: Policy,
  act: CheckedSignRequest,
): { readonly total: number; readonly longest: number } {
  const begun = performance.now();
  const work = matchTask(policy, act, AT);
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

for (const { name, count, ...input } of WORST_INPUTS) {
  const [act, policy] = [checkSignRequest(input.request), readPolicy(input.policy)];
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
