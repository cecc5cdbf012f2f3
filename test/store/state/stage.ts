import { sql } from "kysely";
import { keyOf, lookupsOf } from "../../../src/store/lookups.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { hasState, ownerColumnOf, ownerOf } from "../../../src/store/state/kinds.ts";
import { insertRow } from "../../../src/store/write.ts";
import { AUTHORITY } from "../../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import { openLyingDatabase } from "../../support/lying-database.ts";
import type { LyingDatabase, Row } from "../../support/lying-database.ts";
import { createTestAuthority } from "../../support/vault.ts";
import { KINDS, otherValue, samplesOf } from "../sample.ts";
import type { Samples } from "../sample.ts";

/** The kinds whose rows belong to a state. */
export const OWNED_KINDS: readonly AuthorityKind[] = KINDS.filter(hasState);

/** A database with rows of one kind. */
export interface OwnedStage extends LyingDatabase {
  readonly kind: AuthorityKind;
  readonly samples: Samples;
  readonly authority: ReturnType<typeof createTestAuthority>;
  readonly owner: string;
  /** The owner's rows, as they are stored; one if an owner has one at most. */
  readonly rows: readonly Row[];
  /** A row of another owner, or another row of the service. */
  readonly other: Row;
  /** Returns another row of the owner, which is not stored. */
  readonly next: (number: number) => Row;
}

/** Returns true if an owner has one row of the kind at most. */
export function isSingle(kind: AuthorityKind): boolean {
  const column = ownerColumnOf(kind);
  return Object.values(lookupsOf(kind).one).some((columns) => columns.length === 1 && columns[0] === column);
}

/** Opens the stage. All rows have the same values in the columns of each list, so that it has all of them. */
export async function ownedStage(kind: AuthorityKind): Promise<OwnedStage> {
  // Each kind is tested alone, without the rows it refers to.
  const lying = await openLyingDatabase("off");
  const samples = await samplesOf(lying.db, kind);
  const column = ownerColumnOf(kind);
  const first = samples.plain(0);
  const lists = Object.values(lookupsOf(kind).list);
  const listed = Object.fromEntries([
    ...lists.flatMap(({ by }) => by.filter((name) => name !== column).map((name) => [name, first[name]])),
    ...lists.flatMap(({ none = [] }) => none.map((name) => [name, null])),
  ]);
  const own = column === undefined || column === "id" ? listed : { ...listed, [column]: first[column] };
  const authority = createTestAuthority();
  const insert = async (row: Row): Promise<Row> =>
    await insertRow(lying.db, authority, kind, row as never) as unknown as Row;
  const rows: Row[] = [];
  for (const number of isSingle(kind) ? [0] : [0, 1, 2]) rows.push(await insert(samples.plain(number, own)));
  const other = await insert(samples.plain(51, listed));
  const owner = ownerOf(kind, first)!;
  return Object.assign(lying, {
    kind,
    samples,
    authority,
    owner,
    rows,
    other,
    next: (number: number): Row => samples.sealed(number, own),
  });
}

/** Changes an authenticated column that selects no row. */
export function changeOf({ kind, samples }: OwnedStage, row: Row): Row {
  const lists = Object.values(lookupsOf(kind).list).flatMap(({ by, none = [] }) => [...by, ...none]);
  const used = [...Object.values(lookupsOf(kind).one).flat(), ...lists, ownerColumnOf(kind)];
  const free = (AUTHORITY[kind].authenticated as readonly string[]).find((column) => !used.includes(column))!;
  return { [free]: otherValue(samples, row, free) };
}

/** Picks the row's values in these columns. */
export function valuesIn(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Deletes a row behind the service's back. */
export async function hide(db: Db, kind: AuthorityKind, row: Row): Promise<void> {
  const same = keyOf(kind).map((column) => sql`${sql.ref(column)} = ${row[column]}`);
  await sql`delete from ${sql.table(kind)} where ${sql.join(same, sql` and `)}`.execute(db);
}

/** Stores a row in place of the one with its key, behind the service's back. */
export async function put(db: Db, kind: AuthorityKind, row: Row): Promise<void> {
  await hide(db, kind, row);
  await db.insertInto(kind).values(row as never).execute();
}
