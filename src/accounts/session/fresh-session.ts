import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { isRecent, MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { findRow, listRows } from "../../store/read.ts";
import { replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { toSession } from "./session.ts";
import type { Session } from "./session.ts";
import type { StepUpAction } from "./step-up-action.ts";

/** How old a sign-in, or a step-up, may be for what a stolen cookie must not do. */
export const FRESH_LIFETIME = 10 * MINUTE;

const NO_STEP_UP = { step_up_action: null, stepped_up_at: null } as const;

/** Something that whoever is signed in is about to do. */
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
    "Sign in again to do this, or confirm it with a passkey: the sign-in is over 10 minutes old",
  );
}

/**
 * Throws `fresh_session_required` unless the person signed in, or stepped up for this action, within the last ten
 * minutes. Uses nothing up: for whoever only begins.
 */
export function requireFreshSession(act: FreshAct): void {
  if (!isFreshFor(act)) throw stale();
}

/** Whether `requireFreshSession` lets it pass. */
export function isFreshFor(act: FreshAct): boolean {
  return isRecent(act.session.authenticatedAt, act.now, FRESH_LIFETIME) || isSteppedUp(act.session, act);
}

/**
 * The same in the transaction that does it, by the session as it stands there: one that ended since the request came in
 * does nothing more (`authentication_required`), for what it could still do would outlive its end. A step-up serves
 * once: it is taken off the session by compare-and-set, so that of two that want it at once one gets it.
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

/**
 * Takes away what the account's sessions were stepped up for and have not done yet. A row that somebody edited stays as
 * it is: it allows nothing.
 */
export async function withdrawStepUps(tx: Db, authority: RowAuthority, accountId: string): Promise<void> {
  const rows = await listRows(tx, authority, "session", "latestOfAccount", { account_id: accountId });
  for (const row of rows) {
    if (row.step_up_action !== null) await replaceRow(tx, authority, "session", row, NO_STEP_UP);
  }
}
