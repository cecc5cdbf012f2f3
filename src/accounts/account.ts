import type { EmailProof } from "../db/schema/account.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { isLanguage, type Language, USUAL_LANGUAGE } from "../lib/language.ts";
import { readName } from "../lib/text.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows } from "../store/read.ts";
import { insertIfAbsent, replaceIfUnchanged, replaceRow, type RowChange } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";

export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly emailProvedBy: EmailProof | null;
  readonly name: string | null;
  readonly language: Language;
  readonly createdAt: Instant;
  /** The time of the last change of address, name or language. */
  readonly updatedAt: Instant;
}

/** Maximum length of an account name, in characters. */
const ACCOUNT_NAME_LIMIT = 100;

export function readAccountName(text: string): string | undefined {
  return readName(text, ACCOUNT_NAME_LIMIT);
}

export function nameOf({ id, email, name }: Pick<Account, "id" | "email" | "name">): string {
  return email ?? name ?? id;
}

/** An account that may be disabled. A disabled account grants nothing. */
export interface AnyAccount extends Account {
  readonly disabledAt: Instant | null;
  /** The row's revision. Each change of address, name or state increments it. */
  readonly version: number;
}

export function toAccount(row: Authentic<"account">): AnyAccount {
  const { id, email, name } = row;
  // The language column is not authenticated: an attacker with database access can write any text.
  const language = isLanguage(row.language) ? row.language : USUAL_LANGUAGE;
  return {
    id,
    email,
    emailProvedBy: row.email_proved_by,
    name,
    language,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.created_at,
    disabledAt: row.disabled_at,
    version: row.revision ?? 0,
  };
}

/** Returns disabled accounts too. Returns undefined if not found or if the row is not authentic. */
export async function findAccountByEmail(
  db: Db,
  authority: RowAuthority,
  email: string,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "account", "byEmail", { email });
  return row === undefined ? undefined : toAccount(row);
}

/** Returns disabled accounts too. Returns undefined if not found or if the row is not authentic. */
export async function findAnyAccount(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "account", "byId", { id });
  return row === undefined ? undefined : toAccount(row);
}

/**
 * Returns undefined if the account is not found, disabled or not authentic. Sessions, tokens and grants call it on
 * each request, so disabling the account suspends them.
 */
export async function findAccount(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<Account | undefined> {
  const account = await findAnyAccount(db, authority, id);
  return account?.disabledAt === null ? account : undefined;
}

/** Changes an account and increments its version. `row` must have been read in this transaction. */
export async function changeAccount(
  tx: Db,
  authority: RowAuthority,
  row: Authentic<"account">,
  change: Omit<RowChange<"account">, "id" | "revision">,
): Promise<AnyAccount> {
  const revision = (row.revision ?? 0) + 1;
  return toAccount(await replaceRow(tx, authority, "account", row, { ...change, revision }));
}

/** Inserts an account. Returns undefined, without writing, if its address already has one. */
export async function insertAccount(
  tx: Db,
  authority: RowAuthority,
  value: Pick<Account, "id" | "email" | "emailProvedBy" | "language"> & {
    readonly name?: string | null;
    readonly now: Instant;
  },
): Promise<Account | undefined> {
  const row = await insertIfAbsent(tx, authority, "account", "byEmail", {
    id: value.id,
    email: value.email,
    email_proved_by: value.emailProvedBy,
    name: value.name ?? null,
    language: value.language,
    created_at: value.now,
    disabled_at: null,
    revision: null,
    updated_at: null,
  });
  return row === undefined ? undefined : toAccount(row);
}

/** Changes the language of an account's pages and mails. Of two concurrent changes only one takes effect. */
export async function changeLanguage(
  tx: Db,
  authority: RowAuthority,
  { accountId, language, now }: {
    readonly accountId: string;
    readonly language: Language;
    readonly now: Instant;
  },
): Promise<void> {
  const row = await findRow(tx, authority, "account", "byId", { id: accountId });
  if (row === undefined || row.language === language) return;
  await replaceIfUnchanged(tx, authority, "account", row, { language, updated_at: now });
}

/**
 * Changes an account's address or name. The same transaction must record the change in the audit log. Throws
 * `authentication_required` if the account is gone. Does not check that the address is free: use `isAddressTaken`.
 */
export async function changeProfile(
  tx: Db,
  authority: RowAuthority,
  id: string,
  change: Pick<Account, "name"> | Pick<Account, "email" | "emailProvedBy">,
  now: Instant,
): Promise<AnyAccount> {
  const row = await findRow(tx, authority, "account", "byId", { id });
  if (row === undefined) throw new ProtocolError("authentication_required", "Sign in first");
  if ("name" in change) {
    return await changeAccount(tx, authority, row, { name: change.name, updated_at: now });
  }
  const { email, emailProvedBy } = change;
  return await changeAccount(tx, authority, row, { email, email_proved_by: emailProvedBy, updated_at: now });
}

/** Returns true if an account other than `except` has this normalised address or can still restore it. */
export async function isAddressTaken(
  db: Db,
  authority: RowAuthority,
  { email, now, except }: {
    readonly email: string;
    readonly now: Instant;
    readonly except?: string;
  },
): Promise<boolean> {
  const account = await findAccountByEmail(db, authority, email);
  if (account !== undefined && account.id !== except) return true;
  const changes = await listRows(db, authority, "email_change", "ofOldEmail", { old_email: email });
  return changes.some((change) => change.expires_at > now && change.account_id !== except);
}
