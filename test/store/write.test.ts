import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { DatabaseError } from "../../src/db/error.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { keyOf, lookupsOf, primaryLookup } from "../../src/store/lookups.ts";
import { hasState, isWhole, ownerColumnOf } from "../../src/store/state/kinds.ts";
import {
  consumeRow,
  insertIfAbsent,
  insertRow,
  removeRow,
  replaceIfUnchanged,
  replaceRow,
  upsertRow,
} from "../../src/store/write.ts";
import { AUTHORITY } from "../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import type { LyingDatabase, Row, Statement } from "../support/lying-database.ts";
import { isInconsistent } from "../support/state.ts";
import { createTestAuthority } from "../support/vault.ts";
import { KINDS, otherValue, samplesOf } from "./sample.ts";
import type { Samples } from "./sample.ts";

/**
 * An attacker who controls the database skips a write, repeats it or applies it to another row, and returns any
 * result. Every kind and every lookup in the table is tested.
 */
const isLie = (error: unknown): boolean =>
  error instanceof DatabaseError && ["wrong_row", "not_written"].includes(error.code);

interface Stage extends LyingDatabase {
  readonly samples: Samples;
  readonly authority: ReturnType<typeof createTestAuthority>;
}

/** Opens a database with two rows of the kind, numbers 0 and 51. */
async function stageOf(kind: AuthorityKind, numbers: readonly number[] = [0, 51]): Promise<Stage> {
  // Each kind is tested alone, without the rows it refers to.
  const lying = await openLyingDatabase("off");
  const samples = await samplesOf(lying.db, kind);
  const stage = Object.assign(lying, { samples, authority: createTestAuthority() });
  for (const number of numbers) await insert(stage, samples.plain(number));
  return stage;
}

async function insert({ db, authority, samples }: Stage, row: Row): Promise<Row> {
  return await insertRow(db, authority, samples.kind, row as never) as unknown as Row;
}

async function rowsOf({ db, samples }: Stage): Promise<Row[]> {
  const { rows } = await sql<Row>`select * from ${sql.table(samples.kind)}`.execute(db);
  // Some columns come after the MAC.
  return rows.map(({ mac, ...row }) => ({ ...row, mac }));
}

/** Returns the sets of columns that are unique in the table. */
async function uniqueSets(db: Db, kind: AuthorityKind): Promise<readonly (readonly string[])[]> {
  const { rows } = await sql<{ name: string; column: string }>`
    select i.name, c.name as "column" from pragma_index_list(${kind}) i, pragma_index_info(i.name) c
    where i."unique" = 1`.execute(db);
  return [...Map.groupBy(rows, ({ name }) => name).values()].map((set) => set.map(({ column }) => column));
}

const placesByKind = new Map<AuthorityKind, readonly string[]>();

/** Returns the lookups of one row whose columns are a unique set, not more than one. */
async function places(kind: AuthorityKind): Promise<readonly string[]> {
  const known = placesByKind.get(kind) ?? await readPlaces(kind);
  placesByKind.set(kind, known);
  return known;
}

async function readPlaces(kind: AuthorityKind): Promise<readonly string[]> {
  await using lying = await openLyingDatabase();
  const { db } = lying;
  const sets = (await uniqueSets(db, kind)).map((columns) => columns.toSorted().join());
  return Object.entries(lookupsOf(kind).one).filter(([, columns]) => sets.includes(columns.toSorted().join()))
    .map(([lookup]) => lookup);
}

