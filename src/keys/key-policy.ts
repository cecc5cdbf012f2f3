import type { KeyPolicyAct } from "../audit/key-events.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { HOUR, type Instant } from "../lib/time.ts";
import { openPolicyUse } from "../limits/policy-counters.ts";
import { canonicalPolicy, parsePolicy } from "../policy/canonical.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import { isStricterOrEqual } from "../policy/is-stricter-or-equal.ts";
import { replaceRow } from "../store/write.ts";
import { type KeyMaker, type KeyRow, nextRevision } from "./key-row.ts";
import { type PolicyState, toPolicyColumns } from "./policy-state.ts";

/** Parses a stored policy. It was validated before it was written under the row's MAC. */
export function storedPolicy(text: string | null): KeyPolicy | null {
  return text === null ? null : parsePolicy<KeyPolicy>(text);
}

/** Returns true if `after` is provably, by structure, at least as strict. Any policy is stricter than none. */
function isTighter(after: KeyPolicy | null, before: KeyPolicy | null): boolean {
  if (after === null || before === null) return after !== null;
  return isStricterOrEqual(after, before) && after.delayHours >= before.delayHours &&
    (after.locked || !before.locked);
}

/** Returns true if the owner cannot simply undo a change to this policy, because of a lock or a delay. */
function isHardToUndo(after: KeyPolicy | null): boolean {
  return after !== null && (after.locked || after.delayHours > 0);
}

/** A change of a key's policy, and the authentication that it requires. */
export interface PolicyStep {
  readonly act: KeyPolicyAct;
  readonly policyState: PolicyState;
  /** `passkey` means a sign-in, or a step-up for this action, of the last ten minutes. */
  readonly takes: "session" | "passkey";
}

/**
 * Plans a change to another policy or to none (null), from the state of `policyStateAt`. Returns undefined if nothing
 * changes. A stricter policy applies at once and cancels a pending change. Every other policy waits for the current
 * policy's delay and replaces a pending change. Throws `policy_locked`.
 */
export function planPolicy(
  policyState: PolicyState,
  wanted: KeyPolicy | null,
  now: Instant,
): PolicyStep | undefined {
  const before = storedPolicy(policyState.policy);
  const policy = wanted === null ? null : canonicalPolicy(wanted);
  if (policy === policyState.policy) return planCancellation(policyState);
  if (policy === policyState.change?.to) return undefined;
  if (isTighter(wanted, before)) {
    // A stricter policy keeps the lock and the delay of the one before.
    const takes = isHardToUndo(wanted) ? "passkey" : "session";
    return { act: "tightened", policyState: { policy, change: null }, takes };
  }
  // A change that is not stricter implies an existing policy.
  const { locked, delayHours } = before!;
  if (locked) {
    throw new ProtocolError("policy_locked", "Cannot change policy: it is locked, and this may allow more");
  }
  if (delayHours === 0) return { act: "loosened", policyState: { policy, change: null }, takes: "passkey" };
  const change = { to: policy, at: now + delayHours * HOUR };
  return { act: "asked", policyState: { policy: policyState.policy, change }, takes: "passkey" };
}

export function planCancellation({ policy, change }: PolicyState): PolicyStep | undefined {
  return change === null
    ? undefined
    : { act: "cancelled", policyState: { policy, change: null }, takes: "session" };
}

/**
 * Writes a key's policy state, and an audit entry with all of it for quotes, exports and repairs. `row` must be from
 * `getKeyRow` in this transaction.
 */
export async function writePolicyState(
  tx: Db,
  { vault, authority }: KeyMaker,
  row: KeyRow,
  { act, policyState }: Pick<PolicyStep, "act" | "policyState">,
  now: Instant,
): Promise<KeyRow> {
  const columns = { revision: nextRevision(row), ...toPolicyColumns(policyState) };
  const written = await replaceRow(tx, authority, "ethereum_key", row, columns);
  await openPolicyUse(tx, authority, { holderId: row.id, accountId: row.account_id, expiresAt: null });
  await appendAudit(tx, vault, now, {
    event: "key_policy_changed",
    accountId: row.account_id,
    subject: row.id,
    detail: {
      act,
      keyIndex: row.key_index,
      revision: columns.revision,
      policy: columns.policy,
      change: columns.policy_change,
      changeAt: columns.policy_change_at,
    },
  });
  return written;
}
