import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeAddress } from "../../src/runtime/server.ts";

const CASES: readonly (readonly [address: string | undefined, normal: string])[] = [
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:192.0.2.1", "192.0.2.1"],
  ["2001:DB8::1", "2001:db8::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["::1", "::1"],
  [undefined, "0.0.0.0"],
];

for (const [address, normal] of CASES) {
  test(`normalizeAddress() writes ${address} as ${normal}`, () => {
    assert.equal(normalizeAddress(address), normal);
  });
}
