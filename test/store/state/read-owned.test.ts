import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../../src/db/schema/schema.ts";
import { lookupsOf } from "../../../src/store/lookups.ts";
import { countRows, findRow, listRows, pageRows } from "../../../src/store/read.ts";
import { isWhole, ownerOf, SERVICE } from "../../../src/store/state/kinds.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import type { Row } from "../../support/lying-database.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { ATTACKS } from "./attacks.ts";
import type { Attack } from "./attacks.ts";
import { isSingle, OWNED_KINDS, ownedStage, put, valuesIn } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

/**
 * An attacker who can write to the database hides, edits and restores rows and states. Every kind with a state and each
 * of its lookups is tested, by the process that wrote the rows and by one that has none in memory.
 */

type Read = (db: Db, authority: OwnedStage["authority"], where: Row) => Promise<readonly unknown[]>;

interface Question {
  readonly name: string;
  readonly where: Row;
  readonly read: Read;
  /** Returns the right answer, given all rows that the service knows. */
  readonly select: (rows: readonly Row[]) => readonly unknown[];
}

function ordered(
  rows: readonly Row[],
  order: readonly (readonly [string, "asc" | "desc"])[],
): readonly Row[] {
  return rows.toSorted((one, other) => {
    for (const [column, direction] of order) {
      const [left, right] = [one[column] as string, other[column] as string];
      if (left !== right) return (left < right) === (direction === "asc") ? -1 : 1;
    }
    return 0;
  });
}

/** Returns every way to read the owner's first row. */
function questionsOf(kind: AuthorityKind, row: Row): readonly Question[] {
  const questions: Question[] = [];
  for (const [lookup, columns] of Object.entries(lookupsOf(kind).one)) {
    questions.push({
      name: `findRow() ${lookup}`,
      where: valuesIn(row, columns),
      read: async (db, authority, where) => {
        const found = await findRow(db, authority, kind, lookup as never, where as never);
        return found === undefined ? [] : [found];
      },
      select: (rows) => rows.filter((each) => columns.every((column) => each[column] === row[column])),
    });
  }
  for (const [lookup, { by, order }] of Object.entries(lookupsOf(kind).list)) {
    const where = valuesIn(row, by);
    const select = (rows: readonly Row[]): readonly Row[] =>
      ordered(rows.filter((each) => by.every((column) => each[column] === row[column])), order);
    questions.push({
      name: `listRows() ${lookup}`,
      where,
      read: (db, authority, where) => listRows(db, authority, kind, lookup as never, where as never),
      select,
    });
    if (order.length > 0 && order.every(([, direction]) => direction === "asc")) {
      const page = { after: undefined, limit: 9 };
      questions.push({
        name: `pageRows() ${lookup}`,
        where,
        read: (db, authority, where) => pageRows(db, authority, kind, lookup as never, where as never, page),
        select,
      });
    }
    if (ownerOf(kind, where) === undefined) continue;
    questions.push({
      name: `countRows() ${lookup}`,
      where,
      read: async (db, authority, where) => [
        await countRows(db, authority, kind, lookup as never, where as never),
      ],
      select: (rows) => [select(rows).length],
    });
  }
  return questions;
}

/** Returns true if the question is about one owner. A page without an owner leaves out owners that do not add up. */
function hasOwner(
  kind: AuthorityKind,
  { name, where }: Question,
  { hasMemory, present }: { readonly hasMemory: boolean; readonly present: Row | undefined },
): boolean {
  if (ownerOf(kind, where) !== undefined) return true;
  // A token that is in memory is found by its id.
  return hasMemory && present !== undefined && kind === "api_token" && name === "findRow() byId";
}

