import type { KeyPolicyAct } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { HOUR } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { openPolicyUse } from "../limits/policy-counters.ts";
import { canonicalPolicy, parsePolicy } from "../policy/canonical.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import { isWithin } from "../policy/is-stricter-or-equal.ts";
import { replaceRow } from "../store/write.ts";
import { nextRevision } from "./key-row.ts";
import type { KeyMaker, KeyRow } from "./key-row.ts";
import { toTermColumns } from "./policy-state.ts";
import type { PolicyTerms } from "./policy-state.ts";

/** A policy as it stands in a key's terms: its text was read before it was written under the row's MAC. */
export function storedPolicy(text: string | null): KeyPolicy | null {
  return text === null ? null : parsePolicy<KeyPolicy>(text);
}

/**
 * Whether a policy takes from what another one allows, and gives nothing: provably so, by structure. A first policy
 * does; no policy at all never does.
 */
function isTighter(after: KeyPolicy | null, before: KeyPolicy | null): boolean {
  if (after === null || before === null) return after !== null;
  return isWithin(after, before) && after.delayHours >= before.delayHours && (after.locked || !before.locked);
}

/** Whether a tighter policy is harder to get rid of than the one before: for ever, or for longer. */
function isHarder(after: KeyPolicy | null, before: KeyPolicy | null): boolean {
  if (after === null) return false;
  return (after.locked && before?.locked !== true) || after.delayHours > (before?.delayHours ?? 0);
}

/** What is to become of a key's terms, and what it takes of whoever asks for it. */
export interface PolicyStep {
  readonly act: KeyPolicyAct;
  readonly terms: PolicyTerms;
  /** `passkey`: a sign-in, or a step-up for this, of the last ten minutes. */
  readonly takes: "session" | "passkey";
}

/**
 * What asking for another policy, or for none (null), comes to under the terms that hold now (`termsAt`); undefined where
 * all stays as it is. Tighter ones count at once and end a change that waits; what cannot be proven to be tighter waits
 * for the hours of the present one, and takes the place of what waited; what waits already goes on waiting as it was
 * asked for. Throws `policy_locked`.
 */
export function planPolicy(
  terms: PolicyTerms,
  wanted: KeyPolicy | null,
  now: Instant,
): PolicyStep | undefined {
  const before = storedPolicy(terms.policy);
  const policy = wanted === null ? null : canonicalPolicy(wanted);
  if (policy === terms.policy) return planCancellation(terms);
  if (policy === terms.change?.to) return undefined;
  if (isTighter(wanted, before)) {
    const takes = isHarder(wanted, before) ? "passkey" : "session";
    return { act: "tightened", terms: { policy, change: null }, takes };
  }
  // Only from a policy on can it become looser.
  const { locked, delayHours } = before!;
  if (locked) {
    throw new ProtocolError("policy_locked", "Cannot change policy: it is locked, and this may allow more");
  }
  if (delayHours === 0) return { act: "loosened", terms: { policy, change: null }, takes: "passkey" };
  const change = { to: policy, at: now + delayHours * HOUR };
  return { act: "asked", terms: { policy: terms.policy, change }, takes: "passkey" };
}

/** What it comes to that a change is not to be; undefined where none waits. */
export function planCancellation({ policy, change }: PolicyTerms): PolicyStep | undefined {
  return change === null
    ? undefined
    : { act: "cancelled", terms: { policy, change: null }, takes: "session" };
}

/**
 * Writes what becomes of a key's terms, with the entry that says all of it: a row from before is known by that. The row
 * must have been read by `getKeyRow` in this transaction.
 */
export async function writeTerms(
  tx: Db,
  { vault, authority }: KeyMaker,
  row: KeyRow,
  { act, terms }: Pick<PolicyStep, "act" | "terms">,
  now: Instant,
): Promise<KeyRow> {
  const columns = { revision: nextRevision(row), ...toTermColumns(terms) };
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
