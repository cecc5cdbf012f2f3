import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import { forgetDevices } from "./account-device.ts";
import type { AccountServices } from "../services.ts";
import { isLive, toSession } from "./session.ts";
import type { Session } from "./session.ts";

/** A session as its owner sees it in the list. */
export interface ListedSession extends Session {
  /** Up to five minutes old. */
  readonly lastSeenAt: Instant;
}

type Keeper = Pick<AccountServices, "vault" | "authority">;

/** The account's sessions that can be used now, the one used last first. */
export async function listSessions(
  db: Db,
  { authority }: Pick<Keeper, "authority">,
  { accountId, now }: { accountId: string; now: Instant },
): Promise<ListedSession[]> {
  const rows = await db.selectFrom("session").selectAll().where("account_id", "=", accountId)
    .orderBy("last_seen_at", "desc").orderBy("id").execute();
  return rows.filter((row) => isLive(row, now) && authority.isAuthentic("session", row))
    .map((row) => ({ ...toSession(row), lastSeenAt: row.last_seen_at }));
}

/**
 * Ends one session of the account, whichever it is asked from. Its browser is forgotten too, so that the next sign-in
 * there is told to the owner. Throws `not_found` for one that ended and for everybody else's.
 */
export async function endOneSession(
  db: Db,
  { vault }: Pick<Keeper, "vault">,
  { accountId, sessionId, now }: { accountId: string; sessionId: string; now: Instant },
): Promise<void> {
  await transaction(db, async (tx) => {
    const ended = await tx.deleteFrom("session").where("id", "=", sessionId)
      .where("account_id", "=", accountId).returning("device_id").executeTakeFirst();
    if (ended === undefined) throw new ProtocolError("not_found", "There is no such session");
    await forgetDevices(tx, accountId, [ended.device_id]);
    await appendAudit(tx, vault, now, {
      event: "session_ended",
      accountId,
      subject: sessionId,
      detail: {},
    });
  });
}

/**
 * Ends all sessions of the account but this one, or this one as well, and forgets their browsers. Answers how many ended.
 * Applications that the person let in keep their access. Where there is none to end, nothing is recorded.
 */
export async function endSessions(
  db: Db,
  { vault }: Pick<Keeper, "vault">,
  { session, which, now }: { session: Session; which: "others" | "all"; now: Instant },
): Promise<number> {
  const { accountId, id, deviceId } = session;
  return await transaction(db, async (tx) => {
    const kept = which === "others" ? id : "";
    const ended = await tx.deleteFrom("session").where("account_id", "=", accountId).where("id", "!=", kept)
      .returning("device_id").execute();
    if (ended.length === 0) return 0;
    const devices = ended.map((row) => row.device_id)
      .filter((device) => which === "all" || device !== deviceId);
    await forgetDevices(tx, accountId, [...new Set(devices)]);
    await appendAudit(tx, vault, now, {
      event: "sessions_ended",
      accountId,
      subject: id,
      detail: { which, sessions: ended.length },
    });
    return ended.length;
  });
}
