import type { Db } from "../../db/schema/schema.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findAnyRow, findRow, hasRow, listRows } from "../../store/read.ts";
import { replaceRow, upsertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** A client that a session signed in to. Its id is the client's `sid`. */
export type ApplicationSession = Authentic<"application_session">;

/**
 * Returns the `sid` by which a client knows a session (OpenID Connect Back-Channel Logout 1.0 section 2.1), and
 * creates it if needed. It is random for each pair of session and client. It reveals nothing about the session,
 * grants nothing, and does not let two clients correlate a browser. Call it in the transaction that signs in to the
 * client.
 */
export async function sidFor(
  tx: Db,
  authority: RowAuthority,
  { session, clientId, now, random }: {
    readonly session: { readonly id: string; readonly accountId: string };
    readonly clientId: string;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
): Promise<string> {
  const where = { session_id: session.id, client_id: clientId };
  const ofGrant = { ...where, account_id: session.accountId };
  // Any grant of the session names it, in memory.
  const grant = await findAnyRow(tx, authority, "authorization_grant", ofGrant);
  if (grant !== undefined) return grant.sid;
  const known = await findRow(tx, authority, "application_session", "toClient", where);
  if (known !== undefined) return known.id;
  const id = newId("sid", random);
  // Replaces a row that is not authentic, if there is one.
  await upsertRow(tx, authority, "application_session", "toClient", {
    id,
    ...where,
    account_id: session.accountId,
    created_at: now,
  });
  return id;
}

/**
 * Returns true if the session of a `sid` has not ended. The session has a state, so a restored row shows nothing else.
 */
export async function isSidLive(tx: Db, authority: RowAuthority, sid: string): Promise<boolean> {
  const row = await findRow(tx, authority, "application_session", "byId", { id: sid });
  if (row === undefined) return false;
  return await hasRow(tx, authority, "session", { account_id: row.account_id, id: row.session_id });
}

export async function isSidOf(
  db: Db,
  authority: RowAuthority,
  { sid, sessionId, clientId }: {
    readonly sid: string;
    readonly sessionId: string;
    readonly clientId: string;
  },
): Promise<boolean> {
  const known = await findRow(db, authority, "application_session", "byId", { id: sid });
  return known?.session_id === sessionId && known.client_id === clientId;
}

/**
 * Returns true if the row names the client and is not older than it. An older row belongs to a deleted client of that
 * id: the database may have hidden it from the deletion.
 */
export function isRowOfClient(
  client: Pick<Authentic<"client">, "id" | "created_at">,
  row: { readonly client_id: string; readonly created_at: Instant },
): boolean {
  return row.client_id === client.id && row.created_at >= client.created_at;
}

/** A `sid` of a client: its id, its session, and when the session first signed in to the client with it. */
export type SignIn = Pick<ApplicationSession, "id" | "client_id" | "session_id" | "created_at">;

/**
 * Lists the clients that the account's sessions signed in to. Includes those that only a grant names, because a
 * database can hide the row. A row of an ended session is an older one if a grant names a live one: the grant has a
 * state.
 */
export async function listSignIns(
  tx: Db,
  authority: RowAuthority,
  accountId: string,
): Promise<readonly SignIn[]> {
  const where = { account_id: accountId };
  const rows = await listRows(tx, authority, "application_session", "ofAccount", where);
  const signIns = new Map(rows.map((row): [string, SignIn] => [row.id, row]));
  const sessions = await listRows(tx, authority, "session", "latestOfAccount", where);
  const live = new Set(sessions.map(({ id }) => id));
  for (const grant of await listRows(tx, authority, "authorization_grant", "ofAccount", where)) {
    const { sid: id, client_id, session_id, created_at } = grant;
    const known = signIns.get(id);
    // A row moves to the session that replaces its own. The grants do not.
    if (known !== undefined && live.has(known.session_id)) continue;
    if (session_id !== null && live.has(session_id)) {
      signIns.set(id, { id, client_id, session_id, created_at });
    }
  }
  return [...signIns.values()];
}

/**
 * Moves the `sid`s of a session to the one that replaces it after the same user signed in again. A `sid` stays with
 * the old session if the client already has one of the new session.
 */
export async function handOverApplications(
  tx: Db,
  authority: RowAuthority,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const row of await listRows(tx, authority, "application_session", "ofSession", { session_id: from })) {
    const where = { session_id: to, client_id: row.client_id };
    if (await findRow(tx, authority, "application_session", "toClient", where) !== undefined) continue;
    await replaceRow(tx, authority, "application_session", row, { session_id: to });
  }
}
