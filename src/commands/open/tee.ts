import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isDevelopment } from "../../config/mode.ts";
import type { Config } from "../../config/config.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Log } from "../../lib/log.ts";
import { IN_MEMORY } from "../../runtime/sqlite/open.ts";
import { isSocket, openDstackTee } from "../../tee/dstack/dstack.ts";
import type { KeySource } from "../../tee/hardware.ts";
import { holdKey } from "../../tee/held-sealing-key.ts";
import { openSimulatedTee } from "../../tee/simulated/simulated.ts";
import { FILE_PROVIDER, readKeyFile } from "../../tee/tdx/key-file.ts";
import { isFolder, openTdxTee } from "../../tee/tdx/tdx.ts";
import { type Tee, type TeeProvider, TeeUnavailableError } from "../../tee/tee.ts";
import { StartRefusal } from "../process/refusal.ts";

export const SIMULATED_KEY = "simulated-sealing-key";

export type TeeConfig = Pick<
  Config,
  | "baseUrl"
  | "dataDir"
  | "databasePath"
  | "postgres"
  | "tee"
  | "teeDstackSocket"
  | "teeDstackApi"
  | "teeDstackKms"
  | "teeTsmPath"
  | "teeSealingKeyFile"
  | "teeBroker"
  | "teeBrokerWorkload"
  | "sealSources"
>;

/** The source of a sealing key and its place: a path, a socket, a URL, or `process` for memory. */
export interface PlacedKeySource extends KeySource {
  readonly place: string;
}

export interface OpenedTee {
  readonly tee: Tee;
  readonly keySource: PlacedKeySource;
}

function fileSource(path: string): PlacedKeySource {
  return { name: "file", survivesUpgrades: "depends", place: path };
}

const MEMORY_SOURCE: PlacedKeySource = { name: "memory", survivesUpgrades: "no", place: "process" };

export interface TeeOpening {
  /** A missing key of a simulated TEE: created at a first start, refused for a sealed database. */
  readonly absentKey: "make" | "refuse";
  readonly random: RandomBytes;
}

/** Standard error, because programs may read a command's output. */
export const warn: Log = (level, event, fields) =>
  process.stderr.write(JSON.stringify({ level, event, ...fields }) + "\n");

export async function openDstack(
  { teeDstackSocket, teeDstackApi, teeDstackKms }: Pick<
    TeeConfig,
    "teeDstackSocket" | "teeDstackApi" | "teeDstackKms"
  >,
): Promise<OpenedTee> {
  const { connectUnix } = await import("../../runtime/unix-socket.ts");
  const common = { connect: connectUnix, now: Date.now, log: warn };
  const options = { ...common, socketPath: teeDstackSocket, api: teeDstackApi, kms: teeDstackKms };
  const tee = await openDstackTee(options);
  return { tee, keySource: { ...tee.keySource, place: teeDstackSocket } };
}

async function openTdx(
  { teeTsmPath, teeSealingKeyFile, teeBroker }: TeeConfig,
  { random }: TeeOpening,
): Promise<OpenedTee> {
  const tee = await openTdxTee({
    reportPath: teeTsmPath,
    sealingKeyFile: teeSealingKeyFile,
    broker: teeBroker,
    now: Date.now,
    random,
    log: warn,
  });
  return { tee, keySource: { ...tee.keySource, place: teeBroker?.url ?? String(teeSealingKeyFile) } };
}

/** Opens no TEE, as explicitly configured: the operator protects the sealing key's file. Has no quotes. */
async function openNone({ teeSealingKeyFile }: TeeConfig): Promise<OpenedTee> {
  const path = String(teeSealingKeyFile);
  const held = holdKey(await readKeyFile(path));
  const tee: Tee = {
    provider: "none",
    inTee: false,
    keyProvider: FILE_PROVIDER,
    sealingKey: () => Promise.resolve().then(held.copy),
    forgetSealingKey: held.forget,
    quote: () => Promise.reject(new TeeUnavailableError("Cannot quote: there is no TEE (TEE=none)")),
  };
  return { tee, keySource: fileSource(path) };
}

/** Refuses a simulated TEE for a public origin: remote users cannot see that their keys are unprotected. */
function refusePublicOrigin(baseUrl: string | undefined): void {
  if (isDevelopment(baseUrl)) return;
  throw new StartRefusal(
    `There is no real TEE, and a simulated one is only for localhost: set TEE, or another BASE_URL than ${baseUrl}`,
  );
}

async function openSimulated(
  { baseUrl, dataDir, databasePath }: TeeConfig,
  { absentKey, random }: TeeOpening,
): Promise<OpenedTee> {
  refusePublicOrigin(baseUrl);
  if (databasePath === IN_MEMORY) {
    return { tee: await openSimulatedTee({ keyFile: undefined, random }), keySource: MEMORY_SOURCE };
  }
  const keyFile = join(dataDir, SIMULATED_KEY);
  if (absentKey === "refuse" && !existsSync(keyFile)) {
    throw new StartRefusal(
      `The sealing key ${keyFile} is missing: restore it; without it the keys cannot be opened`,
    );
  }
  return { tee: await openSimulatedTee({ keyFile, random }), keySource: fileSource(keyFile) };
}

const PROVIDERS: Readonly<
  Record<TeeProvider, (config: TeeConfig, opening: TeeOpening) => Promise<OpenedTee>>
> = {
  dstack: openDstack,
  tdx: openTdx,
  simulated: openSimulated,
  none: openNone,
};

/** Returns the hardware of this machine, preferring the one with better attestation. */
async function findHardware(
  { teeDstackSocket, teeTsmPath }: TeeConfig,
): Promise<"dstack" | "tdx" | undefined> {
  if (await isSocket(teeDstackSocket)) return "dstack";
  return await isFolder(teeTsmPath) ? "tdx" : undefined;
}

async function chooseProvider(config: TeeConfig): Promise<TeeProvider> {
  if (config.tee !== "auto" && config.tee !== "simulated") return config.tee;
  const hardware = await findHardware(config);
  if (config.tee === "auto" || hardware === undefined) return hardware ?? "simulated";
  throw new StartRefusal(
    `There is a real TEE (${hardware}), so it cannot be simulated: unset TEE, or set it to ${hardware}`,
  );
}

/** Throws `StartRefusal` or `TeeStartError` without changing anything. */
export async function openTee(config: TeeConfig, opening: TeeOpening): Promise<OpenedTee> {
  return await PROVIDERS[await chooseProvider(config)](config, opening);
}
