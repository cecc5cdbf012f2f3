import { prepareNotification } from "../accounts/notification.ts";
import { readState, requireNoCooldown, writeState } from "../accounts/recovery/recovery-state.ts";
import type { RecoveryState, RecoveryStateServices } from "../accounts/recovery/recovery-state.ts";
import { countCodes, isInCooldown, pendingRecoveryAt } from "../accounts/recovery/recovery-settings.ts";
import type { PendingRecovery, RecoveryColumns } from "../accounts/recovery/recovery-settings.ts";
import { consumeFreshness, requireFreshSession } from "../accounts/session/fresh-session.ts";
import type { SignedIn } from "../accounts/session/session.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import { recoveryMail, type RecoveryMailAct, type RecoveryMailEvent } from "../mail/recovery-mail.ts";
import { listRows } from "../store/read.ts";
import { insertRow, removeRow } from "../store/write.ts";
import { drawSymbols, formatCode, hashRecoveryCode, RECOVERY_CODE_LENGTH } from "./recovery-code.ts";
import type { OperationContext, Place, RecoveryServices } from "./services.ts";

const CODES_PER_SET = 8;

/** Contains no secret, so responses, pages and exports may show it. */
export interface RecoverySettings {
  readonly delayHours: number;
  /** True if an e-mail code alone begins a recovery. */
  readonly emailAlone: boolean;
  readonly codesLeft: number;
  readonly codesMadeAt: Instant | undefined;
  readonly pending: PendingRecovery | undefined;
  /** The earliest end of the cooldown after a recovery. */
  readonly settlingUntil: Instant | undefined;
}

export async function readRecoverySettings(
  db: Db,
  services: RecoveryStateServices,
  { accountId, now }: { readonly accountId: string; readonly now: Instant },
): Promise<RecoverySettings> {
  const { columns } = await readState(db, services, accountId);
  return toRecoverySettings(columns, now);
}

function toRecoverySettings(columns: RecoveryColumns, now: Instant): RecoverySettings {
  return {
    delayHours: columns.delay_hours,
    emailAlone: columns.email_alone === 1,
    codesLeft: countCodes(columns),
    codesMadeAt: columns.codes_made_at ?? undefined,
    pending: pendingRecoveryAt(columns, now),
    settlingUntil: isInCooldown(columns, now) ? Math.max(columns.cooldown_ends_at!, now) : undefined,
  };
}

export interface RecoverySettingsRequest extends OperationContext, Place {
  readonly signedIn: SignedIn;
}

/** The changes to the recovery settings. Absent members do not change. */
export interface Choices {
  readonly delayHours?: number | undefined;
  readonly emailAlone?: boolean | undefined;
}

/**
 * Changes the settings for future recoveries and notifies the owner by mail. A pending recovery keeps its settings.
 * Does nothing if nothing changes. Throws `fresh_session_required` even for a stricter setting, because an attacker
 * could lock the owner out with it. Throws `recently_recovered`, and `invalid_request` for e-mail alone without an
 * address. Does not validate the hours: the request schema does. `db` must be the outer handle.
 */
export async function changeChoices(
  db: Db,
  services: RecoveryServices,
  request: RecoverySettingsRequest,
  choices: Choices,
): Promise<RecoverySettings> {
  const { account } = request.signedIn;
  if (choices.emailAlone === true && account.email === null) {
    throw new ProtocolError("invalid_request", "Cannot recover by e-mail alone: the account has no address", {
      errors: [{ path: "/emailAlone", message: "Expected false, because the account has no address" }],
    });
  }
  const { columns } = await readState(db, services, account.id);
  const wanted = {
    delay_hours: choices.delayHours ?? columns.delay_hours,
    email_alone: choices.emailAlone === undefined ? columns.email_alone : choices.emailAlone ? 1 : 0,
  };
  if (isSameChoice(wanted, columns)) return toRecoverySettings(columns, request.now);
  const detail = { delayHours: wanted.delay_hours, emailAlone: wanted.email_alone === 1 };
  const mailEvent = ["choicesChanged", { choices: detail }] as const;
  const { make, made } = prepareChange(services, request, mailEvent, (tx, state) => {
    if (!isSameChoice(state.columns, columns)) throw CHOSEN_MEANWHILE;
    const act = "choices_changed";
    return writeState(tx, services, state, { act, change: wanted, subject: null, now: request.now });
  });
  try {
    const after = await transaction(db, make);
    made();
    return after;
  } catch (error) {
    if (error !== CHOSEN_MEANWHILE) throw error;
    return await changeChoices(db, services, request, choices);
  }
}

