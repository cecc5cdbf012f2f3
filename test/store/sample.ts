import { sql } from "kysely";
import type { Db } from "../../src/db/schema/schema.ts";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import type { AuthorityRow } from "../../src/vault/authority.ts";
import type { Row } from "../support/lying-database.ts";
import { createTestVault } from "../support/vault.ts";

/** Every authenticated table. */
export const KINDS = Object.keys(AUTHORITY) as AuthorityKind[];

interface Column {
  readonly name: string;
  readonly type: "TEXT" | "INTEGER" | "BLOB";
  /** The values that a check constraint allows; empty for any. */
  readonly among: readonly (string | number)[];
}

/** All test databases have the same schema. */
const columnsByKind = new Map<AuthorityKind, readonly Column[]>();

async function columnsOf(db: Db, kind: AuthorityKind): Promise<readonly Column[]> {
  const known = columnsByKind.get(kind) ?? await readColumns(db, kind);
  columnsByKind.set(kind, known);
  return known;
}

/** Reads a table's columns from the schema, so that a new kind needs no change here. */
async function readColumns(db: Db, kind: AuthorityKind): Promise<readonly Column[]> {
  const { rows } = await sql<{ name: string; type: string }>`
    select name, upper(type) as type from pragma_table_info(${kind})`.execute(db);
  const schema = await sql<{ sql: string }>`select sql from sqlite_schema where name = ${kind}`.execute(db);
  return rows.map(({ name, type }) => {
    const among = new RegExp(`check \\(${name} in \\(([^)]*)\\)`).exec(schema.rows[0]!.sql)?.[1] ?? "";
    const values = among.split(",").map((text) => text.trim()).filter((text) => text !== "");
    return {
      name,
      type: type as Column["type"],
      among: values.map((text) => text.startsWith("'") ? text.slice(1, -1) : Number(text)),
    };
  });
}

function valueOf({ name, type, among }: Column, number: number): unknown {
  if (among.length > 0) return among[number % among.length];
  if (type === "INTEGER") return number + 1;
  return type === "BLOB" ? new TextEncoder().encode(`${name} ${number}`) : `${name} ${number}`;
}

/** Creates authentic rows of a kind. Each number gives other values in every column. */
export interface Samples {
  readonly kind: AuthorityKind;
  readonly columns: readonly string[];
  /** Returns the row of that number without its MAC; `change` overrides its values. */
  plain(number: number, change?: Row): Row;
  /** Returns the row of that number with its MAC. */
  sealed(number: number, change?: Row): Row;
}

/** One for all samples: it has no state that a MAC depends on. */
const VAULT = createTestVault();

export async function samplesOf(db: Db, kind: AuthorityKind): Promise<Samples> {
  const columns = (await columnsOf(db, kind)).filter(({ name }) => name !== "mac");
  const plain = (number: number, change: Row = {}): Row => ({
    ...Object.fromEntries(columns.map((column) => [column.name, valueOf(column, number)])),
    ...change,
  });
  return {
    kind,
    columns: columns.map(({ name }) => name),
    plain,
    sealed: (number, change) => {
      const row = plain(number, change);
      return { ...row, mac: VAULT.mac(kind, row as unknown as AuthorityRow<AuthorityKind>) };
    },
  };
}

/** Returns a value for the column that differs from the row's. */
export function otherValue(samples: Samples, row: Row, column: string): unknown {
  for (let number = 50; number < 60; number++) {
    const value = samples.plain(number)[column];
    if (!isSame(value, row[column])) return value;
  }
  throw new TypeError(`Cannot find another value for ${samples.kind}.${column}`);
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return a.toHex() === b.toHex();
  return a === b;
}
