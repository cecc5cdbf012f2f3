import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as nextEvent } from "node:timers/promises";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { editAudit } from "../support/hostile-file.ts";
import { assertInconsistent, dropMemory } from "../support/inconsistent.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createTestVault, withSharedRsaKeys } from "../support/vault.ts";

const HOUR = 3_600_000;
const WIDE = { version: 1, messages: { text: "allow" }, raw: "allow", delayHours: 24 };
const NARROW = { version: 1, messages: { text: "allow" }, delayHours: 24 };

/** A process of the service with its database and a client. */
interface Process {
  readonly app: TestApp;
  readonly db: Db;
  readonly alice: Client;
}

/**
 * Two processes on one database file. The operator copies and edits rows without access to the vault. The second
 * process has cached nothing yet, as after a start.
 */
interface Stage {
  readonly first: Process;
  readonly second: Process;
  readonly keyId: string;
  readonly path: string;
  readonly file: string;
  /** Advances the clock of both processes. */
  wait(milliseconds: number): void;
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const file = `${folder.path}/holdfast.db`;
  const open = async (vault: Vault): Promise<Process> => {
    const db = await openDatabase(await openSqlite(file));
    const app = await createTestApp({ db, vault });
    return { app, db, alice: app.client("127.0.0.1") };
  };
  const first = await open(createTestVault(7, withSharedRsaKeys()));
  const keyId = (await signUp(first.alice, "alice@example.com")).body.key.id;
  const second = await open(createTestVault());
  for (const [name, value] of first.alice.cookies) second.alice.cookies.set(name, value);
  const wait = (milliseconds: number): void => {
    for (const { app } of [first, second]) app.now += milliseconds;
  };
  try {
    await job({ first, second, keyId, path: `/api/keys/${keyId}/policy`, file, wait });
  } finally {
    for (const { db } of [first, second]) await closeDatabase(db);
  }
}

function put(client: Client, path: string, policy: unknown): Promise<Answer> {
  return client.request("PUT", path, { body: { policy } });
}

function signRaw(client: Client, keyId: string): Promise<Answer> {
  return client.post(`/api/keys/${keyId}/sign`, { message: "0x00", format: "raw" });
}

async function rowOf(db: Db, keyId: string): Promise<Tables["ethereum_key"]> {
  return await db.selectFrom("ethereum_key").selectAll().where("id", "=", keyId).executeTakeFirstOrThrow();
}

async function restoreRow(db: Db, row: Tables["ethereum_key"]): Promise<void> {
  await db.deleteFrom("ethereum_key").where("id", "=", row.id).execute();
  await db.insertInto("ethereum_key").values(row).execute();
}

async function edit(db: Db, keyId: string, values: Partial<Tables["ethereum_key"]>): Promise<void> {
  const { numUpdatedRows } = await db.updateTable("ethereum_key").set(values).where("id", "=", keyId)
    .executeTakeFirstOrThrow();
  assert.equal(numUpdatedRows, 1n);
}

/** Verifies that in both processes the key does not sign raw bytes and its settings cannot change. */
async function assertWorthless({ first, second, keyId, path }: Stage): Promise<void> {
  dropMemory(first.db, second.db);
  for (const { alice, app } of [first, second]) {
    assertInconsistent(await signRaw(alice, keyId));
    await app.maintain();
    assertInconsistent(await alice.request("PATCH", `/api/keys/${keyId}`, { body: { label: "Mine" } }));
    assertInconsistent(await signRaw(alice, keyId));
    assertInconsistent(await alice.get(path));
    assertInconsistent(await alice.post("/api/keys/generate", {}));
  }
}

