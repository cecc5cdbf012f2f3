import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { KEY_SOURCE_SYNTAX, type NamedSource, readKeySource } from "../../config/key-source.ts";
import { toBase64url } from "../../lib/bytes.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { askBroker, type Broker } from "../../tee/broker/broker-client.ts";
import { postJson } from "../../tee/broker/broker-http.ts";
import { readKeyFile } from "../../tee/tdx/key-file.ts";
import { type KeyProvider, sealingKeysOf, type SealingKeySource } from "../../tee/tee.ts";
import { UsageError } from "../process/refusal.ts";
import { openDstack, type OpenedTee, SIMULATED_KEY, type TeeConfig, warn } from "./tee.ts";

/** A source of sealing keys that was named, and its place: a path, a socket or a URL. */
export interface PlacedSource {
  /** Its key first, then earlier keys of the same place. */
  readonly keys: readonly [SealingKeySource, ...SealingKeySource[]];
  readonly place: string;
  /** Returns the provider that knows the key, as quotes name it. */
  readonly provider: () => Promise<KeyProvider>;
}

/** The configuration, TEE and randomness that sources are read with. */
export interface SourceContext {
  readonly config: TeeConfig;
  /** Opens the TEE, which has the configured key and quotes for a broker. Called only for these. */
  readonly openTee: () => Promise<OpenedTee>;
  readonly random: RandomBytes;
}

function fileAt(source: "file" | "simulated", path: string): PlacedSource {
  const provider = { name: source, id: "" };
  return {
    keys: [{ source, sealingKey: () => readKeyFile(path) }],
    place: path,
    provider: () => Promise.resolve(provider),
  };
}

/** Opens the agent when a key is asked for, and keeps nothing of it. */
function agentAt(socket: string, config: TeeConfig): PlacedSource {
  const keyOf = async (api: TeeConfig["teeDstackApi"]): Promise<Uint8Array> => {
    const { tee } = await openDstack({ ...config, teeDstackSocket: socket, teeDstackApi: api });
    try {
      return await tee.sealingKey();
    } finally {
      tee.forgetSealingKey();
    }
  };
  const source = (api: TeeConfig["teeDstackApi"]): SealingKeySource => ({
    source: "dstack",
    api,
    sealingKey: () => keyOf(api),
  });
  const provider = async (): Promise<KeyProvider> => {
    const { tee } = await openDstack({ ...config, teeDstackSocket: socket });
    tee.forgetSealingKey();
    return tee.keyProvider;
  };
  const { teeDstackApi } = config;
  const keys = [source(teeDstackApi), ...(teeDstackApi === "v1" ? [source("v0")] : [])] as const;
  return { keys, place: socket, provider };
}

function brokerAt(broker: Broker, { openTee, random }: SourceContext): PlacedSource {
  const services = {
    post: postJson,
    quote: async (reportData: Uint8Array) => await (await openTee()).tee.quote(reportData),
    now: Date.now,
    random,
    log: warn,
    wait: sleep,
  };
  return {
    keys: [{ source: "broker", sealingKey: () => askBroker(broker, services) }],
    place: broker.url,
    provider: () => Promise.resolve({ name: "broker", id: toBase64url(broker.publicKey) }),
  };
}

function requireSetting<T>(value: T | undefined, name: string, variable: string): T {
  if (value === undefined) throw new UsageError(`the source \`${name}\` needs a value, or ${variable}`);
  return value;
}

/** Returns a named source. Reads no key. Throws `UsageError` if the configuration lacks a missing detail. */
async function placeSource(named: NamedSource, context: SourceContext): Promise<PlacedSource> {
  const { config } = context;
  switch (named.name) {
    case "configured": {
      const { tee, keySource } = await context.openTee();
      const provider = (): Promise<KeyProvider> => Promise.resolve(tee.keyProvider);
      return { keys: sealingKeysOf(tee), place: keySource.place, provider };
    }
    case "simulated":
      return fileAt("simulated", join(config.dataDir, SIMULATED_KEY));
    case "file":
      return fileAt(
        "file",
        requireSetting(named.path ?? config.teeSealingKeyFile, "file", "TEE_SEALING_KEY_FILE"),
      );
    case "dstack":
      return agentAt(named.socket ?? config.teeDstackSocket, config);
    case "broker": {
      const broker = requireSetting(named.broker ?? config.teeBroker, "broker", "TEE_BROKER_URL");
      return brokerAt({ ...broker, workload: config.teeBrokerWorkload }, context);
    }
  }
}

/** Returns the source that an option names. Throws `UsageError` for any other text. */
export async function readNamedSource(text: string, context: SourceContext): Promise<PlacedSource> {
  const named = readKeySource(text);
  if (named === undefined) throw new UsageError(`a sealing key is named by ${KEY_SOURCE_SYNTAX}`);
  return await placeSource(named, context);
}

/** Returns the sources of `SEAL_SOURCES`, in order. */
export async function otherSources(context: SourceContext): Promise<readonly SealingKeySource[]> {
  const placed = await Promise.all(context.config.sealSources.map((named) => placeSource(named, context)));
  return placed.flatMap(({ keys }) => keys);
}
