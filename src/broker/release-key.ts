import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import { findRow } from "../store/read.ts";
import { insertUnlessTaken } from "../store/write.ts";
import type { SealedReleaseKey } from "../vault/release-key.ts";
import type { BrokerServices } from "./services.ts";

async function findKey(
  db: Db,
  { authority }: BrokerServices,
  workload: string,
): Promise<SealedReleaseKey | undefined> {
  return await findRow(db, authority, "release_key", "byWorkload", { workload });
}

/** Whether the workload had a key at any time, by the log. */
async function hadKey(tx: Db, workload: string): Promise<boolean> {
  const made = await tx.selectFrom("audit_event").select("seq").where("event", "=", "release_key_made")
    .where("subject", "=", workload).limit(1).executeTakeFirst();
  return made !== undefined;
}

/**
 * A workload's sealing key, still sealed; the first time it is made, and those that meet agree on one. Undefined where
 * there was a key that is gone or was changed: a second one would open nothing that the first one sealed.
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
    if (await hadKey(tx, workload)) return undefined;
    // Somebody may have put a row in its place, or changed the one that stood there.
    const row = await insertUnlessTaken(tx, authority, "release_key", "byWorkload", fresh);
    if (row === undefined) return undefined;
    const event = { event: "release_key_made", accountId: null, subject: workload, detail: {} } as const;
    await appendAudit(tx, vault, now, event);
    return row;
  });
}
