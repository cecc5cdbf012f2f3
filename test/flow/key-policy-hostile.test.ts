import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { createLogScrubber } from "../../src/audit/log-scrubber.ts";
import { BEGINNING } from "../../src/audit/stored-entry.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import type { Vault } from "../../src/vault/vault.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { editAudit, editBehindIndex, editFile } from "../support/hostile-file.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { createTestVault, withSharedRsaKeys } from "../support/vault.ts";

const HOUR = 3_600_000;
const WIDE = { version: 1, messages: { text: "allow" }, raw: "allow", delayHours: 24 };
const NARROW = { version: 1, messages: { text: "allow" }, delayHours: 24 };

/** A process of the service, with what it remembers. */
interface Process {
  readonly app: TestApp;
  readonly db: Db;
  readonly alice: Client;
}

/**
 * Two processes over one file. The operator keeps copies of rows, edits the file, and knows nothing of the vault; the
 * second process has seen nothing yet, as one that has just been started.
 */
interface Stage {
  readonly first: Process;
  readonly second: Process;
  readonly keyId: string;
  readonly path: string;
  readonly file: string;
  /** Lets time pass in both. */
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

async function putBack(db: Db, row: Tables["ethereum_key"]): Promise<void> {
  await db.deleteFrom("ethereum_key").where("id", "=", row.id).execute();
  await db.insertInto("ethereum_key").values(row).execute();
}

async function edit(db: Db, keyId: string, values: Partial<Tables["ethereum_key"]>): Promise<void> {
  const { numUpdatedRows } = await db.updateTable("ethereum_key").set(values).where("id", "=", keyId)
    .executeTakeFirstOrThrow();
  assert.equal(numUpdatedRows, 1n);
}

/** In neither process does the key sign raw bytes, nor can its settings be changed. */
async function assertWorthless({ first, second, keyId, path }: Stage): Promise<void> {
  for (const { alice, app } of [first, second]) {
    const signed = await signRaw(alice, keyId);
    assert.ok(signed.status === 404 || signed.body.code === "policy_denied", signed.text);
    await app.maintain();
    const renamed = await alice.request("PATCH", `/api/keys/${keyId}`, { body: { label: "Mine" } });
    const again = await signRaw(alice, keyId);
    assert.ok(again.status === 404 || again.body.code === "policy_denied", again.text);
    if (renamed.status === 404) assert.equal((await alice.get(path)).status, 404);
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
  "a change that nobody asked for": async ({ first, path, keyId }) => {
    await put(first.alice, path, NARROW);
    await edit(first.db, keyId, { policy_change: "null", policy_change_at: first.app.now });
  },
  "a change that waits, with an earlier time": async ({ first, path, keyId }) => {
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
  "the row from before there was a policy": async ({ first, path, keyId }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await putBack(first.db, before);
  },
  "the row from before a policy was tightened": async ({ first, path, keyId }) => {
    await put(first.alice, path, WIDE);
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await putBack(first.db, before);
  },
  "the row from before it was locked": async ({ first, path, keyId }) => {
    await put(first.alice, path, { ...WIDE, delayHours: 0 });
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, { ...NARROW, locked: true });
    await putBack(first.db, before);
  },
  "a change that was cancelled, when its time has come": async ({ first, path, keyId, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    const before = await rowOf(first.db, keyId);
    await first.alice.request("DELETE", `${path}/change`);
    await putBack(first.db, before);
    wait(25 * HOUR);
  },
  "a change in whose place came another, when its time has come": async ({ first, path, keyId, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    const before = await rowOf(first.db, keyId);
    wait(5 * 60_000);
    assert.equal((await put(first.alice, path, { ...WIDE, digest: "allow" })).status, 202);
    await putBack(first.db, before);
    wait(24 * HOUR - 5 * 60_000);
  },
  "the row from before, after a label was changed as well": async ({ first, path, keyId }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await first.alice.request("PATCH", `/api/keys/${keyId}`, { body: { label: "Rent" } });
    await putBack(first.db, before);
  },
};

describe("the operator gains nothing for a key with a policy by writing into the database:", () => {
  for (const [what, attack] of Object.entries(ATTACKS)) {
    test(what, () =>
      onStage(async (stage) => {
        await attack(stage);
        await assertWorthless(stage);
      }));
  }
});

test("a key that was deleted comes back with its policy, its lock and the change that waits", () =>
  onStage(async ({ first, second, keyId, path, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    const { address } = (await first.alice.get(`/api/keys/${keyId}`)).body.key;
    await first.db.deleteFrom("ethereum_key").where("id", "=", keyId).execute();
    const { key } = (await second.alice.post("/api/keys/generate", {})).body;
    assert.equal(key.address, address);
    const view = (await second.alice.get(`/api/keys/${key.id}/policy`)).body;
    assert.deepEqual([view.policy.raw, view.change.policy.raw], ["deny", "allow"]);
    assert.equal((await signRaw(second.alice, key.id)).body.code, "policy_denied");
    assert.equal((await second.alice.request("DELETE", `/api/keys/${key.id}/policy/change`)).status, 200);
    const locked = { ...NARROW, locked: true };
    assert.equal((await put(second.alice, `/api/keys/${key.id}/policy`, locked)).status, 200);
    await second.db.deleteFrom("ethereum_key").where("id", "=", key.id).execute();
    const again = (await first.alice.post("/api/keys/generate", {})).body.key;
    wait(25 * HOUR);
    assert.equal((await first.alice.get(`/api/keys/${again.id}/policy`)).body.policy.locked, true);
    assert.equal((await signRaw(first.alice, again.id)).body.code, "policy_denied");
  }));

/** Puts the row from before the policy back, edits the log of the stopped service, and starts it again. */
async function afterEdit(
  statement: string,
  check: (found: { readonly signed: Answer; readonly isSound: boolean }) => void,
): Promise<void> {
  await onStage(async ({ first, second, keyId, path, file }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await first.alice.post(`/api/keys/${keyId}/sign`, { message: "later" });
    await putBack(first.db, before);
    assert.equal((await signRaw(first.alice, keyId)).status, 404);
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

test("an entry of the log that was edited makes no older row a newer one", () =>
  afterEdit(
    `update audit_event set detail = replace(detail, '"revision":1', '"revision":0')
      where event = 'key_policy_changed'`,
    ({ signed }) => assert.notEqual(signed.status, 200, signed.text),
  ));

test("whoever takes the entry out of the log as well is believed after a start, and has broken the log", () =>
  afterEdit("delete from audit_event where event = 'key_policy_changed'", ({ signed, isSound }) => {
    assert.equal(signed.status, 200, signed.text);
    assert.equal(isSound, false);
  }));

test("an index of the log that leaves the entry out deceives a process until it has read the log", () =>
  onStage(async ({ first, second, keyId, path, file }) => {
    const before = await rowOf(first.db, keyId);
    await put(first.alice, path, NARROW);
    await putBack(first.db, before);
    for (const { db } of [first, second]) await closeDatabase(db);
    // What is deleted goes from the index as well; what is put back behind it does not come into it.
    const which = "event = 'key_policy_changed'";
    editAudit(
      file,
      `create table aside as select * from audit_event where ${which}`,
      `delete from audit_event where ${which}`,
    );
    editBehindIndex(file, "audit_event_key_policy", "insert into audit_event select * from aside");
    editFile(file, "drop table aside");
    const db = await openDatabase(await openSqlite(file));
    const alice = (await createTestApp({ db })).client("127.0.0.1");
    for (const [name, value] of first.alice.cookies) alice.cookies.set(name, value);
    assert.equal((await signRaw(alice, keyId)).status, 200, "The index lies");
    const scrubber = createLogScrubber(db, {
      vault: createTestVault(),
      now: () => first.app.now,
      from: BEGINNING,
    });
    while (await scrubber.step() === "more");
    assert.equal((await signRaw(alice, keyId)).status, 404);
    // Nor is it made anew without its policy.
    await db.deleteFrom("ethereum_key").where("id", "=", keyId).execute();
    assert.equal((await alice.post("/api/keys/generate", {})).status, 503);
    await closeDatabase(db);
  }));

test("of a cancellation and the time that passes, in two processes at once, one has its way and both see it", () =>
  onStage(async ({ first, second, keyId, path, wait }) => {
    await put(first.alice, path, NARROW);
    await put(first.alice, path, WIDE);
    wait(24 * HOUR - 1);
    // One process believes that its time has come, the other one that it has not.
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

test("of two looser policies that two sessions ask for at once one waits, whole", () =>
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

test("time takes effect once, however many processes note it, and the mail is one", () =>
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
