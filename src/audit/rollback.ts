import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import type { Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { append } from "./append.ts";
import { catchUp } from "./read-tail.ts";
import { removeCheckpoint } from "./checkpoint.ts";
import type { AuditDetails } from "./event.ts";
import type { AuditHead } from "./stored-entry.ts";
import { digestPart } from "./accepted-break.ts";
import { follow, listTurns, openNotices } from "./log-status.ts";
import { watchOf } from "./log-head.ts";

/**
 * Appends an entry that tells of the fault that this process found, if there is one and nothing tells of it yet: so that
 * other processes stop, and a restart forgets nothing. From then on it is the last entry that the process knows. It
 * stands on whatever is there. `db` must be the outer handle.
 */
export async function recordFault(db: Db, vault: Vault, at: Instant): Promise<void> {
  const watch = watchOf(db);
  const notice = await transaction(db, async (tx) => {
    const base = await catchUp(tx, vault);
    const { fault } = watch;
    if (fault === undefined || fault.notice !== undefined) return undefined;
    const { reason, entry, issuedAt } = fault;
    const event = { event: "log_fault_noticed", detail: { reason, entry, issuedAt }, ...NOBODY } as const;
    return { fault, head: await appendTurn(tx, vault, { base, at, event }) };
  });
  // Unless something was found meanwhile.
  if (notice === undefined || watch.fault !== notice.fault) return;
  watch.known = notice.head;
  watch.turn = notice.head.seq;
  watch.fault = { ...notice.fault, notice: notice.head };
}

const NOBODY = { accountId: null, subject: null } as const;

/** Appends in spite of a fault. */
async function appendTurn(
  tx: Db,
  vault: Vault,
  entry: Parameters<typeof append>[2],
): Promise<AuditHead> {
  const head = await append(tx, vault, entry);
  if (head === undefined) throw new Error("Cannot record in audit log: it takes no entry");
  return head;
}

/** What a person lets pass. */
export interface Acknowledgement {
  /** Who knows: a person who has looked, or whoever put a backup in the database's place. */
  readonly cause: AuditDetails["rollback_acknowledged"]["cause"];
  /** The first entry that is not sound, if any: from there to the acknowledgement the log then passes as it stands. */
  readonly brokenAt: number | null;
  readonly now: Instant;
}

/**
 * Appends an entry, which everybody sees in their activity, after which the service goes on: receipts issued until now,
 * or until the latest that anything in the log tells of, are no news any more. Answers which entry it is. `db` must be
 * the outer handle.
 */
export async function acknowledgeRollback(
  db: Db,
  vault: Vault,
  { cause, brokenAt, now }: Acknowledgement,
): Promise<AuditHead> {
  const turn = await transaction(db, async (tx) => {
    const base = await catchUp(tx, vault);
    const turns = await listTurns(tx, vault, 0);
    const until = Math.max(now, ...turns.map(latestInstant));
    const faults = openNotices(turns).map(({ hash }) => hash.toHex()).join(" ");
    const broken = brokenAt === null ? null : await digestPart(tx, { from: brokenAt, to: base.seq + 1 });
    const detail = { cause, until, faults, brokenAt, broken };
    const event = { event: "rollback_acknowledged", detail, ...NOBODY } as const;
    await removeCheckpoint(tx);
    return { ...await appendTurn(tx, vault, { base, at: now, event }), ...event };
  });
  follow(watchOf(db), turn);
  return turn;
}

/** Up to when an entry tells of receipts. */
function latestInstant(turn: Awaited<ReturnType<typeof listTurns>>[number]): Instant {
  return turn.event === "rollback_acknowledged" ? turn.detail.until : turn.detail.issuedAt ?? 0;
}

/** What the log says is wrong with it and no person has looked at yet, by the words of the first entry about it. */
export async function findOpenFault(
  db: Db,
  vault: Vault,
): Promise<AuditDetails["log_fault_noticed"] | undefined> {
  return openNotices(await listTurns(db, vault, 0))[0]?.detail;
}
