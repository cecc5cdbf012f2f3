import { findDamage } from "../db/integrity-check.ts";
import { DatabaseError } from "../db/error.ts";
import { isUnreleased, UNRELEASED_SCHEMA } from "../db/migrate.ts";
import { checkSchema, type SchemaFault, type SchemaVerdict, type Scratch } from "../db/schema-check.ts";
import type { Db } from "../db/schema/schema.ts";
import { printable } from "../lib/text.ts";
import { type RowCount, verifyRows } from "../store/verify-rows.ts";
import { VaultRefusal } from "../vault/error.ts";
import { type OpenedSeed, openSeed, sourcesOf, type VaultOptions } from "../vault/seed.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditHead } from "./stored-entry.ts";
import { type AccountExport, checkExport, type ExportFault } from "./account-export.ts";
import { type StateVerdict, verifyStates } from "./verify-states.ts";
import { type AuditVerdict, type HeadComparison, verifyAudit } from "./verify.ts";

// The only place that decides if a database is sound. It is in this folder because the audit log is the highest layer
// that it checks.

/** The parts of a check, in order: a part's result counts only if the earlier parts are sound. */
export type Part = "schema" | "seed" | "pages" | "rows" | "chain";

/** Options of a check. The schema is always checked, and the seed if the key is available. */
export interface Examination {
  /**
   * `pages`: SQLite's own check of pages, indexes and references. `rows`: the MAC of every authenticated row. `chain`:
   * the audit log. With both, and a sound log, also the rows of each owner against its state. Each takes time in
   * proportion to the database. The last two need the key.
   */
  readonly parts: readonly ("pages" | "rows" | "chain")[];
  readonly scratch: Scratch;
  readonly key?: Omit<VaultOptions, "now"> | undefined;
  /** A head of the audit log that was stored elsewhere. */
  readonly expectedHead?: AuditHead | undefined;
  /** An export file to compare with the log. */
  readonly exported?: AccountExport | undefined;
  /** Called with the current part, and the number of rows or entries checked so far. */
  readonly onProgress?: ((part: Part, done: number) => void) | undefined;
}

/** A fault, described without any content of the file. */
export interface SoundnessFault {
  readonly part: Part;
  readonly text: string;
  readonly cause?: unknown;
}

/** The result of a check. A part is undefined if it was not requested, or could not be trusted. */
export interface Soundness {
  readonly schema: SchemaVerdict | undefined;
  readonly seed: OpenedSeed | undefined;
  readonly vault: Vault | undefined;
  readonly rows: readonly RowCount[] | undefined;
  readonly chain: AuditVerdict | undefined;
  /** Empty if no checked part has a fault. */
  readonly faults: readonly SoundnessFault[];
}

/** Further faults of a kind are only counted. */
const MOST_NAMED = 10;

/**
 * Checks a database without writing. Does not check the rows of an older version's database, which a start would
 * migrate. Throws if the fault is not the database's: no sealing key, no memory, a failing disk. Detects deleted and
 * restored rows of the kinds with a state, if `rows` and `chain` are checked. Without a head stored elsewhere, it does
 * not detect that the log's newest entries are missing or that the whole log is an older one.
 */
export async function examine(db: Db, examination: Examination): Promise<Soundness> {
  const { parts, scratch, key, expectedHead, exported, onProgress = () => {} } = examination;
  const faults: SoundnessFault[] = [];
  const look = async <T>(part: Part, job: () => Promise<T>): Promise<T | undefined> => {
    onProgress(part, 0);
    try {
      return await job();
    } catch (cause) {
      faults.push({ part, text: readFault(cause), cause });
      return undefined;
    }
  };
  const report = (part: Part, texts: readonly string[]): void => {
    faults.push(...texts.map((text) => ({ part, text })));
  };

  const schema = await look("schema", () => checkSchema(db, scratch));
  if (schema !== undefined) report("schema", schemaFaults(schema));
  // With another schema, a query may return anything.
  const isOurs = faults.length === 0;
  const seed = key && isOurs
    ? await look("seed", () => openSeed(db, { ...key, sources: sourcesOf(key) }))
    : undefined;
  const vault = seed?.vault;
  const damage = parts.includes("pages") ? await look("pages", () => findDamage(db)) : [];
  if (damage !== undefined) report("pages", damage.map(damageFault));

  if (vault === undefined || faults.length > 0) {
    return { schema, seed, vault, rows: undefined, chain: undefined, faults };
  }
  const rows = parts.includes("rows") && schema?.pending.length === 0
    ? await look("rows", () => verifyRows(db, vault, (done) => onProgress("rows", done)))
    : undefined;
  if (rows !== undefined) report("rows", rowFaults(rows));
  const check = exported && checkExport(vault, exported);
  const chain = parts.includes("chain")
    ? await look("chain", () =>
      verifyAudit(db, vault, {
        expectedHead,
        onEntry: check?.onEntry,
        onPage: (done) => onProgress("chain", done),
      }))
    : undefined;
  // Only a sound log says which states are the newest.
  const states = rows !== undefined && chain !== undefined && chain.fault === undefined
    ? await look("rows", () => verifyStates(db, vault, (done) => onProgress("rows", done)))
    : undefined;
  if (states !== undefined) report("rows", stateFaults(states));
  if (chain !== undefined) report("chain", chainFaults(chain, expectedHead));
  if (chain !== undefined && check !== undefined) report("chain", exportFaults(check.faults()));
  return { schema, seed, vault, rows, chain, faults };
}

