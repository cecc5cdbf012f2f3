import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { defaultPasskeyName, providerOf } from "../../../src/accounts/passkey/aaguid.ts";

const GOOGLE = "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4";
const NONE = "00000000-0000-0000-0000-000000000000";

describe("providerOf()", () => {
  test("providerOf() returns the names of common authenticators, and undefined for others", () => {
    assert.equal(providerOf(GOOGLE), "Google Password Manager");
    assert.equal(providerOf("d548826e-79b4-db40-a3d8-11116f7e8349"), "Bitwarden");
    assert.equal(providerOf("ee882879-721c-4913-9775-3dfcce97072a"), "YubiKey 5");
    for (const aaguid of [NONE, "", "constructor", "__proto__"]) assert.equal(providerOf(aaguid), undefined);
  });
});

describe("defaultPasskeyName()", () => {
  test("defaultPasskeyName() is the provider's, numbered from the second on", () => {
    const name = (...names: string[]) => defaultPasskeyName(GOOGLE, names.map((name) => ({ name })));
    assert.equal(name(), "Google Password Manager");
    assert.equal(name("Passkey 1"), "Google Password Manager");
    assert.equal(name("Google Password Manager"), "Google Password Manager 2");
    assert.equal(
      name("Google Password Manager", "Google Password Manager 2", "x"),
      "Google Password Manager 3",
    );
  });

  test("defaultPasskeyName() is numbered if the authenticator is unknown", () => {
    assert.equal(defaultPasskeyName(NONE, []), "Passkey 1");
    assert.equal(defaultPasskeyName(NONE, [{ name: "a" }, { name: "b" }]), "Passkey 3");
  });
});
