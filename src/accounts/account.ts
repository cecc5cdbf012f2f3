import type { Db } from "../db/schema.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { insertUnlessTaken } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";

/** A person with an account. */
export interface Account {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly createdAt: Instant;
}

/** What an account is called where one name must do: its address, else its name, else its id. */
export function nameOf({ id, email, name }: Pick<Account, "id" | "email" | "name">): string {
  return email ?? name ?? id;
}

function toAccount(row: Authentic<"account">): Account {
  return { id: row.id, email: row.email, name: row.name, createdAt: row.created_at };
}

/** The account with this normalised address; undefined when there is none or its row is not authentic. */
export async function findAccountByEmail(
  db: Db,
  authority: RowAuthority,
  email: string,
): Promise<Account | undefined> {
  const row = await findRow(db, authority, "account", "byEmail", { email });
  return row === undefined ? undefined : toAccount(row);
}

/** The account of this id; undefined when there is none or its row is not authentic. */
export async function findAccount(
  db: Db,
  authority: RowAuthority,
  id: string,
): Promise<Account | undefined> {
  const row = await findRow(db, authority, "account", "byId", { id });
  return row === undefined ? undefined : toAccount(row);
}

/** Inserts an account; undefined, and nothing done, when its address already has one. */
export async function insertAccount(
  tx: Db,
  authority: RowAuthority,
  value: { id: string; email: string | null; name?: string | null; now: Instant },
): Promise<Account | undefined> {
  const row = await insertUnlessTaken(tx, authority, "account", "byEmail", {
    id: value.id,
    email: value.email,
    name: value.name ?? null,
    created_at: value.now,
  });
  return row === undefined ? undefined : toAccount(row);
}