/** Describes an error that ended a part's check. Throws an error that says nothing about the database. */
function readFault(cause: unknown): string {
  if (cause instanceof VaultRefusal && cause.code !== "sealing_key_unavailable") {
    return cause.message.replace(/^Cannot open vault: /, "");
  }
  if (cause instanceof DatabaseError && cause.code === "damaged") {
    return damageFault(cause.cause instanceof Error ? cause.cause.message : cause.message);
  }
  throw cause;
}

function damageFault(text: string): string {
  return `the database is damaged: ${printable(text)}`;
}

function schemaFaults(verdict: SchemaVerdict): readonly string[] {
  const { unknown, faults } = verdict;
  if (isUnreleased(verdict)) return [UNRELEASED_SCHEMA];
  if (unknown.length > 0) {
    return [`a newer version wrote the database: migration ${printable(unknown.at(-1)!)} is unknown here`];
  }
  const more = faults.length - MOST_NAMED;
  return [
    ...faults.slice(0, MOST_NAMED).map(schemaFault),
    ...(more > 0 ? [`and ${more} more in the schema`] : []),
  ];
}

const SCHEMA_FAULTS = {
  unknown: "unknown in the schema",
  missing: "missing in the schema",
  altered: "changed in the schema",
} as const satisfies Record<SchemaFault["kind"], string>;

function schemaFault({ kind, type, name }: SchemaFault): string {
  return `${SCHEMA_FAULTS[kind]}: ${printable(type)} "${printable(name)}"`;
}

function rowFaults(rows: readonly RowCount[]): readonly string[] {
  return rows.filter(({ forged }) => forged > 0).map(({ kind, rows, forged }) =>
    `the service did not write ${forged} of ${rows} rows of ${kind}: they count as absent`
  );
}

function stateFaults({ faults, missing }: StateVerdict): readonly string[] {
  const more = faults.length - MOST_NAMED;
  return [
    ...faults.slice(0, MOST_NAMED).map(({ owner, kind }) =>
      kind === "owner_state"
        ? `the state of ${printable(owner)} is missing, older or of another copy: the owner is refused`
        : `rows of ${kind} of ${printable(owner)} are missing, or are not the newest: the owner is refused`
    ),
    ...(more > 0 ? [`and ${more} more sets of rows that do not add up`] : []),
    ...(missing > 0 ? [`the states of ${missing} owners are missing`] : []),
  ];
}

const EXPORT_FAULTS = {
  altered: "is not as the service wrote it",
  forged: "was not written by the service",
  foreign: "belongs to another account, or is there twice",
  absent: "is not in the log",
  replaced: "differs from the one in the log",
  missing: "is missing in it and in the log",
  head: "was the end of the log when it was made, and is not in the log",
} as const satisfies Record<ExportFault["kind"], string>;

function exportFaults(faults: readonly ExportFault[]): readonly string[] {
  const more = faults.length - MOST_NAMED;
  return [
    ...faults.slice(0, MOST_NAMED).map(({ seq, kind }) =>
      `entry ${seq} of the export ${EXPORT_FAULTS[kind]}`
    ),
    ...(more > 0 ? [`and ${more} more in the export`] : []),
  ];
}

const COMPARISONS = {
  kept: () => [],
  cut: (entries, seq) => [
    `entries ${
      entries + 1
    } to ${seq} of the audit log are missing: the log was cut off, or restored to an older state`,
  ],
  replaced: (_entries, seq) => [
    `entry ${seq} of the audit log does not match the given head: this is another log`,
  ],
  unknown: (_entries, seq) => [`the given head at entry ${seq} is after the fault and cannot be compared`],
} as const satisfies Record<HeadComparison, (entries: number, seq: number) => readonly string[]>;

function chainFaults(
  { entries, fault, comparison }: AuditVerdict,
  expectedHead: AuditHead | undefined,
): readonly string[] {
  return [
    ...(fault === undefined ? [] : [`the audit log is broken: entry ${fault.seq} is ${fault.kind}`]),
    ...(comparison === undefined ? [] : COMPARISONS[comparison](entries, expectedHead!.seq)),
  ];
}
