import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";

const BASE = "https://wallet.example.org";

function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe("RP_ID", () => {
  test("is the host of BASE_URL, or a domain above it that can be registered (WebAuthn Level 3 section 5.1.3 step 8)", () => {
    for (const RP_ID of ["wallet.example.org", "example.org"]) {
      assert.deepEqual(faultsOf({ BASE_URL: BASE, RP_ID }), []);
      assert.equal(readConfig({ BASE_URL: BASE, RP_ID }).rpId, RP_ID);
    }
    assert.equal(readConfig({ BASE_URL: BASE }).rpId, undefined);
  });

  const REFUSED: readonly (readonly [BASE_URL: string, RP_ID: string])[] = [
    [BASE, "org"],
    [BASE, "ample.org"],
    [BASE, "other.example.org"],
    [BASE, "a.wallet.example.org"],
    [BASE, "example.net"],
    [BASE, "Example.org"],
    [BASE, "https://example.org"],
    [BASE, "example.org."],
    [BASE, ".example.org"],
    [BASE, "example.org:443"],
    ["https://wallet.example.co.uk", "co.uk"],
    ["https://wallet.example.com.au", "com.au"],
    ["https://me.github.io", "github.io"],
    ["https://me.pages.dev", "pages.dev"],
    ["https://wallet.localhost", "localhost"],
    [BASE, "192.0.2.1"],
    [BASE, "0.2.1"],
  ];
  for (const [BASE_URL, RP_ID] of REFUSED) {
    test(`is refused as ${RP_ID} at ${BASE_URL}`, () => {
      const faults = faultsOf({ BASE_URL, RP_ID });
      assert.ok(faults.some((fault) => fault.startsWith("RP_ID ")), faults.join());
    });
  }

  test("may be any other domain if the origin is listed as a related one, and needs BASE_URL", () => {
    const RELATED_ORIGINS = `${BASE} https://old.example.net`;
    assert.deepEqual(faultsOf({ BASE_URL: BASE, RP_ID: "old.example.net", RELATED_ORIGINS }), []);
    assert.deepEqual(readConfig({ RELATED_ORIGINS }).relatedOrigins, [BASE, "https://old.example.net"]);
    const elsewhere = { BASE_URL: BASE, RP_ID: "old.example.net", RELATED_ORIGINS: "https://x.example" };
    assert.equal(faultsOf(elsewhere).length, 1);
    assert.equal(faultsOf({ RP_ID: "example.org" }).length, 1);
    assert.equal(faultsOf({ BASE_URL: BASE, RP_ID: "co.uk", RELATED_ORIGINS: BASE }).length, 1);
  });

  test("RELATED_ORIGINS accepts https origins in canonical form, five at most", () => {
    for (
      const text of [
        "http://a.example",
        "https://a.example/",
        "a.example",
        "https://192.0.2.1",
        "https://[::1]",
      ]
    ) {
      assert.equal(faultsOf({ RELATED_ORIGINS: text }).length, 1, text);
    }
    const six = [1, 2, 3, 4, 5, 6].map((number) => `https://a${number}.example`);
    assert.equal(faultsOf({ RELATED_ORIGINS: six.join(",") }).length, 1);
    assert.equal(faultsOf({ RELATED_ORIGINS: six.slice(1).join(" , ") }).length, 0);
  });

  test("a misspelt name is reported", () => {
    assert.equal(faultsOf({ RP_NAME: "x" }).length, 1);
    assert.equal(faultsOf({ RELATED_ORIGIN: BASE }).length, 1);
  });
});