/** Returns the right outcome of a question after an attack: rows, or a refusal. */
function expectedOf(
  { kind, rows, other }: OwnedStage,
  question: Question,
  { effect, present, hasMemory }: {
    readonly effect: Attack["effect"];
    readonly present: Row | undefined;
    readonly hasMemory: boolean;
  },
): readonly unknown[] | "inconsistent" {
  const { name, select } = question;
  const others = [...rows.slice(1), other];
  const isPage = name.startsWith("pageRows()");
  if (hasOwner(kind, question, { hasMemory, present })) {
    // The database is not asked.
    const isInMemory = hasMemory && (isWhole(kind) || name.startsWith("countRows()"));
    if (effect === "state" || !isInMemory) return "inconsistent";
    return select(present === undefined ? others : [present, ...others]);
  }
  // All rows of the owner are read if one of them is.
  const isLoaded = !hasMemory && (effect === "restored" || select(rows.slice(1)).length > 0);
  if (isPage && effect === "restored" && hasMemory && isWhole(kind) && present !== undefined) {
    return select([present, ...others]);
  }
  if (isPage) return select(effect === "state" || isLoaded ? [other] : others);
  if (effect === "state" || effect === "restored") return "inconsistent";
  if (effect === "edited" && name.startsWith("findRow()")) return "inconsistent";
  return isLoaded ? "inconsistent" : select(others);
}

for (const kind of OWNED_KINDS) {
  describe(`reads of ${kind}`, () => {
    test("return its rows, in this process and in another", async () => {
      await using stage = await ownedStage(kind);
      const { db, authority, rows, other } = stage;
      for (const each of [db, openSecondHandle(db)]) {
        for (const { name, where, read, select } of questionsOf(kind, rows[0]!)) {
          assert.deepEqual(await read(each, authority, where), select([...rows, other]), name);
        }
      }
      assert.deepEqual([authority.rejected, authority.inconsistent], [[], []]);
    });

    const attacks = Object.entries(ATTACKS).flatMap(([title, attack]) =>
      [undefined, 1].map((dataVersion) => ({ title, dataVersion, ...attack }))
    );
    for (const { title, dataVersion, run, effect } of attacks) {
      const how = dataVersion === undefined ? "" : ", with a data version";
      test(`refuse while ${title}, unless they need no answer of the database${how}`, async () => {
        await using stage = await ownedStage(kind);
        const { db, authority, owner } = stage;
        stage.dataVersion = dataVersion;
        const present = await run(stage);
        // The attacker is another connection.
        if (dataVersion !== undefined) stage.dataVersion = dataVersion + 1;
        for (const [handle, hasMemory] of [[db, true], [openSecondHandle(db), false]] as const) {
          for (const question of questionsOf(kind, stage.rows[0]!)) {
            const message = `${question.name} ${hasMemory}`;
            const expected = expectedOf(stage, question, { effect, present, hasMemory });
            authority.inconsistent.length = 0;
            const read = question.read(handle, authority, question.where);
            if (expected === "inconsistent") {
              await assert.rejects(read, isInconsistent, message);
              assert.deepEqual(authority.inconsistent, [{ owner, kind }], message);
            } else {
              assert.deepEqual(await read, expected, message);
              if (hasOwner(kind, question, { hasMemory, present })) {
                assert.deepEqual(authority.inconsistent, [], message);
              }
            }
          }
        }
      });
    }

    // Another row of an owner that has one at most is refused by the table.
    if (isSingle(kind)) return;
    test("go on when a row with a forged MAC was added, and report it", async () => {
      await using stage = await ownedStage(kind);
      const { db, authority, rows, other } = stage;
      await put(db, kind, { ...stage.next(3), mac: new Uint8Array(32) });
      for (const handle of [db, openSecondHandle(db)]) {
        for (const { name, where, read, select } of questionsOf(kind, rows[0]!)) {
          assert.deepEqual(await read(handle, authority, where), select([...rows, other]), name);
        }
      }
      assert.ok(authority.rejected.length > 0);
      assert.ok(authority.rejected.every((each) => each.kind === kind));
    });
  });
}

test("an account id from a request that names the owner of other kinds finds no row", async () => {
  await using stage = await ownedStage("webhook");
  const { db, authority } = stage;
  for (const dataVersion of [undefined, 1]) {
    stage.dataVersion = dataVersion;
    assert.equal(await findRow(db, authority, "account", "byId", { id: SERVICE }), undefined);
    const passkey = { account_id: SERVICE, id: "psk_1" };
    assert.equal(await findRow(db, authority, "passkey", "ofAccountById", passkey), undefined);
    assert.deepEqual(
      await listRows(db, authority, "session", "latestOfAccount", { account_id: SERVICE }),
      [],
    );
  }
});
