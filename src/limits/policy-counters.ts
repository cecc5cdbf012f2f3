import type { Db } from "../db/schema/schema.ts";
import type { Instant } from "../lib/time.ts";
import { NO_COUNTS } from "../policy/counts.ts";
import type { Counts } from "../policy/counts.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { insertUnlessTaken, replaceRow, takeRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";

/** Whose policy counts: a token, a grant or a key, and until when it does. */
export interface PolicyHolder {
  readonly holderId: string;
  readonly accountId: string;
  /** Null where it does not end. */
  readonly expiresAt: Instant | null;
}

/** What was counted under a policy, as it stands in its row. */
export type PolicyUse = Authentic<"policy_use">;

/**
 * What a row's `counts` hold: how often they were written, and the counts. Counts alone become what they once were when
 * their window is over, and a process that remembers those as over would take them for put back.
 */
type Written = readonly [times: number, counts: Counts];

function readCounts({ counts }: PolicyUse): Written {
  return JSON.parse(counts) as Written;
}

/**
 * Begins to count for what has a policy; where that was begun already it goes on. Without it nothing can be signed under
 * a policy that counts anything: whoever deletes the row must not have it begin anew.
 */
export async function openPolicyUse(
  tx: Db,
  authority: RowAuthority,
  { holderId, accountId, expiresAt }: PolicyHolder,
): Promise<void> {
  await insertUnlessTaken(tx, authority, "policy_use", "byHolder", {
    holder_id: holderId,
    account_id: accountId,
    counts: JSON.stringify([0, NO_COUNTS] satisfies Written),
    expires_at: expiresAt,
  });
}

/**
 * What was counted; undefined where counting was not begun, and where the row is not ours or not the latest that the
 * process knows.
 */
export async function findPolicyUse(
  db: Db,
  authority: RowAuthority,
  holderId: string,
): Promise<PolicyUse | undefined> {
  return await findRow(db, authority, "policy_use", "byHolder", { holder_id: holderId });
}

/** The counts of a row. */
export function countsOf(use: PolicyUse): Counts {
  const [, counts] = readCounts(use);
  return counts;
}

/** Writes what is counted now over what was read in this transaction. */
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

/** Forgets what was counted for what is gone for ever. */
export async function closePolicyUse(tx: Db, authority: RowAuthority, holderId: string): Promise<void> {
  await takeRow(tx, authority, "policy_use", "byHolder", { holder_id: holderId });
}
