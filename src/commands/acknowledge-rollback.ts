import { acknowledgeRollback, findUnacknowledgedFault } from "../audit/rollback.ts";
import type { AuditHead } from "../audit/stored-entry.ts";
import { verifyAudit } from "../audit/verify.ts";
import { formatLogFault } from "../audit/log-head.ts";
import { type Environment, readConfig } from "../config/config.ts";
import { closeDatabase } from "../db/database.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { readArguments } from "./process/arguments.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { createProgress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import { openConfiguredVault } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const ACKNOWLEDGE_ROLLBACK_USAGE = "acknowledge-rollback";

export interface AcknowledgedRollback {
  /** The fault that the service had reported; undefined if none. */
  readonly detected: string | undefined;
  readonly brokenAt: number | null;
  readonly entry: AuditHead;
}

/**
 * Lets a service continue after it stopped because of a fault in its audit log. Also used before the fault is found,
 * after a database was restored by hand. Reads the whole log and appends an entry that every account sees. A service
 * may be running.
 */
export async function acknowledge(
  storage: StorageConfig,
  context: { readonly now: Instant; readonly random: RandomBytes },
): Promise<AcknowledgedRollback> {
  const { db, vault } = await openConfiguredVault(storage, context);
  const progress = createProgress(0);
  const onPage = (entries: number): void => showPart(progress)("chain", entries);
  try {
    const detected = await findUnacknowledgedFault(db, vault);
    const brokenAt = (await verifyAudit(db, vault, { onPage })).fault?.seq ?? null;
    const entry = await acknowledgeRollback(db, vault, { cause: "person", brokenAt, now: context.now });
    return { detected: detected && formatLogFault(detected), brokenAt, entry };
  } finally {
    progress.end();
    await closeDatabase(db);
  }
}

function report({ detected, brokenAt, entry }: AcknowledgedRollback): string {
  const state = brokenAt === null
    ? `valid up to entry ${entry.seq - 1}`
    : `not valid from entry ${brokenAt} to ${
      entry.seq - 1
    }: accepted as they are now; a later change fails again`;
  return `noticed       ${detected ?? "nothing"}\naudit log     ${state}\n` +
    `acknowledged  in entry ${entry.seq}, which every account sees; head ${entry.seq}:${entry.hash.toHex()}\n`;
}

export async function acknowledgeCommand(environment: Environment, list: readonly string[]): Promise<void> {
  readArguments(list, {});
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const job = (): Promise<AcknowledgedRollback> => acknowledge(config, { now: Date.now(), random });
  printResult(report(await withDatabaseLock(config, "use", job)));
}
