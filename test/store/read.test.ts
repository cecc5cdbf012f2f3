import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DatabaseError } from "../../src/db/error.ts";
import { findRow, listRows, pageRows } from "../../src/store/read.ts";
import { lookupsOf } from "../../src/store/lookups.ts";
import { hasState } from "../../src/store/state/kinds.ts";
import type { AuthorityKind } from "../../src/vault/authenticated-columns.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import type { LyingDatabase, Row } from "../support/lying-database.ts";
import { createTestAuthority } from "../support/vault.ts";
import { KINDS, otherValue, samplesOf } from "./sample.ts";
import type { Samples } from "./sample.ts";

/**
 * An attacker who controls the database answers each query with authentic rows of another query. Every lookup in the
 * table is tested, including those added later. `state/read-owned.test.ts` has the kinds with a state.
 */
const wrongRow = (error: unknown): boolean => error instanceof DatabaseError && error.code === "wrong_row";

interface Stage extends LyingDatabase {
  readonly samples: Samples;
  readonly authority: ReturnType<typeof createTestAuthority>;
}

async function stageOf(kind: AuthorityKind): Promise<Stage> {
  const lying = await openLyingDatabase();
  return Object.assign(lying, {
    samples: await samplesOf(lying.db, kind),
    authority: createTestAuthority(),
  });
}

/** Answers every query with these rows. */
function answerWith(stage: Stage, rows: readonly Row[]): void {
  stage.lie = () => Promise.resolve(rows);
}

/** Picks the row's values in these columns. */
function valuesIn(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map((column) => [column, row[column]]));
}

/** Returns authentic rows of the kind that do not match the lookup: another row, and one per differing column. */
function foreignRows({ samples }: Stage, row: Row, columns: readonly string[]): Row[] {
  const oneOff = columns.map((column) => samples.sealed(0, { [column]: otherValue(samples, row, column) }));
  return [samples.sealed(51), ...oneOff];
}

/** Returns rows of other kinds, which must not be accepted as this kind. */
async function rowsOfOtherKinds(stage: Stage): Promise<Row[]> {
  const others = KINDS.filter((kind) => kind !== stage.samples.kind);
  return await Promise.all(others.map(async (kind) => (await samplesOf(stage.db, kind)).sealed(0)));
}

