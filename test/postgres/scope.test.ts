import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompiledQuery } from "kysely";
import type { Engine, Scope } from "../../src/db/engine.ts";
import { inSeveral } from "../support/lent-postgres.ts";

const ADA: Scope = { subjects: ["ada"] };
const BOB: Scope = { subjects: ["bob"] };
const LIMIT = { timeout: 60_000 };

/** Begins a transaction that runs until `end` is called. */
function openTransaction(engine: Engine, scope?: Scope, locksLog = false) {
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const over = engine.transaction(async (run) => {
    // The job starts before the server has answered the begin.
    await run(CompiledQuery.raw("select 1"));
    if (locksLog) await engine.lockAuditLog(run);
    begun.resolve();
    await mayEnd.promise;
  }, scope);
  const end = (): Promise<void> => {
    mayEnd.resolve();
    return over;
  };
  return { begun: begun.promise, end };
}

/** Returns the number of sessions that wait for an advisory lock. */
async function waiting(engine: Engine): Promise<number> {
  const { rows: [row] } = await engine.run<{ count: number }>(
    CompiledQuery.raw(`select count(*) as count from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`),
  );
  return row!.count;
}

async function untilOneWaits(engine: Engine): Promise<void> {
  while (await waiting(engine) !== 1) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("transactions with a scope in several processes", () => {
  test("run concurrently if their subjects differ", LIMIT, async () => {
    await inSeveral(2, async ([one, two]) => {
      const adas = openTransaction(one!, ADA);
      await adas.begun;
      await two!.transaction(() => Promise.resolve(), BOB);
      await adas.end();
    });
  });

  const WAITING: Readonly<Record<string, readonly [first: Scope | undefined, second: Scope | undefined]>> = {
    "one with the same subject among others": [ADA, { subjects: ["bob", "ada"] }],
    "one without a scope for one that has one": [ADA, undefined],
    "one with a scope for one that has none": [undefined, ADA],
    "two without a scope": [undefined, undefined],
  };
  for (const [what, [first, second]] of Object.entries(WAITING)) {
    test(`wait for each other: ${what}`, LIMIT, async () => {
      await inSeveral(2, async ([one, two]) => {
        const before = openTransaction(one!, first);
        await before.begun;
        let isOver = false;
        const after = two!.transaction(() => Promise.resolve(), second).then(() => isOver = true);
        await untilOneWaits(one!);
        assert.equal(isOver, false);
        await before.end();
        await after;
      });
    });
  }

  test(
    "hold the audit-log lock one after the other, and wait for it only when they take it",
    LIMIT,
    async () => {
      await inSeveral(2, async ([one, two]) => {
        const writer = openTransaction(one!, ADA, true);
        await writer.begun;
        const steps: string[] = [];
        const second = two!.transaction(async (run) => {
          steps.push("begun");
          await two!.lockAuditLog(run);
          steps.push("locked");
        }, BOB);
        await untilOneWaits(one!);
        assert.deepEqual(steps, ["begun"]);
        await writer.end();
        await second;
        assert.deepEqual(steps, ["begun", "locked"]);
      });
    },
  );

  test("whose subjects overlap in another order wait, and none is rolled back", LIMIT, async () => {
    await inSeveral(4, async (engines) => {
      let runs = 0;
      const names = Array.from({ length: 20 }, (_, index) => `account ${index}`);
      await Promise.all(Array.from({ length: 60 }, (_, index) => {
        const subjects = index % 2 === 0 ? names : names.toReversed();
        return engines[index % 4]!.transaction(async (run) => {
          runs++;
          await run(CompiledQuery.raw("select 1"));
        }, { subjects });
      }));
      assert.equal(runs, 60);
    });
  });
});
