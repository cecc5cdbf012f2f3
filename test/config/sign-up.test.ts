import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";

test("SIGN_UP is open in development and invite in production unless it is set", () => {
  const usual: readonly (readonly [baseUrl: string, rule: string])[] = [
    ["", "open"],
    ["http://localhost:3000", "open"],
    ["https://wallet.localhost", "open"],
    ["https://wallet.example.com", "invite"],
  ];
  for (const [BASE_URL, rule] of usual) {
    assert.equal(readConfig({ BASE_URL }).signUp, rule, BASE_URL);
    for (const SIGN_UP of ["open", "invite", "closed"]) {
      assert.equal(readConfig({ BASE_URL, SIGN_UP }).signUp, SIGN_UP, BASE_URL);
    }
  }
});

test("SIGN_UP is one of its three values, and a misspelt name is refused", () => {
  const faults = (environment: Readonly<Record<string, string>>): readonly string[] => {
    try {
      readConfig(environment);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  };
  for (const SIGN_UP of ["Open", "yes", "invited"]) {
    assert.deepEqual(faults({ SIGN_UP }), ["SIGN_UP must be one of open, invite, closed"]);
  }
  assert.deepEqual(faults({ SIGN_UPS: "closed" }), ["SIGN_UPS is not known to this version; unset it"]);
});
