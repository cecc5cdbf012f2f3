import { type Environment, readConfig } from "../config/config.ts";
import { closeDatabase } from "../db/database.ts";
import {
  type Repair,
  repairAccount,
  type RepairedKind,
  type RepairRefusal,
} from "../recovery/repair-account.ts";
import { readArguments } from "./process/arguments.ts";
import { getSealKeyIds } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { createProgress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import { StartRefusal } from "./process/refusal.ts";
import { openConfiguredVault } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const REPAIR_ACCOUNT_USAGE = "repair-account ID [--yes]";

const REFUSED = {
  unknown: "The audit log knows no such account",
  sound: "The rows of this account add up: there is nothing to repair",
  log_fault:
    "A part of the audit log is broken, so that the account's history is not known: restore a backup",
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

function report({ kinds, keepsAddress, isDisabled }: Repair, isDry: boolean): string {
  const lines = [
    ...kinds.map(formatKind),
    kinds.every(({ addsUp }) => !addsUp) ? "The state itself is missing, older or of another copy\n" : "",
    `The address is ${keepsAddress ? "kept" : "removed"}; the account is ${
      isDisabled ? "disabled" : "enabled"
    }\n`,
    isDry ? "Nothing was changed: --yes repairs the account\n" : "Repaired\n",
  ];
  return lines.join("");
}

/** Shows what a repair finds and keeps. With `--yes` it also repairs, while nothing else uses the database. */
export async function repairCommand(environment: Environment, list: readonly string[]): Promise<void> {
  const { flags, operands: [accountId] } = readArguments(list, { flags: ["yes"], operands: ["ID"] });
  const isDry = !flags.has("yes");
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const now = Date.now();
  const repair = await withDatabaseLock(config, isDry ? "use" : "replace", async () => {
    const { db, vault } = await openConfiguredVault(config, { now, random });
    const progress = createProgress(0);
    const onPage = (entries: number): void => showPart(progress)("chain", entries);
    try {
      return await repairAccount(db, vault, { accountId: accountId!, now, isDry, onPage });
    } finally {
      progress.end();
      await closeDatabase(db);
    }
  });
  if (typeof repair === "string") throw new StartRefusal(REFUSED[repair]);
  printResult(report(repair, isDry));
}
