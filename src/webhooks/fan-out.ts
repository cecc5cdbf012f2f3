import { followEntries } from "../audit/follow-entries.ts";
import type { StoredEntry } from "../audit/stored-entry.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { trimSettled } from "../db/deliveries.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import { DAY, type Instant, toIso } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { countUnverifiedRows, listRows } from "../store/read.ts";
import { insertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

// Deliveries are made from the audit log, which is committed with each act: a signature waits for no webhook.

/** The time for which a delivery is tried. */
export const DELIVERY_LIFETIME = DAY;

/** The number of latest deliveries that can be seen, and sent again. */
export const LATEST = 100;

/** The most deliveries that wait for one receiver. Further events are dropped until it accepts some. */
export const MOST_WAITING = 1000;

export interface FanOutServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly groupCommit: GroupCommit;
  readonly random: RandomBytes;
  readonly log: Log;
}

/**
 * Creates the deliveries of the next entries of the audit log. Returns true if there may be more entries. An entry that
 * is not authentic, or older than the webhook, is left out.
 */
export async function createDeliveries(db: Db, services: FanOutServices, now: Instant): Promise<boolean> {
  return await followEntries(db, services, "webhook", () => true, async (tx, entries) => {
    const webhooks = await listRows(tx, services.authority, "webhook", "all", {});
    for (const webhook of webhooks) await createFor(tx, services, { webhook, entries, now });
  });
}

async function createFor(
  tx: Db,
  { authority, random, log }: FanOutServices,
  { webhook, entries, now }: {
    readonly webhook: Authentic<"webhook">;
    readonly entries: readonly StoredEntry[];
    readonly now: Instant;
  },
): Promise<void> {
  const names = new Set(webhook.events.split(" "));
  const wanted = entries.filter((entry) =>
    names.has(entry.event) && Number(entry.at) >= webhook.created_at &&
    (webhook.subject === null || entry.account_id === webhook.subject)
  );
  if (wanted.length === 0) return;
  const waiting = await countUnverifiedRows(tx, "webhook_delivery", "ofWebhookInState", {
    webhook_id: webhook.id,
    state: "waiting",
  });
  const room = Math.max(0, MOST_WAITING - waiting);
  for (const entry of wanted.slice(0, room)) {
    await insertRow(tx, authority, "webhook_delivery", {
      id: newId("delivery", random),
      webhook_id: webhook.id,
      body: bodyOf(entry),
      created_at: now,
      state: "waiting",
      expires_at: now + DELIVERY_LIFETIME,
      attempts: 0,
      next_attempt_at: now,
      result: null,
      settled_at: null,
    });
  }
  await trimSettled(tx, webhook.id, LATEST);
  const dropped = wanted.length - Math.min(room, wanted.length);
  if (dropped > 0) log("warn", "webhook_dropped", { webhook: webhook.id, events: dropped });
}

/** The payload of Standard Webhooks: type, time of the event, and data. */
function bodyOf({ event, at, account_id, subject, detail }: StoredEntry): string {
  const data = { accountId: account_id, subject, ...JSON.parse(detail) as object };
  return JSON.stringify({ type: event, timestamp: toIso(Number(at)), data });
}