/** Thrown if a concurrent request changed a setting, because writing would revert it. */
const CHOSEN_MEANWHILE = Symbol("a choice that was changed meanwhile");

type Chosen = Pick<RecoveryColumns, "delay_hours" | "email_alone">;

function isSameChoice(one: Chosen, other: Chosen): boolean {
  return one.delay_hours === other.delay_hours && one.email_alone === other.email_alone;
}

export interface RecoveryCodesMaking {
  /** The codes as text. Only hashes are stored. */
  readonly codes: readonly string[];
  readonly make: (tx: Db) => Promise<RecoverySettings>;
  /** Notifies the mailer. Call it after the commit. */
  readonly made: () => void;
}

/** Prepares eight codes that replace the previous set. Throws the errors of `changeChoices`, here or in `make`. */
export function prepareRecoveryCodes(
  services: RecoveryServices,
  request: RecoverySettingsRequest,
): RecoveryCodesMaking {
  const { signedIn: { account }, now, random } = request;
  const codes = Array.from({ length: CODES_PER_SET }, () => drawSymbols(RECOVERY_CODE_LENGTH, random));
  const write = async (tx: Db, state: RecoveryState): Promise<RecoveryColumns> => {
    const { authority, vault } = services;
    const old = await listRows(tx, authority, "recovery_code", "ofAccount", { account_id: account.id });
    for (const row of old) await removeRow(tx, authority, "recovery_code", row);
    const generation = state.columns.revision + 1;
    for (const [number, code] of codes.entries()) {
      await insertRow(tx, authority, "recovery_code", {
        code_hash: hashRecoveryCode(vault, code),
        account_id: account.id,
        generation,
        number,
        created_at: now,
      });
    }
    const made = { generation, unused_mask: (1 << CODES_PER_SET) - 1, codes_made_at: now };
    return await writeState(tx, services, state, { act: "codes_made", change: made, subject: null, now });
  };
  const change = prepareChange(services, request, ["codesMade", {}], write);
  return { codes: codes.map(formatCode), ...change };
}

function prepareChange(
  services: RecoveryServices,
  request: RecoverySettingsRequest,
  [act, mailEvent]: readonly [RecoveryMailAct, Pick<RecoveryMailEvent, "choices">],
  write: (tx: Db, state: RecoveryState) => Promise<RecoveryColumns>,
): { readonly make: (tx: Db) => Promise<RecoverySettings>; readonly made: () => void } {
  const { signedIn: { session, account }, device, network, now } = request;
  const fresh = { session, action: "change_recovery", now } as const;
  requireFreshSession(fresh);
  const notification = prepareNotification(
    services,
    account,
    request,
    (heading) => recoveryMail(act, { ...heading, device, network, ...mailEvent }),
  );
  const make = async (tx: Db): Promise<RecoverySettings> => {
    await services.limits.take(tx, "recovery_choices", account.id, now);
    await consumeFreshness(tx, services.authority, fresh);
    await requireNoCooldown(tx, services, { accountId: account.id, now });
    await notification.enqueue(tx);
    return toRecoverySettings(await write(tx, await readState(tx, services, account.id)), now);
  };
  return { make, made: () => notification.queued() };
}
