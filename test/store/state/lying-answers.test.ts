import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { DatabaseError } from "../../../src/db/error.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { lookupsOf } from "../../../src/store/lookups.ts";
import { findRow, listRows, pageRows } from "../../../src/store/read.ts";
import { isWhole, ownerOf } from "../../../src/store/state/kinds.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import type { Row } from "../../support/lying-database.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { KINDS, otherValue, samplesOf } from "../sample.ts";
import { changeOf, OWNED_KINDS, ownedStage, valuesIn } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

/**
 * An attacker who controls the database answers queries of a kind with a state with other rows, while what is stored
 * adds up. Without memory, the rows that are compared with the state are such an answer too.
 */
const isRefused = (error: unknown): boolean =>
  isInconsistent(error) || error instanceof DatabaseError && error.code === "wrong_row";

/** Answers every query of the kind with these rows. */
function answerWith(stage: OwnedStage, rows: readonly Row[]): void {
  stage.lie = ({ act, table }) =>
    Promise.resolve(act === "select" && table === stage.kind ? rows : undefined);
}

const forged = (row: Row): Row => ({ ...row, mac: new Uint8Array(32) });

/** Runs the job with the process that wrote the rows, and with one that has none in memory. */
async function onEach(
  kind: AuthorityKind,
  job: (stage: OwnedStage, db: Db, hasMemory: boolean) => Promise<void>,
): Promise<void> {
  for (const hasMemory of [true, false]) {
    await using stage = await ownedStage(kind);
    await job(stage, hasMemory ? stage.db : openSecondHandle(stage.db), hasMemory);
  }
}

function passRefused(error: unknown): readonly unknown[] {
  assert.ok(isRefused(error), String(error));
  return [];
}

/** Asserts that the rows are some of these, in their order. */
function assertPart(found: readonly unknown[], rows: readonly unknown[]): void {
  assert.deepEqual(found, rows.filter((row) => found.some((each) => isDeepStrictEqual(each, row))));
}

/** Returns an authentic row of each other kind. */
async function rowsOfOtherKinds({ db, kind }: OwnedStage): Promise<Row[]> {
  const others = KINDS.filter((each) => each !== kind);
  return await Promise.all(others.map(async (each) => (await samplesOf(db, each)).sealed(0)));
}

