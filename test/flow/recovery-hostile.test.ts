import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { assertInconsistent, dropMemory, isInconsistent } from "../support/inconsistent.ts";
import { begin, cancelLink, DAY, finish, HOUR, makeCodes, pass, pressCancel } from "../support/recovery.ts";
import { temporaryFolder } from "../support/temporary.ts";

const ALICE = "alice@example.com";

/** A process of the service with its database and clients. */
interface Process {
  readonly app: TestApp;
  readonly db: Db;
  readonly alice: Client;
  /** The browser that recovers the account. */
  readonly other: Client;
}

/**
 * Two processes on one database file. The operator copies and edits rows without access to the vault. The second
 * process has cached nothing yet, as after a start.
 */
interface Stage {
  readonly first: Process;
  readonly second: Process;
  readonly codes: readonly string[];
  wait(milliseconds: number): Promise<void>;
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const open = async (): Promise<Process> => {
    const db = await openDatabase(await openSqlite(`${folder.path}/holdfast.db`));
    const app = await createTestApp({ db });
    return { app, db, alice: app.client("127.0.0.1"), other: app.client("127.0.0.9") };
  };
  const first = await open();
  await signUp(first.alice, ALICE);
  const codes = await makeCodes(first.alice);
  const second = await open();
  const wait = async (milliseconds: number): Promise<void> => {
    await pass(first.app, milliseconds);
    second.app.now = first.app.now;
  };
  try {
    await job({ first, second, codes, wait });
  } finally {
    for (const { db } of [first, second]) await closeDatabase(db);
  }
}

async function rowOf(db: Db): Promise<Tables["account_recovery"]> {
  return await db.selectFrom("account_recovery").selectAll().executeTakeFirstOrThrow();
}

async function restoreRow(db: Db, row: Tables["account_recovery"]): Promise<void> {
  await db.deleteFrom("account_recovery").execute();
  await db.insertInto("account_recovery").values(row).execute();
}

async function edit(db: Db, values: Partial<Tables["account_recovery"]>): Promise<void> {
  const { numUpdatedRows } = await db.updateTable("account_recovery").set(values).executeTakeFirstOrThrow();
  assert.equal(numUpdatedRows, 1n);
}

function share(from: Client, to: Client): void {
  for (const [name, value] of from.cookies) to.cookies.set(name, value);
}

/** Verifies that the recovery cannot be completed in either process. */
async function assertUnfinished({ first, second }: Stage): Promise<void> {
  share(first.other, second.other);
  for (const { other } of [second, first]) {
    const answer = await finish(other, ALICE);
    const isUnfinished = answer.status === 401 || answer.body.code === "recovery_not_ready";
    assert.ok(isUnfinished || isInconsistent(answer), answer.text);
  }
}

/** Verifies that no recovery starts in these processes. */
async function assertNotBegun(processes: readonly Process[], code?: string): Promise<void> {
  for (const { other } of processes) {
    const answer = await begin(other, ALICE, code);
    assert.ok(answer.body.code === "recovery_refused" || isInconsistent(answer), answer.text);
  }
}

/** Edits of a pending, cancelled or expired recovery that would let it be completed. */
const ATTACKS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "setting an earlier time in the row": async ({ first }) => {
    const { begun_at } = await rowOf(first.db);
    await edit(first.db, { ready_at: begun_at, observed_ms: 10 * DAY });
  },
  "setting more time than the service was observed to run": async ({ first, wait }) => {
    await wait(HOUR);
    await edit(first.db, { observed_ms: 90 * DAY });
    for (const { app } of [first]) app.ahead = 73 * HOUR;
  },
  "setting a shorter delay before it is started again": async ({ first, codes }) => {
    await pressCancel(first.other, await cancelLink(first.other, ALICE));
    await edit(first.db, { delay_hours: 24 });
    assertInconsistent(await begin(first.other, ALICE, codes[1]));
    await pass(first.app, 25 * HOUR);
  },
  "restoring the row from before it was cancelled by the link": async ({ first, wait }) => {
    await wait(72 * HOUR);
    const before = await rowOf(first.db);
    await pressCancel(first.other, await cancelLink(first.other, ALICE));
    await restoreRow(first.db, before);
  },
  "restoring the row from before a passkey signed in": async ({ first, wait }) => {
    await wait(72 * HOUR);
    const before = await rowOf(first.db);
    assert.equal((await signIn(first.alice)).status, 200);
    await restoreRow(first.db, before);
  },
  "hiding the row while a passkey signs in": async ({ first, wait }) => {
    await wait(72 * HOUR);
    const before = await rowOf(first.db);
    await first.db.deleteFrom("account_recovery").execute();
    // The sign-in would cancel the recovery, so it is not acknowledged.
    assertInconsistent(await signIn(first.alice));
    await restoreRow(first.db, before);
    assert.equal((await signIn(first.alice)).status, 200);
  },
  "hiding the row while its owner cancels by the link": async ({ first, second, wait }) => {
    const link = await cancelLink(first.other, ALICE);
    await wait(72 * HOUR);
    const before = await rowOf(first.db);
    await first.db.deleteFrom("account_recovery").execute();
    for (const { other } of [first, second]) {
      for (const answer of [await other.get(link), await pressCancel(other, link)]) {
        assert.equal(answer.status, 503, answer.text);
      }
    }
    await restoreRow(first.db, before);
    assert.match((await pressCancel(first.other, link)).text, /The recovery is cancelled/);
  },
  "restoring the row from before it expired": async ({ first, wait }) => {
    await wait(72 * HOUR);
    const before = await rowOf(first.db);
    await wait(7 * DAY);
    await restoreRow(first.db, { ...before, next_check_at: null });
  },
  "copying the row of another account, whose delay is over": async ({ first, second }) => {
    const bob = first.app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    const [code] = await makeCodes(bob);
    const thief = first.app.client("127.0.0.3");
    await begin(thief, "bob@example.com", code);
    await pass(first.app, 60 * HOUR);
    second.app.now = first.app.now;
    const rows = await first.db.selectFrom("account_recovery").selectAll().execute();
    const bobs = rows.find(({ begun_at }) => begun_at !== null && begun_at === rows.at(-1)!.begun_at)!;
    const alices = rows.find(({ account_id }) => account_id !== bobs.account_id)!;
    await first.db.deleteFrom("account_recovery").where("account_id", "=", bobs.account_id).execute();
    const { mac, observed_ms } = bobs;
    await first.db.updateTable("account_recovery").set({ mac, observed_ms })
      .where("account_id", "=", alices.account_id).execute();
  },
  "setting the clock 72 hours ahead": async ({ first, second }) => {
    await first.app.maintain();
    for (const { app } of [first, second]) app.ahead = 73 * HOUR;
    for (let minute = 0; minute < 5; minute++) {
      for (const { app } of [first, second]) {
        app.now += 60_000;
        await app.maintain();
      }
    }
  },
  "setting the clock ahead in many processes": async ({ first, second }) => {
    for (const { app } of [first, second]) app.ahead = 73 * HOUR;
    for (let hour = 0; hour < 40; hour++) {
      for (const { app } of [first, second]) {
        app.now += HOUR;
        await app.maintain();
      }
    }
  },
};

