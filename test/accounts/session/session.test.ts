import { describe, test } from "node:test";
import assert from "node:assert/strict";
import {
  findSession,
  issueSession,
  revokeSession,
  SESSION_LIFETIME,
  SESSION_LIMIT,
} from "../../../src/accounts/session/session.ts";
import { formatSessionToken, readSessionToken } from "../../../src/accounts/session/bearer-secret.ts";
import { SESSION_IDLE_LIFETIME } from "../../../src/db/retention.ts";
import type { Db, Tables } from "../../../src/db/schema/schema.ts";
import { DAY, MINUTE } from "../../../src/lib/time.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { FROM, NOW, openFixture, random } from "../fixture.ts";
import { auditOf, insertPerson } from "../people.ts";

interface Ids {
  readonly accountId: string;
  readonly passkeyId: string;
}

async function signedIn() {
  const fixture = await openFixture();
  const person = await insertPerson(fixture, "alice@example.com");
  const ids = { accountId: person.account.id, passkeyId: person.passkey.id };
  const { authority } = fixture.services;
  const { token, session } = await issueSession(fixture.db, authority, {
    ...ids,
    from: FROM,
    now: NOW,
    random,
  });
  const find = (now = NOW, text = token) => findSession(fixture.db, authority, { token: text, now });
  return { fixture, ...fixture, authority, ids, ...person, token, session, find };
}

async function lastSeen(db: Db): Promise<number> {
  return (await db.selectFrom("session").select("last_seen_at").executeTakeFirstOrThrow()).last_seen_at;
}

describe("findSession()", () => {
  test("findSession() returns session and account for the right token", async () => {
    const { find, session, account, ids } = await signedIn();
    assert.deepEqual(await find(), { session, account });
    assert.deepEqual(session, {
      id: session.id,
      ...ids,
      deviceId: session.deviceId,
      device: FROM.device,
      network: FROM.network,
      createdAt: NOW,
      authenticatedAt: NOW,
      stepUp: undefined,
      expiresAt: NOW + 30 * DAY,
      isShared: false,
    });
  });

  test("issueSession() stores no secret", async () => {
    const { db, token } = await signedIn();
    const rows = JSON.stringify(await db.selectFrom("session").selectAll().execute());
    assert.equal(rows.includes(readSessionToken(token)!.secret), false);
  });

  test("issueSession() returns a new token each time (T136)", async () => {
    const { db, authority, ids, token, find } = await signedIn();
    const second = await issueSession(db, authority, { ...ids, from: FROM, now: NOW, random });
    assert.notEqual(readSessionToken(second.token)!.id, readSessionToken(token)!.id);
    assert.notEqual(readSessionToken(second.token)!.secret, readSessionToken(token)!.secret);
    assert.equal((await find(NOW, second.token))?.session.id, second.session.id);
  });

  test("findSession() returns undefined for another session's secret, and for an invalid token", async () => {
    const { db, authority, ids, token, find } = await signedIn();
    const second = await issueSession(db, authority, { ...ids, from: FROM, now: NOW, random });
    const [mine, other] = [token, second.token].map((text) => readSessionToken(text)!);
    const wrong = [
      `${mine!.id}.${other!.secret}`,
      `session_${"0".repeat(26)}.${mine!.secret}`,
      token.replace("session_", "ticket_"),
      mine!.id,
      "",
      "x".repeat(10_000),
    ];
    for (const text of wrong) assert.equal(await find(NOW, text), undefined, text.slice(0, 90));
  });

  test("findSession() returns undefined from the 30th day on, however active the session was", async () => {
    const { find } = await signedIn();
    assert.equal(SESSION_LIFETIME, 30 * DAY);
    for (let day = 1; day < 30; day++) assert.notEqual(await find(NOW + day * DAY), undefined, `day ${day}`);
    assert.notEqual(await find(NOW + 30 * DAY - 1), undefined);
    assert.equal(await find(NOW + 30 * DAY), undefined);
  });

  test("findSession() returns undefined once the session was idle for seven days", async () => {
    const { find } = await signedIn();
    assert.equal(SESSION_IDLE_LIFETIME, 7 * DAY);
    assert.notEqual(await find(NOW + 7 * DAY - 1), undefined);
    assert.notEqual(await find(NOW + 14 * DAY - 2), undefined, "the first use prolonged it");
    const { find: findOther } = await signedIn();
    assert.equal(await findOther(NOW + 7 * DAY), undefined);
  });

  test("findSession() records the use at most once in five minutes", async () => {
    const { db, find } = await signedIn();
    await find(NOW + 5 * MINUTE - 1);
    assert.equal(await lastSeen(db), NOW);
    await Promise.all([find(NOW + 5 * MINUTE), find(NOW + 5 * MINUTE), find(NOW + 5 * MINUTE)]);
    assert.equal(await lastSeen(db), NOW + 5 * MINUTE);
    await find(NOW + 10 * MINUTE - 1);
    assert.equal(await lastSeen(db), NOW + 5 * MINUTE);
  });

  test("findSession() records no use of a wrong token or an ended session", async () => {
    const { db, find, token } = await signedIn();
    const secret = readSessionToken(token)!.secret;
    const wrong = token.replace(secret, secret.replace(/./, (first) => first === "a" ? "b" : "a"));
    assert.equal(await find(NOW + DAY, wrong), undefined);
    assert.equal(await find(NOW + 8 * DAY), undefined);
    assert.equal(await lastSeen(db), NOW);
  });
});

