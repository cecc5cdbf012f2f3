import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readServingConfig } from "../../src/config/config.ts";

const PRODUCTION = {
  BASE_URL: "https://wallet.example.com",
  TEE: "dstack",
  ADMIN_API_KEY: "k".repeat(32),
  SMTP_URL: "smtp://user:pass@mail.example.com",
  MAIL_FROM: "wallet@example.com",
} as const;

const GITHUB = JSON.stringify([{ id: "github", clientId: "id", clientSecret: "secret" }]);

function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readServingConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

test("readServingConfig() accepts a complete production environment", () => {
  assert.deepEqual(faultsOf(PRODUCTION), []);
  assert.deepEqual(faultsOf({ ...PRODUCTION, TEE: "tdx", TEE_SEALING_KEY_FILE: "/run/key" }), []);
  // Opening the TEE checks if a real one exists.
  assert.deepEqual(faultsOf({ ...PRODUCTION, TEE: "auto" }), []);
});

test("readServingConfig() names every fault at once, and none twice", () => {
  const environment = {
    BASE_URL: "https://wallet.example.com",
    TEE: "simulated",
    RATE_LIMITS: "off",
    ADMIN_API_KEY: "short",
  };
  assert.deepEqual(faultsOf(environment).map((fault) => fault.split(" ")[0]), [
    "ADMIN_API_KEY",
    "TEE",
    "SMTP_URL",
    "RATE_LIMITS",
  ]);
  const misspelt = {
    ...PRODUCTION,
    PORT: "x",
    SMTP_URL: "mail",
    IDENTITY_PROVIDERS: "x",
    ADMIN_API_KEY: "short",
  };
  assert.deepEqual(faultsOf(misspelt).map((fault) => fault.split(" ")[0]).toSorted(), [
    "ADMIN_API_KEY",
    "IDENTITY_PROVIDERS",
    "PORT",
    "SMTP_URL",
  ]);
});

test("readServingConfig() accepts an identity provider instead of mail", () => {
  assert.deepEqual(faultsOf({ ...PRODUCTION, SMTP_URL: "", MAIL_FROM: "", IDENTITY_PROVIDERS: GITHUB }), []);
});

test("readServingConfig() needs nothing in development", () => {
  assert.deepEqual(faultsOf({}), []);
  for (const BASE_URL of ["http://localhost:3000", "https://wallet.localhost", "http://a.localhost:1"]) {
    assert.deepEqual(faultsOf({ BASE_URL, TEE: "simulated", RATE_LIMITS: "off" }), []);
  }
});

const REFUSED: readonly [edit: Readonly<Record<string, string>>, fault: RegExp][] = [
  [{ BASE_URL: "http://wallet.example.com" }, /^BASE_URL must be https/],
  [{ BASE_URL: "https://192.0.2.1" }, /^BASE_URL must have a host name/],
  [{ TEE: "simulated" }, /^TEE must be dstack or tdx/],
  [{ ADMIN_API_KEY: "" }, /^ADMIN_API_KEY must be set/],
  [{ ADMIN_API_KEY: "short" }, /^ADMIN_API_KEY must be at least 32/],
  [{ SMTP_URL: "", MAIL_FROM: "" }, /^SMTP_URL and MAIL_FROM, or IDENTITY_PROVIDERS, must be set/],
  [{ SMTP_URL: "", MAIL_FROM: "", IDENTITY_PROVIDERS: "[]" }, /^SMTP_URL and MAIL_FROM, or IDENTITY/],
  [{ MAIL_FROM: "" }, /^MAIL_FROM must be set/],
  [{ RATE_LIMITS: "off" }, /^RATE_LIMITS must not be off/],
  [{ SMTP_INSECURE: "1" }, /^SMTP_INSECURE is not known/],
];

for (const [edit, fault] of REFUSED) {
  test(`readServingConfig() refuses production with ${JSON.stringify(edit)}, and says what to set`, () => {
    const faults = faultsOf({ ...PRODUCTION, ...edit });
    assert.equal(faults.length, 1, faults.join("\n"));
    assert.match(faults[0]!, fault);
  });
}

test("readServingConfig() names everything that a bare production environment lacks", () => {
  const faults = faultsOf({ BASE_URL: PRODUCTION.BASE_URL, TEE: "simulated", RATE_LIMITS: "off" });
  assert.equal(faults.length, 4);
});
