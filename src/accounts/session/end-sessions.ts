import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import { findRow, listRows } from "../../store/read.ts";
import { forgetDevices } from "./known-browser.ts";
import { endEverySession, type EndingContext, endSessionRows } from "./logout-notification.ts";
import type { AccountServices } from "../services.ts";
import { isLive, type Session, toSession } from "./session.ts";

export interface ListedSession extends Session {
  /** Up to five minutes old. */
  readonly lastSeenAt: Instant;
}

type EndSessionServices = Pick<AccountServices, "vault" | "authority">;

/** Lists the account's live sessions, most recently used first. */
export async function listSessions(
  db: Db,
  { authority }: Pick<EndSessionServices, "authority">,
  { accountId, now }: { accountId: string; now: Instant },
): Promise<ListedSession[]> {
  const rows = await listRows(db, authority, "session", "latestOfAccount", { account_id: accountId });
  return rows.filter((row) => isLive(row, now))
    .map((row) => ({ ...toSession(row), lastSeenAt: row.last_seen_at }));
}

/** Forgets the browser too, so that the next sign-in there notifies the owner. Throws `not_found`. */
export async function endOneSession(
  db: Db,
  { vault, authority }: EndSessionServices,
  { accountId, sessionId, now, random }: { accountId: string; sessionId: string } & EndingContext,
): Promise<void> {
  await transaction(db, async (tx) => {
    const where = { account_id: accountId, id: sessionId };
    const ended = await findRow(tx, authority, "session", "ofAccountById", where);
    if (ended === undefined) throw new ProtocolError("not_found", "There is no such session");
    await endSessionRows(tx, authority, [ended], { now, random });
    await forgetDevices(tx, authority, { accountId, ids: [ended.device_id] });
    await appendAudit(tx, vault, now, {
      event: "session_ended",
      accountId,
      subject: sessionId,
      detail: {},
    });
  });
}

/** Forgets the browsers too and returns the number of sessions. Records nothing for 0. Grants keep their access. */
export async function endSessions(
  db: Db,
  { vault, authority }: EndSessionServices,
  { session, which, now, random }: { session: Session; which: "others" | "all" } & EndingContext,
): Promise<number> {
  const { accountId, id, deviceId } = session;
  return await transaction(db, async (tx) => {
    const all = await listRows(tx, authority, "session", "latestOfAccount", { account_id: accountId });
    const ended = which === "others" ? all.filter((row) => row.id !== id) : all;
    if (ended.length === 0) return 0;
    if (which === "all") await endEverySession(tx, authority, accountId, { now, random });
    else await endSessionRows(tx, authority, ended, { now, random });
    const devices = ended.map((row) => row.device_id)
      .filter((device) => which === "all" || device !== deviceId);
    await forgetDevices(tx, authority, { accountId, ids: devices });
    await appendAudit(tx, vault, now, {
      event: "sessions_ended",
      accountId,
      subject: id,
      detail: { which, sessions: ended.length },
    });
    return ended.length;
  });
}
