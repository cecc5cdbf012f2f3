import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual, utf8 } from "../lib/bytes.ts";
import type { Vault } from "../vault/vault.ts";
import { BEGINNING } from "./stored-entry.ts";
import type { AuditHead } from "./stored-entry.ts";

/** The one row. */
const CHECKPOINT_ID = 1;

function checkpointMac(vault: Vault, seq: string, hash: Uint8Array): Uint8Array {
  return vault.keyedHash("audit-checkpoint", utf8(seq), hash);
}

/**
 * The entry up to which the log was proven; the beginning where nothing tells of one, or somebody else does. An older
 * one put back costs only the time to prove what follows it again.
 */
export async function readCheckpoint(db: Db, vault: Vault): Promise<AuditHead> {
  const row = await db.selectFrom("audit_checkpoint")
    // As text, because nobody has looked yet whether it is a safe integer.
    .select(sql<string>`cast(seq as text)`.as("seq")).select(["hash", "mac"])
    .where("id", "=", CHECKPOINT_ID).executeTakeFirst();
  const isOurs = row !== undefined && constantTimeEqual(checkpointMac(vault, row.seq, row.hash), row.mac);
  return isOurs ? { seq: Number(row.seq), hash: row.hash } : BEGINNING;
}

/** Notes that the log was proven up to an entry. */
export async function writeCheckpoint(db: Db, vault: Vault, { seq, hash }: AuditHead): Promise<void> {
  const point = { seq, hash, mac: checkpointMac(vault, String(seq), hash) };
  await db.insertInto("audit_checkpoint").values({ id: CHECKPOINT_ID, ...point })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(point)).execute();
}

/** Forgets how far the log was proven: for whoever goes on over another one. */
export async function removeCheckpoint(tx: Db): Promise<void> {
  await tx.deleteFrom("audit_checkpoint").execute();
}
