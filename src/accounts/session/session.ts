import { appendAudit } from "../../audit/log.ts";
import { SESSION_IDLE_LIFETIME } from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, hasRow } from "../../store/read.ts";
import { listRowsOverLimit } from "../../store/over-limit.ts";
import { insertRow, replaceIfUnchanged } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import { recordDevice, type SignInOrigin } from "./known-browser.ts";
import { type Account, findAccount } from "../account.ts";
import { handOverApplications } from "./application-session.ts";
import { type EndingContext, endSessionRows } from "./logout-notification.ts";
import { handOverPushSubscription } from "./push-subscription.ts";
import type { SessionLifetimes } from "./session-lifetimes.ts";
import type { StepUpAction } from "./step-up-action.ts";
import {
  formatSessionToken,
  hashSecret,
  newSessionToken,
  readSessionToken,
  secretMatches,
} from "./bearer-secret.ts";

/** The absolute lifetime of a session, unless the operator chose another. */
export const SESSION_LIFETIME = 30 * DAY;

const USUAL_SESSION: SessionLifetimes = { longest: SESSION_LIFETIME, idle: SESSION_IDLE_LIFETIME };

/** The time without use after which a session on a shared computer ends, at most. */
const SHARED_IDLE = HOUR;

/** Maximum number of sessions for each account. A further one ends the least recently used. */
export const SESSION_LIMIT = 50;

/**
 * The maximum staleness of `last_seen_at`, and less for a short session. A write on each request would cost more than
 * the request.
 */
const TOUCH_INTERVAL = 5 * MINUTE;

export interface Session {
  readonly id: string;
  readonly accountId: string;
  readonly passkeyId: string;
  readonly deviceId: string;
  readonly device: string;
  readonly network: string;
  readonly createdAt: Instant;
  readonly authenticatedAt: Instant;
  /** The unused step-up, if any. */
  readonly stepUp: { readonly action: StepUpAction; readonly at: Instant } | undefined;
  readonly expiresAt: Instant;
  /** True if its cookie ends with the browser. */
  readonly isShared: boolean;
}

export interface SignedIn {
  readonly session: Session;
  readonly account: Account;
}

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
    // `finishStepUp` wrote it under the row's MAC, so it is a valid action.
    stepUp: action === null || at === null ? undefined : { action: action as StepUpAction, at },
    expiresAt: row.expires_at,
    isShared: row.is_shared === 1,
  };
}

function idleOf({ idle_ms: idle }: Authentic<"session">): number {
  return idle ?? SESSION_IDLE_LIFETIME;
}

export function isLive(row: Authentic<"session">, now: Instant): boolean {
  return row.expires_at > now && row.last_seen_at + idleOf(row) > now;
}

/** Returns the account of a session. Returns undefined if the session has ended, or the account is disabled. */
export async function findAccountOfSession(
  db: Db,
  authority: RowAuthority,
  where: { readonly account_id: string; readonly id: string },
  now: Instant,
): Promise<Account | undefined> {
  const session = await findRow(db, authority, "session", "ofAccountById", where);
  if (session === undefined || !isLive(session, now)) return undefined;
  return await findAccount(db, authority, where.account_id);
}

export interface IssuedSession {
  readonly token: string;
  readonly session: Session;
  readonly isNewDevice: boolean;
}

/** Records the browser. Id and secret are always new, against session fixation. Does not verify the passkey. */
export async function issueSession(
  tx: Db,
  authority: RowAuthority,
  value: {
    accountId: string;
    passkeyId: string;
    from: SignInOrigin;
    /** The usual ones by default. */
    lifetimes?: SessionLifetimes | undefined;
    /** True on a shared computer. */
    isShared?: boolean | undefined;
    now: Instant;
    random: RandomBytes;
  },
): Promise<IssuedSession> {
  const { lifetimes: { longest, idle } = USUAL_SESSION, isShared = false } = value;
  const { accountId, now, from: { device, network, deviceHash } } = value;
  const known = await recordDevice(tx, authority, { ...value, deviceHash });
  const all = { account_id: accountId };
  const tooMany = await listRowsOverLimit(
    tx,
    authority,
    "session",
    "latestOfAccount",
    all,
    SESSION_LIMIT - 1,
  );
  await endSessionRows(tx, authority, tooMany, value);
  const token = newSessionToken(value);
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
    expires_at: now + longest,
    last_seen_at: now,
    idle_ms: isShared ? Math.min(idle, SHARED_IDLE) : idle,
    is_shared: isShared ? 1 : null,
  });
  return { token: formatSessionToken(token), session: toSession(row), isNewDevice: known.isNew };
}

/**
 * Returns the session and account of a token. Checks the secret, the authenticity of both rows, and absolute and idle
 * expiry. Returns undefined if one of the checks fails or the account is disabled. Records the use at most once in
 * five minutes. Uses two lookups by primary key: a join was measured to cost more.
 */
export async function findSession(
  db: Db,
  authority: RowAuthority,
  { token, now }: { token: string; now: Instant },
): Promise<SignedIn | undefined> {
  const read = readSessionToken(token);
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "session", "ofAccountById", {
    account_id: read.accountId,
    id: read.id,
  });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash) || !isLive(row, now)) {
    return undefined;
  }
  const account = await findAccount(db, authority, row.account_id);
  if (account === undefined) return undefined;
  // Of many concurrent requests only one writes.
  if (row.last_seen_at + Math.min(TOUCH_INTERVAL, idleOf(row) / 60) <= now) {
    await replaceIfUnchanged(db, authority, "session", row, { last_seen_at: now });
  }
  return { session: toSession(row), account };
}

/** Returns true if the session has not ended since the request began. Call it in the transaction that acts. */
export async function isSessionThere(
  tx: Db,
  authority: RowAuthority,
  { accountId, id }: Pick<Session, "accountId" | "id">,
): Promise<boolean> {
  return await hasRow(tx, authority, "session", { account_id: accountId, id });
}

/** Throws `authentication_required` if `isSessionThere` is false. */
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
 * Ends a session and notifies its clients. If another session of the same account replaces it (`successor`), moves
 * its clients and its push subscription to that one instead. Does nothing if the session is gone.
 */
export async function revokeSession(
  db: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  { session, successor, now, random }: { session: Session; successor?: Session } & EndingContext,
): Promise<void> {
  await transaction(db, async (tx) => {
    const find = ({ accountId, id }: Session) =>
      findRow(tx, authority, "session", "ofAccountById", { account_id: accountId, id });
    const row = await find(session);
    if (row === undefined) return;
    const isSamePerson = successor?.accountId === session.accountId;
    const heir = isSamePerson ? await find(successor) : undefined;
    if (heir !== undefined) {
      await handOverApplications(tx, authority, { from: row.id, to: heir.id });
      await handOverPushSubscription(tx, authority, { from: row, to: heir });
    }
    await endSessionRows(tx, authority, [row], { now, random });
    await appendAudit(tx, vault, now, {
      event: "signed_out",
      accountId: session.accountId,
      subject: session.id,
      detail: {},
    });
  });
}
