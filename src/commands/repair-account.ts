import { type Environment, readConfig } from "../config/config.ts";
import { closeDatabase } from "../db/database.ts";
import { DatabaseError } from "../db/error.ts";
import {
  type Repair,
  repairAccount,
  type RepairedKind,
  type RepairRefusal,
} from "../recovery/repair-account.ts";
import { repairService, type ServiceRepair } from "../recovery/repair-service.ts";
import { isOfAccount } from "../store/state/kinds.ts";
import { readArguments } from "./process/arguments.ts";
import { getSealKeyIds } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { createProgress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import { StartRefusal } from "./process/refusal.ts";
import { openConfiguredVault } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const REPAIR_ACCOUNT_USAGE = "repair-account OWNER [--yes]";

const REFUSED = {
  unknown: "The audit log knows no such account",
  sound: "The rows of this account add up: there is nothing to repair",
  log_fault:
    "A part of the audit log is broken, so that the account's history is not known: restore a backup",
} as const satisfies Record<RepairRefusal, string>;

const SERVICE_REFUSED = {
  unknown: "The audit log knows no such owner",
  sound: "The rows of this owner add up: there is nothing to repair",
  log_fault: "A part of the audit log is broken, so that its history is not known: restore a backup",
} as const satisfies Record<RepairRefusal, string>;

function formatKind({ kind, addsUp, authentic, forged, known, kept }: RepairedKind): string {
  const ids = new Set(authentic.map(({ id }) => id as string));
  const facts = [
    `${authentic.length} stored`,
    ...(forged === 0 ? [] : [`${forged} not written by the service`]),
    ...(known === undefined
      ? []
      : [`${known.difference(ids).size} missing`, `${ids.difference(known).size} removed or unknown`]),
    `${kept.length} after the repair`,
  ];
  return `${kind.padEnd(20)} ${addsUp ? "adds up" : "DOES NOT ADD UP"}: ${facts.join(", ")}\n`;
}

function report(repair: Repair | ServiceRepair, isDry: boolean): string {
  const { kinds } = repair;
  const lines = [
    ...kinds.map(formatKind),
    kinds.length > 1 && kinds.every(({ addsUp }) => !addsUp)
      ? "The state itself is missing, older or of another copy\n"
      : "",
    "refused" in repair
      ? ""
      : `The address is ${repair.keepsAddress ? "kept" : "removed"}; the account is ${
        repair.isDisabled ? "disabled" : "enabled"
      }\n`,
    isDry ? "Nothing was changed: --yes repairs what does not add up\n" : "Repaired\n",
  ];
  return lines.join("");
}

/** Shows what a repair finds and keeps. With `--yes` it also repairs, while nothing else uses the database. */
export async function repairCommand(environment: Environment, list: readonly string[]): Promise<void> {
  const { flags, operands: [owner] } = readArguments(list, { flags: ["yes"], operands: ["OWNER"] });
  const isDry = !flags.has("yes");
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const now = Date.now();
  // Rows that refer to a hidden client are a fault of the pages, until the repair ends them.
  const pages = isOfAccount(owner!) ? "now" : "later";
  const repair = await withDatabaseLock(config, isDry ? "use" : "replace", async () => {
    const { db, vault } = await openConfiguredVault(config, { now, random, pages });
    const progress = createProgress(0);
    const onPage = (entries: number): void => showPart(progress)("chain", entries);
    try {
      return isOfAccount(owner!)
        ? orRefuse(await repairAccount(db, vault, { accountId: owner!, now, isDry, onPage }), REFUSED)
        : orRefuse(await repairService(db, vault, { owner: owner!, now, isDry, onPage }), SERVICE_REFUSED);
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== "inconsistent") throw error;
      throw new StartRefusal(`${error.message}: repair that account first`, { cause: error });
    } finally {
      progress.end();
      await closeDatabase(db);
    }
  });
  const isRefused = "refused" in repair && repair.refused.length > 0;
  printResult(report(repair, isDry || isRefused));
  if (isRefused) {
    throw new StartRefusal(
      `The rows of ${repair.refused.join(", ")} cannot be repaired: restore a backup, see "The service" in ` +
        "docs/how-to/repair-account.md; nothing was changed",
    );
  }
}

function orRefuse<T extends object>(
  repair: T | RepairRefusal,
  texts: Readonly<Record<RepairRefusal, string>>,
): T {
  if (typeof repair === "string") throw new StartRefusal(texts[repair]);
  return repair;
}
