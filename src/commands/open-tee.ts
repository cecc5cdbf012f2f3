import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { KeySource } from "../tee/hardware.ts";
import { readKeyFile } from "../tee/key-file.ts";
import { openSimulatedTee } from "../tee/simulated.ts";
import type { Tee } from "../tee/tee.ts";
import { StartRefusal, UsageError } from "./refusal.ts";

/** File in the data folder that holds a simulated TEE's sealing key. */
export const SIMULATED_KEY = "simulated-sealing-key";

/** The part of the configuration that says which TEE there is. */
export type TeeConfig = Pick<Config, "dataDir" | "databasePath">;

/** Where a sealing key comes from, and where to look for it: a path, a socket, or `process` for nowhere else. */
export interface PlacedKeySource extends KeySource {
  readonly place: string;
}

/** A TEE and where its sealing key comes from. */
export interface OpenedTee {
  readonly tee: Tee;
  readonly keySource: PlacedKeySource;
}

/** A sealing key alone, from wherever it was named. */
export interface OpenedKey {
  readonly source: Pick<Tee, "sealingKey">;
  readonly keySource: PlacedKeySource;
}

function fileSource(path: string): PlacedKeySource {
  return { name: "file", survivesUpgrades: "depends", place: path };
}

const MEMORY_SOURCE: PlacedKeySource = { name: "memory", survivesUpgrades: "no", place: "process" };

/**
 * The TEE of a configuration. An absent key that may be made is made (at a first start); otherwise its absence is a
 * `StartRefusal`, so that no second key is made over a sealed database.
 */
export async function openTee(
  { dataDir, databasePath }: TeeConfig,
  { absentKey, random }: { readonly absentKey: "make" | "refuse"; readonly random: RandomBytes },
): Promise<OpenedTee> {
  if (databasePath === ":memory:") {
    return { tee: await openSimulatedTee({ keyFile: undefined, random }), keySource: MEMORY_SOURCE };
  }
  const keyFile = join(dataDir, SIMULATED_KEY);
  if (absentKey === "refuse" && !existsSync(keyFile)) {
    throw new StartRefusal(
      `The sealing key ${keyFile} is missing: put it back; without it the keys cannot be opened`,
    );
  }
  return { tee: await openSimulatedTee({ keyFile, random }), keySource: fileSource(keyFile) };
}

type SourceReader = (
  detail: string,
  config: TeeConfig,
  random: RandomBytes,
) => Promise<OpenedKey>;

/** Each way to name a sealing key on the command line: `name` or `name:detail`. */
const KEY_SOURCES: Readonly<Record<string, SourceReader>> = { configured: openConfigured, file: openFile };

/** How `openKeySource` wants its text, for usage lines. */
export const KEY_SOURCE_SYNTAX = "configured | file:PATH";

async function openConfigured(detail: string, config: TeeConfig, random: RandomBytes): Promise<OpenedKey> {
  if (detail !== "") throw new UsageError("the source `configured` takes nothing behind it");
  const { tee, keySource } = await openTee(config, { absentKey: "refuse", random });
  return { source: tee, keySource };
}

async function openFile(path: string): Promise<OpenedKey> {
  if (path === "") throw new UsageError("the source `file` needs a path: file:PATH");
  // Once at once: what is wrong with the file is said in its own words.
  (await readKeyFile(path)).fill(0);
  return { source: { sealingKey: () => readKeyFile(path) }, keySource: fileSource(path) };
}

/** A sealing key named on the command line (`configured`, `file:PATH`). It is only read, never made. */
export async function openKeySource(
  text: string,
  config: TeeConfig,
  random: RandomBytes,
): Promise<OpenedKey> {
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const open = Object.hasOwn(KEY_SOURCES, name) ? KEY_SOURCES[name] : undefined;
  if (open === undefined) throw new UsageError(`a sealing key is named by ${KEY_SOURCE_SYNTAX}`);
  return await open(colon < 0 ? "" : text.slice(colon + 1), config, random);
}
