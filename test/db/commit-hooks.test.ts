import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atCommit, getTransactionState, setTransactionState, transaction } from "../../src/db/transaction.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { openTestDatabase } from "../support/database.ts";

const NAME = Symbol("name");
const OTHER = Symbol("other");

/** Registers a hook that records a word when it runs. */
function note(seen: string[], word: string, tx: Db, name = NAME): void {
  atCommit(tx, name, {
    before: () => Promise.resolve(void seen.push(`before ${word}`)),
    after: () => void seen.push(`after ${word}`),
  });
}

async function insert(db: Db, id: string): Promise<void> {
  const row = { id, email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
  await db.insertInto("account").values(row).execute();
}

describe("atCommit()", () => {
  test("runs its hook once around the commit, before the caller resumes", async () => {
    const db = await openTestDatabase();
    const seen: string[] = [];
    await transaction(db, async (tx) => {
      note(seen, "a", tx);
      note(seen, "b", tx, OTHER);
      await transaction(tx, (inner) => Promise.resolve(note(seen, "c", inner)));
      seen.push("job over");
    });
    seen.push("heard");
    assert.deepEqual(seen, ["job over", "before c", "before b", "after c", "after b", "heard"]);
    await db.destroy();
  });

  test("is dropped with its transaction", async () => {
    const db = await openTestDatabase();
    const seen: string[] = [];
    await assert.rejects(
      transaction(db, (tx) => {
        note(seen, "a", tx);
        return Promise.reject(new Error("No"));
      }),
      /^Error: No$/,
    );
    await transaction(db, (tx) => insert(tx, "a"));
    assert.deepEqual(seen, []);
    await db.destroy();
  });

  test("rolls back when the hook rejects before the commit", async () => {
    const db = await openTestDatabase();
    const seen: string[] = [];
    const failed = transaction(db, async (tx) => {
      await insert(tx, "a");
      note(seen, "a", tx, OTHER);
      atCommit(tx, NAME, {
        before: () => Promise.reject(new RangeError("No")),
        after: () => void seen.push("after"),
      });
    });
    await assert.rejects(failed, RangeError);
    assert.deepEqual(await db.selectFrom("account").select("id").execute(), []);
    assert.deepEqual(seen, ["before a"]);
    await db.destroy();
  });

  test("in a shared commit keeps the state of the jobs that were not rolled back", async () => {
    const db = await openTestDatabase();
    const seen: string[] = [];
    const { run } = createGroupCommit(db);
    const outcomes = await Promise.allSettled([
      run((tx) => {
        setTransactionState(tx, OTHER, 1);
        return Promise.resolve(note(seen, "first", tx));
      }),
      run((tx) => {
        setTransactionState(tx, OTHER, 2);
        note(seen, "second", tx);
        return Promise.reject(new Error("No"));
      }),
      run((tx) => Promise.resolve(getTransactionState(tx, OTHER))),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.equal((outcomes[2] as PromiseFulfilledResult<unknown>).value, 1);
    assert.deepEqual(seen, ["before first", "after first"]);
    await db.destroy();
  });
});
