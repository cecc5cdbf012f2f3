import type { DoneByAdministrator } from "../audit/account-events.ts";
import type { AuditEvent } from "../audit/event.ts";
import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { foreignCursor, ProtocolError } from "../lib/error.ts";
import { hasNul } from "../lib/text.ts";
import type { Instant } from "../lib/time.ts";
import type { AdministratorMailAct } from "../mail/account-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import type { Place } from "../store/lookups.ts";
import { findRow, pageRows } from "../store/read.ts";
import type { RowAuthority } from "../vault/authority.ts";
import {
  changeAccount,
  changeProfile,
  findAccount,
  findAccountByEmail,
  findAnyAccount,
  toAccount,
} from "./account.ts";
import type { Account, AnyAccount } from "./account.ts";
import { type AdminSession, requireStillOpen } from "./admin-session.ts";
import type { NotificationContext, NotifyingServices } from "./notification.ts";
import { prepareAdministratorMail } from "./notify-owner.ts";
import { restartDelay } from "./recovery/recovery-state.ts";
import { postponeDeletion } from "./request-deletion.ts";
import type { AccountServices } from "./services.ts";
import { endAllSessions } from "./session/logout-notification.ts";
import { requireSession, type SignedIn } from "./session/session.ts";

// An administrator's acts cannot use or change a key or begin a recovery. Each is an entry in the account's own log.

type AccountChangeServices = Pick<AccountServices, "vault" | "authority">;

export interface AccountPart {
  /** The `next` of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

export interface AccountPage {
  readonly accounts: readonly AnyAccount[];
  readonly next: string | undefined;
}

/** Returns a page of all accounts, oldest first. Throws `invalid_request` for a cursor that no page returned. */
export async function listAccounts(
  db: Db,
  authority: RowAuthority,
  { after, limit }: AccountPart,
): Promise<AccountPage> {
  const place = { after: after === undefined ? undefined : readPosition(after), limit: limit + 1 };
  const rows = await pageRows(db, authority, "account", "all", {}, place);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    accounts: page.map(toAccount),
    next: last === undefined ? undefined : `${last.created_at}.${last.id}`,
  };
}

function readPosition(text: string): Place<"account", "all"> {
  const match = /^(\d{1,15})\.(account_[0-9a-v]{26})$/.exec(text);
  if (match !== null) return { created_at: Number(match[1]), id: match[2]! };
  throw foreignCursor();
}

/** Maximum length of a search text, in characters: that of an address. */
export const LONGEST_SEARCH = 254;

/** Returns a page of the accounts with this id, or whose address begins with the text, ordered by address. */
export async function searchAccounts(
  db: Db,
  authority: RowAuthority,
  { text, after, limit }: AccountPart & { readonly text: string },
): Promise<AccountPage> {
  const start = text.trim().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (/^account_[0-9a-v]{26}$/.test(start)) {
    const account = await findAnyAccount(db, authority, start);
    return { accounts: account === undefined ? [] : [account], next: undefined };
  }
  // An address contains no NUL, and the database accepts none in a parameter.
  if (hasNul(start)) return { accounts: [], next: undefined };
  // A page begins after its cursor, so the exact match needs a lookup of its own.
  const exact = after === undefined && start !== ""
    ? await findAccountByEmail(db, authority, start)
    : undefined;
  const place = { after: { email: after ?? start }, limit: limit + 1 };
  const rows = await pageRows(db, authority, "account", "byAddress", {}, place);
  const found = [
    ...(exact === undefined ? [] : [exact]),
    ...rows.filter(({ email }) => email!.startsWith(start)).map(toAccount),
  ];
  const accounts = found.slice(0, limit);
  return { accounts, next: found.length > limit ? accounts.at(-1)!.email! : undefined };
}

/** Returns disabled accounts too. Throws `not_found`. */
export async function getAnyAccount(db: Db, authority: RowAuthority, accountId: string): Promise<AnyAccount> {
  return toAccount(await getRow(db, authority, accountId));
}

async function getRow(db: Db, authority: RowAuthority, id: string): Promise<Authentic<"account">> {
  const row = await findRow(db, authority, "account", "byId", { id });
  if (row === undefined) throw new ProtocolError("not_found", "There is no such account");
  return row;
}

export interface AdministratorAct {
  readonly accountId: string;
  readonly done: DoneByAdministrator;
  readonly now: Instant;
}

export const BY_ADMIN_KEY: DoneByAdministrator = { by: "admin_key" };

export function administratorOf({ id, account }: AdminSession): DoneByAdministrator {
  return { by: account === undefined ? "admin_key" : "account", entrance: id };
}

/** Runs an act in a transaction. Throws `authentication_required` if the administrator's session has ended. */
export async function runAsAdministrator<T>(
  db: Db,
  { authority }: Pick<AccountChangeServices, "authority">,
  { done, now }: Pick<AdministratorAct, "done" | "now">,
  job: (tx: Db) => Promise<T>,
): Promise<T> {
  return await transaction(db, async (tx) => {
    if (done.entrance !== undefined) await requireStillOpen(tx, authority, { id: done.entrance, now });
    return await job(tx);
  });
}

/**
 * Runs an act on an account like `runAsAdministrator`, and mails it to the owner in the same transaction. `job` returns
 * undefined if there was nothing to do; then there is no mail. Throws `not_found`. `db` must be the outer handle.
 */
