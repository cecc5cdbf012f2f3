import { type Compilable, type ExpressionBuilder, type Kysely, type RawBuilder, sql } from "kysely";
import { languageOf } from "../db/port.ts";
import { prepared, preparedChange, type Slot } from "../db/prepared-statement.ts";
import type { Db } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import { columnsOf } from "../vault/authority.ts";
import { keyOf, type ListLookup, lookupsOf, type RawRow } from "./lookups.ts";
import { idOf, ownerColumnOf, SERVICE } from "./state/kinds.ts";

export type Query = (db: Db, values: RawRow) => Promise<RawRow[]>;

export type Change = (db: Db, values: RawRow) => Promise<number>;

/** The database with untyped tables, for queries that are generic over kinds. */
type AnyDb = Kysely<Record<string, Record<string, unknown>>>;

type AnyTable = ExpressionBuilder<Record<string, Record<string, unknown>>, string>;

type Make<Row> = (db: AnyDb, slot: Slot<RawRow>) => Compilable<Row>;

function build(make: Make<RawRow>): Query {
  return prepared<RawRow, RawRow>((db, slot) => make(db as unknown as AnyDb, slot));
}

function buildChange(make: Make<unknown>): Change {
  return preparedChange<RawRow>((db, slot) => make(db as unknown as AnyDb, slot));
}

const queries = new Map<AuthorityKind, Map<string, Query | Change>>();

function once<Q extends Query | Change>(kind: AuthorityKind, name: string, make: () => Q): Q {
  let known = queries.get(kind);
  if (known === undefined) queries.set(kind, known = new Map());
  let query = known.get(name);
  if (query === undefined) known.set(name, query = make());
  return query as Q;
}

export function columnsOfLookup(kind: AuthorityKind, lookup: string): readonly string[] {
  return lookupsOf(kind).one[lookup]!;
}

export function selectOne(kind: AuthorityKind, lookup: string): Query {
  return once(kind, `one ${lookup}`, () => {
    const columns = columnsOfLookup(kind, lookup);
    const select = (isAtNumber: boolean): Query =>
      build((db, slot) =>
        db.selectFrom(kind).select(columnsOf(kind)).where((table) => equals(table, columns, slot))
          .$if(isAtNumber, (query) => query.where(atNumber(slot)))
      );
    return isNumbered(kind) && columns.includes("id") ? firstAtNumber(select) : select(false);
  });
}

const NUMBER_SLOT = "row number";

function atNumber(slot: Slot<RawRow>) {
  return sql<boolean>`rowid = ${slot(NUMBER_SLOT)}`;
}

function isNumbered(kind: AuthorityKind): boolean {
  return lookupsOf(kind).numbered === true;
}

function withNumber(values: RawRow): RawRow {
  return { ...values, [NUMBER_SLOT]: rowNumberOf(String(values["id"])) };
}

/** Tries the row number derived from the id, and then searches without it. */
function firstAtNumber(make: (isAtNumber: boolean) => Query): Query {
  const [there, anywhere] = [make(true), make(false)];
  // The first query also fails if an attacker replaced the table by a view, which has no row numbers. The second query
  // reports such faults.
  return (db, values) =>
    languageOf(db).hasRowNumbers
      ? there(db, withNumber(values)).then(
        (rows) => rows.length > 0 ? rows : anywhere(db, values),
        () => anywhere(db, values),
      )
      : anywhere(db, values);
}

/** Returns all rows of an owner, in any order. */
export function selectOwned(db: Db, kind: AuthorityKind, owner: string): Promise<RawRow[]> {
  const column = owner === SERVICE ? undefined : ownerColumnOf(kind);
  const select = once(kind, `owned by ${column}`, () =>
    build((db, slot) => {
      const query = db.selectFrom(kind).select(columnsOf(kind));
      return column === undefined ? query : query.where(column, "=", slot("owner"));
    }));
  return select(db, { owner: idOf(owner) });
}

export function deleteOne(kind: AuthorityKind, lookup: string): Query {
  return once(
    kind,
    `delete ${lookup}`,
    () =>
      build((db, slot) =>
        db.deleteFrom(kind).where((table) => equals(table, columnsOfLookup(kind, lookup), slot))
          .returning(columnsOf(kind))
      ),
  );
}

/** Slot names for the columns of a page's start, distinct from the columns' own names. */
export const placeSlot = (column: string): string => `after ${column}`;

export const LIMIT_SLOT = "at most";

/**
 * A part of a list. A constant limit is inlined, because SQLite compiles a bound limit each time. A limit that the
 * caller chooses is bound: each value would otherwise need a statement of its own.
 */
export interface Part {
  readonly start?: "behind a place";
  readonly limit?: number | "bound";
}

