import { engineState } from "../../db/engine-state.ts";
import { passInconsistent } from "../../db/error.ts";
import type { Db } from "../../db/schema/schema.ts";
import { atCommit } from "../../db/transaction.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import { DAY, type Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { insertRow, removeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { isRowOfClient, listSignIns, type SignIn } from "./application-session.ts";
import { forgetDevices } from "./known-browser.ts";
import { endEveryPushSubscription, endPushSubscription } from "./push-subscription.ts";

/** The time within which delivery to a client is retried. */
export const LOGOUT_NOTIFICATION_LIFETIME = DAY;

export interface EndingContext {
  readonly now: Instant;
  readonly random: RandomBytes;
}

type SessionRow = Authentic<"session">;

/** A logout notification. A null `sid` means every session of the subject. */
interface LogoutNotification {
  readonly clientId: string;
  readonly subject: string;
  readonly sid: string | null;
}

const LISTENERS = Symbol("listeners to logout notifications");

function listenersOf(db: Db): Set<() => void> {
  return engineState(db, LISTENERS, (): Set<() => void> => new Set());
}

/** Calls `wake` after each commit in this process that queued a notification. Returns an unsubscribe function. */
export function onLogoutNotification(db: Db, wake: () => void): () => void {
  listenersOf(db).add(wake);
  return () => void listenersOf(db).delete(wake);
}

/**
 * Ends sessions of one account in the caller's transaction, with their push subscriptions. Notifies each client of its
 * own `sid` only.
 */
export async function endSessionRows(
  tx: Db,
  authority: RowAuthority,
  rows: readonly SessionRow[],
  ending: EndingContext,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const signIns = await listSignIns(tx, authority, first.account_id);
  for (const row of rows) {
    for (const signIn of signIns) {
      if (signIn.session_id !== row.id) continue;
      const { id: sid, client_id: clientId } = signIn;
      const client = await findNotifiableClient(tx, authority, clientId);
      if (client !== undefined && isRowOfClient(client, signIn)) {
        await queue(tx, authority, { clientId, subject: row.account_id, sid }, ending);
      }
    }
    await endPushSubscription(tx, authority, row);
    await removeRow(tx, authority, "session", row);
  }
}

/**
 * Ends sessions in the caller's transaction, with the push subscriptions. Notifies each client with a grant or a
 * session, expired ones too.
 */
export async function endEverySession(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
  ending: EndingContext,
): Promise<readonly SessionRow[]> {
  await notifyEveryApplication(tx, authority, accountId, ending);
  const rows = await listRows(tx, authority, "session", "latestOfAccount", { account_id: accountId });
  await endEveryPushSubscription(tx, authority, accountId);
  for (const row of rows) await removeRow(tx, authority, "session", row);
  return rows;
}

/** Notifies every client of the account without ending sessions, for the deletion of the account. */
export async function notifyEveryApplication(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
  ending: EndingContext,
): Promise<void> {
  const signedIn = await listSignIns(tx, authority, accountId);
  const where = { account_id: accountId };
  const consents = await listRows(tx, authority, "consent", "latestOfAccount", where);
  for (const clientId of new Set([...consents, ...signedIn].map((row) => row.client_id))) {
    const client = await findNotifiableClient(tx, authority, clientId);
    if (client === undefined) continue;
    const sids = sidsOf(client, signedIn);
    const isKnown = sids.length > 0 || consents.some((consent) => isRowOfClient(client, consent));
    if (isKnown) await queueAll(tx, authority, { client, accountId, sids }, ending);
  }
}

/**
 * Notifies a client that its user is signed out there, without ending sessions. Does nothing if the user has neither a
 * session at the client nor is known to it otherwise.
 */
export async function notifyApplication(
  tx: Db,
  authority: RowAuthority,
  { accountId, clientId, isKnown }: {
    readonly accountId: string;
    readonly clientId: string;
    readonly isKnown: boolean;
  },
  ending: EndingContext,
): Promise<void> {
  const client = await findNotifiableClient(tx, authority, clientId);
  if (client === undefined) return;
  const signedIn = await listSignIns(tx, authority, accountId);
  const sids = sidsOf(client, signedIn);
  if (sids.length > 0 || isKnown) await queueAll(tx, authority, { client, accountId, sids }, ending);
}

/** Queues a notification without `sid`, or one for each `sid` to a client that requires a session id. */
async function queueAll(
  tx: Db,
  authority: RowAuthority,
  { client, accountId, sids }: {
    readonly client: Authentic<"client">;
    readonly accountId: string;
    readonly sids: readonly string[];
  },
  ending: EndingContext,
): Promise<void> {
  for (const sid of client.backchannel_logout_session === 1 ? sids : [null]) {
    await queue(tx, authority, { clientId: client.id, subject: accountId, sid }, ending);
  }
}

/**
 * Returns the client if it is enabled and has a back-channel logout URI. Leaves out one whose row does not add up, so
 * that its user can still sign out.
 */
async function findNotifiableClient(
  tx: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Authentic<"client"> | undefined> {
  const client = await findRow(tx, authority, "client", "byId", { id: clientId }).catch(passInconsistent);
  return client === undefined || client.disabled === 1 || client.backchannel_logout_uri === null
    ? undefined
    : client;
}

/** Leaves out the sign-ins to a deleted client of that id: its successor must not learn who used it. */
function sidsOf(client: Authentic<"client">, signIns: readonly SignIn[]): readonly string[] {
  return signIns.filter((signIn) => isRowOfClient(client, signIn)).map(({ id }) => id);
}

async function queue(
  tx: Db,
  authority: RowAuthority,
  { clientId, subject, sid }: LogoutNotification,
  { now, random }: EndingContext,
): Promise<void> {
  await insertRow(tx, authority, "logout_notice", {
    id: newId("notice", random),
    client_id: clientId,
    subject,
    sid,
    created_at: now,
    expires_at: now + LOGOUT_NOTIFICATION_LIFETIME,
    attempts: 0,
    next_attempt_at: now,
  });
  const after = (): void => listenersOf(tx).forEach((wake) => wake());
  atCommit(tx, LISTENERS, { before: () => Promise.resolve(), after });
}

/** Notifies clients, forgets browsers, returns the number of sessions. The caller's transaction must record why. */
export async function endAllSessions(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
  ending: EndingContext,
): Promise<number> {
  const all = await endEverySession(tx, authority, accountId, ending);
  await forgetDevices(tx, authority, { accountId, ids: all.map((row) => row.device_id) });
  return all.length;
}
