import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { openDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { countsOf, findPolicyUse, noteCounts, openPolicyUse } from "../../src/limits/policy-counters.ts";
import { NO_COUNTS } from "../../src/policy/counts.ts";
import type { Counts } from "../../src/policy/counts.ts";
import { openAt } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createTestAuthority } from "../support/vault.ts";

const ACCOUNT = {
  id: "acct_1",
  email: "ada@example.com",
  name: null,
  language: "en",
  created_at: 0,
  email_proved_by: null,
  disabled_at: null,
  revision: null,
  updated_at: null,
};
const SPENT: Counts = { "/budgets/usdc/perDay": [[0, "60"]] };

/** Opens one database in two processes, each with its own memory of spent rows, and creates counters. */
async function stageOf(path: string) {
  const authority = createTestAuthority();
  const [one, other] = [await openDatabase(await openAt(path)), await openDatabase(await openAt(path))];
  await one.insertInto("account").values({ ...ACCOUNT, mac: authority.mac("account", ACCOUNT) }).execute();
  const holder = { holderId: "tok_1", accountId: ACCOUNT.id, expiresAt: null };
  await transaction(one, (tx) => openPolicyUse(tx, authority, holder));
  return {
    one,
    other,
    authority,
    find: async (db: Db) => {
      // Sends each read as its own request, because reads in one turn share a timestamp.
      await yieldToEventLoop();
      return await findPolicyUse(db, authority, holder.holderId);
    },
    note: (db: Db, counts: Counts): Promise<void> =>
      transaction(db, async (tx) => {
        const use = await findPolicyUse(tx, authority, holder.holderId);
        assert.ok(use !== undefined, "nothing is counted any more");
        await noteCounts(tx, authority, use, counts);
      }),
    async [Symbol.asyncDispose](): Promise<void> {
      await one.destroy();
      await other.destroy();
    },
  };
}

describe("counting in two processes for one holder", () => {
  test("continues when a process writes again a value that the other saw change, because a new day began", async () => {
    using folder = temporaryFolder();
    await using stage = await stageOf(`${folder.path}/a.db`);
    const { one, other, authority, find, note } = stage;
    for (const [db, counts] of [[one, SPENT], [other, NO_COUNTS], [one, SPENT], [other, SPENT]] as const) {
      await note(db, counts);
      for (const each of [one, other]) assert.deepEqual(countsOf((await find(each))!), counts);
    }
    assert.deepEqual(authority.rejected, []);
  });

  test("continues counts written when a budget had one window", async () => {
    using folder = temporaryFolder();
    await using stage = await stageOf(`${folder.path}/a.db`);
    const former = { "/budgets/usdc": { from: 0, used: "60" }, "/perMinute": { from: 60_000, used: "2" } };
    await stage.note(stage.one, former as unknown as Counts);
    assert.deepEqual(countsOf((await stage.find(stage.other))!), { ...SPENT, "/perMinute": [[60_000, "2"]] });
  });
});
