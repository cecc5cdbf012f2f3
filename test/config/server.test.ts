import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";

function faultsOf(text: string): readonly string[] {
  try {
    readConfig({ TRUSTED_PROXIES: text });
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
}

describe("readTrustedProxies()", () => {
  test("trusts no proxy when nothing is set", () => {
    assert.deepEqual(readConfig({}).trustedProxies, []);
    assert.deepEqual(readConfig({ TRUSTED_PROXIES: " , " }).trustedProxies, []);
  });

  test("reads networks and addresses between commas and spaces", () => {
    const { trustedProxies } = readConfig({ TRUSTED_PROXIES: "10.0.0.0/8, fd00::/8 192.0.2.1,::1" });
    assert.deepEqual(trustedProxies.map(({ address, bits }) => [address.length, bits]), [
      [4, 8],
      [16, 8],
      [4, 32],
      [16, 128],
    ]);
  });

  test("names each fault", () => {
    assert.equal(faultsOf("10.0.0.1/8,nginx,*").length, 3);
    assert.match(faultsOf("nginx")[0]!, /^TRUSTED_PROXIES must be networks .*nginx is neither$/);
  });

  for (const network of ["0.0.0.0/0", "::/0"]) {
    test(`refuses ${network}`, () => {
      assert.match(faultsOf(network)[0]!, /must not include all addresses/);
    });
  }
});