for (const kind of OWNED_KINDS) {
  for (const [lookup, columns] of Object.entries(lookupsOf(kind).one)) {
    const isNamed = ownerOf(kind, valuesIn({ id: 0, account_id: 0, address_id: 0 }, columns)) !== undefined;
    // By their id alone, while they are in memory.
    const isInMemory = isNamed ||
      lookup === "byId" && kind === "api_token";
    describe(`findRow() of ${kind} ${lookup}, with a database that answers`, () => {
      const find = (stage: OwnedStage, db: Db) => {
        const where = valuesIn(stage.rows[0]!, columns) as never;
        return findRow(db, stage.authority, kind, lookup as never, where);
      };
      /** Asserts that the answer is refused, unless the row in memory is the answer. */
      const assertRefused = async (stage: OwnedStage, db: Db, hasMemory: boolean): Promise<void> => {
        if (hasMemory && isInMemory && isWhole(kind)) assert.deepEqual(await find(stage, db), stage.rows[0]);
        else await assert.rejects(find(stage, db), isRefused);
      };

      test("with another row of the kind, in any column of the lookup or outside, refuses it", () =>
        onEach(kind, async (stage, db, hasMemory) => {
          const { samples, rows: [row], other } = stage;
          const oneOff = columns.map((column) => ({ [column]: otherValue(samples, row!, column) }));
          const { mac: _, ...plain } = row as Row & { mac: unknown };
          const foreign = [...oneOff, changeOf(stage, row!)].map((change) =>
            samples.sealed(0, { ...plain, ...change })
          );
          for (const answer of [other, ...foreign]) {
            answerWith(stage, [answer]);
            await assertRefused(stage, db, hasMemory);
          }
        }));

      test("with any two rows, returns none but the right one", () =>
        onEach(kind, async (stage, db, hasMemory) => {
          const { rows: [row], other } = stage;
          for (const second of [row!, other, forged(row!)]) {
            for (const answer of [[row!, second], [second, row!]]) {
              answerWith(stage, answer);
              // In a comparison with the state, a row twice or a forged one changes nothing.
              const found = await find(stage, db).catch((error: unknown) => {
                assert.ok(isRefused(error) && !(hasMemory && isInMemory && isWhole(kind)), String(error));
                return row;
              });
              assert.deepEqual(found, row);
            }
          }
        }));

      test("with a row of another kind, does not return it", () =>
        onEach(kind, async (stage, db) => {
          for (const answer of await rowsOfOtherKinds(stage)) {
            answerWith(stage, [answer]);
            const found = await find(stage, db).catch((error: unknown) => {
              assert.ok(isRefused(error), String(error));
              return undefined;
            });
            assert.deepEqual(found, found === undefined ? undefined : stage.rows[0]);
          }
        }));

      test("with a forged row, refuses it", () =>
        onEach(kind, async (stage, db, hasMemory) => {
          answerWith(stage, [forged(stage.rows[0]!)]);
          await assertRefused(stage, db, hasMemory);
        }));

      test("with no row, refuses if it knows the owner, and returns undefined otherwise", () =>
        onEach(kind, async (stage, db, hasMemory) => {
          answerWith(stage, []);
          if (isNamed || hasMemory && isInMemory) await assertRefused(stage, db, hasMemory);
          else assert.equal(await find(stage, db), undefined);
        }));
    });
  }

  for (const [lookup, { by, none = [], order }] of Object.entries(lookupsOf(kind).list)) {
    const isNamed = ownerOf(kind, valuesIn({ id: 0, account_id: 0 }, by)) !== undefined;
    describe(`lists of ${kind} ${lookup}, with a database that answers`, () => {
      type Ask = (stage: OwnedStage, db: Db) => Promise<readonly unknown[]>;
      const where = ({ rows }: OwnedStage) => valuesIn(rows[0]!, by) as never;
      const questions: Record<string, Ask> = {
        listRows: (stage, db) => listRows(db, stage.authority, kind, lookup as never, where(stage)),
      };
      if (order.length > 0 && order.every(([, direction]) => direction === "asc")) {
        const page = { after: undefined, limit: 9 };
        questions["pageRows"] = (stage, db) =>
          pageRows(db, stage.authority, kind, lookup as never, where(stage), page);
      }

      for (const [name, ask] of Object.entries(questions)) {
        /** A page of all owners leaves out rows of owners that do not add up. */
        const leavesOut = name === "pageRows" && !isNamed;
        /** Asserts that each answer is refused, unless the rows in memory are the answer. */
        const assertRefused = async (
          { stage, db, hasMemory }: { stage: OwnedStage; db: Db; hasMemory: boolean },
          listed: readonly unknown[],
          answers: readonly (readonly Row[])[],
        ): Promise<void> => {
          for (const answer of answers) {
            answerWith(stage, answer);
            if (hasMemory && isNamed && isWhole(kind)) assert.deepEqual(await ask(stage, db), listed);
            else if (leavesOut) assertPart(await ask(stage, db).catch(passRefused), listed);
            else await assert.rejects(ask(stage, db), isRefused);
          }
        };

        test(`${name}(): with another row of the kind among them, refuses it`, () =>
          onEach(kind, async (stage, db, hasMemory) => {
            const { samples } = stage;
            const listed = await ask(stage, stage.db) as readonly Row[];
            const { mac: _, ...plain } = listed[0] as Row & { mac: unknown };
            const changes = [
              ...by.map((column) => ({ [column]: otherValue(samples, plain, column) })),
              ...none.map((column) => ({ [column]: samples.plain(1)[column] })),
              changeOf(stage, plain),
            ];
            const answers = changes.map((change) =>
              listed.with(0, samples.sealed(0, { ...plain, ...change }))
            );
            await assertRefused({ stage, db, hasMemory }, listed, answers);
          }));

        test(`${name}(): with a row twice, or in another order, returns nothing wrong`, () =>
          onEach(kind, async (stage, db) => {
            const listed = await ask(stage, stage.db) as readonly Row[];
            const answers = [
              [...listed.slice(0, 1), ...listed],
              ...(listed.length > 1 ? [listed.toReversed()] : []),
            ];
            for (const answer of answers) {
              answerWith(stage, answer);
              const found = await ask(stage, db).catch((error: unknown) => {
                assert.ok(isRefused(error), String(error));
                return listed;
              });
              if (leavesOut) {
                assertPart(found, listed);
                continue;
              }
              // A list without an order may come in any.
              const inOrder = (rows: readonly unknown[]): readonly unknown[] =>
                order.length > 0 ? rows : rows.map((row) => JSON.stringify(row)).sort();
              assert.deepEqual(inOrder(found), inOrder(listed));
            }
          }));

        test(`${name}(): without one of them, or with a forged one, refuses if it knows the owner`, () =>
          onEach(kind, async (stage, db, hasMemory) => {
            const listed = await ask(stage, stage.db) as readonly Row[];
            for (const [index, row] of listed.entries()) {
              for (const answer of [listed.toSpliced(index, 1), listed.with(index, forged(row))]) {
                if (isNamed) {
                  await assertRefused({ stage, db, hasMemory }, listed, [answer]);
                  continue;
                }
                answerWith(stage, answer);
                const rest = listed.toSpliced(index, 1);
                const found = ask(stage, db);
                if (hasMemory && isWhole(kind)) assert.deepEqual(await found, rest);
                else assertPart(await found.catch(passRefused), rest);
              }
            }
          }));

        test(`${name}(): with rows of other kinds, throws or returns none of them`, () =>
          onEach(kind, async (stage, db) => {
            const listed = await ask(stage, stage.db) as readonly Row[];
            for (const other of await rowsOfOtherKinds(stage)) {
              answerWith(stage, [other]);
              const found = await ask(stage, db).catch(passRefused);
              assert.deepEqual(found, found.length === 0 ? [] : listed);
            }
          }));
      }

      if (questions["pageRows"] === undefined || isNamed) return;
      test("pageRows(): with more rows than requested, or with earlier ones, throws", () =>
        onEach(kind, async (stage, db) => {
          const listed = await questions["pageRows"]!(stage, stage.db) as readonly Row[];
          const ask = (after: Row | undefined, limit: number) => {
            const page = { after: after as never, limit };
            return pageRows(db, stage.authority, kind, lookup as never, where(stage), page);
          };
          answerWith(stage, listed);
          await assert.rejects(ask(undefined, listed.length - 1), isRefused);
          for (const place of listed) await assert.rejects(ask(place, 9), isRefused);
        }));
    });
  }
}
