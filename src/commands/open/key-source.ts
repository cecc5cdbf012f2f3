import type { RandomBytes } from "../../lib/id.ts";
import { readKeyFile } from "../../tee/tdx/key-file.ts";
import type { Tee } from "../../tee/tee.ts";
import { fileSource, openDstack, openTee, type PlacedKeySource, type TeeConfig } from "./tee.ts";
import { UsageError } from "../process/refusal.ts";

export interface OpenedKey {
  readonly source: Pick<Tee, "sealingKey">;
  readonly keySource: PlacedKeySource;
}

type SourceReader = (
  detail: string,
  config: TeeConfig,
  random: RandomBytes,
) => Promise<OpenedKey>;

/** Readers of a sealing key's source on the command line: `name` or `name:detail`. */
const KEY_SOURCES: Readonly<Record<string, SourceReader>> = {
  configured: openConfigured,
  dstack: openAgent,
  file: openFile,
};

export const KEY_SOURCE_SYNTAX = "configured | dstack:SOCKET | file:PATH";

async function openConfigured(detail: string, config: TeeConfig, random: RandomBytes): Promise<OpenedKey> {
  if (detail !== "") throw new UsageError("the source `configured` takes no value");
  const { tee, keySource } = await openTee(config, { absentKey: "refuse", random });
  return { source: tee, keySource };
}

async function openFile(path: string): Promise<OpenedKey> {
  if (path === "") throw new UsageError("the source `file` needs a path: file:PATH");
  // Read once now, so that a fault of the file is reported by itself.
  (await readKeyFile(path)).fill(0);
  return { source: { sealingKey: () => readKeyFile(path) }, keySource: fileSource(path) };
}

async function openAgent(socketPath: string, { teeDstackKms }: TeeConfig): Promise<OpenedKey> {
  if (socketPath === "") throw new UsageError("the source `dstack` needs a socket: dstack:SOCKET");
  const { tee, keySource } = await openDstack({ teeDstackSocket: socketPath, teeDstackKms });
  return { source: tee, keySource };
}

/** Opens a sealing key named on the command line (`configured`, `dstack:SOCKET`, `file:PATH`). Never creates one. */
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