for (const kind of KINDS.filter((each) => !hasState(each))) {
  for (const [lookup, columns] of Object.entries(lookupsOf(kind).one)) {
    describe(`findRow() of ${kind} ${lookup}, with a database that answers`, () => {
      const find = (stage: Stage, row: Row) =>
        findRow(stage.db, stage.authority, kind, lookup as never, valuesIn(row, columns) as never);

      test("with the row, returns the row", async () => {
        await using stage = await stageOf(kind);
        const row = stage.samples.sealed(0);
        answerWith(stage, [row]);
        assert.deepEqual(await find(stage, row), row);
      });

      test("with another row of the kind, in any column of the lookup, throws", async () => {
        await using stage = await stageOf(kind);
        const row = stage.samples.sealed(0);
        for (const foreign of foreignRows(stage, row, columns)) {
          answerWith(stage, [foreign]);
          await assert.rejects(find(stage, row), wrongRow);
        }
      });

      test("with any two rows, throws", async () => {
        await using stage = await stageOf(kind);
        const row = stage.samples.sealed(0);
        for (const second of [row, stage.samples.sealed(51), { ...row, mac: new Uint8Array(32) }]) {
          for (const rows of [[row, second], [second, row]]) {
            answerWith(stage, rows);
            await assert.rejects(find(stage, row), wrongRow);
          }
        }
      });

      test("with a row of another kind, does not return it", async () => {
        await using stage = await stageOf(kind);
        for (const other of await rowsOfOtherKinds(stage)) {
          answerWith(stage, [other]);
          const found = await find(stage, stage.samples.sealed(0)).catch((error: unknown) => {
            assert.ok(wrongRow(error), String(error));
            return undefined;
          });
          assert.equal(found, undefined);
        }
      });

      test("with no row or a forged one, returns undefined", async () => {
        await using stage = await stageOf(kind);
        const row = stage.samples.sealed(0);
        answerWith(stage, []);
        assert.equal(await find(stage, row), undefined);
        answerWith(stage, [{ ...row, mac: stage.samples.sealed(51)["mac"] }]);
        assert.equal(await find(stage, row), undefined);
        assert.equal(stage.authority.rejected.length, 1);
      });
    });
  }

  for (const [lookup, { by, none = [], order }] of Object.entries(lookupsOf(kind).list)) {
    describe(`lists of ${kind} ${lookup}, with a database that answers`, () => {
      /** Returns rows of one list, in its order. */
      const listed = ({ samples }: Stage): Row[] => {
        const first = samples.plain(0);
        const same = { ...valuesIn(first, by), ...Object.fromEntries(none.map((column) => [column, null])) };
        const rows = [0, 1, 2, 3].map((number) => samples.sealed(number, same));
        return order[0]?.[1] === "desc" ? rows.reverse() : rows;
      };
      const where = (rows: readonly Row[]) => valuesIn(rows[0]!, by) as never;
      const questions: Record<string, (stage: Stage, rows: readonly Row[]) => Promise<readonly unknown[]>> = {
        listRows: (stage, rows) => listRows(stage.db, stage.authority, kind, lookup as never, where(rows)),
      };
      // Paging requires ascending columns.
      if (order.length > 0 && order.every(([, direction]) => direction === "asc")) {
        questions["pageRows"] = (stage, rows) => {
          const page = { after: undefined, limit: rows.length + 1 };
          return pageRows(stage.db, stage.authority, kind, lookup as never, where(rows), page);
        };
      }

      for (const [name, ask] of Object.entries(questions)) {
        test(`${name}(): with the rows, returns them without forged ones`, async () => {
          await using stage = await stageOf(kind);
          const rows = listed(stage);
          answerWith(stage, rows);
          assert.deepEqual(await ask(stage, rows), rows);
          answerWith(stage, rows.with(1, { ...rows[1]!, mac: new Uint8Array(32) }));
          assert.deepEqual(await ask(stage, rows), rows.toSpliced(1, 1));
          assert.equal(stage.authority.rejected.length, 1);
        });

        test(`${name}(): with another row of the kind among them, throws`, async () => {
          await using stage = await stageOf(kind);
          const rows = listed(stage);
          const foreign = by.map((column) =>
            stage.samples.sealed(1, {
              ...rows[1]!,
              [column]: otherValue(stage.samples, rows[1]!, column),
            })
          );
          const filled = none.map((column) =>
            stage.samples.sealed(1, { ...rows[1]!, [column]: stage.samples.plain(1)[column] })
          );
          for (const wrong of [...foreign, ...filled]) {
            answerWith(stage, rows.with(1, wrong));
            await assert.rejects(ask(stage, rows), wrongRow);
          }
        });

        test(`${name}(): with a row twice, or in another order, throws`, async () => {
          await using stage = await stageOf(kind);
          const rows = listed(stage);
          answerWith(stage, [...rows.slice(0, 2), ...rows.slice(1)]);
          await assert.rejects(ask(stage, rows), wrongRow);
          if (order.length === 0) return;
          answerWith(stage, rows.toReversed());
          await assert.rejects(ask(stage, rows), wrongRow);
        });

        test(`${name}(): with rows of other kinds, throws or returns none`, async () => {
          await using stage = await stageOf(kind);
          const rows = listed(stage);
          for (const other of await rowsOfOtherKinds(stage)) {
            answerWith(stage, [other]);
            const found = await ask(stage, rows).catch((error: unknown) => {
              assert.ok(wrongRow(error), String(error));
              return [];
            });
            assert.deepEqual(found, []);
          }
        });
      }

      const page = questions["pageRows"];
      if (page === undefined) return;
      test("pageRows(): with more rows than requested, or with earlier ones, throws", async () => {
        await using stage = await stageOf(kind);
        const rows = listed(stage);
        const ask = (after: Row | undefined, limit: number) => {
          const part = { after: after as never, limit };
          return pageRows(stage.db, stage.authority, kind, lookup as never, where(rows), part);
        };
        const answers = [rows];
        stage.lie = () => Promise.resolve(answers.pop() ?? []);
        await assert.rejects(ask(undefined, 3), wrongRow);
        answerWith(stage, rows);
        for (const place of rows) await assert.rejects(ask(place, 5), wrongRow);
      });
    });
  }
}
