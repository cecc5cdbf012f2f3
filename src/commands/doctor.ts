import process from "node:process";
import { type Environment, readConfig } from "../config/config.ts";
import { isUnreleased } from "../db/migrate.ts";
import { formatKeyProvider } from "../tee/quote/key-provider.ts";
import type { OwnKeyProvider } from "../tee/tee.ts";
import { printable, visible, visibleJson } from "../lib/text.ts";
import { readArguments } from "./process/arguments.ts";
import { diagnose, type Diagnosis, type QuoteFacts } from "./diagnose.ts";
import type { DiagnosedSlot } from "./diagnose-slots.ts";
import { describeWorkload } from "./expected-workload.ts";
import { UsageError } from "./process/refusal.ts";
import { readFolderState, type StorageConfig } from "./open/data-folder.ts";
import { listSlots } from "./seal-list.ts";
import type { SealSlotClaim } from "../tee/quote/evidence.ts";
import { sizeOf } from "./open/database.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import type { PlacedKeySource } from "./open/tee.ts";
import { createProgress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import type { ClearSigningFacts } from "./files/clear-signing.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const DOCTOR_USAGE = "doctor [--json | --expect]";

const EXIT_FAULTY = 1;

const SURVIVES = {
  yes: "yes",
  no: "no: reseal to another key before an upgrade",
  depends: "yes, if you keep it unchanged",
  if_allowed: "yes, once the broker allows the new measurements",
} as const satisfies Record<PlacedKeySource["survivesUpgrades"], string>;

function quoteText({ version, tdAttributes, attributes, isUnderDebug }: QuoteFacts): string {
  const names = attributes.length === 0 ? "none set" : attributes.join(" ");
  return `version ${version}, TD attributes ${tdAttributes} (${names}), debug ${isUnderDebug ? "ON" : "off"}`;
}

function schemaText(schema: NonNullable<Diagnosis["schema"]>): string {
  const { applied, pending, unknown } = schema;
  const newest = printable(applied.at(-1) ?? "none");
  if (isUnreleased(schema)) return `${printable(unknown.at(-1)!)} (of a build before the first release)`;
  if (unknown.length > 0) return `${newest} (of a newer version)`;
  if (pending.length > 0) return `${newest} (the next start adds ${pending.join(", ")})`;
  return `${newest} (up to date)`;
}

function slotText({ id, source, api, keyId, openedAt, opens }: DiagnosedSlot): string {
  const state = opens === null ? "no key given" : opens ? "opens" : "DOES NOT OPEN";
  const name = api === undefined ? source : `${source} ${api}`;
  return `${id} (${name}, key ${keyId}): ${state}, last needed ${openedAt ?? "never"}`;
}

/** Says if the pinned KMS is verified to have issued the key. */
function signatureText({ name, verified }: OwnKeyProvider): string {
  if (verified !== null) return `verified: issued by ${verified.root} for the application ${verified.appId}`;
  return name === "kms" ? "NOT verified: TEE_DSTACK_KMS_ROOT is not set" : "none: only a KMS signs its keys";
}

function descriptorsText({ files, formats, leftOut }: ClearSigningFacts): string {
  const rest = leftOut.length === 0 ? "" : `, ${leftOut.length} left out`;
  return `${files} descriptors of ${formats} functions and types${rest}`;
}

function textOf<T>(value: T | null, write: (value: T) => string): string {
  return value === null ? "unknown" : write(value);
}

/** Formats a line for each fact, then a line for each fault or `all is well`. */
export function writeDiagnosis(found: Diagnosis): string {
  const rows: readonly (readonly [name: string, value: string])[] = [
    ["provider", textOf(found.provider, (provider) => provider)],
    [
      "in TEE",
      textOf(found.inTee, (inTee) => inTee ? "yes" : "no: keys are not protected from the operator"),
    ],
    ["quote", textOf(found.quote, quoteText)],
    ["sealing key", textOf(found.sealKeyId, (id) => id)],
    ["key source", textOf(found.keySource, ({ name, place }) => `${name} ${place}`)],
    ["key provider", textOf(found.keyProvider, formatKeyProvider)],
    ["key signature", textOf(found.keyProvider, signatureText)],
    ["survives upgrades", textOf(found.keySource, ({ survivesUpgrades }) => SURVIVES[survivesUpgrades])],
    ["database", found.databasePath],
    ["sealed under", textOf(found.databaseSealKeyId, (id) => id)],
    ["seal matches", textOf(found.sealMatches, (matches) => matches ? "yes" : "NO")],
    ...(found.slots ?? []).map((slot) => ["seal slot", slotText(slot)] as const),
    ["schema", textOf(found.schema, schemaText)],
    [
      "audit log",
      textOf(
        found.audit,
        ({ entries, fault, acceptedBreaks }) =>
          [
            fault === null ? `${entries} entries, sound` : `${entries} sound entries, then not`,
            ...acceptedBreaks,
          ]
            .join("; but "),
      ),
    ],
    ["audit head", textOf(found.audit, ({ head }) => head)],
    ["clear signing", textOf(found.clearSigning, descriptorsText)],
    ...(found.clearSigning?.leftOut ?? []).map(({ path, reason }) =>
      ["left out", `${path}: ${reason}`] as const
    ),
    ["push messages", textOf(found.push, (push) => push)],
    ["server", `${found.server.name}: ${found.server.reason}`],
  ];
  const lines = rows.map(([name, value]) => `${name.padEnd(18)} ${visible(value)}\n`);
  const faults = found.faults.map((fault) => `fault: ${visible(fault)}\n`);
  return lines.join("") + (faults.length === 0 ? "all is well\n" : faults.join(""));
}

/** Returns the slots of the database as stored, or undefined without one, or before its first start. */
async function readExpectedSlots(config: StorageConfig): Promise<readonly SealSlotClaim[] | undefined> {
  const { database } = await readFolderState(config);
  if (typeof database !== "object") return undefined;
  const slots = (await listSlots(config)).map(({ source, keyId }) => ({ source, keyId }));
  // The slot of a version without slots names its source at the next start.
  return slots.every(({ source }) => source !== "") ? slots : undefined;
}

/** Exits 0 without faults, 1 otherwise. With `--expect` only prints the workload for `verify-quote`. */
export async function doctor(environment: Environment, list: readonly string[]): Promise<void> {
  const { flags } = readArguments(list, { flags: ["json", "expect"] });
  if (flags.size === 2) throw new UsageError("--json and --expect exclude each other: give one");
  const read = withSecretFiles(environment);
  const config = readConfig(read);
  if (flags.has("expect")) {
    printResult(await describeWorkload(config, random, await readExpectedSlots(config)));
    return;
  }
  const size = sizeOf(config);
  const progress = createProgress(size ?? 0);
  const pushPrivateKey = read["PUSH_PRIVATE_KEY"] || undefined;
  const context = { now: Date.now(), random, onProgress: showPart(progress), pushPrivateKey };
  const look = (): Promise<Diagnosis> => diagnose(config, context).finally(() => progress.end());
  // Does not lock a missing file, because that would create the lock file.
  const found = size === 0 ? await look() : await withDatabaseLock(config, "use", look);
  printResult(flags.has("json") ? visibleJson(JSON.stringify(found, null, 2)) + "\n" : writeDiagnosis(found));
  if (found.faults.length > 0) process.exitCode = EXIT_FAULTY;
}
