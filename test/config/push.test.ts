import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig, readSecrets, readServingConfig } from "../../src/config/config.ts";
import { makePushKeyPair } from "../../src/push/keys.ts";

const { publicKey, privateKey } = await makePushKeyPair();
const contact = "mailto:ops@example.com";
const KEYS = { PUSH_PUBLIC_KEY: publicKey, PUSH_PRIVATE_KEY: privateKey, PUSH_CONTACT: contact };
const PRODUCTION = { BASE_URL: "https://id.example.com" };

function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readServingConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.filter((fault) => fault.startsWith("PUSH"));
  }
}

test("keys and contact of push messages are read, the private key as a secret", () => {
  const { push } = readConfig({ ...PRODUCTION, ...KEYS });
  assert.deepEqual(push, { wanted: undefined, publicKey, contact });
  assert.equal(readSecrets({ ...PRODUCTION, ...KEYS }).pushPrivateKey, privateKey);
  assert.equal(readConfig({ ...KEYS, PUSH: "off" }).push.wanted, "off");
  assert.equal(readConfig({ ...KEYS, PUSH_CONTACT: "https://example.com/ops" }).push.contact?.length, 23);
});

test("push messages need neither keys nor a contact unless they are turned on in production", () => {
  for (const environment of [{}, PRODUCTION, { PUSH: "on" }, { PUSH: "off", ...PRODUCTION }]) {
    assert.deepEqual(faultsOf(environment), []);
  }
  const missing = faultsOf({ ...PRODUCTION, PUSH: "on" });
  assert.deepEqual(missing.map((fault) => fault.split(" ")[0]), [
    "PUSH_PUBLIC_KEY",
    "PUSH_PRIVATE_KEY",
    "PUSH_CONTACT",
  ]);
});

const REFUSED: readonly (readonly [name: string, value: string])[] = [
  ["PUSH", "yes"],
  ["PUSH_PUBLIC_KEY", privateKey],
  ["PUSH_PUBLIC_KEY", `${publicKey}A`],
  ["PUSH_PUBLIC_KEY", ""],
  ["PUSH_PRIVATE_KEY", publicKey],
  ["PUSH_PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----"],
  ["PUSH_PRIVATE_KEY", ""],
  ["PUSH_CONTACT", "ops@example.com"],
  ["PUSH_CONTACT", "mailto:"],
  ["PUSH_CONTACT", "http://example.com"],
  ["PUSH_CONTACT", ""],
  ["PUSH_KEY", "x"],
];

for (const [name, value] of REFUSED) {
  test(`${name}=${value.slice(0, 20)} is refused by its name, without the value`, () => {
    const faults = faultsOf({ ...PRODUCTION, ...KEYS, [name]: value });
    assert.deepEqual(faults.map((fault) => fault.split(" ")[0]), [name]);
    if (name.endsWith("_KEY") && value.length > 1) assert.ok(!faults[0]!.includes(value));
  });
}