const ATTACKS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "no policy in the row": async ({ first, path, keyId }) => {
    await put(first.alice, path, NARROW);
    await edit(first.db, keyId, { policy: null, revision: null });
  },
  "a looser policy in the row": async ({ first, path, keyId }) => {
    await put(first.alice, path, NARROW);
    await edit(first.db, keyId, { policy: JSON.stringify(WIDE) });
  },
  "a change that the owner did not request": async ({ first, path, keyId }) => {
    await put(first.alice, path, NARROW);
    await edit(first.db, keyId, { policy_change: "null", policy_change_at: first.app.now });
  },
  "a pending change with an earlier time": async ({ first, path, keyId }) => {
    await put(first.alice, path, NARROW);
    assert.equal((await put(first.alice, path, WIDE)).status, 202);
    await edit(first.db, keyId, { policy_change_at: first.app.now });
  },
  "the row of another key of the account, which has no policy": async ({ first, path, keyId }) => {
    await put(first.alice, path, NARROW);
    const other = (await first.alice.post("/api/keys/generate", {})).body.key.id;
    const { policy, revision, mac } = await rowOf(first.db, other);
    await edit(first.db, keyId, { policy, revision, mac });
  },
  "the row from before the policy was set": async ({ first, path, keyId }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await restoreRow(first.db, before);
  },
  "the row from before a policy was tightened": async ({ first, path, keyId }) => {
    await put(first.alice, path, WIDE);
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await restoreRow(first.db, before);
  },
  "the row from before it was locked": async ({ first, path, keyId }) => {
    await put(first.alice, path, { ...WIDE, delayHours: 0 });
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, { ...NARROW, locked: true });
    await restoreRow(first.db, before);
  },
  "a change that was cancelled, restored until its time has come": async ({ first, path, keyId, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    const before = await rowOf(first.db, keyId);
    await first.alice.request("DELETE", `${path}/change`);
    await restoreRow(first.db, before);
    wait(25 * HOUR);
  },
  "a replaced change, restored until its time has come": async ({ first, path, keyId, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    const before = await rowOf(first.db, keyId);
    wait(5 * 60_000);
    assert.equal((await put(first.alice, path, { ...WIDE, digest: "allow" })).status, 202);
    await restoreRow(first.db, before);
    wait(24 * HOUR - 5 * 60_000);
  },
  "the row from before the policy was set and a label changed": async ({ first, path, keyId }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await first.alice.request("PATCH", `/api/keys/${keyId}`, { body: { label: "Rent" } });
    await restoreRow(first.db, before);
  },
};

describe("an operator with write access to the database cannot loosen a policy with", () => {
  for (const [what, attack] of Object.entries(ATTACKS)) {
    test(what, () =>
      onStage(async (stage) => {
        await attack(stage);
        await assertWorthless(stage);
      }));
  }
});

test("a deleted key is not recreated: the account is refused until its row is back", () =>
  onStage(async ({ first, second, keyId, path }) => {
    await put(first.alice, path, NARROW);
    const row = await rowOf(first.db, keyId);
    await first.db.deleteFrom("ethereum_key").where("id", "=", keyId).execute();
    dropMemory(first.db, second.db);
    for (const { alice } of [first, second]) {
      assertInconsistent(await alice.post("/api/keys/generate", {}));
      assertInconsistent(await alice.get("/api/keys"));
    }
    await restoreRow(first.db, row);
    await nextEvent();
    assert.equal((await signRaw(second.alice, keyId)).body.code, "policy_denied");
    assert.equal((await second.alice.post("/api/keys/generate", {})).status, 201);
  }));

/** Restores the row from before the policy, edits the log of the stopped service, and starts it again. */
async function afterEdit(
  statement: string,
  check: (found: { readonly signed: Answer; readonly isSound: boolean }) => void,
): Promise<void> {
  await onStage(async ({ first, second, keyId, path, file }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await first.alice.post(`/api/keys/${keyId}/sign`, { message: "later" });
    await restoreRow(first.db, before);
    for (const { db } of [first, second]) await closeDatabase(db);
    editAudit(file, statement);
    const db = await openDatabase(await openSqlite(file));
    const alice = (await createTestApp({ db })).client("127.0.0.1");
    for (const [name, value] of first.alice.cookies) alice.cookies.set(name, value);
    const signed = await signRaw(alice, keyId);
    const { fault } = await verifyAudit(db, createTestVault());
    await closeDatabase(db);
    check({ signed, isSound: fault === undefined });
  });
}

test("an edited log entry does not make an older row the newest", () =>
  afterEdit(
    `update audit_event set detail = replace(detail, '"revision":1', '"revision":0')
      where event = 'key_policy_changed'`,
    ({ signed }) => assert.notEqual(signed.status, 200, signed.text),
  ));

test("a log without the entry of the policy does not make an older row the newest, and is broken", () =>
  afterEdit("delete from audit_event where event = 'key_policy_changed'", ({ signed, isSound }) => {
    assert.notEqual(signed.status, 200, signed.text);
    assert.equal(isSound, false);
  }));

test("a change that is cancelled in one process as it takes effect in another ends in one state for both", () =>
  onStage(async ({ first, second, keyId, path, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    wait(24 * HOUR - 1);
    // In the second process the time has come, in the first not yet.
    second.app.now += 1;
    const [, cancelled] = await Promise.all([
      second.app.maintain(),
      first.alice.request("DELETE", `${path}/change`),
    ]);
    wait(2);
    const { raw } = (await first.alice.get(path)).body.policy;
    assert.equal(raw, cancelled.status === 200 ? "deny" : "allow", cancelled.text);
    assert.equal((await second.alice.get(path)).body.policy.raw, raw);
    assert.equal((await signRaw(second.alice, keyId)).status, raw === "allow" ? 200 : 403);
  }));

test("of two looser policies requested at once by two sessions, one is pending", () =>
  onStage(async ({ first, second, path }) => {
    await put(first.alice, path, NARROW);
    const wanted = [WIDE, { ...WIDE, digest: "allow" }];
    const answers = await Promise.all([
      put(first.alice, path, wanted[0]),
      put(second.alice, path, wanted[1]),
    ]);
    assert.deepEqual(answers.map(({ status }) => status), [202, 202]);
    const { change } = (await first.alice.get(path)).body;
    assert.deepEqual((await second.alice.get(path)).body.change, change);
    assert.equal(change.policy.raw, "allow");
  }));

test("a change takes effect once, with one mail, in however many processes", () =>
  onStage(async ({ first, second, path, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    wait(24 * HOUR);
    await Promise.all([first.app.maintain(), second.app.maintain(), first.app.maintain()]);
    const { events } = (await first.alice.get("/api/audit")).body;
    const acts = events.filter(({ detail }: { detail: { act?: string } }) => detail.act === "took_effect");
    assert.equal(acts.length, 1);
    const { body } = await first.alice.get("/dev/outbox", { headers: { accept: "application/json" } });
    const mails = body.messages.filter(({ subject }: { subject: string }) =>
      /looser policy of a key took effect/.test(subject)
    );
    assert.equal(mails.length, 1);
    assert.ok(mails[0].text.includes(ORIGIN));
  }));
