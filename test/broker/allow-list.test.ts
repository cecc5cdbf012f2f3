import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AllowListError, readAllowList } from "../../src/broker/allow-list.ts";
import { MEASUREMENTS } from "../support/broker.ts";
import { makeQuotePlatform } from "../support/quote-pki.ts";

function listOf(workload: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ workloads: { holdfast: workload }, ...more });
}

describe("readAllowList()", () => {
  test("is strict by default: up to date, SEPT_VE_DISABLE, unset registers zero, Intel's root", () => {
    const { workloads, root } = readAllowList(listOf({ measurements: [MEASUREMENTS] }));
    const { measurements, policy } = workloads.get("holdfast")!;
    assert.equal(root, undefined);
    assert.deepEqual(policy, {
      statuses: ["UpToDate"],
      septVe: "disabled",
      serviceTd: "none",
      leastEvaluation: 0,
    });
    assert.equal(measurements[0]!.mrTd.toHex(), MEASUREMENTS.mrTd);
    for (const name of ["mrConfigId", "mrOwner", "mrOwnerConfig"] as const) {
      assert.deepEqual(measurements[0]![name], new Uint8Array(48));
    }
  });

  test("accepts a policy, several measurements and a root", () => {
    const policy = {
      statuses: ["UpToDate", "SWHardeningNeeded"],
      septVe: "any",
      serviceTd: "none",
      leastEvaluation: 17,
    };
    const measurements = [MEASUREMENTS, { ...MEASUREMENTS, mrConfigId: "C1".repeat(48) }];
    const list = readAllowList(listOf({ measurements, ...policy }, { root: makeQuotePlatform().root }));
    assert.deepEqual(list.workloads.get("holdfast")!.policy, policy);
    assert.equal(list.workloads.get("holdfast")!.measurements[1]!.mrConfigId.toHex(), "c1".repeat(48));
    assert.equal(list.root?.isAuthority, true);
  });

  test("accepts the one service trust domain that may be bound", () => {
    const list = readAllowList(listOf({ measurements: [MEASUREMENTS], serviceTd: "A5".repeat(48) }));
    assert.deepEqual(list.workloads.get("holdfast")!.policy.serviceTd, new Uint8Array(48).fill(0xa5));
  });

  const { rtmr3: _, ...withoutRtmr3 } = MEASUREMENTS;
  const refused: readonly (readonly [name: string, text: string, reason: RegExp])[] = [
    ["no JSON", "{", /not JSON/],
    ["no workloads", "{}", /workloads/],
    ["a list", "[]", /allow-list/],
    ["an unknown member", listOf({ measurements: [] }, { roots: "x" }), /roots/],
    [
      "an unknown member of a workload",
      listOf({ measurements: [], status: "x" }),
      /workloads\.holdfast\.status/,
    ],
    ["a workload without measurements", listOf({}), /measurements/],
    ["measurements without a register", listOf({ measurements: [withoutRtmr3] }), /measurements\.0\.rtmr3/],
    ["an unknown register", listOf({ measurements: [{ ...MEASUREMENTS, rtmr4: "00" }] }), /rtmr4/],
    ["a short register", listOf({ measurements: [{ ...MEASUREMENTS, mrTd: "d0" }] }), /mrTd.*96/],
    ["a wildcard", listOf({ measurements: [{ ...MEASUREMENTS, mrTd: "any" }] }), /mrTd/],
    ["any service trust domain", listOf({ measurements: [], serviceTd: "any" }), /serviceTd/],
    ["what a verifier alone can expect", listOf({ measurements: [], keyProvider: "kms:30" }), /keyProvider/],
    ["the status Revoked", listOf({ measurements: [], statuses: ["Revoked"] }), /statuses/],
    ["no status", listOf({ measurements: [], statuses: [] }), /statuses/],
    ["a fraction", listOf({ measurements: [], leastEvaluation: 1.5 }), /leastEvaluation/],
    [
      "a name that is none",
      JSON.stringify({ workloads: { "A b": { measurements: [] } } }),
      /name of a workload/,
    ],
    ["a root that is none", listOf({ measurements: [] }, { root: "x" }), /root/],
  ];

  for (const [name, text, reason] of refused) {
    test(`refuses ${name}`, () => {
      assert.throws(() => readAllowList(text), (error) => {
        assert.ok(error instanceof AllowListError, String(error));
        assert.match(error.message, reason);
        return true;
      });
    });
  }
});