function valuesIn(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Changes a column that is in no lookup of one row and names no owner: an authenticated one if possible. */
function changeOf({ samples }: Stage, row: Row): Row {
  const where = [...Object.values(lookupsOf(samples.kind).one).flat(), ownerColumnOf(samples.kind)];
  const authenticated: readonly string[] = AUTHORITY[samples.kind].authenticated;
  const free = authenticated.find((column) => !where.includes(column)) ??
    Object.keys(AUTHORITY[samples.kind].unauthenticated)[0]!;
  return { [free]: otherValue(samples, row, free) };
}

/** Returns true for a statement on the table of the kind. `state/write-states.test.ts` tests the other tables. */
function isWrite({ samples }: Stage, statement: Statement, act: Statement["act"]): boolean {
  return statement.act === act && statement.table === samples.kind;
}

/**
 * The ways in which a write fails silently, as the result that the database returns. An insertion returns only the
 * number of rows.
 */
const LIES: Readonly<Record<string, (stage: Stage, act: Statement["act"]) => void | Promise<unknown>>> = {
  "not done, and reported so": (stage, act) => {
    stage.lie = (statement) => Promise.resolve(isWrite(stage, statement, act) ? [] : undefined);
  },
  "not done, by a trigger": async (stage, act) => {
    const trigger =
      `create trigger lie before ${act} on ${stage.samples.kind} begin select raise(ignore); end`;
    await sql.raw(trigger).execute(stage.db);
  },
  "done, and reported as done twice": (stage, act) => {
    stage.lie = async (statement) => {
      if (!isWrite(stage, statement, act)) return undefined;
      const rows = await statement.carryOut();
      return [...rows, ...rows];
    };
  },
  "done to another row": (stage, act) => {
    stage.lie = async (statement) => {
      if (!isWrite(stage, statement, act)) return undefined;
      await statement.carryOut();
      return [stage.samples.sealed(51)];
    };
  },
  "done to another row with the same MAC": (stage, act) => {
    stage.lie = async (statement) => {
      if (!isWrite(stage, statement, act)) return undefined;
      const rows = await statement.carryOut();
      return rows.map((row) => ({ ...row, ...valuesIn(stage.samples.plain(51), keyOf(stage.samples.kind)) }));
    };
  },
};

for (const kind of KINDS) {
  describe(`writes of ${kind}`, () => {
    for (const [lie, apply] of Object.entries(LIES).filter(([lie]) => !lie.includes("another row"))) {
      test(`insertRow() ${lie}: throws`, async () => {
        await using stage = await stageOf(kind);
        await apply(stage, "insert");
        await assert.rejects(insert(stage, stage.samples.plain(2)), isLie);
      });

      test(`insertIfAbsent() ${lie}: throws`, async () => {
        for (const lookup of await places(kind)) {
          await using stage = await stageOf(kind);
          await apply(stage, "insert");
          const row = stage.samples.plain(2) as never;
          await assert.rejects(
            insertIfAbsent(stage.db, stage.authority, kind, lookup as never, row),
            isLie,
          );
        }
      });

      test(`upsertRow() ${lie}: throws`, async () => {
        for (const lookup of Object.keys(lookupsOf(kind).one)) {
          await using stage = await stageOf(kind);
          await apply(stage, "insert");
          const row = stage.samples.plain(2) as never;
          await assert.rejects(upsertRow(stage.db, stage.authority, kind, lookup as never, row), isLie);
        }
      });
    }

    for (const [lie, apply] of Object.entries(LIES)) {
      test(`consumeRow() ${lie}: throws`, async () => {
        for (const [lookup, columns] of Object.entries(lookupsOf(kind).one)) {
          await using stage = await stageOf(kind);
          const where = valuesIn(stage.samples.plain(0), columns) as never;
          await apply(stage, "delete");
          // A consumed row is compared with the lookup. With another key it is not authentic, and counts as absent.
          const consumed = consumeRow(stage.db, stage.authority, kind, lookup as never, where);
          if (lie.endsWith("same MAC")) assert.equal(await consumed.catch(() => undefined), undefined);
          else await assert.rejects(consumed, isLie);
        }
      });

      test(`removeRow() ${lie}: throws`, async () => {
        await using stage = await stageOf(kind);
        await apply(stage, "delete");
        const row = stage.samples.sealed(0) as never;
        const isKnown = (error: unknown) => isLie(error) || hasState(kind) && isInconsistent(error);
        await assert.rejects(removeRow(stage.db, stage.authority, kind, row), isKnown);
      });

      for (const [name, replace] of Object.entries({ replaceRow, replaceIfUnchanged })) {
        test(`${name}() ${lie}: throws`, async () => {
          await using stage = await stageOf(kind);
          await apply(stage, "update");
          const row = stage.samples.sealed(0);
          const change = changeOf(stage, row) as never;
          await assert.rejects(replace(stage.db, stage.authority, kind, row as never, change), isLie);
        });
      }
    }

    test("apply to the row of the lookup, and to no other", async () => {
      await using stage = await stageOf(kind);
      const { db, authority, samples } = stage;
      const [own, other] = [samples.sealed(0), samples.sealed(51)];
      const change = changeOf(stage, own);
      const changed = await replaceRow(db, authority, kind, own as never, change as never);
      assert.deepEqual(await rowsOf(stage), [samples.sealed(0, change), other]);
      await removeRow(db, authority, kind, changed);
      assert.deepEqual(await rowsOf(stage), [other]);
      for (const [index, [lookup, columns]] of Object.entries(lookupsOf(kind).one).entries()) {
        // A new row each time, because a consumed row cannot be inserted again.
        const [plain, own] = [samples.plain(60 + index), samples.sealed(60 + index)];
        const where = valuesIn(own, columns) as never;
        assert.equal(await consumeRow(db, authority, kind, lookup as never, where), undefined);
        const { row, replaced } = await upsertRow(db, authority, kind, lookup as never, plain as never);
        assert.deepEqual([row, replaced], [own, undefined]);
        if ((await places(kind)).includes(lookup)) {
          const consumed = insertIfAbsent(db, authority, kind, lookup as never, plain as never);
          assert.equal(await consumed, undefined);
        }
        assert.deepEqual(await consumeRow(db, authority, kind, lookup as never, where), own);
        assert.deepEqual(await rowsOf(stage), [other]);
      }
    });

    const forged = !hasState(kind) || isWhole(kind)
      ? "upsertRow() replaces an existing row, also a forged one"
      : "upsertRow() replaces an existing row, and refuses while one of its owner is forged";
    test(forged, async () => {
      for (const lookup of Object.keys(lookupsOf(kind).one)) {
        await using stage = await stageOf(kind);
        const { db, authority, samples } = stage;
        const change = changeOf(stage, samples.plain(0));
        const row = samples.plain(0, change);
        const { replaced } = await upsertRow(db, authority, kind, lookup as never, row as never);
        assert.deepEqual(replaced, samples.sealed(0));
        await sql`update ${sql.table(kind)} set mac = ${new Uint8Array(32)} where mac = ${
          samples.sealed(0, change)["mac"]
        }`.execute(db);
        const again = upsertRow(db, authority, kind, lookup as never, row as never);
        if (hasState(kind) && !isWhole(kind)) {
          await assert.rejects(again, isInconsistent);
          continue;
        }
        // For a kind with a state, it is the row as this process knows it.
        assert.deepEqual((await again).replaced, hasState(kind) ? samples.sealed(0, change) : undefined);
        const expected = [samples.sealed(0, change), samples.sealed(51)].map((each) => JSON.stringify(each));
        assert.deepEqual((await rowsOf(stage)).map((each) => JSON.stringify(each)).sort(), expected.sort());
      }
    });

    test("removeRow() and replaceRow() throw for a row that was deleted or changed", async () => {
      await using stage = await stageOf(kind);
      const { db, authority, samples } = stage;
      const row = samples.sealed(0);
      const change = changeOf(stage, row) as never;
      const replace = () => replaceRow(db, authority, kind, row as never, change);
      const replaced = await replace();
      await assert.rejects(replace(), isLie);
      assert.equal(await replaceIfUnchanged(db, authority, kind, row as never, change), undefined);
      await removeRow(db, authority, kind, replaced);
      await assert.rejects(replace(), isLie);
      await assert.rejects(removeRow(db, authority, kind, replaced), isLie);
      assert.equal(await replaceIfUnchanged(db, authority, kind, row as never, change), undefined);
    });
  });
}

test("the first lookup of each kind is the primary key of its table", async () => {
  await using lying = await openLyingDatabase();
  const { db } = lying;
  for (const kind of KINDS) {
    const { rows } = await sql<{ name: string }>`
      select name from pragma_table_info(${kind}) where pk > 0 order by pk`.execute(db);
    const lookups = lookupsOf(kind).one;
    assert.deepEqual(lookups[primaryLookup(kind)], rows.map(({ name }) => name), kind);
  }
});

test("each lookup of one row is unique in its table, or has a unique column set among its columns", async () => {
  await using lying = await openLyingDatabase();
  const { db } = lying;
  for (const kind of KINDS) {
    const unique = await uniqueSets(db, kind);
    for (const [lookup, columns] of Object.entries(lookupsOf(kind).one)) {
      const isUnique = unique.some((set) => set.every((column) => columns.some((where) => where === column)));
      assert.ok(isUnique, `${kind} ${lookup}`);
    }
  }
});
