import { createRowAuthority } from "../../audit/row-authority.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../db/database.ts";
import { DatabaseError } from "../../db/error.ts";
import { requireCurrentSchema } from "../../db/migrate.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import { hasSlotSet, type SlotServices } from "../../sealing/slots.ts";
import { sealingKeysOf, type SealingKeySource } from "../../tee/tee.ts";
import type { OpenedSeed } from "../../vault/seed.ts";
import type { StorageConfig } from "./data-folder.ts";
import { openEngine, openEngineToRead } from "./database.ts";
import { examineDatabase, refuseUnsound } from "./examine-database.ts";
import { otherSources, type SourceContext } from "./key-source.ts";
import { StartRefusal } from "../process/refusal.ts";
import { olderSet, requireSlotSet, slotServicesOf } from "./slots.ts";
import { type OpenedTee, openTee } from "./tee.ts";

// The steps of every command that reads or changes slots.

/** The steps of a change after which a process may die. */
export const CHANGE_STEPS = ["verified", "opened", "stored", "committed", "closed", "marked"] as const;

export type ChangeStep = typeof CHANGE_STEPS[number];

export interface ChangeContext {
  readonly now: Instant;
  readonly random: RandomBytes;
  readonly onStep?: (step: ChangeStep) => void;
}

/** Returns the context for the sources of a command. Opens the TEE at most once, and only if a source needs it. */
export function sourceContextOf(
  config: StorageConfig,
  random: RandomBytes,
  absentKey: "make" | "refuse" = "refuse",
): SourceContext {
  let opened: Promise<OpenedTee> | undefined;
  return { config, openTee: () => opened ??= openTee(config, { absentKey, random }), random };
}

/** Returns the configured source and those of `SEAL_SOURCES`. */
export async function openingSources(context: SourceContext): Promise<readonly SealingKeySource[]> {
  const { tee } = await context.openTee();
  return [...sealingKeysOf(tee), ...await otherSources(context)];
}

/**
 * Runs the job on the database, which is not written to. Refuses one that no start of this version would accept. With
 * `any`, accepts the schema of an earlier version, which a start would migrate if it had a key.
 */
export async function withDatabaseToRead<T>(
  storage: StorageConfig,
  job: (db: Db) => Promise<T>,
  schema: "current" | "any" = "current",
): Promise<T> {
  refuseUnsound(`The database ${storage.databasePath}`, await examineDatabase(storage, { parts: [] }));
  const db = connectDatabase(await openEngineToRead(storage));
  try {
    if (schema === "current") await requireCurrentSchema(db);
    return await job(db);
  } finally {
    await db.destroy();
  }
}

/** Throws `StartRefusal` if the set of slots is not the newest. */
export async function refuseOlderSet(
  db: Db,
  { databasePath }: StorageConfig,
  { vault }: Pick<OpenedSeed, "vault">,
): Promise<void> {
  try {
    await hasSlotSet(db, createRowAuthority(vault, () => 0));
  } catch (error) {
    if (error instanceof DatabaseError && error.code === "inconsistent") throw olderSet(databasePath, error);
    throw error;
  }
}

/** Changes the slots in one transaction, with its audit entries. Migrates a database of an earlier version first. */
export async function changeSlots(
  storage: StorageConfig,
  opened: Pick<OpenedSeed, "vault" | "source">,
  job: (tx: Db, services: SlotServices) => Promise<void>,
  { now, onStep = () => {} }: ChangeContext,
): Promise<void> {
  const services = slotServicesOf(opened, now);
  const db = await openDatabase(await openEngine(storage));
  onStep("opened");
  try {
    await requireSlotSet(db, services, opened, now);
    await transaction(db, async (tx) => {
      await job(tx, services);
      onStep("stored");
    });
    onStep("committed");
  } finally {
    await closeDatabase(db);
  }
  onStep("closed");
}

/** Throws `StartRefusal` for too many slots. */
export function refuseFull(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new StartRefusal(`${error.message}: remove one first`, { cause: error });
}

/** Throws `StartRefusal` if another change came between. */
export function refuseChanged(error: unknown): never {
  if (!(error instanceof RangeError)) throw error;
  throw new StartRefusal(`${error.message}; the slots were changed meanwhile: try again`, { cause: error });
}
