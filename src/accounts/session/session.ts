import { appendAudit } from "../../audit/log.ts";
import { SESSION_IDLE_LIFETIME } from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY, MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { rowsBeyond } from "../../store/over-limit.ts";
import { insertRow, replaceIfUnchanged } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { rememberDevice } from "./known-browser.ts";
import type { Whereabouts } from "./known-browser.ts";
import { findAccount } from "../account.ts";
import type { Account } from "../account.ts";
import { handOverApplications } from "./application-session.ts";
import { endSessionRows } from "./logout-notification.ts";
import type { Ending } from "./logout-notification.ts";
import type { StepUpAction } from "./step-up-action.ts";
import { formatToken, hashSecret, newTimedToken, readToken, secretMatches } from "./bearer-secret.ts";

/** The longest a session lives, however busy. */
export const SESSION_LIFETIME = 30 * DAY;

/** Most sessions an account may have; a further one ends the one unused for longest. */
export const SESSION_LIMIT = 50;

/** How stale `last_seen_at` may grow before a request writes: a write on each request would cost more than the request. */
const TOUCH_INTERVAL = 5 * MINUTE;

/** A signed-in browser. */
export interface Session {
  readonly id: string;
  readonly accountId: string;
  readonly passkeyId: string;
  readonly deviceId: string;
  /** Browser and system that it was opened from. */
  readonly device: string;
  /** The network that it was opened from. */
  readonly network: string;
  readonly createdAt: Instant;
  /** When the passkey was used to sign in. */
  readonly authenticatedAt: Instant;
  /** What the passkey was used for since, if that is not done yet. */
  readonly stepUp: { readonly action: StepUpAction; readonly at: Instant } | undefined;
  readonly expiresAt: Instant;
}

/** Who a session token speaks for. */
export interface SignedIn {
  readonly session: Session;
  readonly account: Account;
}

/** A session as it stands in its row. */
export function toSession(row: Authentic<"session">): Session {
  const { step_up_action: action, stepped_up_at: at } = row;
  return {
    id: row.id,
    accountId: row.account_id,
    passkeyId: row.passkey_id,
    deviceId: row.device_id,
    device: row.device,
    network: row.network,
    createdAt: row.created_at,
    authenticatedAt: row.authenticated_at,
    // Written by `finishStepUp` under the row's MAC, so one that was read.
    stepUp: action === null || at === null ? undefined : { action: action as StepUpAction, at },
    expiresAt: row.expires_at,
  };
}

/** Whether a session has reached neither its absolute end nor its idle one. */
export function isLive(row: Authentic<"session">, now: Instant): boolean {
  return row.expires_at > now && row.last_seen_at + SESSION_IDLE_LIFETIME > now;
}

/** A session that has just begun. */
export interface IssuedSession {
  /** Its token, which is stored only as a hash. */
  readonly token: string;
  readonly session: Session;
  /** Whether the account did not know the browser before. */
  readonly isNewDevice: boolean;
}

/**
 * Starts a session for a passkey that was just used, and remembers the browser. Id and secret are always new: nothing
 * the browser brought is taken over. Does not check the passkey.
 */
export async function issueSession(
  tx: Db,
  authority: RowAuthority,
  value: { accountId: string; passkeyId: string; from: Whereabouts; now: Instant; random: RandomBytes },
): Promise<IssuedSession> {
  const { accountId, now, from: { device, network, deviceHash } } = value;
  const known = await rememberDevice(tx, authority, { ...value, deviceHash });
  const all = { account_id: accountId };
  const tooMany = await rowsBeyond(tx, authority, "session", "latestOfAccount", all, SESSION_LIMIT - 1);
  await endSessionRows(tx, authority, tooMany, value);
  const token = newTimedToken("session", value);
  const row = await insertRow(tx, authority, "session", {
    id: token.id,
    secret_hash: hashSecret(token.secret),
    account_id: accountId,
    passkey_id: value.passkeyId,
    device_id: known.id,
    device,
    network,
    created_at: now,
    authenticated_at: now,
    step_up_action: null,
    stepped_up_at: null,
    expires_at: now + SESSION_LIFETIME,
    last_seen_at: now,
  });
  return { token: formatToken(token), session: toSession(row), isNewDevice: known.isNew };
}

/**
 * Who the token speaks for at this time; undefined when it speaks for nobody (any more). Secret, both rows'
 * authenticity, absolute and idle end are checked. Use is noted at most once in five minutes. Two lookups by primary
 * key: a join was measured to cost more.
 */
export async function findSession(
  db: Db,
  authority: RowAuthority,
  { token, now }: { token: string; now: Instant },
): Promise<SignedIn | undefined> {
  const read = readToken(token, "session");
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "session", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash) || !isLive(row, now)) {
    return undefined;
  }
  const account = await findAccount(db, authority, row.account_id);
  if (account === undefined) return undefined;
  // Of many requests at once one writes.
  if (row.last_seen_at + TOUCH_INTERVAL <= now) {
    await replaceIfUnchanged(db, authority, "session", row, { last_seen_at: now });
  }
  return { session: toSession(row), account };
}

/** Whether a session has not ended since the request came in. For the transaction that acts. */
export async function isSessionThere(
  tx: Db,
  authority: RowAuthority,
  { accountId, id }: Pick<Session, "accountId" | "id">,
): Promise<boolean> {
  const asked = { account_id: accountId, id };
  return await findRow(tx, authority, "session", "ofAccountById", asked) !== undefined;
}

/** The same for whoever cannot go on without it: throws `authentication_required`. */
export async function requireSession(
  tx: Db,
  authority: RowAuthority,
  session: Pick<Session, "accountId" | "id">,
): Promise<void> {
  if (!await isSessionThere(tx, authority, session)) {
    throw new ProtocolError("authentication_required", "Sign in first");
  }
}

/**
 * Ends a session. Its token is worth nothing from the commit on, and its applications are told; those of a session whose
 * place another of the same account takes (`successor`) are not: for them it goes on. Ending one that is gone does
 * nothing.
 */
export async function revokeSession(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  { session, successor, now, random }: { session: Session; successor?: Session } & Ending,
): Promise<void> {
  await transaction(db, async (tx) => {
    const find = ({ accountId, id }: Session) =>
      findRow(tx, authority, "session", "ofAccountById", { account_id: accountId, id });
    const row = await find(session);
    if (row === undefined) return;
    const isSamePerson = successor?.accountId === session.accountId;
    const heir = isSamePerson ? await find(successor) : undefined;
    if (heir !== undefined) await handOverApplications(tx, authority, { from: row.id, to: heir.id });
    await endSessionRows(tx, authority, [row], { now, random });
    await appendAudit(tx, vault, now, {
      event: "signed_out",
      accountId: session.accountId,
      subject: session.id,
      detail: {},
    });
  });
}