export function selectMany(kind: AuthorityKind, lookup: string, { start, limit }: Part = {}): Query {
  return once(kind, `many ${lookup} ${start} ${limit}`, () => {
    const { order } = lookupsOf(kind).list[lookup]!;
    return build((db, slot) => {
      let query = db.selectFrom(kind).select(columnsOf(kind)).where((table) =>
        isListed(table, kind, lookup, slot)
      );
      if (start !== undefined) query = query.where((table) => isBehind(table, order, slot));
      for (const [column, direction] of order) query = query.orderBy(column, direction);
      if (limit !== undefined) {
        query = query.limit(limit === "bound" ? slot(LIMIT_SLOT) as number : sql.lit(limit));
      }
      return query;
    });
  });
}

export function countMany(kind: AuthorityKind, lookup: string): Query {
  return once(
    kind,
    `count ${lookup}`,
    () =>
      build((db, slot) =>
        db.selectFrom(kind).select((table) => table.fn.countAll().as("count"))
          .where((table) => isListed(table, kind, lookup, slot))
      ),
  );
}

function isListed(table: AnyTable, kind: AuthorityKind, lookup: string, slot: Slot<RawRow>) {
  const { by, none = [] } = lookupsOf(kind).list[lookup]!;
  return table.and([equals(table, by, slot), ...none.map((column) => table(column, "is", null))]);
}

function equals(table: AnyTable, columns: readonly string[], slot: Slot<RawRow>) {
  return table.and(columns.map((column) => table(column, "=", slot(column))));
}

function isBehind(table: AnyTable, order: ListLookup["order"], slot: Slot<RawRow>) {
  const columns = order.map(([column]) => column);
  return table.or(columns.map((column, index) =>
    table.and([
      ...columns.slice(0, index).map((before) => table(before, "=", slot(placeSlot(before)))),
      table(column, ">", slot(placeSlot(column))),
    ])
  ));
}

/**
 * Returns the statement that inserts a row. With a lookup, it inserts nothing if a row has the same values in the
 * lookup's columns. Returns the number of inserted rows, not the row: returning it would prove nothing more and double
 * the cost.
 */
export function insertOne(kind: AuthorityKind, ifAbsentBy?: string): Change {
  return once(kind, `insert ${ifAbsentBy ?? ""}`, () => {
    const change = buildChange((db, slot) => {
      const values: Record<string, unknown> = {};
      for (const column of columnsOf(kind)) values[column] = slot(column);
      if (isNumbered(kind) && languageOf(db as unknown as Db).hasRowNumbers) {
        values["rowid"] = freeNumber(kind, slot);
      }
      const insert = db.insertInto(kind).values(values);
      return ifAbsentBy === undefined
        ? insert
        : insert.onConflict((conflict) =>
          conflict.columns([...columnsOfLookup(kind, ifAbsentBy)]).doNothing()
        );
    });
    return isNumbered(kind) ? (db, values) => change(db, withNumber(values)) : change;
  });
}

/** Returns an expression for the row's number, or null if another row has it. SQLite then chooses one. */
function freeNumber(kind: AuthorityKind, slot: Slot<RawRow>): RawBuilder<unknown> {
  const number = slot(NUMBER_SLOT);
  return sql`(select ${number} where not exists (select 1 from ${sql.table(kind)} where rowid = ${number}))`;
}

export const oldSlot = (column: string): string => `old ${column}`;

/**
 * Returns the statement that updates the row with this key and MAC, if its mutable columns are unchanged. Those that
 * were null are listed in `stillNull`, because SQL needs `is null` for them. Returns key and MAC of the updated row.
 */
export function updateOne(
  kind: AuthorityKind,
  { set, unchanged, stillNull }: {
    readonly set: readonly string[];
    readonly unchanged: readonly string[];
    readonly stillNull: readonly string[];
  },
): Query {
  return once(
    kind,
    `update ${set.join()} ${unchanged.join()} ${stillNull.join()}`,
    () => {
      const key = keyOf(kind);
      const update = (isAtNumber: boolean): Query =>
        build((db, slot) => {
          let query = db.updateTable(kind)
            .set(Object.fromEntries(set.map((column) => [column, slot(column)])))
            .where((table) => table.and(key.map((column) => table(column, "=", slot(oldSlot(column))))))
            .$if(isAtNumber, (part) => part.where(atNumber(slot)));
          for (const column of [...unchanged, "mac"]) query = query.where(column, "=", slot(oldSlot(column)));
          for (const column of stillNull) query = query.where(column, "is", null);
          return query.returning([...key, "mac"]);
        });
      return isNumbered(kind) ? firstAtNumber(update) : update(false);
    },
  );
}

/** Ids consist of the digits 0 to 9 and a to v. */
const RADIX = 32;

/** Characters of an id used, after its prefix: 50 bits, which a JavaScript number can hold. */
const LENGTH = 10;

/**
 * Returns the row number for an id: its first random characters as a number. A lookup by text searches two trees: the
 * text's index, and the table by number. In a large table each costs a distant page. A lookup by this number searches
 * one. The number is only a hint: if the row is not there, it is searched by its id, which is unique.
 */
export function rowNumberOf(id: string): number {
  const start = id.indexOf("_") + 1;
  // 0 for a text that is not one of our ids.
  return Number.parseInt(id.slice(start, start + LENGTH), RADIX) || 0;
}