describe("issueSession()", () => {
  test("issueSession() keeps 50 sessions of an account and ends the least recently used", async () => {
    const { fixture, db, authority, ids, find } = await signedIn();
    const other = await insertPerson(fixture, "bob@example.com");
    const otherIds = { accountId: other.account.id, passkeyId: other.passkey.id };
    const bobs = await issueSession(db, authority, { ...otherIds, from: FROM, now: NOW - 1, random });
    const tokens: string[] = [];
    for (let n = 1; n < SESSION_LIMIT; n++) {
      tokens.push((await issueSession(db, authority, { ...ids, from: FROM, now: NOW + n, random })).token);
    }
    const later = NOW + 5 * MINUTE;
    assert.notEqual(await find(later), undefined, "the oldest of 50 lives and was just used");
    await issueSession(db, authority, { ...ids, from: FROM, now: later, random });
    assert.notEqual(await find(later), undefined);
    assert.equal(await find(later, tokens[0]), undefined);
    assert.notEqual(await find(later, tokens[1]), undefined);
    assert.notEqual(await find(later, bobs.token), undefined, "another account's is not counted");
  });

  test("issueSession() does not count forged rows", async () => {
    const { db, authority, ids, find } = await signedIn();
    const row = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
    const forged = Array.from({ length: SESSION_LIMIT + 1 }, (_, n) => (
      { ...row, id: `session_${n}`, last_seen_at: NOW + n }
    ));
    await db.insertInto("session").values(forged).execute();
    const second = await issueSession(db, authority, { ...ids, from: FROM, now: NOW, random });
    assert.notEqual(await find(), undefined);
    assert.notEqual(await find(NOW, second.token), undefined);
  });
});

describe("revokeSession()", () => {
  test("revokeSession() invalidates the token and is recorded once (T138)", async () => {
    const { fixture, db, services, session, find, account } = await signedIn();
    await Promise.all([
      revokeSession(db, services, { session, now: NOW, random }),
      revokeSession(db, services, { session, now: NOW, random }),
    ]);
    assert.equal(await find(), undefined);
    assert.deepEqual(await auditOf(fixture), [{ event: "signed_out", account_id: account.id, detail: "{}" }]);
  });

  test("revokeSession() does not end the account's other sessions", async () => {
    const { db, authority, services, ids, session, find } = await signedIn();
    const other = await issueSession(db, authority, { ...ids, from: FROM, now: NOW, random });
    await revokeSession(db, services, { session, now: NOW, random });
    assert.notEqual(await find(NOW, other.token), undefined);
  });
});

