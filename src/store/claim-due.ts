import type { Db, Tables } from "../db/schema/schema.ts";
import { yieldToEventLoop } from "../lib/cooperative.ts";
import { LEASE, MOST_ATTEMPTS } from "../lib/delivery.ts";
import type { Instant } from "../lib/time.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Authentic } from "./authentic.ts";
import type { ListKey, Place } from "./lookups.ts";
import { pageRows } from "./read.ts";
import { replaceIfUnchanged, type RowChange } from "./write.ts";

/** The kinds of rows that another server must accept. */
export type DeliveryKind = "logout_notice" | "webhook_delivery" | "push_delivery";

/** The number of due rows read at a time to find those of other receivers. */
const PAGE = 100;

/**
 * Claims up to `limit` due rows, at most `mostOfReceiver` in flight for each receiver, and leases them to this process.
 * If the process dies, another one delivers them after the lease, possibly a second time.
 */
export async function claimDue<K extends DeliveryKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  { limit, inFlight, receiverOf, mostOfReceiver, now }: {
    readonly limit: number;
    readonly inFlight: readonly Authentic<K>[];
    readonly receiverOf: (row: Authentic<K>) => string;
    readonly mostOfReceiver: number;
    readonly now: Instant;
  },
): Promise<readonly Authentic<K>[]> {
  const claimed: Authentic<K>[] = [];
  let after: Place<K, "due"> | undefined;
  for (;;) {
    const page = await pageRows(db, authority, kind, "due", {} as ListKey<K, "due">, { after, limit: PAGE });
    for (const row of page) {
      const { next_attempt_at, expires_at, attempts } = row as unknown as Tables[DeliveryKind];
      if (next_attempt_at > now || claimed.length === limit) return claimed;
      const isDead = expires_at <= now || attempts >= MOST_ATTEMPTS;
      const receiver = receiverOf(row);
      const busy = [...inFlight, ...claimed].filter((other) => receiverOf(other) === receiver).length;
      if (isDead || busy >= mostOfReceiver) continue;
      const change = { attempts: attempts + 1, next_attempt_at: now + LEASE } as RowChange<K>;
      const mine = await replaceIfUnchanged(db, authority, kind, row, change);
      if (mine !== undefined) claimed.push(mine);
    }
    if (page.length < PAGE) return claimed;
    after = page.at(-1) as Place<K, "due"> | undefined;
    // Tens of thousands of rows can wait for a slow receiver.
    await yieldToEventLoop();
  }
}
