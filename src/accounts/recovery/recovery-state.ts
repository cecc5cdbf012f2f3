import { findAccountVersion } from "../../audit/account-version.ts";
import type { AuditDetails, RecoveryAct } from "../../audit/event.ts";
import { appendAudit } from "../../audit/log.ts";
import { findRecoveryEntry, knownRecoveryRevision } from "../../audit/recovery.ts";
import type { RecoveryEntry } from "../../audit/recovery.ts";
import { DatabaseError } from "../../db/error.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { toIso } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { putRow, replaceRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import {
  isSettling,
  NOTHING_WAITS,
  READY_LIFETIME,
  settledRan,
  usualColumns,
  waitingAt,
} from "./recovery-settings.ts";
import type { RecoveryColumns } from "./recovery-settings.ts";

/** What reads and writes an account's way back. */
export interface RecoveryKeeper {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

/** An account's way back, and the row it stands in: undefined where there is none, or only one from before. */
export interface RecoveryState {
  readonly columns: RecoveryColumns;
  readonly row: Authentic<"account_recovery"> | undefined;
}

/**
 * An account's way back. The log is asked each time, so that a row from before what it tells of, which is our own and was
 * put back, counts as absent in every process and after each start. Where the row is lost, it is what the log tells: with
 * its delay and its choices, the codes that were left, and the days after a recovery, but no recovery that could be
 * finished. Throws `wrong_row` where the log's entry was altered.
 */
export async function readState(
  db: Db,
  { vault, authority }: RecoveryKeeper,
  accountId: string,
): Promise<RecoveryState> {
  // The log first: outside of a transaction both may be changed between the two, and the row is not older then.
  const known = knownRecoveryRevision(db, accountId);
  const told = await findRecoveryEntry(db, vault, accountId);
  const row = await findRow(db, authority, "account_recovery", "byAccount", { account_id: accountId });
  const revision = told === undefined || told === "altered" ? 0 : told.detail.revision;
  if (told === "altered" || known > Math.max(revision, row?.revision ?? 0)) {
    throw new DatabaseError("wrong_row", "Cannot use way back: what the log tells of it was altered");
  }
  if (row !== undefined && row.revision >= Math.max(revision, known)) return { columns: columnsOf(row), row };
  if (row !== undefined) authority.reject("account_recovery", row);
  const columns = told === undefined ? usualColumns(accountId) : toldColumns(accountId, told);
  return { columns, row: undefined };
}

function columnsOf(row: Authentic<"account_recovery">): RecoveryColumns {
  const { mac: _mac, ...columns } = row;
  return columns;
}

/** What the log tells: a recovery that waits has nothing left that could finish it, and the days after one begin anew. */
function toldColumns(accountId: string, { subject, detail }: RecoveryEntry): RecoveryColumns {
  const isWaiting = detail.readyAt !== null;
  return {
    ...usualColumns(accountId),
    revision: detail.revision,
    delay_hours: detail.delayHours,
    email_alone: detail.emailAlone ? 1 : 0,
    sheet: detail.sheet,
    codes_left: detail.codesLeft,
    codes_made_at: detail.codesMadeAt,
    recovery_id: isWaiting ? subject : null,
    ready_at: detail.readyAt,
    ends_at: detail.endsAt,
    settled_at: detail.settledAt,
    settled_ran: detail.settledAt === null ? null : settledRan(0),
  };
}

/**
 * Writes what becomes of an account's way back, with the entry that says all of it. `state` must have been read in this
 * transaction.
 */
export async function writeState(
  tx: Db,
  { vault, authority }: RecoveryKeeper,
  { columns: before, row }: RecoveryState,
  { act, change, subject, now }: {
    readonly act: RecoveryAct;
    readonly change: Partial<Omit<RecoveryColumns, "account_id" | "revision">>;
    /** The recovery that it is about. */
    readonly subject: string | null;
    readonly now: Instant;
  },
): Promise<RecoveryColumns> {
  const after: RecoveryColumns = { ...before, ...change, revision: before.revision + 1 };
  if (row === undefined) await putRow(tx, authority, "account_recovery", "byAccount", after);
  else await replaceRow(tx, authority, "account_recovery", row, after);
  await appendAudit(tx, vault, now, {
    event: "recovery_changed",
    accountId: after.account_id,
    subject,
    detail: { act, ...detailOf(after) },
  });
  return after;
}

function detailOf(columns: RecoveryColumns): Omit<AuditDetails["recovery_changed"], "act"> {
  return {
    revision: columns.revision,
    delayHours: columns.delay_hours,
    emailAlone: columns.email_alone === 1,
    sheet: columns.sheet,
    codesLeft: columns.codes_left,
    codesMadeAt: columns.codes_made_at,
    readyAt: columns.ready_at,
    endsAt: columns.ends_at,
    settledAt: columns.settled_at,
  };
}

/**
 * What the use of a passkey does: whoever has one needs no recovery, so one that waits is over. A row that was lost is
 * made again, so that what follows a recovery can come to its end. Answers whether there was a recovery. Throws as
 * `requireLatestAccount`.
 */
export async function settleByPasskey(
  tx: Db,
  keeper: RecoveryKeeper,
  { accountId, act, now }: {
    readonly accountId: string;
    readonly act: "cancelled_by_sign_in" | "cancelled_by_passkey";
    readonly now: Instant;
  },
): Promise<boolean> {
  await requireLatestAccount(tx, keeper, accountId);
  const state = await readState(tx, keeper, accountId);
  const { columns: { recovery_id, settled_at }, row } = state;
  if (recovery_id !== null) {
    return await cancelWaiting(tx, keeper, { accountId, act, now });
  }
  if (row === undefined && settled_at !== null) {
    const change = { look_at: settled_at };
    await writeState(tx, keeper, state, { act: "restored", change, subject: null, now });
  }
  return false;
}

/** Ends a recovery that waits, in the transaction of what ends it; whether there was one. */
export async function cancelWaiting(
  tx: Db,
  keeper: RecoveryKeeper,
  { accountId, act, now }: {
    readonly accountId: string;
    readonly act: Extract<
      RecoveryAct,
      | "cancelled_by_sign_in"
      | "cancelled_by_passkey"
      | "cancelled_by_new_address"
      | "cancelled_by_old_address"
    >;
    readonly now: Instant;
  },
): Promise<boolean> {
  const state = await readState(tx, keeper, accountId);
  const { recovery_id: subject, settled_at } = state.columns;
  if (subject === null) return false;
  await writeState(tx, keeper, state, {
    act,
    change: { ...NOTHING_WAITS, look_at: settled_at },
    subject,
    now,
  });
  return true;
}

/**
 * Has a recovery that waits do so from now on for as long as it did from its beginning: nobody could sign in to cancel
 * it, in the time before.
 */
export async function waitAnew(
  tx: Db,
  keeper: RecoveryKeeper,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<void> {
  const state = await readState(tx, keeper, accountId);
  const { begun_at, ready_at, ran } = state.columns;
  const waiting = waitingAt(state.columns, now);
  if (waiting === undefined || begun_at === null || ready_at === null) return;
  const readyAt = now + ready_at - begun_at;
  await writeState(tx, keeper, state, {
    act: "waits_anew",
    change: {
      begun_at: now,
      ready_at: readyAt,
      ends_at: readyAt + READY_LIFETIME,
      begun_ran: ran,
      look_at: now,
    },
    subject: waiting.id,
    now,
  });
}

/**
 * Throws `recently_recovered` for seven days after an account was recovered: whoever got it by its codes or its mailbox
 * alone loosens nothing of it until the owner has had time to hear of it. For the transaction that would loosen.
 * Throws as `requireLatestAccount`.
 */
export async function requireSettled(
  tx: Db,
  keeper: RecoveryKeeper,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<void> {
  await requireLatestAccount(tx, keeper, accountId);
  const { columns } = await readState(tx, keeper, accountId);
  if (!isSettling(columns, now)) return;
  throw new ProtocolError(
    "recently_recovered",
    `The account was recovered lately: nothing is loosened before ${
      toIso(Math.max(columns.settled_at!, now))
    }`,
  );
}

/**
 * Throws `wrong_row` where an account's row is one from before what the log tells of, with the address, name or state
 * that the account had then: it is our own and was put back. For whatever proves who somebody is or loosens something,
 * where the log is asked anyway: in every process and after each start none of that is done by such a row.
 */
export async function requireLatestAccount(
  tx: Db,
  { vault, authority }: { readonly vault: Vault; readonly authority: RowAuthority },
  accountId: string,
): Promise<void> {
  const told = await findAccountVersion(tx, vault, accountId);
  const row = await findRow(tx, authority, "account", "byId", { id: accountId });
  if (row === undefined) return;
  if (told !== "altered" && (row.revision ?? 0) >= told) return;
  if (told !== "altered") authority.reject("account", row);
  throw new DatabaseError("wrong_row", "Cannot use account: the log tells of a later version of it");
}
