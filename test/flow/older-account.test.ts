import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { openAt } from "../support/postgres.ts";
import {
  ALICE,
  begin,
  cancelLink,
  finish,
  HOUR,
  makeCodes,
  pass,
  pressCancel,
  stepUp,
} from "../support/recovery.ts";
import { temporaryFolder } from "../support/temporary.ts";

const OTHER = "alice@example.org";

/** A process of the service. */
interface Process {
  readonly app: TestApp;
  readonly db: Db;
  /** The owner's browser, of which each process knows the cookies and the passkeys. */
  readonly alice: Client;
}

/** The owner at one process, an account's row of before, and a process that has seen nothing of what came after it. */
async function onStage(
  job: (stage: {
    readonly first: Process;
    readonly second: Process;
    readonly accountId: string;
    readonly codes: readonly string[];
    /** Puts the account's row there as it was when the stage was set; the one that was there. */
    putBack(): Promise<Tables["account"]>;
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
  const putBack = async (): Promise<Tables["account"]> => {
    const present = await rowIn(first.db);
    await put(before);
    return present;
  };
  try {
    await job({ first, second, accountId, codes, putBack, put });
  } finally {
    for (const { db } of [first, second]) await closeDatabase(db);
  }
}

async function changeAddress(client: Client): Promise<void> {
  await client.post("/api/auth/account/email/code", { email: OTHER });
  const body = { email: OTHER, code: await readCode(client, OTHER) };
  assert.equal((await client.post("/api/auth/account/email", body)).status, 200);
}

async function rejectedIn({ db }: Process): Promise<number> {
  const rows = await db.selectFrom("audit_event").select("detail").where("event", "=", "row_rejected")
    .execute();
  return rows.filter(({ detail }) => JSON.parse(detail).kind === "account").length;
}

describe("an account's row that is put back, in a process that has seen nothing of what came after it", () => {
  test("recovers nobody by the address of before a change, and signs nobody in, until it is the right one", async () => {
    await onStage(async ({ first, second, codes, putBack, put }) => {
      await changeAddress(first.alice);
      const present = await putBack();
      const thief = second.app.client("127.0.0.9");
      assert.equal((await begin(thief, ALICE, codes[0])).status, 503);
      assert.equal((await signIn(second.alice)).status, 503);
      assert.ok(await rejectedIn(second) > 0, "the log tells of the row");
      await put(present);
      assert.equal((await signIn(second.alice)).body.account.email, OTHER);
      assert.equal((await begin(thief, ALICE, codes[0])).body.code, "recovery_refused");
      assert.equal((await begin(thief, OTHER, codes[0])).status, 201);
    });
  });

  test("does not finish a recovery that was begun by the present address", async () => {
    await onStage(async ({ first, second, codes, putBack }) => {
      await changeAddress(first.alice);
      const other = first.app.client("127.0.0.9");
      assert.equal((await begin(other, OTHER, codes[0])).status, 201);
      await pass(first.app, 72 * HOUR);
      second.app.now = first.app.now;
      await putBack();
      const there = second.app.client("127.0.0.9");
      for (const [name, value] of other.cookies) there.cookies.set(name, value);
      assert.equal((await finish(there, ALICE)).status, 503);
      assert.equal((await finish(there, OTHER)).body.code, "invalid_code");
      // Whoever has a mail stops it all the same.
      assert.match(
        (await pressCancel(there, await cancelLink(there, OTHER))).text,
        /The recovery is cancelled/,
      );
    });
  });

  test("enables no account that was disabled, and nothing is confirmed or changed by it", async () => {
    await onStage(async ({ first, second, accountId, putBack }) => {
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const path = `/api/admin/accounts/${accountId}/disable`;
      assert.equal((await first.app.client().request("POST", path, { headers })).status, 200);
      await putBack();
      assert.equal((await signIn(second.alice)).status, 503);
    });
    await onStage(async ({ first, second, putBack }) => {
      const renamed = await first.alice.request("PATCH", "/api/auth/account", { body: { name: "Ada" } });
      assert.equal(renamed.status, 200);
      await putBack();
      for (const [name, value] of first.alice.cookies) second.alice.cookies.set(name, value);
      await assert.rejects(stepUp(second.alice, "export_account"), /"code":"unavailable"/);
      assert.equal((await second.alice.post("/api/auth/way-back/codes", {})).status, 503);
    });
  });
});
