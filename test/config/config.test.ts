import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigError, readConfig, readSecrets } from "../../src/config/config.ts";

test("readConfig() returns the development defaults when nothing is set", () => {
  assert.deepEqual(readConfig({}), {
    baseUrl: undefined,
    rpId: undefined,
    relatedOrigins: [],
    host: "127.0.0.1",
    port: 3000,
    processes: 1,
    dataDir: "./data",
    databasePath: "./data/holdfast.db",
    postgres: undefined,
    tee: "auto",
    teeDstackSocket: "/var/run/dstack.sock",
    teeDstackApi: "v0",
    teeDstackKms: undefined,
    teeTsmPath: "/sys/kernel/config/tsm/report",
    teeSealingKeyFile: undefined,
    teeBroker: undefined,
    teeBrokerWorkload: "holdfast",
    sealSources: [],
    brokerAllowList: undefined,
    brokerCollateral: undefined,
    brokerPccsUrl: undefined,
    identityProviders: [],
    smtp: undefined,
    mailFrom: undefined,
    authoritiesFile: undefined,
    clearSigningDir: undefined,
    serviceName: "Holdfast",
    serviceLogo: undefined,
    clientsFile: undefined,
    push: { wanted: undefined, publicKey: undefined, contact: undefined },
    logoutHosts: "public",
    sessionLifetimes: { longest: 2_592_000_000, idle: 604_800_000 },
    clientMetadata: undefined,
    adminAccounts: [],
    signUp: "open",
    rateLimits: "on",
    trustedProxies: [],
    strictTransport: "host",
    logLevel: "info",
    logFormat: undefined,
    metricsAddress: undefined,
  });
});

test("readConfig() reads every variable", () => {
  assert.deepEqual(
    readConfig({
      BASE_URL: "https://wallet.localhost",
      RP_ID: "wallet.localhost",
      RELATED_ORIGINS: "https://old.example.org",
      HOST: "::1",
      PORT: "0",
      PROCESSES: "4",
      DATA_DIR: "/var/lib/holdfast",
      DATABASE_URL: "sqlite::memory:",
      TEE: "tdx",
      TEE_DSTACK_SOCKET: "/run/agent.sock",
      TEE_DSTACK_API: "v1",
      SEAL_SOURCES: "file:/run/other, dstack",
      TEE_TSM_PATH: "/tsm",
      TEE_SEALING_KEY_FILE: "/run/key",
      BROKER_ALLOW_LIST: "/etc/allow.json",
      BROKER_COLLATERAL: "/etc/collateral.json",
      BROKER_PCCS_URL: "https://pccs.example.com/base",
      IDENTITY_PROVIDERS: '[{"id":"github","clientId":"a","clientSecret":"b"}]',
      SMTP_URL: "smtps://user:p%40ss@mail.example.com",
      MAIL_FROM: "The Wallet <wallet@example.com>",
      NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
      CLEAR_SIGNING_DIR: "/etc/clear-signing",
      SERVICE_NAME: "Vault & Sons",
      SERVICE_LOGO: "/etc/logo.svg",
      CLIENTS_FILE: "/etc/clients.json",
      PUSH: "off",
      PUSH_PUBLIC_KEY: `B${"a".repeat(86)}`,
      PUSH_PRIVATE_KEY: "a".repeat(43),
      PUSH_CONTACT: "mailto:ops@example.com",
      LOGOUT_HOSTS: "private",
      SESSION_MAX_HOURS: "8",
      SESSION_IDLE_HOURS: "2",
      CLIENT_METADATA: "agent.example,other.example:8443",
      SIGN_UP: "closed",
      ADMIN_ACCOUNTS: "Ada@example.com,",
      RATE_LIMITS: "off",
      TRUSTED_PROXIES: "10.0.0.0/8",
      HSTS_SUBDOMAINS: "on",
      LOG_LEVEL: "error",
      LOG_FORMAT: "text",
      METRICS_ADDRESS: "[::1]:9464",
    }),
    {
      baseUrl: "https://wallet.localhost",
      rpId: "wallet.localhost",
      relatedOrigins: ["https://old.example.org"],
      host: "::1",
      port: 0,
      processes: 4,
      dataDir: "/var/lib/holdfast",
      databasePath: ":memory:",
      postgres: undefined,
      tee: "tdx",
      teeDstackSocket: "/run/agent.sock",
      teeDstackApi: "v1",
      teeDstackKms: undefined,
      teeTsmPath: "/tsm",
      teeSealingKeyFile: "/run/key",
      teeBroker: undefined,
      teeBrokerWorkload: "holdfast",
      sealSources: [{ name: "file", path: "/run/other" }, { name: "dstack", socket: undefined }],
      brokerAllowList: "/etc/allow.json",
      brokerCollateral: "/etc/collateral.json",
      brokerPccsUrl: "https://pccs.example.com/base",
      identityProviders: [{ kind: "github", id: "github", name: "GitHub", clientId: "a" }],
      smtp: { host: "mail.example.com", port: 465, security: "tls" },
      mailFrom: { name: "The Wallet", address: "wallet@example.com" },
      authoritiesFile: "/etc/ca.pem",
      clearSigningDir: "/etc/clear-signing",
      serviceName: "Vault & Sons",
      serviceLogo: "/etc/logo.svg",
      clientsFile: "/etc/clients.json",
      push: { wanted: "off", publicKey: `B${"a".repeat(86)}`, contact: "mailto:ops@example.com" },
      logoutHosts: "private",
      sessionLifetimes: { longest: 28_800_000, idle: 7_200_000 },
      clientMetadata: ["agent.example", "other.example:8443"],
      adminAccounts: ["ada@example.com"],
      signUp: "closed",
      rateLimits: "off",
      trustedProxies: [{ address: Uint8Array.of(10, 0, 0, 0), bits: 8 }],
      strictTransport: "subdomains",
      logLevel: "error",
      logFormat: "text",
      metricsAddress: { host: "::1", port: 9464 },
    },
  );
});

