import type { Db } from "../../db/schema/schema.ts";
import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { putRow, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** That a session signed the person in to an application; its id is the `sid` that the application is given. */
export type ApplicationSession = Authentic<"application_session">;

/**
 * The `sid` by which an application knows a session (OpenID Connect Back-Channel Logout 1.0 section 2.1), in the
 * transaction that signs the person in to it. The same for the same two each time. It is drawn at random for the two of
 * them: it says nothing of the session, opens nothing, and two applications cannot tell by it that they share a browser.
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
  const asked = { session_id: session.id, client_id: clientId };
  const known = await findRow(tx, authority, "application_session", "toClient", asked);
  if (known !== undefined) return known.id;
  const id = newId("sid", random);
  // In the place of a row that somebody edited, if there is one.
  await putRow(tx, authority, "application_session", "toClient", {
    id,
    ...asked,
    account_id: session.accountId,
    created_at: now,
  });
  return id;
}

/** Whether the session that an application knows by this `sid` goes on. */
export async function isSidLive(tx: Db, authority: RowAuthority, sid: string): Promise<boolean> {
  return await findRow(tx, authority, "application_session", "byId", { id: sid }) !== undefined;
}

/** Whether that is how an application knows this session. */
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

/** The applications that a session has signed the person in to. */
export async function listApplicationSessions(
  tx: Db,
  authority: RowAuthority,
  sessionId: string,
): Promise<readonly ApplicationSession[]> {
  return await listRows(tx, authority, "application_session", "ofSession", { session_id: sessionId });
}

/**
 * Has the session that takes the place of another, where the same person signed in again, go on under the `sid`s that
 * applications know: for them it is the same one. Where an application has one of the new session already, the old one
 * stays with the old session.
 */
export async function handOverApplications(
  tx: Db,
  authority: RowAuthority,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const row of await listApplicationSessions(tx, authority, from)) {
    const asked = { session_id: to, client_id: row.client_id };
    if (await findRow(tx, authority, "application_session", "toClient", asked) !== undefined) continue;
    await replaceRow(tx, authority, "application_session", row, { session_id: to });
  }
}
