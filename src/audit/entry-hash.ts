import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import { BEGINNING } from "./stored-entry.ts";

const selectHash = prepared((db, slot: Slot<{ readonly seq: number }>) =>
  db.selectFrom("audit_event").select("hash").where("seq", "=", slot("seq"))
);

/** Returns the stored hash of an entry, or undefined. Does not verify it. */
export async function hashAt(db: Db, seq: number): Promise<Uint8Array | undefined> {
  return seq === 0 ? BEGINNING.hash : (await selectHash(db, { seq }))[0]?.hash;
}
