import { DatabaseError } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { ASK_AGAIN, authenticRow, requireValues, wrongRow } from "./authentic.ts";
import type { Authentic } from "./authentic.ts";
import { countOver } from "./spent-rows.ts";
import { columnsOfWay, countMany, LIMIT_SLOT, placeSlot, selectMany, selectOne } from "./queries.ts";
import type { Part } from "./queries.ts";
import type { AskedMany, AskedOne, ListWay, ManyWay, OneWay, Place, RawRow } from "./lookups.ts";
import { keyOf, waysOf } from "./lookups.ts";

/** Rows that are read beyond a list's first ones: if there are more, whoever asks next finds them. */
const REST = 1000;

/** How often a question is asked whose rows change under each answer. */
const ASKS = 20;

type Ask = () => Promise<RawRow[]>;

/** What is asked of a kind: by which way, and with which values. */
interface Question<K extends AuthorityKind> {
  readonly kind: K;
  readonly way: string;
  readonly asked: RawRow;
}

/**
 * What comes of checking an answer. Outside of a transaction the question is asked again as long as a row of the answer is
 * over only since it was asked: with several connections this process may change a row while an answer is under way. One
 * that was over before was put back. Throws `DatabaseError` `conflict` where that does not end.
 */
function checkAnswer<T>(
  db: Db,
  kind: AuthorityKind,
  ask: Ask,
  check: (rows: readonly RawRow[], overThen: number) => T,
  asks = ASKS,
): Promise<T> {
  const overThen = db.isTransaction ? Infinity : countOver(db, kind);
  // One promise, not one around another: every request waits for two or three of these.
  return ask().then((rows) => {
    try {
      return check(rows, overThen);
    } catch (error) {
      if (error !== ASK_AGAIN) throw error;
      if (asks > 1) return checkAnswer(db, kind, ask, check, asks - 1);
      throw new DatabaseError("conflict", `Cannot read ${kind}: it changed under each of ${ASKS} answers`);
    }
  });
}

/**
 * The row with these values; undefined when there is none, the service did not write it, or it is over (`over.ts`).
 * Throws `DatabaseError` `wrong_row` when the database answers with another row, or with two. Does not notice an older
 * version of the row that the process does not remember, nor that there was a row.
 */
export function findRow<K extends AuthorityKind, W extends OneWay<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedOne<K, W>,
): Promise<Authentic<K> | undefined> {
  const question = { kind, way, asked };
  const select = selectOne(kind, way);
  return checkAnswer(
    db,
    kind,
    () => select(db, asked),
    (rows, overThen) => checkOne(db, authority, question, rows, overThen),
  );
}

/** What the database answered to a question for one row, if it is the row. */
export function checkOne<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  { kind, way, asked }: Question<K>,
  rows: readonly RawRow[],
  overThen = Infinity,
): Authentic<K> | undefined {
  if (rows.length > 1) throw wrongRow(kind, "the database answered with more than one");
  const [row] = rows;
  const authentic = row && authenticRow(db, authority, kind, row, overThen);
  if (authentic === undefined) return undefined;
  requireValues(kind, authentic, { columns: columnsOfWay(kind, way), values: asked });
  return authentic as unknown as Authentic<K>;
}

/**
 * All rows with these values, in the way's order; those that the service did not write, or that are over, are not among
 * them. Throws `DatabaseError` `wrong_row` when the database answers with another row, with one twice or in another
 * order. Does not notice that one is missing.
 */
export function listRows<K extends AuthorityKind, W extends ManyWay<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
): Promise<Authentic<K>[]> {
  return askMany(db, authority, { kind, way, asked });
}

/** The rows of a list, or of a part of it, if they are. */
function askMany<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  question: Question<K>,
  part?: Part,
): Promise<Authentic<K>[]> {
  const { kind, way, asked } = question;
  const select = selectMany(kind, way, part);
  return checkAnswer(
    db,
    kind,
    () => select(db, asked),
    (rows, overThen) => checkMany(db, authority, question, rows, overThen),
  );
}

/**
 * The first rows of a list, at most `limit`, from behind a place on if one is given; otherwise as `listRows`. A row that
 * the service did not write takes nobody's place.
 */
