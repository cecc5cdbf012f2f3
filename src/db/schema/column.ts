import type { Instant } from "../../lib/time.ts";

/** A column of a table whose rows grant authority. `T` is the type of its values, known to the compiler alone. */
export interface Column<T> {
  readonly type?: T;
}

/** A column outside the MAC. */
export interface MutableColumn<T> extends Column<T> {
  /** The gain of an attacker who edits it in the database. */
  readonly gain: string;
}

/** A nullable column that a migration added. The MAC covers it in each row where it is not null. */
export interface AddedColumn<T> extends Column<T> {
  readonly added: true;
}

export function column<T>(): Column<T> {
  return {};
}

export const text: Column<string> = column();
export const integer: Column<number> = column();
export const bytes: Column<Uint8Array> = column();
export const time: Column<Instant> = column();

export function nullable<T>(_of: Column<T>): Column<T | null> {
  return column();
}

/** Leaves a column out of the MAC. Allowed for a column that does not widen what the row allows. */
export function mutable<T>(_of: Column<T>, gain: string): MutableColumn<T> {
  return { gain };
}

/**
 * Adds a column to a table that has rows. The MAC leaves it out where it is null, so that the rows from before keep
 * theirs. Setting it to null, or to anything else, still changes the MAC.
 */
export function added<T>(_of: Column<T | null>): AddedColumn<T | null> {
  return { added: true };
}

/** A table whose rows grant authority. The MAC covers `version` and all columns but the mutable ones, in this order. */
export interface AuthenticatedTable<C> {
  readonly version: number;
  readonly columns: C;
}

/** Declares a table whose rows grant authority. Each has a column `mac` besides these. */
export function authenticated<C extends Readonly<Record<string, Column<unknown>>>>(
  version: number,
  columns: C,
): AuthenticatedTable<C> {
  return { version, columns };
}

type ValueOf<C> = C extends Column<infer T> ? T : never;

type RowOf<C> = { [N in keyof C]: ValueOf<C[N]> } & { mac: Uint8Array };

/** The rows of tables, by table. */
export type RowsOf<T> = { [N in keyof T]: T[N] extends AuthenticatedTable<infer C> ? RowOf<C> : never };

/** The names of the columns that the MAC covers. */
export type AuthenticatedColumn<T> = T extends AuthenticatedTable<infer C>
  ? { [N in keyof C]: C[N] extends MutableColumn<unknown> ? never : N }[keyof C]
  : never;
