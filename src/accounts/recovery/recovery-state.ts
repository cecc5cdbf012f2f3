import type { AuditDetails } from "../../audit/event.ts";
import type { RecoveryAct } from "../../audit/recovery-events.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import { ProtocolError } from "../../lib/error.ts";
import { type Instant, toIso } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { replaceRow, upsertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Vault } from "../../vault/vault.ts";
import {
  isInCooldown,
  NO_PENDING_RECOVERY,
  pendingRecoveryAt,
  READY_LIFETIME,
  usualColumns,
} from "./recovery-settings.ts";
import type { RecoveryColumns } from "./recovery-settings.ts";

export interface RecoveryStateServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
}

/** The recovery settings of an account. `row` is undefined if it is absent or outdated. */
export interface RecoveryState {
  readonly columns: RecoveryColumns;
  readonly row: Authentic<"account_recovery"> | undefined;
}

/** Reads the recovery settings of an account. Those of an account without a row are the default. */
export async function readState(
  db: Db,
  { authority }: RecoveryStateServices,
  accountId: string,
): Promise<RecoveryState> {
  const row = await findRow(db, authority, "account_recovery", "byAccount", { account_id: accountId });
  return { columns: row === undefined ? usualColumns(accountId) : columnsOf(row), row };
}

function columnsOf(row: Authentic<"account_recovery">): RecoveryColumns {
  const { mac: _mac, ...columns } = row;
  return columns;
}

/** Writes recovery settings and an audit entry with all of them. `state` must have been read in this transaction. */
export async function writeState(
  tx: Db,
  { vault, authority }: RecoveryStateServices,
  { columns: before, row }: RecoveryState,
  { act, change, subject, now }: {
    readonly act: RecoveryAct;
    readonly change: Partial<Omit<RecoveryColumns, "account_id" | "revision">>;
    /** The id of the recovery. */
    readonly subject: string | null;
    readonly now: Instant;
  },
): Promise<RecoveryColumns> {
  const after: RecoveryColumns = { ...before, ...change, revision: before.revision + 1 };
  if (row === undefined) await upsertRow(tx, authority, "account_recovery", "byAccount", after);
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
    generation: columns.generation,
    codesLeft: columns.unused_mask,
    codesMadeAt: columns.codes_made_at,
    readyAt: columns.ready_at,
    endsAt: columns.ends_at,
    settledAt: columns.cooldown_ends_at,
  };
}

/** Cancels a pending recovery. Returns true if one was pending. */
export async function cancelPendingRecovery(
  tx: Db,
  services: RecoveryStateServices,
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
  const state = await readState(tx, services, accountId);
  const { recovery_id: subject, cooldown_ends_at } = state.columns;
  if (subject === null) return false;
  await writeState(tx, services, state, {
    act,
    change: { ...NO_PENDING_RECOVERY, next_check_at: cooldown_ends_at },
    subject,
    now,
  });
  return true;
}

/** Restarts the full delay of a pending recovery, because the owner could not sign in to cancel it. */
export async function restartDelay(
  tx: Db,
  services: RecoveryStateServices,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<void> {
  const state = await readState(tx, services, accountId);
  const { begun_at, ready_at, observed_ms } = state.columns;
  const pending = pendingRecoveryAt(state.columns, now);
  if (pending === undefined || begun_at === null || ready_at === null) return;
  const readyAt = now + ready_at - begun_at;
  await writeState(tx, services, state, {
    act: "waits_anew",
    change: {
      begun_at: now,
      ready_at: readyAt,
      ends_at: readyAt + READY_LIFETIME,
      observed_at_start: observed_ms,
      next_check_at: now,
    },
    subject: pending.id,
    now,
  });
}

/**
 * Throws `recently_recovered` for seven days after a recovery. An attacker who recovered the account with its codes
 * or mailbox cannot relax its protection before the owner has been notified. Call it in the transaction that would
 * relax it.
 */
export async function requireNoCooldown(
  tx: Db,
  services: RecoveryStateServices,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<void> {
  const { columns } = await readState(tx, services, accountId);
  if (!isInCooldown(columns, now)) return;
  throw new ProtocolError(
    "recently_recovered",
    `The account was recovered recently: its protection cannot be reduced before ${
      toIso(Math.max(columns.cooldown_ends_at!, now))
    }`,
  );
}
