import assert from "node:assert/strict";
import { test } from "node:test";
import { readWait } from "../../../src/features/signing-requests/signing-requests.ts";
import { assertLinear } from "../../support/growth.ts";

const CASES: readonly (readonly [header: string | undefined, seconds: number | undefined])[] = [
  [undefined, undefined],
  ["", undefined],
  ["wait=10", 10],
  ["wait=0", 0],
  ["Wait = 10", 10],
  ['wait="10"', 10],
  ["wait=10; foo=bar", 10],
  ["respond-async, wait=100", 100],
  ['handling=lenient, wait=100, respond-async; x="y"', 100],
  // The first of two values applies (section 2).
  ["wait=1, wait=2", 1],
  ["wait=", undefined],
  ["wait", undefined],
  ["wait=-1", undefined],
  ["wait=1.5", undefined],
  ["wait=1e3", undefined],
  ["wait=9999999999", undefined],
  ["awaited=3", undefined],
  ["wait=5 seconds", undefined],
  [`wait=10; foo="${"x".repeat(100)}"`, undefined],
];

for (const [header, seconds] of CASES) {
  test(`readWait() reads ${header} as ${seconds} (RFC 7240 sections 2 and 4.3)`, () => {
    const headers = new Headers(header === undefined ? {} : { prefer: header });
    assert.equal(readWait(headers), seconds);
  });
}

test("readWait() takes linear time for spaces without an end", () => {
  assertLinear((count) => void readWait(new Headers({ prefer: `wait=${" ".repeat(count)}"` })), 4_000);
});
