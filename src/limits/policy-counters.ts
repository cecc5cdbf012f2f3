import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import { type Counts, NO_COUNTS, type Slot, usedUpCounts } from "../policy/counts.ts";
import type { Policy } from "../policy/policy.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { consumeRow, insertIfAbsent, type NewRow, replaceRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";

/** The owner of policy counters: an API token, grant or key. */
export interface PolicyHolder {
  readonly holderId: string;
  readonly accountId: string;
  /** Null for a key, which does not expire. */
  readonly expiresAt: Instant | null;
}

export type PolicyUse = Authentic<"policy_use">;

/**
 * The content of the `counts` column: the number of writes, and the counters. Counters alone would return to an
 * earlier value when their window ends. A process that remembers that version as spent would reject the row as
 * restored.
 */
type Written = readonly [times: number, counts: Counts];

/** A counter as written before budgets had several windows: each had one, and that of a budget was the day. */
interface FormerCount {
  readonly from: Instant;
  readonly used: string;
}

function readCounts({ counts }: PolicyUse): Written {
  const [times, written] = JSON.parse(counts) as [number, Record<string, readonly Slot[] | FormerCount>];
  const entries = Object.entries(written).map(([name, count]): [string, readonly Slot[]] =>
    "from" in count
      ? [name.startsWith("/budgets/") ? `${name}/perDay` : name, [[count.from, count.used]]]
      : [name, count]
  );
  return [times, Object.fromEntries(entries)];
}

/** Keeps an existing row. Without one every counted signature is refused, so deleting it does not reset counters. */
export async function openPolicyUse(
  tx: Db,
  authority: RowAuthority,
  { holderId, accountId, expiresAt }: PolicyHolder,
): Promise<void> {
  await insertIfAbsent(tx, authority, "policy_use", "byHolder", {
    holder_id: holderId,
    account_id: accountId,
    counts: JSON.stringify([0, NO_COUNTS] satisfies Written),
    expires_at: expiresAt,
  });
}

/** Returns the row of a holder whose counts were lost: everything counts as used. */
export function usedUpPolicyUse(
  { holderId, accountId, expiresAt }: PolicyHolder,
  policy: Policy,
  now: Instant,
): NewRow<"policy_use"> {
  const counts = JSON.stringify([0, usedUpCounts(policy, now)] satisfies Written);
  return { holder_id: holderId, account_id: accountId, counts, expires_at: expiresAt };
}

/** Returns undefined if the row is missing, not authentic, or older than the process knows. */
export async function findPolicyUse(
  db: Db,
  authority: RowAuthority,
  holderId: string,
): Promise<PolicyUse | undefined> {
  return await findRow(db, authority, "policy_use", "byHolder", { holder_id: holderId });
}

export function countsOf(use: PolicyUse): Counts {
  const [, counts] = readCounts(use);
  return counts;
}

export async function noteCounts(
  tx: Db,
  authority: RowAuthority,
  use: PolicyUse,
  counts: Counts,
): Promise<void> {
  const [times] = readCounts(use);
  const written: Written = [times + 1, counts];
  await replaceRow(tx, authority, "policy_use", use, { counts: JSON.stringify(written) });
}

export async function closePolicyUse(tx: Db, authority: RowAuthority, holderId: string): Promise<void> {
  await consumeRow(tx, authority, "policy_use", "byHolder", { holder_id: holderId });
}
