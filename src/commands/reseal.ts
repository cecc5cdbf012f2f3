import { type Environment, readConfig } from "../config/config.ts";
import { KEY_SOURCE_SYNTAX } from "../config/key-source.ts";
import { primitives } from "../runtime/crypto.ts";
import { addSlot, MOST_SLOTS, removeSlot } from "../sealing/slots.ts";
import type { Db } from "../db/schema/schema.ts";
import { type PreparedSlot, prepareSlot } from "../vault/add-slot.ts";
import { VaultRefusal } from "../vault/error.ts";
import { judgeSlots, listStoredSlots } from "../vault/seal-slot.ts";
import { openSeed } from "../vault/seed.ts";
import { sealKeyIdOf } from "../vault/sealing-key.ts";
import { getValue, readArguments } from "./process/arguments.ts";
import { getSealKeyIds, type StorageConfig, writeMarker } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { type PlacedSource, readNamedSource } from "./open/key-source.ts";
import {
  type ChangeContext,
  changeSlots,
  refuseChanged,
  refuseFull,
  refuseOlderSet,
  sourceContextOf,
  withDatabaseToRead,
} from "./open/slot-changes.ts";
import { random } from "./process/random.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { StartRefusal } from "./process/refusal.ts";
import { printResult } from "./process/print.ts";

export const RESEAL_USAGE = `reseal --from SOURCE --to SOURCE [--dry-run]    SOURCE: ${KEY_SOURCE_SYNTAX}`;

export interface ResealRequest {
  /** The present sealing key, in the form of `readKeySource`. */
  readonly from: string;
  readonly to: string;
  readonly mode: "dry-run" | "write";
}

export interface ResealResult {
  readonly outcome: "resealed" | "would_reseal" | "resealed_before";
  readonly fromSealKeyId: string;
  readonly toSealKeyId: string;
}

interface Keys {
  readonly from: PlacedSource;
  readonly to: PlacedSource;
}

/** The old slot and the new one, as far as they are there. */
interface Replacement extends Pick<PreparedSlot, "opened" | "slot"> {
  readonly oldSlot: string | undefined;
  readonly toSealKeyId: string;
}

/**
 * Moves the root seed of a database from one sealing key to another: adds a slot for the new key, verifies that it
 * opens, and removes that of the old key, in one transaction. Addresses, sessions and MACs do not change, so that a
 * service may be running with the seed it opened. Without the old key throws `StartRefusal` or `VaultRefusal`. Neither
 * that nor a dry run changes anything. A repeated call only corrects the marker.
 */
export async function resealDatabase(
  config: StorageConfig,
  { from, to, mode }: ResealRequest,
  context: ChangeContext,
): Promise<ResealResult> {
  await getSealKeyIds(config);
  const sources = sourceContextOf(config, context.random);
  const keys = { from: await readNamedSource(from, sources), to: await readNamedSource(to, sources) };
  const ids = {
    fromSealKeyId: await keyIdOf(keys.from, "--from"),
    toSealKeyId: await keyIdOf(keys.to, "--to"),
  };
  if (ids.fromSealKeyId === ids.toSealKeyId) {
    throw new StartRefusal("Cannot reseal: the old and the new sealing key are the same");
  }
  await refuseUnneeded(config, ids, keys);
  const replacement = await withDatabaseToRead(
    config,
    (db) => prepare(db, config, ids, keys, context),
  );
  context.onStep?.("verified");
  const isDone = replacement.slot === undefined && replacement.oldSlot === undefined;
  if (mode === "dry-run") return { ...ids, outcome: isDone ? "resealed_before" : "would_reseal" };
  if (!isDone) await replace(config, replacement, context);
  await writeMarker(config.dataDir, ids.toSealKeyId, context.random);
  context.onStep?.("marked");
  return { ...ids, outcome: isDone ? "resealed_before" : "resealed" };
}

async function keyIdOf({ keys: [key], place }: PlacedSource, option: string): Promise<string> {
  try {
    return await sealKeyIdOf(key, primitives);
  } catch (error) {
    if (!(error instanceof VaultRefusal)) throw error;
    throw new StartRefusal(`Cannot use the key of ${option} (${place}): ${error.message}`, { cause: error });
  }
}

async function refuseUnneeded(
  config: StorageConfig,
  { fromSealKeyId, toSealKeyId }: Omit<ResealResult, "outcome">,
  { from }: Keys,
): Promise<void> {
  const needed = await getSealKeyIds(config);
  if (needed.includes(fromSealKeyId) || needed.includes(toSealKeyId)) return;
  throw new StartRefusal(
    `The key of --from (${from.place}) is not the one that sealed ${config.databasePath}: name the old key`,
  );
}

/** Opens the seed with the old key, or with the new one if the old key has no slot, and seals it with the new key. */
async function prepare(
  db: Db,
  config: StorageConfig,
  { fromSealKeyId, toSealKeyId }: Omit<ResealResult, "outcome">,
  { from, to }: Keys,
  { random: bytes }: ChangeContext,
): Promise<Replacement> {
  const [oldKey, newKey] = [from.keys[0], to.keys[0]];
  const means = { primitives, random: bytes };
  const opened = await openSeed(db, { sources: [oldKey, newKey], ...means });
  await refuseOlderSet(db, config, opened);
  const { slot } = await prepareSlot(db, { from: [opened.source], to: newKey, ...means });
  const { sound } = await judgeSlots(db, opened.vault, await listStoredSlots(db));
  const oldSlot = sound.find(({ seal_key_id }) => seal_key_id === fromSealKeyId)?.id;
  return { opened, slot, oldSlot, toSealKeyId };
}

async function replace(
  config: StorageConfig,
  { opened, slot, oldSlot, toSealKeyId }: Replacement,
  context: ChangeContext,
): Promise<void> {
  await changeSlots(config, opened, async (tx, services) => {
    const whole = slot && { ...slot, threshold: null, shares: null, share_hashes: null };
    // One that goes makes room for the new one.
    const most = oldSlot === undefined ? MOST_SLOTS : Infinity;
    if (whole !== undefined) await addSlot(tx, services, whole, { ...context, most }).catch(refuseFull);
    if (oldSlot === undefined) return;
    const removal = { id: oldSlot, provenKeyId: toSealKeyId };
    await removeSlot(tx, services, removal, context.now).catch(refuseChanged);
  }, context);
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
  await getSealKeyIds(config);
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
