import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { AllowListError } from "../../src/broker/allow-list.ts";
import { closestMeasurements, readExpectedWorkloads } from "../../src/broker/expected-workload.ts";
import type { ExpectedWorkload } from "../../src/broker/expected-workload.ts";
import { STRICT_POLICY } from "../../src/tee/quote/evidence.ts";
import { parseQuote } from "../../src/tee/quote/parse.ts";
import { makeQuotePlatform } from "../support/quote-pki.ts";

/** The registers of the quotes of `makeQuotePlatform`. */
const MEASUREMENTS = {
  mrTd: "d0".repeat(48),
  rtmr0: "e0".repeat(48),
  rtmr1: "e1".repeat(48),
  rtmr2: "e2".repeat(48),
  rtmr3: "e3".repeat(48),
};

function read(workload: object): ExpectedWorkload {
  return readExpectedWorkloads(JSON.stringify({ workloads: { mine: workload } })).workloads.get("mine")!;
}

describe("readExpectedWorkloads()", () => {
  test("reads an allow-list unchanged, strict by default", () => {
    const { measurements: [registers], policy, others } = read({ measurements: [MEASUREMENTS] });
    assert.deepEqual(policy, STRICT_POLICY);
    assert.deepEqual(others, {});
    assert.deepEqual(registers!.rtmr3, new Uint8Array(48).fill(0xe3));
    for (const name of ["mrConfigId", "mrOwner", "mrOwnerConfig"] as const) {
      assert.deepEqual(registers![name], new Uint8Array(48));
    }
    const example = readFileSync(new URL("../../deploy/allow-list.example.json", import.meta.url), "utf8");
    assert.deepEqual([...readExpectedWorkloads(example).workloads.keys()], ["holdfast"]);
  });

  test("accepts any register, an app, and its key provider", () => {
    const app = { composeHash: "AA".repeat(32), appId: "bb".repeat(20), keyProvider: "kms:3059" };
    const { measurements: [registers], others } = read({
      measurements: [{ ...MEASUREMENTS, rtmr3: "any", mrConfigId: "any" }],
      ...app,
    });
    assert.deepEqual([registers!.rtmr3, registers!.mrConfigId], ["any", "any"]);
    assert.deepEqual(others, {
      composeHash: new Uint8Array(32).fill(0xaa),
      appId: new Uint8Array(20).fill(0xbb),
      keyProvider: { name: "kms", id: "3059" },
    });
    assert.equal(read({ measurements: [MEASUREMENTS], keyProvider: "any" }).others.keyProvider, "any");
  });

  const refused: Readonly<Record<string, readonly [workload: object, reason: RegExp]>> = {
    "no measurements": [{ measurements: [] }, /workloads\.mine\.measurements/],
    "a register too few": [{ measurements: [{ mrTd: "any" }] }, /measurements\.0/],
    "another word than any": [{ measurements: [{ ...MEASUREMENTS, mrTd: "all" }] }, /mrTd.*96.*or any/],
    "any compose hash": [{ measurements: [MEASUREMENTS], composeHash: "any" }, /composeHash.*64/],
    "a short app id": [{ measurements: [MEASUREMENTS], appId: "11".repeat(19) }, /appId.*40/],
    "an empty key provider": [{ measurements: [MEASUREMENTS], keyProvider: "" }, /keyProvider/],
    "an unknown member": [{ measurements: [MEASUREMENTS], key_provider: "any" }, /key_provider/],
  };
  for (const [name, [workload, reason]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => {
      assert.throws(() => read(workload), (error) => {
        assert.ok(error instanceof AllowListError, String(error));
        assert.match(error.message, reason);
        return true;
      });
    });
  }
});

test("closestMeasurements() returns those equal to the report's, or else those with most matches", () => {
  const { report } = parseQuote(makeQuotePlatform().quote(new Uint8Array(64)));
  const far = { ...MEASUREMENTS, mrTd: "00".repeat(48), rtmr3: "00".repeat(48) };
  const near = { ...MEASUREMENTS, rtmr2: "01".repeat(48) };
  const pick = (...measurements: readonly object[]): number => {
    const workload = read({ measurements });
    return workload.measurements.indexOf(closestMeasurements(workload, report));
  };
  assert.equal(pick(far, near, MEASUREMENTS), 2);
  assert.equal(pick(MEASUREMENTS, near, far), 0);
  assert.equal(pick(far, near), 1);
  const workload = read({ measurements: [far, near] });
  assert.equal(closestMeasurements(workload, undefined), workload.measurements[0]);
});
