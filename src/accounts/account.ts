import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { isLanguage, USUAL_LANGUAGE } from "../lib/language.ts";
import type { Language } from "../lib/language.ts";
import { readName } from "../lib/text.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows } from "../store/read.ts";
import { insertUnlessTaken, replaceIfUnchanged, replaceRow } from "../store/write.ts";
import type { RowChange } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";

/** A person with an account. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  /** Of the pages and mails. */
  readonly language: Language;
  readonly createdAt: Instant;
}

/** Longest name of an account, in characters. */
export const ACCOUNT_NAME_LIMIT = 100;

/** The name as it is stored, by the rules of `readName`; undefined for what is none. */
export function readAccountName(text: string): string | undefined {
  return readName(text, ACCOUNT_NAME_LIMIT);
}

/** What an account is called where one name must do: its address, else its name, else its id. */
export function nameOf({ id, email, name }: Pick<Account, "id" | "email" | "name">): string {
  return email ?? name ?? id;
}

/** An account that may be disabled: it is there, and grants nobody anything. */
export interface AnyAccount extends Account {
  /** When an administrator disabled it; null while it is not. */
  readonly disabledAt: Instant | null;
  /** Of its row: each change of address, name or state makes another one. */
  readonly version: number;
}

/** What a row says. */
export function toAccount(row: Authentic<"account">): AnyAccount {
  const { id, email, name } = row;
  // Anybody who edits the database can have written another text here.
  const language = isLanguage(row.language) ? row.language : USUAL_LANGUAGE;
  return {
    id,
    email,
    name,
    language,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
    version: row.revision ?? 0,
  };
}

/**
 * The account with this normalised address, a disabled one too; undefined when there is none or its row is not
 * authentic.
 */
export async function findAccountByEmail(
  db: Db,
  authority: RowAuthority,
  email: string,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "account", "byEmail", { email });
  return row === undefined ? undefined : toAccount(row);
}

/** The account of this id, a disabled one too; undefined when there is none or its row is not authentic. */
export async function findAnyAccount(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<AnyAccount | undefined> {
  const row = await findRow(db, authority, "account", "byId", { id });
  return row === undefined ? undefined : toAccount(row);
}

/**
 * The account of this id, for whoever speaks for it; undefined when there is none, its row is not authentic, or an
 * administrator disabled it: sessions, tokens and grants ask for it with each request, and so are worth nothing then.
 */
export async function findAccount(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<Account | undefined> {
  const account = await findAnyAccount(db, authority, id);
  return account?.disabledAt === null ? account : undefined;
}

/** Changes an account that was read in this transaction: no version of its row is ever what another one was. */
export async function changeAccount(
  tx: Db,
  authority: RowAuthority,
  row: Authentic<"account">,
  change: Omit<RowChange<"account">, "id" | "revision">,
): Promise<AnyAccount> {
  const revision = (row.revision ?? 0) + 1;
  return toAccount(await replaceRow(tx, authority, "account", row, { ...change, revision }));
}

/** Inserts an account; undefined, and nothing done, when its address already has one. */
export async function insertAccount(
  tx: Db,
  authority: RowAuthority,
  value: { id: string; email: string | null; name?: string | null; language: Language; now: Instant },
): Promise<Account | undefined> {
  const row = await insertUnlessTaken(tx, authority, "account", "byEmail", {
    id: value.id,
    email: value.email,
    name: value.name ?? null,
    language: value.language,
    created_at: value.now,
    disabled_at: null,
    revision: null,
  });
  return row === undefined ? undefined : toAccount(row);
}

/** Changes the language of an account's pages and mails. Of two changes at once one counts. */
export async function changeLanguage(
  tx: Db,
  authority: RowAuthority,
  { accountId, language }: { readonly accountId: string; readonly language: Language },
): Promise<void> {
  const row = await findRow(tx, authority, "account", "byId", { id: accountId });
  if (row === undefined || row.language === language) return;
  await replaceIfUnchanged(tx, authority, "account", row, { language });
}

/**
 * Gives an account another address or name, in the transaction that records it. Throws `authentication_required` where
 * the account is gone. Does not check that the address is free: `isTakenAddress` says so.
 */
export async function changePerson(
  tx: Db,
  authority: RowAuthority,
  id: string,
  change: Partial<Pick<Account, "email" | "name">>,
): Promise<AnyAccount> {
  const row = await findRow(tx, authority, "account", "byId", { id });
  if (row === undefined) throw new ProtocolError("authentication_required", "Sign in first");
  return await changeAccount(tx, authority, row, change);
}

/**
 * Whether a normalised address belongs to an account, or did and can be taken back: nobody else gets it meanwhile. With
 * `except`, whether it does to another account than that one.
 */
export async function isTakenAddress(
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
