import { type Account, findAccount, findAccountByEmail } from "../accounts/account.ts";
import { revertibleUntil } from "../accounts/email/email-change.ts";
import { readState, writeState } from "../accounts/recovery/recovery-state.ts";
import type { RecoveryState } from "../accounts/recovery/recovery-state.ts";
import { pendingRecoveryAt, READY_LIFETIME } from "../accounts/recovery/recovery-settings.ts";
import type { PendingRecovery, RecoveryColumns } from "../accounts/recovery/recovery-settings.ts";
import { formatToken, hashSecret, newToken, type Token } from "../accounts/session/bearer-secret.ts";
import { appendAudit } from "../audit/log.ts";
import type { RecoveryMethod } from "../db/schema/account.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import { DAY, HOUR, type Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { removeRow } from "../store/write.ts";
import { cancelPath } from "./cancel.ts";
import { hashRecoveryCode, readCodeText, RECOVERY_CODE_LENGTH } from "./recovery-code.ts";
import { checkProof, consumeProof } from "./email-proof.ts";
import {
  type OperationContext,
  type Place,
  prepareRecoveryNotification,
  type RecoveryServices,
} from "./services.ts";

/** An e-mail code with or without a recovery code. A recovery code alone for an account without an address. */
export interface Evidence {
  readonly email?: { readonly address: string; readonly code: string };
  readonly recoveryCode?: string;
}

export interface RecoveryRequest extends OperationContext, Place {
  readonly evidence: Evidence;
  readonly browserHash: string;
  /** True if the browser has another pending recovery. It can finish only one. */
  readonly hasPendingInBrowser: boolean;
}

export interface BegunRecovery {
  readonly token: string;
  readonly recovery: PendingRecovery;
}

/** Returns the same error for every reason, so that a caller cannot learn whether an account exists. */
function refused(): ProtocolError {
  return new ProtocolError(
    "recovery_refused",
    "Cannot begin recovery: these codes do not recover an account",
  );
}

/**
 * Begins a recovery and notifies the owner by mail. After the delay (`readyAtOf`), only this browser can register a new
 * passkey. Uses the codes only on success.
 *
 * Throws `invalid_code` for a wrong e-mail code. Throws `recovery_waiting` if the account has a pending recovery and
 * `recovery_in_browser` if this browser has another account's. Throws `recovery_refused` for every other reason,
 * `rate_limited`, and the errors of `requireLatestAccount`. `db` must be the outer handle.
 */
export async function beginRecovery(
  db: Db,
  services: RecoveryServices,
  request: RecoveryRequest,
): Promise<BegunRecovery> {
  const { evidence, network, now, random } = request;
  await transaction(db, (tx) => services.limits.take(tx, "recovery_begin", network, now));
  const proof = evidence.email === undefined ? undefined : await checkProof(db, services, {
    ...request,
    email: evidence.email.address,
    code: evidence.email.code,
  });
  const codeHash = hashOf(services, evidence);
  const account = proof === undefined
    ? await accountOfCode(db, services, codeHash)
    : await accountOfAddress(db, services, proof.email);
  if (account === undefined) throw refused();
  // Tries again if the settings or the address changed in between, because the mail states the delay.
  for (;;) {
    const { columns } = await readState(db, services, account.id);
    const readyAt = await readyAtOf(db, services, columns, now);
    const token = newToken("recovery", random);
    const attempt = { request, account, proof, codeHash, revision: columns.revision, readyAt, token };
    const outcome = await tryBeginning(db, services, attempt);
    if (outcome === "changed") continue;
    if (typeof outcome === "object") return outcome;
    await recordRefusal(db, services, { account, reason: outcome, now });
    throw refused();
  }
}

/**
 * Returns the end of the delay. Not before a change of address can no longer be reverted, because an attacker may have
 * changed the address to recover the account. A revert cancels the recovery.
 */
async function readyAtOf(
  db: Db,
  { authority }: RecoveryServices,
  { account_id: accountId, delay_hours }: RecoveryColumns,
  now: Instant,
): Promise<Instant> {
  return Math.max(now + delay_hours * HOUR, await revertibleUntil(db, authority, { accountId, now }));
}

function hashOf({ vault }: RecoveryServices, { recoveryCode }: Evidence): string | undefined {
  const code = readCodeText(recoveryCode ?? "", RECOVERY_CODE_LENGTH);
  return code === undefined ? undefined : hashRecoveryCode(vault, code);
}

/** Returns undefined for a disabled account. */
async function accountOfAddress(
  db: Db,
  { authority }: RecoveryServices,
  email: string,
): Promise<Account | undefined> {
  const found = await findAccountByEmail(db, authority, email);
  return found === undefined ? undefined : await findAccount(db, authority, found.id);
}

