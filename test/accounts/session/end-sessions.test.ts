import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endOneSession, endSessions, listSessions } from "../../../src/accounts/session/end-sessions.ts";
import { findSession, issueSession } from "../../../src/accounts/session/session.ts";
import { connectDatabase } from "../../../src/db/database.ts";
import { engineOf } from "../../../src/db/port.ts";
import { SESSION_IDLE_LIFETIME } from "../../../src/db/retention.ts";
import { DAY, MINUTE } from "../../../src/lib/time.ts";
import { watched } from "../../support/engine.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { FROM, NOW, openFixture, problem, random } from "../fixture.ts";
import { auditOf, insertPerson } from "../people.ts";

async function stage() {
  const fixture = await openFixture();
  const { db, services } = fixture;
  const alice = await insertPerson(fixture, "alice@example.com");
  const bob = await insertPerson(fixture, "bob@example.com");
  const open = ({ account, passkey }: typeof alice, deviceHash = "one", now = NOW) => {
    const from = { ...FROM, deviceHash };
    const value = { accountId: account.id, passkeyId: passkey.id, from, now, random };
    return issueSession(db, services.authority, value);
  };
  const list = (now = NOW, accountId = alice.account.id) => listSessions(db, services, { accountId, now });
  const lives = async (token: string, now = NOW) =>
    await findSession(db, services.authority, { token, now }) !== undefined;
  const accountId = alice.account.id;
  return { fixture, ...fixture, alice, bob, accountId, open, list, lives };
}

describe("listSessions()", () => {
  test("listSessions() lists the account's own, the one used last first, with device and network", async () => {
    const { alice, bob, open, list, lives } = await stage();
    const first = await open(alice, "one", NOW - 20 * MINUTE);
    const second = await open(alice, "two", NOW - 10 * MINUTE);
    await open(bob);
    assert.deepEqual((await list()).map(({ id }) => id), [second.session.id, first.session.id]);
    assert.equal(await lives(first.token), true);
    const [now] = await list();
    assert.deepEqual(now, { ...first.session, lastSeenAt: NOW });
    assert.deepEqual([now!.device, now!.network], [FROM.device, FROM.network]);
  });

  test("listSessions() leaves out what has expired or was idle", async () => {
    const { db, alice, open, list } = await stage();
    await open(alice);
    assert.equal((await list(NOW + SESSION_IDLE_LIFETIME - 1)).length, 1);
    assert.equal((await list(NOW + SESSION_IDLE_LIFETIME)).length, 0);
    await db.updateTable("session").set({ last_seen_at: NOW + 30 * DAY }).execute();
    assert.equal((await list(NOW + 30 * DAY)).length, 0);
  });

  test("listSessions() is refused as inconsistent when a session was edited or hidden", async () => {
    const { db, alice, bob, open, list, rejected } = await stage();
    const { session } = await open(alice);
    await open(alice, "two");
    await open(bob);
    await db.updateTable("session").set({ device: "Your own laptop" }).where("id", "=", session.id).execute();
    await assert.rejects(list(), isInconsistent);
    assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["session"]);
    await db.deleteFrom("session").where("id", "=", session.id).execute();
    await assert.rejects(list(), isInconsistent);
    assert.equal((await list(NOW, bob.account.id)).length, 1);
  });
});

