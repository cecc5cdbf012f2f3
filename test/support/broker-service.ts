import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAY } from "../../src/lib/time.ts";
import { makeKey } from "../commands/fixture.ts";
import { allowListOf } from "./broker.ts";
import { createClient } from "./client.ts";
import type { Client } from "./client.ts";
import { watchFolder } from "./configfs.ts";
import type { WatchedFolder } from "./configfs.ts";
import { findFreePort } from "./free-port.ts";
import { isOnPostgres, postgresUrlFor } from "./postgres.ts";
import { makeQuotePlatform } from "./quote-pki.ts";
import type { QuotePlatform } from "./quote-pki.ts";
import { bundleCommand, startService } from "./service.ts";
import type { Service, ServiceRuntime } from "./service.ts";
import { temporaryFolder } from "./temporary.ts";

/** Creates a platform whose collateral is valid now, because two processes use the clock of this machine. */
function currentPlatform(): QuotePlatform {
  const [from, to] = [Date.now() - DAY, Date.now() + DAY];
  const text = (instant: number): string => new Date(instant).toISOString().replace(/\.\d{3}Z$/, "Z");
  const window = { issueDate: text(from), nextUpdate: text(to) };
  const listed = { thisUpdate: from, nextUpdate: to };
  return makeQuotePlatform({
    rootCrl: listed,
    pckCrl: listed,
    tcbInfo: (info) => void Object.assign(info, window),
    qeIdentity: (identity) => void Object.assign(identity, window),
  });
}

export interface BrokerServiceStage {
  readonly runtime: ServiceRuntime;
  readonly program: readonly string[];
  readonly at: (name: string) => string;
  readonly platform: QuotePlatform;
  readonly brokerEnv: Readonly<Record<string, string>>;
  readonly serviceEnv: Readonly<Record<string, string>>;
  readonly kernel: WatchedFolder;
  readonly port: number;
}

/** Returns the variables that name a service's data, for it and every command on it. */
async function placeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  return { DATA_DIR: folder, ...isOnPostgres ? { DATABASE_URL: await postgresUrlFor(folder) } : {} };
}

/** Runs a job with a folder for each, a synthetic platform, and the configfs folder of a guest on it. */
export async function onBrokerServices(
  runtime: ServiceRuntime,
  program: readonly string[],
  job: (stage: BrokerServiceStage) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  for (const name of ["report", "service", "broker"]) mkdirSync(at(name));
  const platform = currentPlatform();
  const kernel = watchFolder(at("report"), { quoter: (reportData) => platform.quote(reportData) });
  writeFileSync(at("collateral.json"), platform.collateral);
  writeFileSync(at("allow.json"), JSON.stringify(allowListOf(platform)));
  const port = await findFreePort();
  const serviceEnv = await placeOf(at("service"));
  const brokerEnv = {
    ...await placeOf(at("broker")),
    PORT: String(port),
    TEE: "none",
    TEE_SEALING_KEY_FILE: makeKey(at("broker-key")),
    BROKER_ALLOW_LIST: at("allow.json"),
    BROKER_COLLATERAL: at("collateral.json"),
  };
  try {
    await job({ runtime, program, at, platform, brokerEnv, serviceEnv, kernel, port });
  } finally {
    kernel.close();
  }
}

const BROKER_COMMANDS: Readonly<Record<ServiceRuntime, (program: readonly string[]) => string>> = {
  bun: ([bun]) => `exec "${bun}" --no-env-file src/main.ts broker`,
  deno: () => "exec sh scripts/start-deno.sh broker",
  executable: ([file]) => `exec "${file}" broker`,
  bundle: () => bundleCommand("broker"),
};

/** Starts the broker with the shipped command and additional variables. */
export function startBroker(
  { runtime, program, at, brokerEnv }: BrokerServiceStage,
  env: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const command = BROKER_COMMANDS[runtime](program);
  return startService({ runtime, dataDir: at("broker"), env: { ...brokerEnv, ...env }, command });
}

/** Returns the key that a broker prints for its guests. */
export function keyOf({ stdout }: Service): string {
  const line = stdout.find((line) => line.startsWith("TEE_BROKER_KEY="));
  assert.ok(line !== undefined, stdout.join("\n"));
  return line.slice("TEE_BROKER_KEY=".length);
}

/** Returns the variables of a service that asks the broker with this key. */
export function guestEnv(
  { at, serviceEnv, port }: BrokerServiceStage,
  brokerKey: string,
): Record<string, string> {
  return {
    ...serviceEnv,
    TEE: "tdx",
    TEE_TSM_PATH: at("report"),
    TEE_BROKER_URL: `http://127.0.0.1:${port}`,
    TEE_BROKER_KEY: brokerKey,
    LOG_LEVEL: "error",
  };
}

export function startGuest(
  { runtime, at }: BrokerServiceStage,
  env: Readonly<Record<string, string>>,
): Promise<Service> {
  return startService({ runtime, dataDir: at("service"), env });
}

/** Creates a browser of the service with the cookies of another one. */
export function clientOf(service: Service, cookies: ReadonlyMap<string, string> = new Map()): Client {
  const client = createClient(service.baseUrl, (request) => fetch(request));
  for (const [name, value] of cookies) client.cookies.set(name, value);
  return client;
}
