import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import { findRow } from "../store/read.ts";
import { insertIfAbsent } from "../store/write.ts";
import type { SealedReleaseKey } from "../vault/release-key.ts";
import type { BrokerServices } from "./services.ts";

async function findKey(
  db: Db,
  { authority }: BrokerServices,
  workload: string,
): Promise<SealedReleaseKey | undefined> {
  return await findRow(db, authority, "release_key", "byWorkload", { workload });
}

/**
 * Returns a workload's sealed key, creating it the first time. Concurrent callers get the same key. Returns undefined
 * if an attacker inserted a row for the workload. Throws `DatabaseError` `inconsistent` if a key was deleted or
 * changed: a new key would not open what the first one sealed.
 */
export async function getReleaseKey(
  services: BrokerServices,
  { workload, now }: { readonly workload: string; readonly now: Instant },
): Promise<SealedReleaseKey | undefined> {
  const { db, groupCommit, vault, authority } = services;
  const found = await findKey(db, services, workload);
  if (found !== undefined) return found;
  const fresh = { workload, sealed: vault.makeReleaseKey(workload), created_at: now };
  return await groupCommit.run(async (tx) => {
    const present = await findKey(tx, services, workload);
    if (present !== undefined) return present;
    // Fails if the database has another row here: one that was inserted or changed by an attacker.
    const row = await insertIfAbsent(tx, authority, "release_key", "byWorkload", fresh);
    if (row === undefined) return undefined;
    const event = { event: "release_key_made", accountId: null, subject: workload, detail: {} } as const;
    await appendAudit(tx, vault, now, event);
    return row;
  });
}
