import { type Account, findAnyAccount } from "../accounts/account.ts";
import { type Notification, prepareNotification } from "../accounts/notification.ts";
import type { AccountServices, RelyingParty } from "../accounts/services.ts";
import { requireNoCooldown } from "../accounts/recovery/recovery-state.ts";
import { consumeFreshness, requireFreshSession } from "../accounts/session/fresh-session.ts";
import type { SignedIn } from "../accounts/session/session.ts";
import { passInconsistent } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Throttle } from "../db/sweep.ts";
import { transaction } from "../db/transaction.ts";
import {
  planCancellation,
  planPolicy,
  type PolicyStep,
  storedPolicy,
  writePolicyState,
} from "./key-policy.ts";
import { getKeyRow, type KeyRow } from "./key-row.ts";
import { type EthereumKey, toKey } from "./key.ts";
import { type PolicyState, policyStateAt, toPolicyState } from "./policy-state.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { policyMail, type PolicyMailEvent } from "../mail/key-mail.ts";
import { describePolicy } from "../policy/describe.ts";
import type { KeyPolicy } from "../policy/policy.ts";
import { pageRows } from "../store/read.ts";

export type PolicyServices = AccountServices & { readonly mailer: Mailer };

type PolicyChangeServices = Pick<PolicyServices, "vault" | "authority" | "mailer">;

interface PolicyContext {
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
  /** Undefined when a change takes effect by time. */
  readonly requestedFrom: PolicyMailEvent["requestedFrom"];
}

export interface PolicyRequest extends PolicyContext {
  readonly signedIn: SignedIn;
  readonly keyId: string;
  readonly requestedFrom: NonNullable<PolicyMailEvent["requestedFrom"]>;
}

/**
 * Changes or removes (null) a key's policy and notifies the owner by mail. A stricter policy applies at once. Every
 * other change applies after the current policy's delay and replaces a pending one. Requesting the current policy
 * cancels a pending change. Requesting the pending one does nothing.
 *
 * Throws `fresh_session_required` and `recently_recovered`, except for a stricter policy without a lock and a delay.
 * Throws `policy_locked` and `not_found`. `db` must be the outer handle.
 */
export function setKeyPolicy(
  db: Db,
  services: PolicyServices,
  request: PolicyRequest,
  wanted: KeyPolicy | null,
): Promise<EthereumKey> {
  return changePolicyState(
    db,
    services,
    request,
    (policyState) => planPolicy(policyState, wanted, request.now),
  );
}

/**
 * Cancels a key's pending policy change and notifies the owner by mail. Throws `not_found` if none is pending or it
 * has taken effect. `db` must be the outer handle.
 */
export function cancelPolicyChange(
  db: Db,
  services: PolicyServices,
  request: PolicyRequest,
): Promise<EthereumKey> {
  return changePolicyState(db, services, request, (policyState) => {
    const step = planCancellation(policyState);
    if (step === undefined) throw new ProtocolError("not_found", "No change of this key's policy is pending");
    return step;
  });
}

async function changePolicyState(
  db: Db,
  services: PolicyServices,
  request: PolicyRequest,
  plan: (policyState: PolicyState) => PolicyStep | undefined,
): Promise<EthereumKey> {
  const { signedIn: { account }, keyId, now } = request;
  // Tries again if another request changed the key between the read and the transaction.
  for (;;) {
    const row = await getKeyRow(db, services, { accountId: account.id, keyId });
    if (await applyDueChange(db, services, request, { row, account })) continue;
    const step = plan(policyStateAt(toPolicyState(row), now));
    if (step === undefined) return toKey(row);
    const changed = await applyStep(db, services, request, { row, step });
    if (changed !== undefined) return changed;
  }
}

