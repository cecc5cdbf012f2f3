import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atCommit, getTransactionState, setTransactionState, transaction } from "../../src/db/transaction.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { openTestDatabase } from "../support/database.ts";

const NAME = Symbol("name");
const OTHER = Symbol("other");

/** Registers a hook that records a word when it runs. */
function note(heard: string[], word: string, tx: Db, name = NAME): void {
  atCommit(tx, name, {
    before: () => Promise.resolve(void heard.push(`before ${word}`)),
    after: () => void heard.push(`after ${word}`),
  });
}

async function insert(db: Db, id: string): Promise<void> {
  const row = { id, email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
  await db.insertInto("account").values(row).execute();
}

describe("atCommit()", () => {
  test("runs its hook once around the commit, before the caller resumes", async () => {
    const db = await openTestDatabase();
    const heard: string[] = [];
    await transaction(db, async (tx) => {
      note(heard, "a", tx);
      note(heard, "b", tx, OTHER);
      await transaction(tx, (inner) => Promise.resolve(note(heard, "c", inner)));
      heard.push("job over");
    });
    heard.push("heard");
    assert.deepEqual(heard, ["job over", "before c", "before b", "after c", "after b", "heard"]);
    await db.destroy();
  });

  test("is dropped with its transaction", async () => {
    const db = await openTestDatabase();
    const heard: string[] = [];
    await assert.rejects(
      transaction(db, (tx) => {
        note(heard, "a", tx);
        return Promise.reject(new Error("No"));
      }),
      /^Error: No$/,
    );
    await transaction(db, (tx) => insert(tx, "a"));
    assert.deepEqual(heard, []);
    await db.destroy();
  });

  test("rolls back when the hook rejects before the commit", async () => {
    const db = await openTestDatabase();
    const heard: string[] = [];
    const failed = transaction(db, async (tx) => {
      await insert(tx, "a");
      note(heard, "a", tx, OTHER);
      atCommit(tx, NAME, {
        before: () => Promise.reject(new RangeError("No")),
        after: () => void heard.push("after"),
      });
    });
    await assert.rejects(failed, RangeError);
    assert.deepEqual(await db.selectFrom("account").select("id").execute(), []);
    assert.deepEqual(heard, ["before a"]);
    await db.destroy();
  });

  test("in a shared commit keeps the state of the jobs that were not rolled back", async () => {
    const db = await openTestDatabase();
    const heard: string[] = [];
    const { run } = createGroupCommit(db);
    const outcomes = await Promise.allSettled([
      run((tx) => {
        setTransactionState(tx, OTHER, 1);
        return Promise.resolve(note(heard, "first", tx));
      }),
      run((tx) => {
        setTransactionState(tx, OTHER, 2);
        note(heard, "second", tx);
        return Promise.reject(new Error("No"));
      }),
      run((tx) => Promise.resolve(getTransactionState(tx, OTHER))),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.equal((outcomes[2] as PromiseFulfilledResult<unknown>).value, 1);
    assert.deepEqual(heard, ["before first", "after first"]);
    await db.destroy();
  });
});
