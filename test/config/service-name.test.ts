import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";

test("SERVICE_NAME is one line of at most 64 bytes", () => {
  assert.equal(readConfig({}).serviceName, "Holdfast");
  assert.equal(readConfig({ SERVICE_NAME: " Tom & Söhne " }).serviceName, "Tom & Söhne");
  assert.equal(readConfig({ SERVICE_NAME: "ö".repeat(32) }).serviceName, "ö".repeat(32));
  for (
    const SERVICE_NAME of [
      " ",
      "a\nb",
      "a\u0000",
      "a\u202eb",
      "a\u200b",
      "a\u2028b",
      "ö".repeat(33),
      "\ud800",
    ]
  ) {
    const isNamed = (error: unknown): boolean =>
      error instanceof ConfigError && error.faults.length === 1 &&
      error.faults[0]!.startsWith("SERVICE_NAME must ");
    assert.throws(() => readConfig({ SERVICE_NAME }), isNamed, JSON.stringify(SERVICE_NAME));
  }
});
