import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual, utf8 } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { type AuditHead, BEGINNING } from "./stored-entry.ts";

const CHECKPOINT_ID = 1;

/** A verified entry, and `StateTags.encode` of the states up to it. */
export interface Checkpoint extends AuditHead {
  readonly stateTags: Uint8Array;
}

function checkpointMac(vault: Vault, seq: string, hash: Uint8Array, stateTags: Uint8Array): Uint8Array {
  return vault.keyedHash("audit-checkpoint", utf8(seq), hash, stateTags);
}

/**
 * Returns the last entry that was verified, or the beginning if there is no authentic checkpoint. An older checkpoint
 * restored by an attacker only costs the time to verify the following entries again.
 */
export async function readCheckpoint(db: Db, vault: Vault): Promise<Checkpoint> {
  const row = await db.selectFrom("audit_checkpoint")
    // As text, because it may not be a safe integer.
    .select(sql<string>`cast(seq as text)`.as("seq")).select(["hash", "state_tags", "mac"])
    .where("id", "=", CHECKPOINT_ID).executeTakeFirst();
  const isOurs = row !== undefined &&
    constantTimeEqual(checkpointMac(vault, row.seq, row.hash, row.state_tags), row.mac);
  return isOurs
    ? { seq: Number(row.seq), hash: row.hash, stateTags: row.state_tags }
    : { ...BEGINNING, stateTags: new Uint8Array() };
}

export async function writeCheckpoint(
  db: Db,
  vault: Vault,
  { seq, hash, stateTags }: Checkpoint,
): Promise<void> {
  const point = { seq, hash, state_tags: stateTags, mac: checkpointMac(vault, String(seq), hash, stateTags) };
  await db.insertInto("audit_checkpoint").values({ id: CHECKPOINT_ID, ...point })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(point)).execute();
}

/** Must be called when the log's content is replaced. */
export async function removeCheckpoint(tx: Db): Promise<void> {
  await tx.deleteFrom("audit_checkpoint").execute();
}
