import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { assertInconsistent } from "../support/inconsistent.ts";
import { openAt } from "../support/postgres.ts";
import { ALICE, begin, cancelLink, DAY, finish, makeCodes, pass, pressCancel } from "../support/recovery.ts";
import { temporaryFolder } from "../support/temporary.ts";

const OTHER = "alice@example.org";

/** A process of the service with its database and a client. */
interface Process {
  readonly app: TestApp;
  readonly db: Db;
  /** The owner's client. */
  readonly alice: Client;
}

/** Runs a job with the owner at one process, an older account row, and a process that has cached nothing. */
async function onStage(
  job: (stage: {
    readonly first: Process;
    readonly second: Process;
    readonly accountId: string;
    readonly codes: readonly string[];
    /** Restores the account's row from the start of the stage. Returns the row that it replaces. */
    restoreRow(): Promise<Tables["account"]>;
    put(row: Tables["account"]): Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const open = async (): Promise<Process> => {
    const db = await openDatabase(await openAt(`${folder.path}/holdfast.db`));
    const app = await createTestApp({ db });
    return { app, db, alice: app.client() };
  };
  const first = await open();
  const accountId = (await signUp(first.alice, ALICE)).body.account.id;
  const codes = await makeCodes(first.alice);
  const rowIn = (db: Db) =>
    db.selectFrom("account").selectAll().where("id", "=", accountId).executeTakeFirstOrThrow();
  const before = await rowIn(first.db);
  const opened = await open();
  const second = { ...opened, alice: { ...opened.alice, authenticator: first.alice.authenticator } };
  const put = async (row: Tables["account"]): Promise<void> => {
    await first.db.updateTable("account").set(row).where("id", "=", accountId).execute();
  };
  const restoreRow = async (): Promise<Tables["account"]> => {
    const present = await rowIn(first.db);
    await put(before);
    return present;
  };
  try {
    await job({ first, second, accountId, codes, restoreRow, put });
  } finally {
    for (const { db } of [first, second]) await closeDatabase(db);
  }
}

async function changeAddress(client: Client): Promise<void> {
  await client.post("/api/auth/account/email/code", { email: OTHER });
  const body = { email: OTHER, code: await readCode(client, OTHER) };
  assert.equal((await client.post("/api/auth/account/email", body)).status, 200);
}

async function reportedIn({ db }: Process): Promise<number> {
  const rows = await db.selectFrom("audit_event").select("detail").where("event", "=", "rows_inconsistent")
    .execute();
  return rows.filter(({ detail }) => JSON.parse(detail).kind === "account").length;
}

describe("an older account row that is restored, in a process that has not cached the newer one", () => {
  test("neither starts a recovery by the replaced address nor signs in, until the newest is back", async () => {
    await onStage(async ({ first, second, codes, restoreRow, put }) => {
      await changeAddress(first.alice);
      const present = await restoreRow();
      const thief = second.app.client("127.0.0.9");
      assert.equal((await begin(thief, ALICE, codes[0])).status, 503);
      assert.equal((await signIn(second.alice)).status, 503);
      assert.ok(await reportedIn(second) > 0, "the log records the row");
      await put(present);
      assert.equal((await signIn(second.alice)).body.account.email, OTHER);
      assert.equal((await begin(thief, ALICE, codes[0])).body.code, "recovery_refused");
      assert.equal((await begin(thief, OTHER, codes[0])).status, 201);
    });
  });

  test("does not finish a recovery that was started with the current address", async () => {
    await onStage(async ({ first, second, codes, restoreRow }) => {
      await changeAddress(first.alice);
      const other = first.app.client("127.0.0.9");
      assert.equal((await begin(other, OTHER, codes[0])).status, 201);
      await pass(first.app, 7 * DAY);
      second.app.now = first.app.now;
      await restoreRow();
      const there = second.app.client("127.0.0.9");
      for (const [name, value] of other.cookies) there.cookies.set(name, value);
      assert.equal((await finish(there, ALICE)).status, 503);
      assertInconsistent(await finish(there, OTHER));
      // Nothing is done for the account, not even a cancellation, until its newest row is back.
      assert.match(
        (await pressCancel(there, await cancelLink(there, OTHER))).text,
        /Stored data inconsistent/,
      );
    });
  });

  test("does not enable a disabled account, and allows no step-up and no change", async () => {
    await onStage(async ({ first, second, accountId, restoreRow }) => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const path = `/api/admin/accounts/${accountId}/disable`;
      assert.equal((await first.app.client().request("POST", path, { headers })).status, 200);
      await restoreRow();
      assert.equal((await signIn(second.alice)).status, 503);
    });
    await onStage(async ({ first, second, restoreRow }) => {
      const renamed = await first.alice.request("PATCH", "/api/auth/account", { body: { name: "Ada" } });
      assert.equal(renamed.status, 200);
      await restoreRow();
      for (const [name, value] of first.alice.cookies) second.alice.cookies.set(name, value);
      assertInconsistent(
        await second.alice.post("/api/auth/step-up/options", { action: "export_account" }),
      );
      assert.equal((await second.alice.post("/api/auth/way-back/codes", {})).status, 503);
    });
  });
});
