import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { type Instant, isRecent, MINUTE } from "../../lib/time.ts";
import { findRow, listRows } from "../../store/read.ts";
import { replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { type Session, toSession } from "./session.ts";
import type { StepUpAction } from "./step-up-action.ts";

/** The maximum age of a sign-in or step-up for an act that a stolen cookie must not allow. */
export const FRESH_LIFETIME = 10 * MINUTE;

const NO_STEP_UP = { step_up_action: null, stepped_up_at: null } as const;

export interface FreshAct {
  readonly session: Session;
  readonly action: StepUpAction;
  readonly now: Instant;
}

function isSteppedUp({ stepUp }: Session, { action, now }: FreshAct): boolean {
  return stepUp !== undefined && stepUp.action === action && isRecent(stepUp.at, now, FRESH_LIFETIME);
}

function stale(): ProtocolError {
  return new ProtocolError(
    "fresh_session_required",
    "You signed in more than 10 minutes ago: sign in again, or confirm with a passkey",
  );
}

/**
 * Throws `fresh_session_required` unless the user signed in, or stepped up for this action, within the last ten
 * minutes. Does not use the step-up: call it to begin an operation.
 */
export function requireFreshSession(act: FreshAct): void {
  if (!isFreshFor(act)) throw stale();
}

export function isFreshFor(act: FreshAct): boolean {
  return isRecent(act.session.authenticatedAt, act.now, FRESH_LIFETIME) || isSteppedUp(act.session, act);
}

/**
 * Like `requireFreshSession`, for the transaction that acts, with the session's current row. Throws
 * `authentication_required` if the session ended during the request, because its act would outlive it. Uses the
 * step-up by compare-and-set, so that only one of two concurrent requests gets it.
 */
export async function consumeFreshness(tx: Db, authority: RowAuthority, act: FreshAct): Promise<void> {
  const { accountId, id } = act.session;
  const row = await findRow(tx, authority, "session", "ofAccountById", { account_id: accountId, id });
  if (row === undefined) {
    throw new ProtocolError("authentication_required", "Sign in first");
  }
  requireFreshSession({ ...act, session: toSession(row) });
  if (isRecent(row.authenticated_at, act.now, FRESH_LIFETIME)) return;
  await replaceRow(tx, authority, "session", row, NO_STEP_UP);
}

/** Withdraws unused step-ups. Skips rows that are not authentic: they grant nothing. */
export async function withdrawStepUps(tx: Db, authority: RowAuthority, accountId: string): Promise<void> {
  const rows = await listRows(tx, authority, "session", "latestOfAccount", { account_id: accountId });
  for (const row of rows) {
    if (row.step_up_action !== null) await replaceRow(tx, authority, "session", row, NO_STEP_UP);
  }
}