/** Returns undefined, without writing, if the row is not the one that the step was planned for. */
async function applyStep(
  db: Db,
  services: PolicyServices,
  request: PolicyRequest,
  { row, step }: { readonly row: KeyRow; readonly step: PolicyStep },
): Promise<EthereumKey | undefined> {
  const { signedIn: { session, account }, now } = request;
  const act = { session, action: `change_policy:${row.id}`, now } as const;
  if (step.takes === "passkey") requireFreshSession(act);
  const notification = preparePolicyNotification(services, account, request, { row, step });
  const written = await transaction(db, async (tx) => {
    if (await findSame(tx, services, row) === undefined) return undefined;
    await services.limits.take(tx, "key_policy", account.id, now);
    if (step.takes === "passkey") {
      await consumeFreshness(tx, services.authority, act);
      await requireNoCooldown(tx, services, { accountId: account.id, now });
    }
    await notification.enqueue(tx);
    return await writePolicyState(tx, services, row, step, now);
  });
  if (written === undefined) return undefined;
  notification.queued();
  return toKey(written);
}

/** Returns the key's row if it has not changed since it was read. */
async function findSame(tx: Db, services: PolicyChangeServices, row: KeyRow): Promise<KeyRow | undefined> {
  const present = await getKeyRow(tx, services, { accountId: row.account_id, keyId: row.id });
  return present.revision === row.revision ? present : undefined;
}

function preparePolicyNotification(
  services: PolicyChangeServices,
  account: Account,
  context: PolicyContext,
  { row, step: { act, policyState } }: {
    readonly row: KeyRow;
    readonly step: Pick<PolicyStep, "act" | "policyState">;
  },
): Notification {
  const policy = storedPolicy(policyState.change === null ? policyState.policy : policyState.change.to);
  return prepareNotification(services, account, context, (heading) =>
    policyMail(act, {
      ...heading,
      keyId: row.id,
      label: row.label,
      rules: policy === null ? undefined : describePolicy(policy, heading.language),
      changeAt: policyState.change?.at,
      requestedFrom: context.requestedFrom,
    }));
}

/** Records a policy change that has taken effect and notifies the owner. Returns true if there was one. */
async function applyDueChange(
  db: Db,
  services: PolicyChangeServices,
  context: PolicyContext,
  { row, account }: { readonly row: KeyRow; readonly account: Account },
): Promise<boolean> {
  const { now } = context;
  const policyState = policyStateAt(toPolicyState(row), now);
  if (row.policy_change === null || policyState.change !== null) return false;
  const step = { act: "took_effect", policyState } as const;
  const notification = preparePolicyNotification(
    services,
    account,
    { ...context, requestedFrom: undefined },
    { row, step },
  );
  const isWritten = await transaction(db, async (tx) => {
    const present = await findSame(tx, services, row);
    if (present === undefined) return false;
    await notification.enqueue(tx);
    await writePolicyState(tx, services, present, step, now);
    return true;
  });
  if (isWritten) notification.queued();
  return true;
}

const PAGE = 50;

/**
 * Records every policy change that has taken effect and notifies the owners. Uses a throttled transaction for each
 * key. Only the mails depend on it: signing evaluates policies by the clock (`policyStateAt`).
 */
export async function applyDuePolicyChanges(
  db: Db,
  services: PolicyChangeServices,
  context: Omit<PolicyContext, "requestedFrom">,
  throttle: Throttle,
): Promise<void> {
  let after = { policy_change_at: 0, id: "" };
  for (;;) {
    const rows = await pageRows(db, services.authority, "ethereum_key", "changing", {}, {
      after,
      limit: PAGE,
    });
    for (const row of rows) {
      if (row.policy_change_at! > context.now) return;
      await throttle(() => applyDueChangeToRow(db, services, { ...context, requestedFrom: undefined }, row))
        .catch(passInconsistent);
    }
    if (rows.length < PAGE) return;
    after = { policy_change_at: rows.at(-1)!.policy_change_at!, id: rows.at(-1)!.id };
  }
}

/** Ignores a key without an account: it cannot sign. */
async function applyDueChangeToRow(
  db: Db,
  services: PolicyChangeServices,
  context: PolicyContext,
  row: KeyRow,
): Promise<void> {
  const account = await findAnyAccount(db, services.authority, row.account_id);
  if (account === undefined) return;
  try {
    await applyDueChange(db, services, context, { row, account });
  } catch (error) {
    if (!(error instanceof ProtocolError && error.code === "not_found")) throw error;
  }
}
