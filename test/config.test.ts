import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig, readSecrets } from "../src/config.ts";

test("readConfig() gives the development defaults when nothing is set", () => {
  assert.deepEqual(readConfig({}), {
    baseUrl: undefined,
    host: "127.0.0.1",
    port: 3000,
    dataDir: "./data",
    databasePath: "./data/holdfast.db",
    tee: "auto",
    teeDstackSocket: "/var/run/dstack.sock",
    teeTsmPath: "/sys/kernel/config/tsm/report",
    teeSealingKeyFile: undefined,
    rateLimits: "on",
    logLevel: "info",
  });
});

test("readConfig() takes every variable", () => {
  assert.deepEqual(
    readConfig({
      BASE_URL: "https://wallet.localhost",
      HOST: "::1",
      PORT: "0",
      DATA_DIR: "/var/lib/holdfast",
      DATABASE_URL: "sqlite::memory:",
      TEE: "tdx",
      TEE_DSTACK_SOCKET: "/run/agent.sock",
      TEE_TSM_PATH: "/tsm",
      TEE_SEALING_KEY_FILE: "/run/key",
      RATE_LIMITS: "off",
      LOG_LEVEL: "error",
    }),
    {
      baseUrl: "https://wallet.localhost",
      host: "::1",
      port: 0,
      dataDir: "/var/lib/holdfast",
      databasePath: ":memory:",
      tee: "tdx",
      teeDstackSocket: "/run/agent.sock",
      teeTsmPath: "/tsm",
      teeSealingKeyFile: "/run/key",
      rateLimits: "off",
      logLevel: "error",
    },
  );
});

test("readConfig() treats an empty variable as unset and ignores names that are not ours", () => {
  assert.equal(readConfig({ PORT: "", HOSTNAME: "x", PATH: "/bin", TEENAGE: "1" }).port, 3000);
});

const REFUSED: readonly [name: string, value: string][] = [
  ["BASE_URL", "localhost:3000"],
  ["BASE_URL", "not a url"],
  ["BASE_URL", "http://localhost:3000/"],
  ["BASE_URL", "http://localhost:3000/path"],
  ["BASE_URL", "http://LOCALHOST:3000"],
  ["BASE_URL", "http://localhost:80"],
  ["BASE_URL", "http://user@localhost:3000"],
  ["BASE_URL", "http://127.0.0.1:3000"],
  ["BASE_URL", "http://[::1]:3000"],
  ["BASE_URL", "ftp://localhost"],
  ["BASE_URL", "https://wallet.example.com"],
  ["BASE_URL", "http://notlocalhost:3000"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "3000x"],
  ["DATABASE_URL", "holdfast.db"],
  ["DATABASE_URL", "sqlite:"],
  ["DATABASE_URL", "postgres://localhost/x"],
  ["TEE", "dstacks"],
  ["RATE_LIMITS", "maybe"],
  ["LOG_LEVEL", "loud"],
  ["TEE_SEALING_KEY", "x"],
  ["SMTP_HOST", "x"],
  ["IDENTITY_PROVIDER", "x"],
  ["TRUSTED_PROXY", "x"],
  ["RATE_LIMIT", "off"],
];

for (const [name, value] of REFUSED) {
  test(`readConfig() refuses ${name}=${value}, naming ${name}`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) =>
        error instanceof ConfigError && error.faults.length === 1 && error.faults[0]!.startsWith(name),
    );
  });
}

test("readConfig() refuses TEE=tdx without a sealing key", () => {
  assert.throws(
    () => readConfig({ TEE: "tdx" }),
    (error) => error instanceof ConfigError && /^TEE_SEALING_KEY_FILE/.test(error.faults[0]!),
  );
});

test("readConfig() names every fault at once", () => {
  assert.throws(
    () => readConfig({ PORT: "x", TEE: "y", SMTP_FOO: "z" }),
    (error) => error instanceof ConfigError && error.faults.length === 3,
  );
});

test("readSecrets() takes an admin key of 32 printable characters or more, and none", () => {
  assert.equal(readSecrets({}).adminApiKey, undefined);
  assert.equal(readSecrets({ ADMIN_API_KEY: "" }).adminApiKey, undefined);
  assert.equal(readSecrets({ ADMIN_API_KEY: "k".repeat(32) }).adminApiKey, "k".repeat(32));
  for (const key of ["k".repeat(31), "k".repeat(31) + " ", "k".repeat(31) + "é", "k".repeat(32) + "\n"]) {
    assert.throws(() => readSecrets({ ADMIN_API_KEY: key }), ConfigError);
  }
});
