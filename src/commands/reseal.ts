import { appendAudit } from "../audit/log.ts";
import { type Environment, readConfig } from "../config/config.ts";
import { closeDatabase, connectDatabase } from "../db/database.ts";
import { requireCurrentSchema } from "../db/migrate.ts";
import { transaction } from "../db/transaction.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { primitives } from "../runtime/crypto.ts";
import { VaultRefusal } from "../vault/error.ts";
import { type PreparedReseal, prepareReseal, storeReseal } from "../vault/reseal.ts";
import { sealKeyIdOf } from "../vault/seed.ts";
import { getValue, readArguments } from "./process/arguments.ts";
import { getSealKeyId, type StorageConfig, writeMarker } from "./open/data-folder.ts";
import { openEngine, openEngineToRead } from "./open/database.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { KEY_SOURCE_SYNTAX, type OpenedKey, openKeySource } from "./open/key-source.ts";
import { random } from "./process/random.ts";
import { examineDatabase, refuseUnsound } from "./open/examine-database.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { StartRefusal } from "./process/refusal.ts";
import { printResult } from "./process/print.ts";

export const RESEAL_USAGE = `reseal --from SOURCE --to SOURCE [--dry-run]    SOURCE: ${KEY_SOURCE_SYNTAX}`;

/** The steps after which a process may die. */
export const RESEAL_STEPS = [
  "verified",
  "opened",
  "stored",
  "recorded",
  "committed",
  "closed",
  "marked",
] as const;

export type ResealStep = typeof RESEAL_STEPS[number];

export interface ResealRequest {
  /** The present sealing key, in the form of `openKeySource`. */
  readonly from: string;
  readonly to: string;
  readonly mode: "dry-run" | "write";
}

export interface ResealResult {
  readonly outcome: "resealed" | "would_reseal" | "resealed_before";
  readonly fromSealKeyId: string;
  readonly toSealKeyId: string;
}

interface CommandContext {
  readonly now: Instant;
  readonly random: RandomBytes;
  readonly onStep?: (step: ResealStep) => void;
}

/**
 * Moves the root seed of a database from one sealing key to another. Changes one row in one transaction with its
 * audit entry, only if it is still the row that the old key opened. Addresses, sessions and MACs do not change, so
 * that a service may be running with the seed it opened. Without the old key throws `StartRefusal` or `VaultRefusal`.
 * Neither that nor a dry run changes anything. A repeated call only corrects the marker.
 */
export async function resealDatabase(
  config: StorageConfig,
  { from, to, mode }: ResealRequest,
  { now, random, onStep = () => {} }: CommandContext,
): Promise<ResealResult> {
  const needed = await getSealKeyId(config);
  const keySources = {
    from: await openKeySource(from, config, random),
    to: await openKeySource(to, config, random),
  };
  await refuseUnneeded(needed, keySources, config.databasePath);
  const prepared = await verifyAndPrepare(config, keySources, random);
  onStep("verified");
  const result = { fromSealKeyId: prepared.fromSealKeyId, toSealKeyId: prepared.toSealKeyId };
  if (mode === "dry-run") {
    return { ...result, outcome: prepared.change === undefined ? "resealed_before" : "would_reseal" };
  }
  if (prepared.change !== undefined) await write(config, prepared, { now, onStep });
  await writeMarker(config.dataDir, prepared.toSealKeyId, random);
  onStep("marked");
  return { ...result, outcome: prepared.change === undefined ? "resealed_before" : "resealed" };
}

interface Keys {
  readonly from: OpenedKey;
  readonly to: OpenedKey;
}

async function keyIdOf({ source, keySource }: OpenedKey, option: string): Promise<string> {
  try {
    return await sealKeyIdOf(source, primitives);
  } catch (error) {
    if (!(error instanceof VaultRefusal)) throw error;
    throw new StartRefusal(`Cannot use the key of ${option} (${keySource.place}): ${error.message}`, {
      cause: error,
    });
  }
}

async function refuseUnneeded(needed: string, { from, to }: Keys, databasePath: string): Promise<void> {
  const ids = [await keyIdOf(from, "--from"), await keyIdOf(to, "--to")];
  if (ids.includes(needed)) return;
  throw new StartRefusal(
    `The key of --from (${from.keySource.place}) is not the one that sealed ${databasePath}: name the old key`,
  );
}

async function verifyAndPrepare(
  storage: StorageConfig,
  { from, to }: Keys,
  random: RandomBytes,
): Promise<PreparedReseal> {
  refuseUnsound(`The database ${storage.databasePath}`, await examineDatabase(storage, { parts: [] }));
  const db = connectDatabase(await openEngineToRead(storage));
  try {
    await requireCurrentSchema(db);
    return await prepareReseal(db, { from: from.source, to: to.source, primitives, random });
  } finally {
    await db.destroy();
  }
}

async function write(
  storage: StorageConfig,
  prepared: PreparedReseal,
  { now, onStep }: { readonly now: Instant; readonly onStep: (step: ResealStep) => void },
): Promise<void> {
  const db = connectDatabase(await openEngine(storage));
  onStep("opened");
  try {
    await transaction(db, async (tx) => {
      await storeReseal(tx, prepared);
      onStep("stored");
      const detail = { from: prepared.fromSealKeyId, to: prepared.toSealKeyId };
      const event = { event: "seed_resealed", accountId: null, subject: null, detail } as const;
      await appendAudit(tx, prepared.vault, now, event);
      onStep("recorded");
    });
    onStep("committed");
  } finally {
    await closeDatabase(db);
  }
  onStep("closed");
}

const OUTCOMES = {
  resealed: "resealed: give the service the new key before its next start; earlier backups need the old key",
  would_reseal:
    "dry run: both keys work, nothing was changed; without --dry-run the seed moves from the old to the new",
  resealed_before: "nothing to do: the seed is already under the new key",
} as const satisfies Record<ResealResult["outcome"], string>;

export async function reseal(environment: Environment, list: readonly string[]): Promise<void> {
  const given = readArguments(list, { flags: ["dry-run"], values: ["from", "to"] });
  const request = {
    from: getValue(given, "from"),
    to: getValue(given, "to"),
    mode: given.flags.has("dry-run") ? "dry-run" : "write",
  } as const;
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyId(config);
  const result = await withDatabaseLock(
    config,
    "use",
    () => resealDatabase(config, request, { now: Date.now(), random }),
  );
  printResult(
    `database  ${config.databasePath}\nfrom      ${result.fromSealKeyId}\nto        ${result.toSealKeyId}\n` +
      `${OUTCOMES[result.outcome]}\n`,
  );
}
