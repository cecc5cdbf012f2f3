import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Vault } from "../vault/vault.ts";
import type { AuditDetails } from "./event.ts";
import type { BrokenPart } from "./accepted-break.ts";
import { type AuditHead, linkedEntries, provenEntry, type StoredEntry } from "./stored-entry.ts";
import type { LogWatch } from "./log-head.ts";

/** Log-status events: fault detected, fault acknowledged. */
export const TURNS = ["log_fault_noticed", "rollback_acknowledged"] as const;

export type Turn =
  & { readonly seq: number; readonly hash: Uint8Array }
  & (
    | { readonly event: "log_fault_noticed"; readonly detail: AuditDetails["log_fault_noticed"] }
    | { readonly event: "rollback_acknowledged"; readonly detail: AuditDetails["rollback_acknowledged"] }
  );

/** Reads a log-status entry; undefined for any other. The caller must have verified the entry. */
export function readTurn({ seq, event, detail, hash }: StoredEntry): Turn | undefined {
  const known = TURNS.find((turn) => turn === event);
  return known && { seq: Number(seq), hash, event: known, detail: JSON.parse(detail) } as Turn | undefined;
}

const selectTurns = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  linkedEntries(db)
    // The literals are written as in the index.
    .where("audit_event.event", "in", TURNS.map((turn) => sql.lit(turn)))
    .where("audit_event.seq", ">", slot("seq"))
    .orderBy("audit_event.seq")
);

/** Lists the log-status entries after an entry, oldest first. Skips entries that are not authentic. */
export async function listTurns(db: Db, vault: Vault, after: number): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  for (const row of await selectTurns(db, { seq: after })) {
    const entry = provenEntry(vault, row);
    if (entry !== undefined) turns.push(readTurn(entry)!);
  }
  return turns;
}

type NoticeTurn = Extract<Turn, { readonly event: "log_fault_noticed" }>;
type AcknowledgementTurn = Extract<Turn, { readonly event: "rollback_acknowledged" }>;

/** Returns true if the acknowledgement names this fault. One copied from another history names others. */
export function answers({ detail }: AcknowledgementTurn, notice: Pick<AuditHead, "hash">): boolean {
  return detail.faults.split(" ").includes(notice.hash.toHex());
}

export function brokenPart(
  { seq, detail: { brokenAt, broken } }: AcknowledgementTurn,
): BrokenPart | undefined {
  return brokenAt === null || broken === null ? undefined : { from: brokenAt, to: seq, digest: broken };
}

/** Returns the recorded faults that no operator acknowledged, oldest first. */
export function openNotices(turns: readonly Turn[]): readonly NoticeTurn[] {
  let open: readonly NoticeTurn[] = [];
  for (const turn of turns) {
    if (turn.event === "log_fault_noticed") open = [...open, turn];
    else if (open.length > 0 && answers(turn, open[0]!)) open = [];
  }
  return open;
}

/** Applies a log-status entry: stops or resumes recording. A fault of this process that is not recorded yet stays. */
export function follow(watch: LogWatch, turn: Turn): void {
  const { seq, hash, event, detail } = turn;
  if (seq <= watch.turn) return;
  watch.turn = seq;
  if (event === "log_fault_noticed") {
    if (watch.fault !== undefined) return;
    watch.fault = { ...detail, notice: { seq, hash } };
    return watch.onChange(watch.fault);
  }
  const notice = watch.fault?.notice;
  if (notice !== undefined && !answers(turn, notice)) return;
  watch.acknowledged = seq;
  watch.coveredUntil = Math.max(watch.coveredUntil, detail.until);
  const letPass = brokenPart(turn);
  if (letPass !== undefined) Object.assign(watch, { soundFrom: { seq, hash }, letPass });
  if (notice === undefined) return;
  watch.fault = undefined;
  watch.onChange(undefined);
}