export async function runAndNotify<T extends object | number>(
  db: Db,
  services: NotifyingServices,
  told: AdministratorAct & NotificationContext & {
    readonly act: AdministratorMailAct;
    readonly name?: string;
  },
  job: (tx: Db) => Promise<T | undefined>,
): Promise<T | undefined> {
  const account = await getAnyAccount(db, services.authority, told.accountId);
  const notification = await prepareAdministratorMail(db, services, { ...told, account, context: told });
  const result = await runAsAdministrator(db, services, told, async (tx) => {
    const done = await job(tx);
    if (done !== undefined) await notification.enqueue(tx);
    return done;
  });
  if (result !== undefined) notification.queued();
  return result;
}

type NotifiedAct = AdministratorAct & NotificationContext;

/**
 * Disables an account. Ends its sessions and forgets its browsers. Until it is enabled again, it cannot sign in and
 * its tokens and grants are refused. Keeps its keys and their policies. Notifies the owner by mail. Does nothing if it
 * is already disabled. Throws `not_found` and `authentication_required`.
 */
export async function disableAccount(
  db: Db,
  services: NotifyingServices,
  act: NotifiedAct,
): Promise<AnyAccount> {
  const { accountId, done, now } = act;
  const disabled = await runAndNotify(db, services, { ...act, act: "account_disabled" }, async (tx) => {
    const row = await getRow(tx, services.authority, accountId);
    if (row.disabled_at !== null) return undefined;
    const sessions = await endAllSessions(tx, services.authority, accountId, act);
    const account = await changeAccount(tx, services.authority, row, { disabled_at: now });
    await record(tx, services, act, {
      event: "account_disabled",
      detail: { version: account.version, ...done, sessions },
    });
    return account;
  });
  return disabled ?? await getAnyAccount(db, services.authority, accountId);
}

/**
 * Enables an account, and notifies the owner by mail. Does nothing if it is not disabled. A pending deletion or
 * recovery starts its delay again, because the owner could not sign in to stop it. Throws `not_found` and
 * `authentication_required`.
 */
export async function enableAccount(
  db: Db,
  services: NotifyingServices,
  act: NotifiedAct,
): Promise<AnyAccount> {
  const { accountId, done, now } = act;
  const enabled = await runAndNotify(db, services, { ...act, act: "account_enabled" }, async (tx) => {
    const row = await getRow(tx, services.authority, accountId);
    if (row.disabled_at === null) return undefined;
    const account = await changeAccount(tx, services.authority, row, { disabled_at: null });
    await postponeDeletion(tx, services.authority, { accountId, now });
    await restartDelay(tx, services, { accountId, now });
    await record(tx, services, act, {
      event: "account_enabled",
      detail: { version: account.version, ...done },
    });
    return account;
  });
  return enabled ?? await getAnyAccount(db, services.authority, accountId);
}

/**
 * Ends all sessions of an account, notifies its clients and its owner, and forgets its browsers. Returns the number of
 * ended sessions. Tokens and grants keep their access. Records nothing if there was no session. Throws `not_found` and
 * `authentication_required`.
 */
export async function endSessionsFor(
  db: Db,
  services: NotifyingServices,
  act: NotifiedAct,
): Promise<number> {
  const { accountId, done } = act;
  const ended = await runAndNotify(db, services, { ...act, act: "sessions_ended" }, async (tx) => {
    await getRow(tx, services.authority, accountId);
    const sessions = await endAllSessions(tx, services.authority, accountId, act);
    if (sessions === 0) return undefined;
    await record(tx, services, act, { event: "sessions_ended_for", detail: { ...done, sessions } });
    return sessions;
  });
  return ended ?? 0;
}

type OwnEvent = Extract<
  AuditEvent,
  { readonly event: "account_disabled" | "account_enabled" | "sessions_ended_for" }
>;

async function record(
  tx: Db,
  { vault }: AccountChangeServices,
  { accountId, now }: AdministratorAct,
  { event, detail }: Pick<OwnEvent, "event" | "detail">,
): Promise<void> {
  const entry = { event, accountId, subject: accountId, detail } as OwnEvent;
  await appendAudit(tx, vault, now, entry);
}

/**
 * Changes the account's name, which clients see as `name`. Null removes it. Does nothing if the name is unchanged.
 * Throws `rate_limited`. Throws `authentication_required` if the session has ended. Does not validate the name:
 * `readAccountName` does.
 */
export async function renameAccount(
  db: Db,
  { vault, authority, limits }: AccountServices,
  { signedIn: { session, account }, name, now }: {
    readonly signedIn: SignedIn;
    readonly name: string | null;
    readonly now: Instant;
  },
): Promise<Account> {
  if (account.name === name) return account;
  return await transaction(db, async (tx) => {
    const accountId = account.id;
    await requireSession(tx, authority, session);
    // A concurrent request may have made the same change.
    const before = await findAccount(tx, authority, accountId);
    if (before?.name === name) return before;
    await limits.take(tx, "account_rename", accountId, now);
    const renamed = await changeProfile(tx, authority, accountId, { name }, now);
    await appendAudit(tx, vault, now, {
      event: "account_renamed",
      accountId,
      subject: accountId,
      detail: { version: renamed.version },
    });
    return renamed;
  });
}
