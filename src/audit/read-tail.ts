import { sql } from "kysely";
import { prepared } from "../db/prepared-statement.ts";
import type { Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { BEGINNING, isHeadOfOurs, STORED_ENTRY } from "./stored-entry.ts";
import type { AuditHead } from "./stored-entry.ts";
import { follow, listTurns, TURNS } from "./log-status.ts";
import { see, stop, watchOf } from "./log-head.ts";

/**
 * The last entry; beside it the hash of another one, and where the log tells of itself behind a third: of what others
 * appended all is asked for in one statement, while they wait.
 */
const selectLast = prepared((db, slot: Slot<{ readonly known: number; readonly turn: number }>) =>
  // A literal: with a parameter there SQLite compiles the statement anew each time.
  db.selectFrom("audit_event").select(STORED_ENTRY).orderBy("audit_event.seq", "desc").limit(sql.lit(1))
    .select((expression) => [
      expression.selectFrom("audit_event as one").select("one.hash").where("one.seq", "=", slot("known"))
        .as("known_hash"),
      expression.selectFrom("audit_event as one").select("one.seq").where("one.seq", ">", slot("turn"))
        .where("one.event", "in", TURNS.map((turn) => sql.lit(turn))).orderBy("one.seq").limit(sql.lit(1))
        .as("turn"),
    ])
);

const selectHash = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  db.selectFrom("audit_event").select("hash").where("seq", "=", slot("seq"))
);

/** The hash of an entry as it stands there; undefined where there is none. Proves nothing. */
export async function hashAt(db: Db, seq: number): Promise<Uint8Array | undefined> {
  return seq === 0 ? BEGINNING.hash : (await selectHash(db, { seq }))[0]?.hash;
}

/** How the log contradicts what this process knows of it, by the hash that stands where it knows one. */
function findContradiction(
  known: AuditHead | undefined,
  last: AuditHead,
  knownHash: Uint8Array | null | undefined,
): "cut" | "replaced" | undefined {
  if (known === undefined) return undefined;
  if (last.seq < known.seq) return "cut";
  // Of the same entry that is built upon, where it is that one: a liar shows two.
  const hash = last.seq === known.seq ? last.hash : known.seq === 0 ? BEGINNING.hash : knownHash;
  return hash instanceof Uint8Array && constantTimeEqual(hash, known.hash) ? undefined : "replaced";
}

/**
 * Looks at what others have appended: the last entry must be the service's own, and the last one that this process
 * knows must be there as it was; otherwise it stops all recording. Follows what the log says of itself, and answers
 * where it ends. Does not prove the entries between: `readOn` does.
 */
export async function catchUp(db: Db, vault: Vault): Promise<AuditHead> {
  const watch = watchOf(db);
  const { known } = watch;
  const [row] = await selectLast(db, { known: known?.seq ?? 0, turn: watch.turn });
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
  // Nobody else has appended where it ends as this process knows it.
  const hasTurns = row?.turn != null && last.seq !== known?.seq;
  for (const turn of hasTurns ? await listTurns(db, vault, watch.turn) : []) follow(watch, turn);
  see(watch, last);
  return last;
}