describe("findSession() and an edited database", () => {
  const edits: Record<string, (row: Tables["session"], other: Ids) => Partial<Tables["session"]>> = {
    account_id: (_, other) => ({ account_id: other.accountId }),
    passkey_id: (_, other) => ({ passkey_id: other.passkeyId }),
    device_id: () => ({ device_id: "device_of_another" }),
    device: () => ({ device: "Safari on macOS" }),
    network: () => ({ network: "198.51.100.1" }),
    step_up_action: () => ({ step_up_action: "add_passkey" }),
    stepped_up_at: () => ({ stepped_up_at: NOW }),
    expires_at: (row) => ({ expires_at: row.expires_at + DAY }),
    authenticated_at: (row) => ({ authenticated_at: row.authenticated_at + 1 }),
    created_at: (row) => ({ created_at: row.created_at + 1 }),
    mac: () => ({ mac: new Uint8Array(32) }),
    "mac, cut short,": (row) => ({ mac: row.mac.slice(0, 31) }),
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`findSession() does not use a session whose ${column} was edited`, async () => {
      const { fixture, db, authority, find, token, rejected } = await signedIn();
      const { account, passkey } = await insertPerson(fixture, "victim@example.com");
      const row = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
      const edited = edit(row, { accountId: account.id, passkeyId: passkey.id });
      await db.updateTable("session").set(edited).execute();
      await assert.rejects(find(), isInconsistent);
      // A row of another account is not read.
      const reported = column === "account_id" ? [] : ["session"];
      assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], reported);
      const afterStart = findSession(openSecondHandle(db), authority, { token, now: NOW });
      await assert.rejects(afterStart, isInconsistent);
    });
  }

  test("findSession() is refused as inconsistent when an attacker put the hash of another secret into a session", async () => {
    const { db, authority, ids, session, find, rejected } = await signedIn();
    const own = await issueSession(db, authority, { ...ids, from: FROM, now: NOW, random });
    const { secret_hash } = await db.selectFrom("session").select("secret_hash")
      .where("id", "=", own.session.id).executeTakeFirstOrThrow();
    await db.updateTable("session").set({ secret_hash }).where("id", "=", session.id).execute();
    const forged = formatSessionToken({ ...readSessionToken(own.token)!, id: session.id });
    await assert.rejects(find(NOW, forged), isInconsistent);
    assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["session"]);
  });

  test("findSession() returns undefined when an attacker inserted a session for a victim", async () => {
    const { fixture, db, token, find, rejected } = await signedIn();
    const victim = await insertPerson(fixture, "victim@example.com");
    const own = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
    const id = `session_${"0".repeat(26)}`;
    const forged = { ...own, id, account_id: victim.account.id, passkey_id: victim.passkey.id };
    await db.insertInto("session").values(forged).execute();
    const text = formatSessionToken({ ...readSessionToken(token)!, id, accountId: victim.account.id });
    assert.equal(await find(NOW, text), undefined);
    assert.deepEqual(rejected, [], "the victim has no session, so no row is read");
  });

  const accountEdits: Record<string, Partial<Tables["account"]>> = {
    email: { email: "mallory@evil.example" },
    name: { name: "Mallory" },
    created_at: { created_at: 0 },
    mac: { mac: new Uint8Array(32) },
  };
  for (const [column, edit] of Object.entries(accountEdits)) {
    test(`findSession() does not use an account whose ${column} was edited`, async () => {
      const { db, authority, find, token, session, account, rejected } = await signedIn();
      await db.updateTable("account").set(edit).execute();
      assert.deepEqual(await find(), { session, account }, "the process has the account in memory");
      const afterStart = findSession(openSecondHandle(db), authority, { token, now: NOW });
      await assert.rejects(afterStart, isInconsistent);
      assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["account"]);
    });
  }

  test("findSession() prolongs an idle session to its absolute end, no further, when last_seen_at was edited", async () => {
    const { db, find } = await signedIn();
    await db.updateTable("session").set({ last_seen_at: NOW + 1_000 * DAY }).execute();
    assert.notEqual(await find(NOW + 20 * DAY), undefined);
    assert.equal(await find(NOW + 30 * DAY), undefined);
  });
});
