import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { canonicalPolicy } from "../../src/policy/canonical.ts";
import { decide, judge } from "../../src/policy/decide.ts";
import { describePolicy } from "../../src/policy/describe.ts";
import { isStricterOrEqual } from "../../src/policy/is-stricter-or-equal.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";

const AT = { signer: new Uint8Array(20), now: Date.UTC(2026, 0, 1) };
const TEXT = { kind: "message", format: "raw", payload: new Uint8Array(3) } as const;

describe("otherwise", () => {
  test("is deny unless the policy says ask, and nothing else is accepted", () => {
    assert.equal(decide(readPolicy({ version: 1 }), TEXT as never, AT).outcome, "deny");
    const asking = decide(readPolicy({ version: 1, otherwise: "ask" }), TEXT as never, AT);
    assert.deepEqual([asking.outcome, asking.rule], ["ask", "/otherwise"]);
    assert.equal(
      canonicalPolicy(readPolicy({ version: 1, otherwise: "deny" })),
      canonicalPolicy(readPolicy({ version: 1 })),
    );
    for (const otherwise of ["allow", "", null, 1]) {
      assert.throws(() => readPolicy({ version: 1, otherwise }), /./, String(otherwise));
    }
  });

  test("comes after the rules, and counts by the limits of the policy", () => {
    const policy = readPolicy({ version: 1, raw: "allow", otherwise: "ask", perMinute: 1 });
    const first = judge(policy, TEXT as never, { counts: {} as never, ...AT });
    assert.equal(first.decision.outcome, "allow");
    assert.equal(judge(policy, TEXT as never, { counts: first.counts, ...AT }).decision.outcome, "deny");
  });

  test("does not outlive the policy", () => {
    const policy = readPolicy({ version: 1, otherwise: "ask", notAfter: "2025-01-01T00:00:00Z" });
    assert.equal(decide(policy, TEXT as never, AT).outcome, "deny");
  });

  test("makes a policy looser, and is a sentence", () => {
    const [strict, asking] = [readPolicy({ version: 1 }), readPolicy({ version: 1, otherwise: "ask" })];
    assert.equal(isStricterOrEqual(strict, asking), true);
    assert.equal(isStricterOrEqual(asking, strict), false);
    assert.equal(isStricterOrEqual(asking, asking), true);
    const both = readPolicy({ version: 1, raw: "allow", otherwise: "ask" });
    assert.equal(describePolicy(both, "en").at(-1), "Asks you about everything else.");
    assert.deepEqual(describePolicy(asking, "de"), ["Fragt Sie vor jeder Signatur."]);
  });
});