test("readConfig() treats an empty variable as unset and ignores names of others", () => {
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
  ["BASE_URL", "http://wallet.example.com"],
  ["BASE_URL", "http://notlocalhost:3000"],
  ["PORT", "65536"],
  ["PORT", "-1"],
  ["PORT", "3000x"],
  ["DATABASE_URL", "holdfast.db"],
  ["DATABASE_URL", "sqlite:"],
  ["DATABASE_URL", "postgres://localhost/x"],
  ["TEE", "dstacks"],
  ["RATE_LIMITS", "maybe"],
  ["LOGOUT_HOSTS", "all"],
  ...["0", "2161", "1.5", "-1", "8h", "08", "99999"].flatMap((hours): [string, string][] => [
    ["SESSION_MAX_HOURS", hours],
    ["SESSION_IDLE_HOURS", hours],
  ]),
  ["SESSION_IDLE_HOURS", "721"],
  ["CLIENT_METADATA", "yes"],
  ["CLIENT_METADATA", "ON"],
  ["CLIENT_METADATA", "agent.example,"],
  ["CLIENT_METADATA", "Agent.example"],
  ["CLIENT_METADATA", "agent.example:443"],
  ["CLIENT_METADATA", "https://agent.example"],
  ["CLIENT_METADATA", "*.example"],
  ["HSTS_SUBDOMAINS", "yes"],
  ["HSTS_SUBDOMAIN", "on"],
  ["LOG_LEVEL", "loud"],
  ["LOG_FORMAT", "xml"],
  ["METRICS_ADDRESS", "9464"],
  ["METRICS_ADDRESS", "127.0.0.1"],
  ["METRICS_ADDRESS", "127.0.0.1:65536"],
  ["METRICS_ADDRESS", "::1:9464"],
  ["METRICS_ADDRESS", "http://127.0.0.1:9464"],
  ["METRICS_ADDR", "127.0.0.1:9464"],
  ["TEE_SEALING_KEY", "x"],
  ["TEE_BROKER_KEY", "x"],
  ["TEE_BROKER_KEY", "A".repeat(43)],
  ["TEE_BROKER_KEY", "A".repeat(44)],
  ["TEE_BROKER_WORKLOAD", "Wallet"],
  ["TEE_BROKER_WORKLOAD", "-wallet"],
  ["TEE_BROKER_WORKLOAD", "w".repeat(65)],
  ["TEE_BROKER", "x"],
  ["BROKER_ALLOWLIST", "x"],
  ["BROKER_PCCS_URL", "pccs"],
  ["BROKER_PCCS_URL", "https://pccs.example.com/"],
  ["BROKER_PCCS_URL", "https://pccs.example.com?x"],
  ["SMTP_HOST", "x"],
  ["IDENTITY_PROVIDER", "x"],
  ["TRUSTED_PROXY", "x"],
  ["RATE_LIMIT", "off"],
];

for (const [name, value] of REFUSED) {
  test(`readConfig() refuses ${name}=${value}, and names it`, () => {
    assert.throws(
      () => readConfig({ [name]: value }),
      (error) =>
        error instanceof ConfigError && error.faults.length === 1 && error.faults[0]!.startsWith(name),
    );
  });
}

/** The x coordinate of secp256k1's base point. */
const KMS_ROOT = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const BROKER_KEY = "A".repeat(42) + "E";

test("readConfig() accepts a KMS and an application to pin, in hex of either case", () => {
  const root = "02" + KMS_ROOT;
  const pinned = { TEE: "dstack", TEE_DSTACK_KMS_ROOT: root };
  const bytes = Uint8Array.fromHex(root);
  assert.deepEqual(readConfig(pinned).teeDstackKms, { root: bytes, appId: undefined });
  const named = { TEE: "dstack", TEE_DSTACK_KMS_ROOT: "0x02" + KMS_ROOT.toUpperCase() };
  assert.deepEqual(readConfig({ ...named, TEE_DSTACK_APP_ID: "AB".repeat(20) }).teeDstackKms, {
    root: bytes,
    appId: new Uint8Array(20).fill(0xab),
  });
});

test("readConfig() accepts a broker instead of the sealing key's file", () => {
  const broker = { TEE_BROKER_URL: "http://broker.internal:3001", TEE_BROKER_KEY: BROKER_KEY };
  assert.deepEqual(readConfig({ TEE: "tdx", ...broker }).teeBroker, {
    url: "http://broker.internal:3001",
    publicKey: new Uint8Array(32).with(31, 1),
    workload: "holdfast",
  });
  const named = { TEE: "tdx", ...broker, TEE_BROKER_WORKLOAD: "wallet-2.eu" };
  assert.equal(readConfig(named).teeBroker?.workload, "wallet-2.eu");
});

const REFUSED_TOGETHER: readonly (readonly [name: string, environment: Readonly<Record<string, string>>])[] =
  [
    ["TEE_SEALING_KEY_FILE and TEE_BROKER_URL", {
      TEE: "tdx",
      TEE_SEALING_KEY_FILE: "/key",
      TEE_BROKER_URL: "http://broker",
      TEE_BROKER_KEY: BROKER_KEY,
    }],
    ["TEE_SEALING_KEY_FILE", { TEE: "none" }],
    ["TEE_BROKER_KEY", { TEE: "tdx", TEE_BROKER_URL: "http://broker" }],
    ...["auto", "tdx", "simulated"].map((TEE) =>
      ["TEE_DSTACK_KMS_ROOT", {
        TEE,
        TEE_SEALING_KEY_FILE: "/k",
        TEE_DSTACK_KMS_ROOT: "02" + KMS_ROOT,
      }] as const
    ),
    ["TEE_DSTACK_KMS_ROOT", { TEE: "dstack", TEE_DSTACK_APP_ID: "11".repeat(20) }],
    ...["x", KMS_ROOT, "04" + KMS_ROOT, "02" + "00".repeat(32), "02" + KMS_ROOT + "00"].map((root) =>
      ["TEE_DSTACK_KMS_ROOT", { TEE: "dstack", TEE_DSTACK_KMS_ROOT: root }] as const
    ),
    ...["x", "11".repeat(19), "11".repeat(21)].map((TEE_DSTACK_APP_ID) =>
      ["TEE_DSTACK_APP_ID", {
        TEE: "dstack",
        TEE_DSTACK_KMS_ROOT: "02" + KMS_ROOT,
        TEE_DSTACK_APP_ID,
      }] as const
    ),
    ["TEE_BROKER_URL", { TEE: "dstack", TEE_BROKER_URL: "http://broker", TEE_BROKER_KEY: BROKER_KEY }],
    ["TEE_BROKER_URL", { TEE: "auto", TEE_BROKER_URL: "http://broker", TEE_BROKER_KEY: BROKER_KEY }],
    ["TEE_BROKER_URL", { TEE: "simulated", TEE_BROKER_URL: "http://broker", TEE_BROKER_KEY: BROKER_KEY }],
    ...[
      "broker",
      "http://broker/",
      "http://broker/path",
      "ftp://broker",
      "http://u@broker",
      "http://broker?x",
    ]
      .map(
        (url) => ["TEE_BROKER_URL", { TEE_BROKER_URL: url, TEE_BROKER_KEY: BROKER_KEY }] as const,
      ) as [string, Record<string, string>][],
  ];

for (const [name, environment] of REFUSED_TOGETHER) {
  test(`readConfig() refuses ${JSON.stringify(environment)}, and names ${name}`, () => {
    assert.throws(
      () => readConfig(environment),
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

test("readSecrets() accepts an admin key of 32 printable characters or more, or none", () => {
  assert.equal(readSecrets({}).adminApiKey, undefined);
  assert.equal(readSecrets({ ADMIN_API_KEY: "" }).adminApiKey, undefined);
  assert.equal(readSecrets({ ADMIN_API_KEY: "k".repeat(32) }).adminApiKey, "k".repeat(32));
  for (const key of ["k".repeat(31), "k".repeat(31) + " ", "k".repeat(31) + "é", "k".repeat(32) + "\n"]) {
    assert.throws(() => readSecrets({ ADMIN_API_KEY: key }), ConfigError);
  }
});
