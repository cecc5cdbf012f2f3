import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { makeKey } from "../commands/fixture.ts";
import { builtPrograms, runConfigured, serviceOf, titleOf } from "../commands/run-command.ts";
import { allowListOf, MEASUREMENTS } from "../support/broker.ts";
import {
  clientOf,
  guestEnv,
  keyOf,
  onBrokerServices,
  startBroker,
  startGuest,
} from "../support/broker-service.ts";
import type { BrokerServiceStage } from "../support/broker-service.ts";
import { signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { emptyDatabaseFor } from "../support/postgres.ts";
import { ServiceStartError } from "../support/service.ts";
import type { Service } from "../support/service.ts";

async function assertRefused(starting: Promise<Service>, reason: RegExp): Promise<void> {
  await assert.rejects(starting, (error) => {
    assert.ok(error instanceof ServiceStartError, String(error));
    assert.equal(error.exit.code, 2, error.message);
    const lines = error.stderr.filter((line) => line.startsWith("holdfast:"));
    assert.match(lines.join("\n"), reason);
    return lines.length === 1;
  });
}

/** Starts the service, compares the address of the account's key, and stops it. */
async function assertSameAddress(
  stage: BrokerServiceStage,
  env: Readonly<Record<string, string>>,
  { cookies }: Client,
  address: string,
): Promise<void> {
  await using service = await startGuest(stage, env);
  assert.equal((await clientOf(service, cookies).get("/api/keys")).body.keys[0].address, address);
  assert.equal((await service.stop()).code, 0);
}

async function run(
  { program }: BrokerServiceStage,
  env: Readonly<Record<string, string>>,
  ...list: readonly string[]
): Promise<string> {
  const { code, stdout, stderr } = await runConfigured(program, env, ...list);
  assert.equal(code, 0, `${list.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** Verifies that the configuration and the key provider in a key's quote claims name the broker's key. */
async function assertClaimsBroker(client: Client, keyId: string, key: string): Promise<void> {
  const { status, body, text } = await client.get(`/api/keys/${keyId}/quote?nonce=AAECAwQFBgcICQoLDA0ODw`);
  assert.equal(status, 200, text);
  const { baseUrl, configurationHash, keyProvider } = JSON.parse(body.claims);
  assert.deepEqual(keyProvider, { name: "broker", id: key, verified: null });
  const broker = { key, workload: "holdfast" };
  const configuration = {
    baseUrl,
    provider: "tdx",
    rateLimits: "on",
    signUp: "open",
    identityProviders: [],
    broker,
  };
  const hash = await crypto.subtle.digest("SHA-256", utf8(JSON.stringify(configuration)));
  assert.equal(configurationHash, toBase64url(new Uint8Array(hash)));
}

async function restarts(stage: BrokerServiceStage): Promise<void> {
  const broker = await startBroker(stage);
  const key = keyOf(broker);
  const env = guestEnv(stage, key);
  const service = await startGuest(stage, env);
  const client = clientOf(service);
  const { key: { id, address } } = (await signUp(client, "ada@example.com")).body;
  await assertClaimsBroker(client, id, key);
  await service.stop();
  await assertSameAddress(stage, env, client, address);

  // Another version of the software, which the allow-list lacks: doctor prints the entry to add.
  const measurements = { ...MEASUREMENTS, rtmr2: "f2".repeat(48) };
  const { platform, kernel, at } = stage;
  kernel.behave({ quoter: (reportData) => platform.quote(reportData, { rtmr2: measurements.rtmr2 }) });
  await assertRefused(startGuest(stage, env), /Cannot use the broker at .* does not have these measurements/);
  const doctor = await runConfigured(stage.program, env, "doctor", "--json");
  assert.equal(doctor.code, 1);
  const found = JSON.parse(doctor.stdout);
  assert.match(found.faults.join("\n"), /does not have these measurements/);
  const entries = [MEASUREMENTS, found.quote.measurements];
  const list = { ...allowListOf(platform), workloads: { holdfast: { measurements: entries } } };
  writeFileSync(at("allow.json"), JSON.stringify(list));
  await assertSameAddress(stage, env, client, address);
  const healthy = JSON.parse(await run(stage, env, "doctor", "--json"));
  assert.deepEqual([healthy.sealMatches, healthy.faults], [true, []]);
  assert.deepEqual(healthy.keySource, {
    name: "broker",
    survivesUpgrades: "if_allowed",
    place: env["TEE_BROKER_URL"],
  });

  // A broker that is killed restarts with the same key, and the start of a service waits for it.
  await broker.kill();
  const waiting = startGuest(stage, env);
  await using back = await startBroker(stage);
  assert.equal(keyOf(back), key);
  {
    await using started = await waiting;
    assert.equal((await clientOf(started, client.cookies).get("/api/keys")).body.keys[0].address, address);
  }
  const other = key.startsWith("A") ? `B${key.slice(1)}` : `A${key.slice(1)}`;
  await assertRefused(
    startGuest(stage, { ...env, TEE_BROKER_KEY: other }),
    /the broker that answers is not the one/,
  );
  await assertRefused(startGuest(stage, { ...env, TEE_BROKER_WORKLOAD: "other" }), /no such workload/);
  assert.equal((await fetch(`${back.baseUrl}/readyz`)).status, 200);

  // A further key opens the seed without the broker, and the broker opens it beside a key without a slot.
  const [spare, third] = [makeKey(at("spare-key")), makeKey(at("third-key"))];
  await run(stage, env, "seal", "add", "--to", `file:${spare}`);
  const { TEE_BROKER_URL: url, TEE_BROKER_KEY: _, ...rest } = env;
  await assertSameAddress(stage, { ...rest, TEE_SEALING_KEY_FILE: spare }, client, address);
  const beside = { ...rest, TEE_SEALING_KEY_FILE: third, SEAL_SOURCES: `broker:${url}#${key}` };
  await assertSameAddress(stage, beside, client, address);
  const { slots } = JSON.parse(await run(stage, beside, "seal", "test", "--json"));
  assert.deepEqual(
    slots.map(({ source, opens }: { source: string; opens: boolean | null }) => `${source} ${opens}`),
    ["broker true", "file null", "file true"],
  );
}

async function reseals(stage: BrokerServiceStage): Promise<void> {
  const broker = await startBroker(stage, { LOG_LEVEL: "debug" });
  const env = guestEnv(stage, keyOf(broker));
  const file = makeKey(stage.at("service-key"));
  const { TEE_BROKER_URL: _, TEE_BROKER_KEY: __, ...rest } = env;
  const fileEnv = { ...rest, TEE_SEALING_KEY_FILE: file };
  const service = await startGuest(stage, fileEnv);
  const client = clientOf(service);
  const { key: { address } } = (await signUp(client, "ada@example.com")).body;
  await service.stop();

  await assertRefused(startGuest(stage, env), /is not the one that sealed/);
  await run(stage, env, "reseal", "--from", `file:${file}`, "--to", "configured", "--dry-run");
  await run(stage, env, "reseal", "--from", `file:${file}`, "--to", "configured");
  await assertRefused(startGuest(stage, fileEnv), /is not the one that sealed/);
  await assertSameAddress(stage, env, client, address);

  // The broker's own database supports backup and reseal like any other.
  const { brokerEnv, at } = stage;
  await run(stage, brokerEnv, "backup", at("broker-backup"));
  await broker.stop();
  const newKey = makeKey(at("new-broker-key"));
  await run(stage, brokerEnv, "reseal", "--from", "configured", "--to", `file:${newKey}`);
  await assertRefused(startBroker(stage), /is not the one that sealed/);
  const moved = { TEE_SEALING_KEY_FILE: newKey };
  const doctor = JSON.parse(await run(stage, { ...brokerEnv, ...moved }, "doctor", "--json"));
  assert.deepEqual([doctor.provider, doctor.faults], ["none", []]);
  {
    await using again = await startBroker(stage, moved);
    assert.equal(keyOf(again), env["TEE_BROKER_KEY"]);
    await assertSameAddress(stage, env, client, address);
    await run(stage, env, "reseal", "--from", "configured", "--to", `file:${file}`);
    await again.stop();
  }
  await assertSameAddress(stage, fileEnv, client, address);

  const bytes = new Uint8Array(readFileSync(file)).toHex();
  assert.ok(!broker.stdout.join("\n").includes(bytes));
  // A backup from before the reseal restores the same keys, sealed under the old key.
  await emptyDatabaseFor(at("broker"));
  await run(stage, brokerEnv, "restore", at("broker-backup"));
  await using restored = await startBroker(stage);
  await run(stage, env, "reseal", "--from", `file:${file}`, "--to", "configured");
  assert.equal(keyOf(restored), env["TEE_BROKER_KEY"]);
  await assertSameAddress(stage, env, client, address);
}

async function refusesToStart(stage: BrokerServiceStage): Promise<void> {
  const { at } = stage;
  const bad: readonly (readonly [env: Readonly<Record<string, string>>, reason: RegExp])[] = [
    [{ BROKER_ALLOW_LIST: "" }, /BROKER_ALLOW_LIST must be set/],
    [{ BROKER_COLLATERAL: "" }, /BROKER_COLLATERAL or BROKER_PCCS_URL must be set, but not both/],
    [{ BROKER_PCCS_URL: "http://127.0.0.1:1" }, /but not both/],
    [{ BROKER_ALLOW_LIST: at("nowhere") }, /cannot be used/],
    [{ BROKER_ALLOW_LIST: at("collateral.json") }, /allow-list/],
    [{ BROKER_COLLATERAL: at("allow.json") }, /Cannot read collateral/],
    [{ TEE_SEALING_KEY_FILE: "" }, /TEE_SEALING_KEY_FILE must be set/],
    [{ TEE: "simulated", HOST: "0.0.0.0" }, /only for a HOST of this machine/],
    [{ BROKER_PCCS: "x" }, /BROKER_PCCS is not known/],
  ];
  for (const [env, reason] of bad) await assertRefused(startBroker(stage, env), reason);
  const serving = { ...stage.brokerEnv, DATA_DIR: at("service") };
  await assertRefused(startGuest(stage, serving), /TEE=none is only for .holdfast broker./);
}

for (const [name, program] of Object.entries(builtPrograms())) {
  const [runtime, title] = [serviceOf(name), titleOf(name)];
  const stories: readonly (readonly [title: string, story: (stage: BrokerServiceStage) => Promise<void>])[] =
    [
      [
        `a service and its broker, on ${title}: a restart, a new version, a killed broker, another key`,
        restarts,
      ],
      [
        `a service and its broker, on ${title}: reseal from a file and back, the broker's own reseal and backup`,
        reseals,
      ],
      [`a broker, on ${title}: refuses to start on what is missing, broken or unsafe`, refusesToStart],
    ];
  // One runtime runs the other stories: they only vary the configuration, and Bun's executable starts fastest.
  for (const [title, story] of name === "deno" ? stories.slice(0, 1) : stories) {
    test(title, { timeout: 120_000 }, () => onBrokerServices(runtime, program, story));
  }
}