describe("endOneSession()", () => {
  test("endOneSession() ends one session, deletes its browser and is recorded", async () => {
    const { fixture, db, services, alice, accountId, open, lives } = await stage();
    const [one, two] = [await open(alice, "one"), await open(alice, "two")];
    await endOneSession(db, services, { accountId, sessionId: one.session.id, now: NOW, random });
    assert.deepEqual([await lives(one.token), await lives(two.token)], [false, true]);
    assert.equal((await open(alice, "one")).isNewDevice, true);
    assert.equal((await open(alice, "two")).isNewDevice, false);
    assert.deepEqual(await auditOf(fixture), [
      { event: "session_ended", account_id: accountId, detail: "{}" },
    ]);
  });

  test("endOneSession() finds no session of another account, and none twice", async () => {
    const { fixture, db, services, alice, bob, accountId, open, lives } = await stage();
    const [one, theirs] = [await open(alice), await open(bob)];
    const end = (sessionId: string) =>
      endOneSession(db, services, { accountId, sessionId, now: NOW, random });
    await assert.rejects(end(theirs.session.id), problem("not_found"));
    await assert.rejects(end("session_none"), problem("not_found"));
    assert.equal(await lives(theirs.token), true);
    const all = await Promise.allSettled([end(one.session.id), end(one.session.id)]);
    assert.deepEqual(all.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    assert.equal((await auditOf(fixture)).length, 1);
  });
});

describe("endSessions()", () => {
  test("endSessions() and endOneSession() end nothing when a session is hidden", async () => {
    const { fixture, db, services, alice, accountId, open, lives } = await stage();
    const [mine, thief] = [await open(alice, "one"), await open(alice, "two")];
    const hidden = await db.selectFrom("session").selectAll().where("id", "=", thief.session.id)
      .executeTakeFirstOrThrow();
    await db.deleteFrom("session").where("id", "=", thief.session.id).execute();
    const at = { now: NOW, random };
    for (const which of ["others", "all"] as const) {
      const end = endSessions(db, services, { session: mine.session, which, ...at });
      await assert.rejects(end, isInconsistent, which);
    }
    const endThief = endOneSession(db, services, { accountId, sessionId: thief.session.id, ...at });
    await assert.rejects(endThief, isInconsistent);
    assert.deepEqual(await auditOf(fixture), []);
    await db.insertInto("session").values(hidden).execute();
    assert.equal(await endSessions(db, services, { session: mine.session, which: "others", ...at }), 1);
    assert.deepEqual([await lives(mine.token), await lives(thief.token)], [true, false]);
  });

  test("endSessions() ends a session for good, also when its row is restored after a start", async () => {
    const { db, services, alice, open } = await stage();
    const [mine, thief] = [await open(alice, "one"), await open(alice, "two")];
    const kept = await db.selectFrom("session").selectAll().where("id", "=", thief.session.id)
      .executeTakeFirstOrThrow();
    await endSessions(db, services, { session: mine.session, which: "others", now: NOW, random });
    await db.insertInto("session").values(kept).execute();
    for (const handle of [db, openSecondHandle(db)]) {
      const find = findSession(handle, services.authority, { token: thief.token, now: NOW });
      await assert.rejects(find, isInconsistent);
    }
  });

  test("endSessions() ends the others and forgets their browsers, and this one stays", async () => {
    const { fixture, db, services, alice, bob, accountId, open, lives } = await stage();
    const mine = await open(alice, "one");
    const others = [await open(alice, "one"), await open(alice, "two"), await open(alice, "three")];
    const theirs = await open(bob);
    const value = { session: mine.session, which: "others", now: NOW, random } as const;
    assert.equal(await endSessions(db, services, value), 3);
    assert.equal(await lives(mine.token), true);
    for (const { token } of others) assert.equal(await lives(token), false);
    assert.equal(await lives(theirs.token), true);
    assert.equal((await open(alice, "one")).isNewDevice, false, "this browser is known still");
    assert.equal((await open(alice, "two")).isNewDevice, true);
    assert.deepEqual(await auditOf(fixture), [
      { event: "sessions_ended", account_id: accountId, detail: '{"sessions":3,"which":"others"}' },
    ]);
  });

  test("endSessions() records nothing if there is none to end", async () => {
    const { fixture, db, services, alice, open } = await stage();
    const { session } = await open(alice);
    assert.equal(await endSessions(db, services, { session, which: "others", now: NOW, random }), 0);
    assert.deepEqual(await auditOf(fixture), []);
  });

  test("endSessions() reads the account's sign-ins once for all sessions that it ends", async () => {
    const { db, services, alice, open } = await stage();
    const mine = await open(alice, "one");
    for (const device of ["two", "three", "four"]) await open(alice, device);
    const statements: string[] = [];
    const counting = connectDatabase(watched(engineOf(db), ({ sql }) => void statements.push(sql)));
    const value = { session: mine.session, which: "others", now: NOW, random } as const;
    assert.equal(await endSessions(counting, services, value), 3);
    assert.equal(statements.filter((sql) => sql.includes('from "application_session"')).length, 1);
  });

  test("endSessions() ends all sessions, including the current one, and deletes all browsers", async () => {
    const { db, services, alice, bob, open, lives, list } = await stage();
    const [mine, other, theirs] = [await open(alice, "one"), await open(alice, "two"), await open(bob)];
    const value = { session: mine.session, which: "all", now: NOW, random } as const;
    assert.equal(await endSessions(db, services, value), 2);
    assert.deepEqual([await lives(mine.token), await lives(other.token)], [false, false]);
    assert.equal(await lives(theirs.token), true);
    assert.deepEqual(await list(), []);
    assert.equal((await open(alice, "one")).isNewDevice, true);
  });
});
