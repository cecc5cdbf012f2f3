import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { type ExportedEntry, exportedFault } from "./exported-entry.ts";
import type { AuditHead, StoredEntry } from "./stored-entry.ts";

export const EXPORT_FORMAT = "holdfast-export/1";

/** The members of an export file that can be compared with the log. */
export interface AccountExport {
  readonly accountId: string;
  /** The end of the log at the time of the export. */
  readonly head: AuditHead;
  /** Oldest first. */
  readonly entries: readonly ExportedEntry[];
}

const HEX_32 = /^[0-9a-f]{64}$/;

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Members : {};
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HEX_32.test(value);
}

function isEntry(value: unknown): value is ExportedEntry {
  const { seq, at, event, accountId, subject, detail, state, previousHash, hash, mac } = membersOf(value);
  return isSeq(seq) && Number.isSafeInteger(at) && typeof event === "string" && typeof detail === "string" &&
    [accountId, subject].every((text) => text === null || typeof text === "string") &&
    (state === null || (typeof state === "string" && /^(?:[0-9a-f]{2})*$/.test(state))) &&
    [previousHash, hash, mac].every(isHash);
}

/** Returns undefined if the file is invalid or incomplete. */
export function readAccountExport(text: string): AccountExport | undefined {
  let file: Members;
  try {
    file = membersOf(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { id } = membersOf(file["account"]);
  const { head } = membersOf(file["log"]);
  const entries = file["entries"];
  const { seq, hash } = membersOf(head);
  const isWhole = file["format"] === EXPORT_FORMAT && typeof id === "string" && isSeq(seq) && isHash(hash) &&
    Array.isArray(entries) && entries.every(isEntry);
  return isWhole ? { accountId: id, head: { seq, hash: Uint8Array.fromHex(hash) }, entries } : undefined;
}

/** A difference between an export file and the log, at an entry. */
export interface ExportFault {
  readonly seq: number;
  /**
   * `altered`: its hash does not follow from its content. `forged`: the service did not write it. `foreign`: it
   * belongs to another account, or is a duplicate. `absent`: the log has no such entry. `replaced`: the log has
   * another one. `missing`: the file lacks an entry of the account that the log has. `head`: the log lacks the file's
   * head.
   */
  readonly kind: "altered" | "forged" | "foreign" | "absent" | "replaced" | "missing" | "head";
}

/** A comparison of a file with a log that is read entry by entry. */
export interface ExportCheck {
  /** Call it for each sound entry of the log, in order. */
  readonly onEntry: (head: AuditHead, entry: StoredEntry) => void;
  /** Returns the differences, ordered by entry. Call it after the whole log was read. */
  readonly faults: () => readonly ExportFault[];
}

/**
 * Starts a comparison of an export file with the log. Each of the file's entries, and its head, must be in the log. No
 * entry of the account up to the head may be missing.
 */
export function checkExport(vault: Vault, { accountId, head, entries }: AccountExport): ExportCheck {
  const open = new Map<number, ExportedEntry>();
  const found: ExportFault[] = [];
  for (const entry of entries) {
    const kind = exportedFault(vault, entry);
    if (kind !== undefined) found.push({ seq: entry.seq, kind });
    else if (entry.accountId !== accountId || open.has(entry.seq)) {
      found.push({ seq: entry.seq, kind: "foreign" });
    }
    open.set(entry.seq, entry);
  }
  let isHeadFound = head.seq === 0;
  const onEntry: ExportCheck["onEntry"] = ({ seq, hash }, { account_id }) => {
    if (seq === head.seq) isHeadFound = constantTimeEqual(hash, head.hash);
    const exported = open.get(seq);
    if (exported === undefined) {
      if (account_id === accountId && seq <= head.seq) found.push({ seq, kind: "missing" });
      return;
    }
    open.delete(seq);
    if (exported.hash !== hash.toHex()) found.push({ seq, kind: "replaced" });
  };
  const faults = (): readonly ExportFault[] => {
    const absent = [...open.keys()].map((seq) => ({ seq, kind: "absent" }) as const);
    const unknownHead = isHeadFound ? [] : [{ seq: head.seq, kind: "head" } as const];
    return [...found, ...absent, ...unknownHead].sort((one, other) => one.seq - other.seq);
  };
  return { onEntry, faults };
}
