import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { SealedReleaseKey } from "../vault/release-key.ts";
import type { BrokerServices } from "./services.ts";

async function findRow(
  db: Db,
  { authority }: BrokerServices,
  workload: string,
): Promise<SealedReleaseKey | undefined> {
  const row = await db.selectFrom("release_key").selectAll().where("workload", "=", workload)
    .executeTakeFirst();
  return row !== undefined && authority.isAuthentic("release_key", row) ? row : undefined;
}

/** Whether the workload had a key at any time, or somebody put a row in its place. */
async function hadKey(tx: Db, workload: string): Promise<boolean> {
  const row = await tx.selectFrom("release_key").select("workload").where("workload", "=", workload)
    .executeTakeFirst();
  const made = await tx.selectFrom("audit_event").select("seq").where("event", "=", "release_key_made")
    .where("subject", "=", workload).limit(1).executeTakeFirst();
  return row !== undefined || made !== undefined;
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
  const found = await findRow(db, services, workload);
  if (found !== undefined) return found;
  const unsealed = { workload, sealed: await vault.makeReleaseKey(workload), created_at: now };
  const row = { ...unsealed, mac: authority.mac("release_key", unsealed) };
  return await groupCommit.run(async (tx) => {
    const present = await findRow(tx, services, workload);
    if (present !== undefined) return present;
    if (await hadKey(tx, workload)) return undefined;
    await tx.insertInto("release_key").values(row).execute();
    const event = { event: "release_key_made", accountId: null, subject: workload, detail: {} } as const;
    await appendAudit(tx, vault, now, event);
    return row;
  });
}
