import process from "node:process";
import type { AuditHead } from "../audit/stored-entry.ts";
import { verifyAudit } from "../audit/verify.ts";
import type { AuditVerdict, HeadComparison } from "../audit/verify.ts";
import { readConfig } from "../config.ts";
import type { Environment } from "../config.ts";
import { closeDatabase } from "../db/database.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { readArguments } from "./arguments.ts";
import { getSealKeyId } from "./wiring/data-folder.ts";
import type { Places } from "./wiring/data-folder.ts";
import { whileHeld } from "./wiring/hold.ts";
import { random } from "./wiring/random.ts";
import { UsageError } from "./refusal.ts";
import { unsealToRead } from "./wiring/unseal.ts";

export const VERIFY_AUDIT_USAGE = "verify-audit [--head ENTRY:HASH]";

/** The process exits with this when the log is not what the service wrote, or not what it was. */
const EXIT_FAULTY = 1;

/** Reads the whole log of a database that may be serving, and writes nothing. */
async function inspectAudit(
  places: Places,
  kept: AuditHead | undefined,
  means: { readonly now: Instant; readonly random: RandomBytes },
): Promise<AuditVerdict> {
  const { db, vault } = await unsealToRead(places, means);
  try {
    return await verifyAudit(db, vault, { kept });
  } finally {
    await closeDatabase(db);
  }
}

/** `ENTRY:HASH` as this command and the page of events give it. Throws `UsageError` for anything else. */
export function readHead(text: string): AuditHead {
  const [, seq, hash] = /^(0|[1-9]\d{0,14}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new UsageError("--head must be ENTRY:HASH, a number and 64 hexadecimal digits");
  }
  return { seq: Number(seq), hash: Uint8Array.fromHex(hash) };
}

function comparisonFault(
  comparison: HeadComparison,
  entries: number,
  { seq }: AuditHead,
): string | undefined {
  if (comparison === "kept") return undefined;
  if (comparison === "cut") {
    return `entries ${entries + 1} to ${seq} are gone: the log was cut off, or all of it is an older one`;
  }
  if (comparison === "replaced") return `entry ${seq} is not the one of the given head: this is another log`;
  return `the given head at entry ${seq} lies behind the fault and cannot be compared`;
}

/** What there is to mend, a sentence each; none when the log is sound and begins as it should. */
function faultsOfReport(
  { entries, fault, comparison }: AuditVerdict,
  kept: AuditHead | undefined,
): readonly string[] {
  const faults = fault === undefined ? [] : [`entry ${fault.seq} is ${fault.kind}`];
  const compared = kept && comparison && comparisonFault(comparison, entries, kept);
  return compared === undefined ? faults : [...faults, compared];
}

/** The `verify-audit` command: exit 0 when the log is sound and holds the given head, 1 when not. */
export async function verify(environment: Environment, list: readonly string[]): Promise<void> {
  const text = readArguments(list, { values: ["head"] }).values.get("head");
  const kept = text === undefined ? undefined : readHead(text);
  const config = readConfig(environment);
  await getSealKeyId(config);
  const inspect = (): Promise<AuditVerdict> => inspectAudit(config, kept, { now: Date.now(), random });
  const report = await whileHeld(config.databasePath, "use", inspect);
  const faults = faultsOfReport(report, kept);
  process.stdout.write(
    `sound entries  ${report.entries}\nhead           ${report.entries}:${report.head.toHex()}\n` +
      (kept === undefined ? "no head was given: nothing tells whether the newest entries are there\n" : "") +
      (faults.length === 0 ? "all is well\n" : faults.map((fault) => `fault: ${fault}\n`).join("")),
  );
  if (faults.length > 0) process.exitCode = EXIT_FAULTY;
}