export async function pageRows<K extends AuthorityKind, W extends ManyWay<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
  { after, limit }: { readonly after: Place<K, W> | undefined; readonly limit: number },
): Promise<Authentic<K>[]> {
  const order = waysOf(kind).list[way]!.order;
  const page: Authentic<K>[] = [];
  let place: RawRow | undefined = after;
  for (;;) {
    const wanted = limit - page.length;
    const values: Record<string, unknown> = { ...asked as RawRow, [LIMIT_SLOT]: wanted };
    for (const [column] of place === undefined ? [] : order) values[placeSlot(column)] = place![column];
    const start = place === undefined ? {} : { start: "behind a place" } as const;
    const select = selectMany(kind, way, { ...start, limit: "bound" });
    const behind = place;
    const { rows, authentic } = await checkAnswer(db, kind, () => select(db, values), (rows, overThen) => {
      if (rows.length > wanted) throw wrongRow(kind, "the database answered with more than were asked for");
      requireOrder(kind, order, behind === undefined ? rows : [behind, ...rows], "strictly");
      return { rows, authentic: checkMany(db, authority, { kind, way, asked }, rows, overThen) };
    });
    page.push(...authentic);
    if (rows.length < wanted || page.length === limit) return page;
    place = rows.at(-1);
  }
}

/**
 * What a list has beyond its first `keep` rows, at most 1,000 of it, checked as by `listRows`. How many come before is
 * the database's word alone: only for what may be lost, as that could be deleted as well.
 */
export async function restOfRows<K extends AuthorityKind, W extends ManyWay<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
  keep: number,
): Promise<Authentic<K>[]> {
  // Nearly always there are few, and the rest would be looked for behind all of them.
  if (await guessCount(db, kind, way, asked) <= keep) return [];
  return await askMany(db, authority, { kind, way, asked }, { skip: keep, limit: REST });
}

/**
 * How many rows a list has, by the database's own word, which nobody vouches for: for whoever wants to know where to look
 * first. Nothing is granted or refused on the strength of it.
 */
export async function guessCount<K extends AuthorityKind, W extends ManyWay<K>>(
  db: Db,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
): Promise<number> {
  const [row] = await countMany(kind, way)(db, asked);
  return Number(row?.["count"]);
}

function checkMany<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  { kind, way, asked }: Question<K>,
  rows: readonly RawRow[],
  overThen: number,
): Authentic<K>[] {
  const { by, none = [], order } = waysOf(kind).list[way]!;
  const authentic = rows.map((row) => authenticRow(db, authority, kind, row, overThen)).filter((row) =>
    row !== undefined
  );
  for (const row of authentic) {
    requireValues(kind, row, { columns: by, values: asked });
    if (none.some((column) => row[column] !== null)) throw wrongRow(kind, "a column should be empty");
  }
  requireDistinct(kind, authentic);
  requireOrder(kind, order, authentic, "at least");
  return authentic as unknown as Authentic<K>[];
}

function requireDistinct(kind: AuthorityKind, rows: readonly RawRow[]): void {
  if (rows.length < 2) return;
  const key = keyOf(kind);
  // All columns of keys are text.
  const seen = new Set(rows.map((row) => key.map((column) => row[column]).join("\0")));
  if (seen.size < rows.length) throw wrongRow(kind, "the database answered with one twice");
}

/** Throws `wrong_row` where a row stands before its predecessor; strictly, also where two stand at one place. */
function requireOrder(
  kind: AuthorityKind,
  order: ListWay["order"],
  rows: readonly RawRow[],
  how: "strictly" | "at least",
): void {
  for (let index = 1; index < rows.length; index++) {
    const step = compare(order, rows[index - 1]!, rows[index]!);
    if (order.length > 0 && (step > 0 || (step === 0 && how === "strictly"))) {
      throw wrongRow(kind, "the database answered in another order");
    }
  }
}

/** Below zero where `a` comes first. Text that orders is ids and origins: ASCII, which every engine orders alike. */
function compare(order: ListWay["order"], a: RawRow, b: RawRow): number {
  for (const [column, direction] of order) {
    const [left, right] = [a[column] as string | number, b[column] as string | number];
    if (sameValue(left, right)) continue;
    return (left < right) === (direction === "asc") ? -1 : 1;
  }
  return 0;
}
