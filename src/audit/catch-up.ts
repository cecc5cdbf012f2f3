import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Slot } from "../db/prepared.ts";
import type { Db } from "../db/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { BEGINNING, isHeadOfOurs, STORED_ENTRY } from "./stored-entry.ts";
import type { AuditHead } from "./stored-entry.ts";
import { follow, listTurns } from "./turn.ts";
import { see, stop, watchOf } from "./watch.ts";

const selectLast = prepared((db) =>
  // A literal: with a parameter there SQLite compiles the statement anew each time.
  db.selectFrom("audit_event").select(STORED_ENTRY).orderBy("audit_event.seq", "desc").limit(sql.lit(1))
);

const selectHash = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  db.selectFrom("audit_event").select("hash").where("seq", "=", slot("seq"))
);

/** The hash of an entry as it stands there; undefined where there is none. Proves nothing. */
export async function hashAt(db: Db, seq: number): Promise<Uint8Array | undefined> {
  return seq === 0 ? BEGINNING.hash : (await selectHash(db, { seq }))[0]?.hash;
}

/** How the log contradicts what this process knows of it. */
async function findContradiction(
  db: Db,
  known: AuditHead | undefined,
  last: AuditHead,
): Promise<"cut" | "replaced" | undefined> {
  if (known === undefined) return undefined;
  if (last.seq < known.seq) return "cut";
  const hash = last.seq === known.seq ? last.hash : await hashAt(db, known.seq);
  return hash !== undefined && constantTimeEqual(hash, known.hash) ? undefined : "replaced";
}

/**
 * Looks at what others have appended: the last entry must be the service's own, and the last one that this process
 * knows must be there as it was; otherwise it stops all recording. Follows what the log says of itself, and answers
 * where it ends. Does not prove the entries between: `readOn` does.
 */
export async function catchUp(db: Db, vault: Vault): Promise<AuditHead> {
  const watch = watchOf(db);
  const { known } = watch;
  const [row] = await selectLast(db, {});
  const last = row === undefined ? BEGINNING : { seq: Number(row.seq), hash: row.hash };
  if (row !== undefined && !isHeadOfOurs(vault, last, row.mac)) {
    stop(watch, "forged", last.seq);
    return last;
  }
  // The entries are asked for before it is known whether they are of use: a way to the database is saved.
  const [contradiction, turns] = await Promise.all([
    findContradiction(db, known, last),
    last.seq === known?.seq ? [] : listTurns(db, vault, watch.turn),
  ]);
  if (contradiction !== undefined) {
    stop(watch, contradiction, known!.seq);
    return last;
  }
  for (const turn of turns) follow(watch, turn);
  see(watch, last);
  return last;
}