/** Returns the account of a recovery code if it has no address. */
async function accountOfCode(
  db: Db,
  { authority }: RecoveryServices,
  codeHash: string | undefined,
): Promise<Account | undefined> {
  if (codeHash === undefined) return undefined;
  const row = await findRow(db, authority, "recovery_code", "byHash", { code_hash: codeHash });
  const account = row === undefined ? undefined : await findAccount(db, authority, row.account_id);
  return account?.email === null ? account : undefined;
}

interface Attempt {
  readonly request: RecoveryRequest;
  readonly account: Account;
  readonly proof: Authentic<"email_code"> | undefined;
  readonly codeHash: string | undefined;
  /** The revision of the account's row from which the delay was read. */
  readonly revision: number;
  readonly readyAt: Instant;
  readonly token: Token;
}

type Outcome = BegunRecovery | "changed" | "no_code" | "wrong_code";

async function tryBeginning(db: Db, services: RecoveryServices, attempt: Attempt): Promise<Outcome> {
  const { request, account, readyAt, token } = attempt;
  const { device, network } = request;
  const notification = await prepareRecoveryNotification(db, services, account, request, ["begun", {
    device,
    network,
    readyAt,
    cancelPath: cancelPath(services.vault, { accountId: account.id, recoveryId: token.id }),
  }]);
  const outcome = await transaction(db, async (tx): Promise<Outcome> => {
    const state = await readState(tx, services, account.id);
    if (state.columns.revision !== attempt.revision) return "changed";
    if (await readyAtOf(tx, services, state.columns, request.now) !== readyAt) return "changed";
    await services.limits.take(tx, "recovery_account", account.id, request.now);
    const spent = await findCode(tx, services, attempt, state.columns);
    if (spent === "no_code" || spent === "wrong_code") return spent;
    requireNonePending(state.columns, request);
    if (attempt.proof !== undefined) await consumeProof(tx, services, attempt.proof, request.now);
    if (spent.code !== undefined) await removeRow(tx, services.authority, "recovery_code", spent.code);
    await notification.enqueue(tx);
    const columns = await write(tx, services, attempt, { state, ...spent });
    return { token: formatToken(token), recovery: pendingRecoveryAt(columns, request.now)! };
  });
  if (typeof outcome === "object") notification.queued();
  return outcome;
}

interface Spent {
  readonly method: RecoveryMethod;
  readonly code: Authentic<"recovery_code"> | undefined;
}

async function findCode(
  tx: Db,
  { authority }: RecoveryServices,
  { request, account, proof, codeHash }: Attempt,
  { generation, unused_mask, email_alone }: RecoveryColumns,
): Promise<Spent | "no_code" | "wrong_code"> {
  if (request.evidence.recoveryCode === undefined) {
    return proof !== undefined && email_alone === 1 ? { method: "email", code: undefined } : "no_code";
  }
  if (codeHash === undefined) return "wrong_code";
  const code = await findRow(tx, authority, "recovery_code", "byHash", { code_hash: codeHash });
  const isOurs = code !== undefined && code.account_id === account.id && code.generation === generation &&
    (unused_mask & (1 << code.number)) !== 0;
  if (!isOurs) return "wrong_code";
  return { method: proof === undefined ? "code" : "code_and_email", code };
}

function requireNonePending(columns: RecoveryColumns, { now, hasPendingInBrowser }: RecoveryRequest): void {
  if (pendingRecoveryAt(columns, now) !== undefined) {
    throw new ProtocolError("recovery_waiting", "Cannot begin recovery: one is already pending");
  }
  if (!hasPendingInBrowser) return;
  throw new ProtocolError(
    "recovery_in_browser",
    "Cannot begin recovery: another account's is pending in this browser, which can finish one at a time",
  );
}

function write(
  tx: Db,
  services: RecoveryServices,
  { request, codeHash, readyAt, token }: Attempt,
  { state, method, code }: Spent & { readonly state: RecoveryState },
): Promise<RecoveryColumns> {
  const { device, network, now } = request;
  const { columns } = state;
  return writeState(tx, services, state, {
    act: "begun",
    subject: token.id,
    now,
    change: {
      unused_mask: code === undefined ? columns.unused_mask : columns.unused_mask & ~(1 << code.number),
      recovery_id: token.id,
      method,
      secret_hash: hashSecret(token.secret),
      code_hash: method === "code" ? codeHash! : null,
      device,
      network,
      begun_at: now,
      ready_at: readyAt,
      ends_at: readyAt + READY_LIFETIME,
      observed_at_start: columns.observed_ms,
      next_check_at: Math.min(now + DAY, readyAt),
    },
  });
}

/** Records only refusals that needed the account's mailbox. An attacker could otherwise grow the log. */
async function recordRefusal(
  db: Db,
  { vault }: RecoveryServices,
  { account, reason, now }: {
    readonly account: Account;
    readonly reason: "no_code" | "wrong_code";
    readonly now: number;
  },
): Promise<void> {
  if (account.email === null) return;
  await transaction(db, (tx) =>
    appendAudit(tx, vault, now, {
      event: "recovery_refused",
      accountId: account.id,
      subject: null,
      detail: { reason },
    }));
}