describe("an attacker with database access", () => {
  for (const [name, attack] of Object.entries(ATTACKS)) {
    test(`does not complete a recovery by ${name}`, async () => {
      await onStage(async (stage) => {
        const { first, second, codes } = stage;
        assert.equal((await begin(first.other, ALICE, codes[0])).status, 201);
        await attack(stage);
        second.app.now = Math.max(first.app.now, second.app.now);
        await assertUnfinished(stage);
        for (const { app } of [first, second]) await app.maintain();
        await assertUnfinished(stage);
      });
    });
  }

  test("does not start one with a restored code that was used or replaced", async () => {
    for (const how of ["used", "replaced"] as const) {
      await onStage(async ({ first, second, codes }) => {
        const rows: Tables["recovery_code"][] = await first.db.selectFrom("recovery_code").selectAll()
          .execute();
        const before = await rowOf(first.db);
        if (how === "used") {
          await begin(first.other, ALICE, codes[0]);
          await pressCancel(first.other, await cancelLink(first.other, ALICE));
        } else {
          await makeCodes(first.alice);
        }
        await first.db.deleteFrom("recovery_code").execute();
        await first.db.insertInto("recovery_code").values(rows).execute();
        second.app.now = first.app.now;
        await assertNotBegun([second, first], codes[0]);
        await restoreRow(first.db, before);
        await assertNotBegun([second, first], codes[0]);
      });
    }
  });

  test("does not make an e-mail code sufficient against the owner's settings", async () => {
    await onStage(async ({ first, second }) => {
      await edit(first.db, { email_alone: 1 });
      await assertNotBegun([second, first]);
    });
    await onStage(async ({ first, second }) => {
      const change = (emailAlone: boolean) =>
        first.alice.request("PATCH", "/api/auth/way-back", { body: { emailAlone } });
      assert.equal((await change(true)).status, 200);
      const before = await rowOf(first.db);
      assert.equal((await change(false)).status, 200);
      await restoreRow(first.db, before);
      await assertNotBegun([second, first]);
    });
  });

  test("does not shorten the delay by deleting the row with the settings", async () => {
    await onStage(async ({ first, second, codes }) => {
      const body = { delayHours: 720 };
      assert.equal((await first.alice.request("PATCH", "/api/auth/way-back", { body })).status, 200);
      await first.db.deleteFrom("account_recovery").execute();
      for (const { other } of [second, first]) assertInconsistent(await begin(other, ALICE, codes[0]));
    });
  });

  test("does not end the seven days by setting the clock, or by deleting or restoring the row", async () => {
    const attacks: readonly ((stage: Stage, before: Tables["account_recovery"]) => Promise<void>)[] = [
      async ({ first, second }) => {
        for (const { app } of [first, second]) app.ahead = 8 * DAY;
        await first.app.maintain();
      },
      ({ first }, before) => restoreRow(first.db, before),
      async ({ first }) => void await first.db.deleteFrom("account_recovery").execute(),
      ({ first }) => edit(first.db, { cooldown_ends_at: 0 }),
    ];
    for (const attack of attacks) {
      await onStage(async (stage) => {
        const { first, second, codes, wait } = stage;
        await begin(first.other, ALICE, codes[0]);
        await wait(72 * HOUR);
        const before = await rowOf(first.db);
        assert.equal((await finish(first.other, ALICE)).status, 201);
        await attack(stage, before);
        for (const { app, db } of [second, first]) {
          dropMemory(db);
          const client = app.client("127.0.0.9");
          const options = await client.post("/api/auth/passkey/authentication/options", {});
          const response = await first.other.authenticator.authenticate(options.body, {
            origin: client.origin,
          });
          const signedIn = await client.post("/api/auth/passkey/authentication", { response });
          if (isInconsistent(signedIn)) continue;
          assert.equal(signedIn.status, 200, signedIn.text);
          const made = await client.post("/api/auth/way-back/codes", {});
          assert.ok(made.body.code === "recently_recovered" || isInconsistent(made), made.text);
        }
      });
    }
  });
});
