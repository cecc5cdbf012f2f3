import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { type AuditHead, BEGINNING, isHeadOfOurs, STORED_ENTRY } from "./stored-entry.ts";
import { applyLogStatusEvent, listLogStatusEvents, LOG_STATUS_EVENTS } from "./log-status.ts";
import { see, stop, watchOf } from "./log-head.ts";
import { followStates, readAhead } from "./follow-states.ts";

/** One statement, because other processes wait meanwhile. */
const selectLast = prepared((db, slot: Slot<{ readonly known: number; readonly statusEvent: number }>) =>
  // A literal: SQLite would compile a statement with a bound limit each time.
  db.selectFrom("audit_event").select(STORED_ENTRY).orderBy("audit_event.seq", "desc").limit(sql.lit(1))
    .select((expression) => [
      expression.selectFrom("audit_event as one").select("one.hash").where("one.seq", "=", slot("known"))
        .as("known_hash"),
      expression.selectFrom("audit_event as one").select("one.seq").where("one.seq", ">", slot("statusEvent"))
        .where("one.event", "in", LOG_STATUS_EVENTS.map((statusEvent) => sql.lit(statusEvent))).orderBy(
          "one.seq",
        ).limit(sql.lit(1))
        .as("statusEvent"),
    ])
);

/** Returns how the log contradicts the known head, or undefined. */
function findContradiction(
  known: AuditHead | undefined,
  last: AuditHead,
  knownHash: Uint8Array | null | undefined,
): "cut" | "replaced" | undefined {
  if (known === undefined) return undefined;
  if (last.seq < known.seq) return "cut";
  // If the known entry is the last one, compares the hash to be built upon: the database could return two different
  // ones.
  const hash = last.seq === known.seq ? last.hash : known.seq === 0 ? BEGINNING.hash : knownHash;
  return hash instanceof Uint8Array && constantTimeEqual(hash, known.hash) ? undefined : "replaced";
}

/**
 * Reads what others appended. The last entry must be authentic, and the known head must be unchanged; otherwise stops
 * all recording. Applies log-status entries, verifies the entries between, puts their states in `stateTagsOf`, and
 * returns the end of the log.
 */
export async function catchUp(db: Db, vault: Vault): Promise<AuditHead> {
  const watch = watchOf(db);
  const { known } = watch;
  const [[row], ahead] = await Promise.all([
    selectLast(db, { known: known?.seq ?? 0, statusEvent: watch.statusEvent }),
    // Other processes may wait for the lock of the log meanwhile, so both are sent together.
    db.isTransaction ? readAhead(db) : undefined,
  ]);
  const last = row === undefined ? BEGINNING : { seq: Number(row.seq), hash: row.hash };
  if (row !== undefined && !isHeadOfOurs(vault, last, row.mac)) {
    stop(watch, "forged", last.seq);
    return last;
  }
  const contradiction = findContradiction(known, last, row?.known_hash);
  if (contradiction !== undefined) {
    stop(watch, contradiction, known!.seq);
    return last;
  }
  // If the log ends with the known head, there are no new entries.
  const hasStatusEvents = row?.statusEvent != null && last.seq !== known?.seq;
  for (const statusEvent of hasStatusEvents ? await listLogStatusEvents(db, vault, watch.statusEvent) : []) {
    applyLogStatusEvent(watch, statusEvent);
  }
  see(watch, last);
  await followStates(db, vault, ahead);
  return last;
}
