import { acknowledgeRollback } from "../audit/rollback.ts";
import { verifyAudit } from "../audit/verify.ts";
import { findDamage } from "../db/check.ts";
import { openDatabase } from "../db/database.ts";
import type { Db } from "../db/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { primitives } from "../runtime/crypto.ts";
import { openSqlite, readSealKeyId } from "../runtime/sqlite.ts";
import { isDamaged } from "../runtime/sqlite-error.ts";
import { openVault, sealKeyIdOf } from "../vault/seed.ts";
import { verifyRows } from "../vault/verify-rows.ts";
import type { Places } from "./wiring/data-folder.ts";
import { openTee } from "./wiring/open-tee.ts";
import { StartRefusal } from "./refusal.ts";

/** What a copy of a database was found to hold. */
export interface Proof {
  readonly sealKeyId: string;
  readonly accounts: number;
  readonly keys: number;
  readonly auditEntries: number;
  readonly auditHead: string;
}

interface Means {
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * Proves that a service with this configuration could start over the copy of a database at `path`, and brings its
 * schema up to date: its seed opens under the present sealing key, its pages and references are whole, its audit chain
 * too, and the service wrote every row that grants authority. Its audit log then says that it was put back. Throws `StartRefusal` or another refusal otherwise. The
 * copy is the caller's own; whatever this leaves of it, its original is untouched.
 */
export async function proveCopy(path: string, places: Places, means: Means): Promise<Proof> {
  try {
    return await prove(path, places, means);
  } catch (cause) {
    if (!isDamaged(cause)) throw cause;
    throw new StartRefusal(`The backup is damaged: ${(cause as Error).message}`, { cause });
  }
}

async function prove(path: string, places: Places, means: Means): Promise<Proof> {
  const found = await readSealKeyId(path);
  if (typeof found === "string") throw new StartRefusal("The backup is no database of this service");
  const { tee, keySource } = await openTee(places, { absentKey: "refuse", random: means.random });
  if (await sealKeyIdOf(tee, primitives) !== found.sealKeyId) {
    throw new StartRefusal(
      `The backup was sealed under another key than that of ${keySource.place}: put that key there, restore, and` +
        " reseal to the present one",
    );
  }
  const db = await openDatabase(await openSqlite(path));
  try {
    await refuseDamage(db);
    const vault = await openVault(db, { tee, primitives, ...means });
    const audit = await verifyAudit(db, vault);
    if (audit.fault !== undefined) {
      throw new StartRefusal(
        `The backup's audit log is broken: entry ${audit.fault.seq} is ${audit.fault.kind}`,
      );
    }
    const counts = await verifyRows(db, vault);
    const forged = counts.filter((count) => count.forged > 0).map(({ kind, forged }) =>
      `${forged} of ${kind}`
    );
    if (forged.length > 0) {
      throw new StartRefusal(`The backup has rows that the service did not write: ${forged.join(", ")}`);
    }
    await acknowledgeRollback(db, vault, { cause: "restore", brokenAt: null, now: means.now });
    const rowsOf = (kind: string): number => counts.find((count) => count.kind === kind)?.rows ?? 0;
    return {
      sealKeyId: found.sealKeyId,
      accounts: rowsOf("account"),
      keys: rowsOf("ethereum_key"),
      auditEntries: audit.entries,
      auditHead: audit.head.toHex(),
    };
  } finally {
    await db.destroy();
  }
}

async function refuseDamage(db: Db): Promise<void> {
  const damage = await findDamage(db);
  if (damage.length > 0) throw new StartRefusal(`The backup is damaged: ${damage.join("; ")}`);
}
