import { appendAudit } from "../audit/log.ts";
import type { AuditEvent, DoneByAdministrator } from "../audit/event.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { foreignCursor, ProtocolError } from "../lib/error.ts";
import { hasNul } from "../lib/text.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, pageRows } from "../store/read.ts";
import type { Place } from "../store/lookups.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { requireStillOpen } from "./admin-session.ts";
import type { AdminSession } from "./admin-session.ts";
import { changeAccount, findAccountByEmail, findAnyAccount, toAccount } from "./account.ts";
import type { AnyAccount } from "./account.ts";
import { postponeDeletion } from "./request-deletion.ts";
import { waitAnew } from "./recovery/recovery-state.ts";
import { endAllSessions } from "./session/logout-notification.ts";
import type { Ending } from "./session/logout-notification.ts";
import type { AccountServices } from "./services.ts";

// What an administrator does with other people's accounts. None of it uses a key, changes one or starts a recovery, and
// each act is an entry of that account's own activity.

type Keeper = Pick<AccountServices, "vault" | "authority">;

/** Where a page of a list begins, and how long it is at most. */
export interface AccountPart {
  /** As the page before gave it as `next`. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** A page of accounts, and where the next one starts. */
export interface AccountPage {
  readonly accounts: readonly AnyAccount[];
  readonly next: string | undefined;
}

/** A page of all accounts, oldest first. Throws `invalid_request` for a place that no page gave. */
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

/** Most characters of what is searched for: those of an address. */
export const LONGEST_SEARCH = 254;

/**
 * A page of the accounts of this id, or whose address begins so, in the order of addresses. Addresses are compared as
 * they are stored: in lower case.
 */
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
  // No address has one, and no statement takes it.
  if (hasNul(start)) return { accounts: [], next: undefined };
  // What stands at the place itself is asked for apart: a page begins behind it.
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

/** The account of this id, a disabled one too. Throws `not_found`. */
export async function getAnyAccount(db: Db, authority: RowAuthority, accountId: string): Promise<AnyAccount> {
  return toAccount(await getRow(db, authority, accountId));
}

async function getRow(db: Db, authority: RowAuthority, id: string): Promise<Authentic<"account">> {
  const row = await findRow(db, authority, "account", "byId", { id });
  if (row === undefined) throw new ProtocolError("not_found", "There is no such account");
  return row;
}

/** Which account, who does it, and when. */
interface Act {
  readonly accountId: string;
  readonly done: DoneByAdministrator;
  readonly now: Instant;
}

/** Who does it, of a request with the admin key. */
export const BY_ADMIN_KEY: DoneByAdministrator = { by: "admin_key" };

/** Who does it, of somebody in whose browser the pages are open. */
export function doneIn({ id, account }: AdminSession): DoneByAdministrator {
  return { by: account === undefined ? "admin_key" : "account", entrance: id };
}

/** Runs an act in a transaction. Throws `authentication_required` where whoever does it may not any more. */
async function actOn<T>(
  db: Db,
  { authority }: Keeper,
  { done, now }: Act,
  job: (tx: Db) => Promise<T>,
): Promise<T> {
  return await transaction(db, async (tx) => {
    if (done.entrance !== undefined) await requireStillOpen(tx, authority, { id: done.entrance, now });
    return await job(tx);
  });
}

/** One by which sessions end. */
type EndingAct = Act & Ending;

/**
 * Disables an account: its sessions end and its browsers are forgotten; from the commit on nobody signs in to it, and
 * its tokens and what it granted to applications are refused, until it is enabled again. Its keys stay, with their
 * policies. Disabling again does nothing. Throws `not_found`, and `authentication_required` as all of these do.
 */
export async function disableAccount(db: Db, services: Keeper, act: EndingAct): Promise<AnyAccount> {
  const { accountId, done, now } = act;
  return await actOn(db, services, act, async (tx) => {
    const row = await getRow(tx, services.authority, accountId);
    if (row.disabled_at !== null) return toAccount(row);
    const sessions = await endAllSessions(tx, services.authority, accountId, act);
    const account = await changeAccount(tx, services.authority, row, { disabled_at: now });
    await record(tx, services, act, {
      event: "account_disabled",
      detail: { version: account.version, ...done, sessions },
    });
    return account;
  });
}

/**
 * Enables an account again; one that is not disabled stays as it is. A deletion and a recovery that wait do so anew:
 * while it was disabled nobody could sign in to stop them. Throws `not_found`.
 */
export async function enableAccount(db: Db, services: Keeper, act: Act): Promise<AnyAccount> {
  const { accountId, done, now } = act;
  return await actOn(db, services, act, async (tx) => {
    const row = await getRow(tx, services.authority, accountId);
    if (row.disabled_at === null) return toAccount(row);
    const account = await changeAccount(tx, services.authority, row, { disabled_at: null });
    await postponeDeletion(tx, services.authority, { accountId, now });
    await waitAnew(tx, services, { accountId, now });
    await record(tx, services, act, {
      event: "account_enabled",
      detail: { version: account.version, ...done },
    });
    return account;
  });
}

/**
 * Ends all sessions of an account, tells its applications, and forgets their browsers; answers how many ended. Tokens and
 * applications keep their access. Where there is none to end, nothing is recorded. Throws `not_found`.
 */
export async function endSessionsFor(db: Db, services: Keeper, act: EndingAct): Promise<number> {
  const { accountId, done } = act;
  return await actOn(db, services, act, async (tx) => {
    await getRow(tx, services.authority, accountId);
    const sessions = await endAllSessions(tx, services.authority, accountId, act);
    if (sessions === 0) return 0;
    await record(tx, services, act, { event: "sessions_ended_for", detail: { ...done, sessions } });
    return sessions;
  });
}

type OwnEvent = Extract<
  AuditEvent,
  { readonly event: "account_disabled" | "account_enabled" | "sessions_ended_for" }
>;

async function record(
  tx: Db,
  { vault }: Keeper,
  { accountId, now }: Act,
  { event, detail }: Pick<OwnEvent, "event" | "detail">,
): Promise<void> {
  const entry = { event, accountId, subject: accountId, detail } as OwnEvent;
  await appendAudit(tx, vault, now, entry);
}
