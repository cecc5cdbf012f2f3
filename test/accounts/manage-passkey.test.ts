import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { beginAddPasskey, finishAddPasskey } from "../../src/accounts/add-passkey.ts";
import { endOneSession } from "../../src/accounts/session/end-sessions.ts";
import { removePasskey, renamePasskey } from "../../src/accounts/manage-passkey.ts";
import { insertPasskey, listPasskeys } from "../../src/accounts/passkey/passkey.ts";
import { REMOVAL_LIMIT } from "../../src/accounts/passkey/removed-passkey.ts";
import { findSession } from "../../src/accounts/session/session.ts";
import { beginSignIn, signIn } from "../../src/accounts/sign-in.ts";
import { beginStepUp, finishStepUp } from "../../src/accounts/step-up.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { REMOVAL_MEMORY } from "../../src/db/retention.ts";
import type { Tables } from "../../src/db/schema/schema.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { MINUTE } from "../../src/lib/time.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import type { AuthenticateTamper } from "../support/authenticator.ts";
import { failLogWrites } from "../support/audit.ts";
import { isInconsistent } from "../support/state.ts";
import { NOW, openFixture, problem, random, RELYING_PARTY } from "./fixture.ts";
import { AT, auditOf, BROWSER, enrolPerson, signInAgain, someCredential } from "./people.ts";

const ORIGIN = RELYING_PARTY.origin;
const notFound = problem("not_found");

/** Alice, with two passkeys, signed in with the first. */
async function signedIn() {
  const fixture = await openFixture();
  const { db, services } = fixture;
  const [first, second] = [createAuthenticator(), createAuthenticator()];
  const alice = await enrolPerson(fixture, "alice@example.com", first);
  const response = await second.register(
    await beginAddPasskey(db, services, { ...AT, signedIn: alice }),
    { origin: ORIGIN },
  );
  const other = await finishAddPasskey(db, services, {
    ...AT,
    signedIn: alice,
    response,
    name: "Security key",
  });
  fixture.mails.length = 0;
  const remove = (passkeyId: string, change: Partial<Parameters<typeof removePasskey>[2]> = {}) =>
    removePasskey(db, services, { ...AT, signedIn: alice, passkeyId, ...change });
  const list = () => listPasskeys(db, services.authority, alice.account.id);
  const names = async () => (await list()).map(({ name }) => name).toSorted();
  return { fixture, ...fixture, first, second, alice, other, remove, list, names };
}

describe("renamePasskey()", () => {
  test("renamePasskey() changes the name, keeps the row authentic and records it once", async () => {
    const { fixture, db, services, alice, names } = await signedIn();
    const which = { accountId: alice.account.id, passkeyId: alice.passkey.id, name: "Phone", now: NOW };
    assert.equal((await renamePasskey(db, services, which)).name, "Phone");
    await renamePasskey(db, services, which);
    assert.deepEqual(await names(), ["Phone", "Security key"]);
    const renames = (await auditOf(fixture)).filter(({ event }) => event === "passkey_renamed");
    assert.deepEqual(renames, [{
      event: "passkey_renamed",
      account_id: alice.account.id,
      detail: "{}",
    }]);
  });

  test("renamePasskey() finds no passkey of another account", async () => {
    const { fixture, db, services, alice } = await signedIn();
    const bob = await enrolPerson(fixture, "bob@example.com", createAuthenticator());
    for (const passkeyId of [bob.passkey.id, "passkey_none"]) {
      const which = { accountId: alice.account.id, passkeyId, name: "Mine", now: NOW };
      await assert.rejects(renamePasskey(db, services, which), notFound);
    }
  });
});

describe("removePasskey()", () => {
  test("removePasskey() ends the passkey's sessions, notifies the owner and records it (T163)", async () => {
    const { fixture, db, services, second, alice, other, mails, remove, names } = await signedIn();
    const theirs = await signInAgain(fixture, second);
    const mine = await signInAgain(fixture, second);
    assert.deepEqual(await remove(other.id), { endedThisSession: false });
    assert.deepEqual(await names(), ["Passkey 1"]);
    const lives = (token: string) => findSession(db, services.authority, { token, now: NOW });
    assert.deepEqual([await lives(theirs.token), await lives(mine.token)], [undefined, undefined]);
    assert.notEqual(await lives(alice.token), undefined);
    const mail = mails.at(-1)!;
    assert.equal(mail.to, "alice@example.com");
    assert.match(mail.text, /Security key/);
    assert.match(mail.text, /Firefox on Linux/);
    assert.match(mail.text, /192\.0\.2\.1/);
    assert.deepEqual((await auditOf(fixture)).at(-1), {
      event: "passkey_removed",
      account_id: alice.account.id,
      detail: '{"sessions":2}',
    });
    assert.equal((await verifyAudit(db, services.vault)).fault, undefined);
  });

  test("removePasskey() ends this session too if the passkey signed it in", async () => {
    const { db, services, alice, remove, names } = await signedIn();
    assert.deepEqual(await remove(alice.passkey.id), { endedThisSession: true });
    assert.deepEqual(await names(), ["Security key"]);
    assert.equal(await findSession(db, services.authority, { token: alice.token, now: NOW }), undefined);
  });

  test("removePasskey() needs a sign-in or a step-up for this action within the last ten minutes (T163)", async () => {
    const { alice, other, mails, remove, list } = await signedIn();
    const stale = problem("fresh_session_required");
    await assert.rejects(remove(other.id, { now: NOW + 10 * MINUTE }), stale);
    const stepUp = { action: `delete_passkey:${alice.passkey.id}`, at: NOW + 10 * MINUTE } as const;
    const stepped = { ...alice, session: { ...alice.session, stepUp } };
    await assert.rejects(remove(other.id, { signedIn: stepped, now: NOW + 10 * MINUTE }), stale);
    assert.equal((await list()).length, 2);
    assert.deepEqual(mails, []);
    await remove(other.id, { now: NOW + 10 * MINUTE - 1 });
  });

  test("removePasskey() does not remove the last one (T163)", async () => {
    const { fixture, alice, other, mails, remove, names } = await signedIn();
    await remove(other.id);
    mails.length = 0;
    await assert.rejects(remove(alice.passkey.id), problem("last_passkey"));
    assert.deepEqual(await names(), ["Passkey 1"]);
    assert.deepEqual(mails, []);
    const removals = (await auditOf(fixture)).filter(({ event }) => event === "passkey_removed");
    assert.equal(removals.length, 1);
  });

  test("removePasskey() leaves one when both are removed twenty times at once", async () => {
    const { alice, other, remove, list } = await signedIn();
    const ids = Array.from({ length: 20 }, (_, n) => n % 2 === 0 ? alice.passkey.id : other.id);
    const all = await Promise.allSettled(ids.map((id) => remove(id)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await list()).length, 1);
  });

  test("removePasskey() removes nothing for a session that was ended meanwhile", async () => {
    const { db, services, alice, other, remove, names } = await signedIn();
    const { session: { id: sessionId }, account: { id: accountId } } = alice;
    await endOneSession(db, services, { accountId, sessionId, now: NOW, random });
    await assert.rejects(remove(other.id), problem("authentication_required"));
    assert.equal((await names()).length, 2);
  });

  test("removePasskey() clears the step-up of every session, because the passkey may have done it", async () => {
    const { fixture, db, services, first, second, alice, other, remove } = await signedIn();
    const later = NOW + 20 * MINUTE;
    const stepUp = { ...AT, signedIn: alice, action: "add_passkey", now: later } as const;
    const options = await beginStepUp(db, services, stepUp);
    const response = await second.authenticate(options, { origin: ORIGIN });
    const { token } = await finishStepUp(db, services, { ...stepUp, token: alice.token, response });
    const owner = await signInAgain(fixture, first, later);
    await remove(other.id, { signedIn: owner, now: later });
    const stepped = await findSession(db, services.authority, { token, now: later });
    assert.equal(stepped?.session.id, alice.session.id);
    assert.equal(stepped?.session.stepUp, undefined);
    const begin = beginAddPasskey(db, services, { ...AT, signedIn: stepped!, now: later });
    await assert.rejects(begin, problem("fresh_session_required"));
  });

  test("removePasskey() does not count a passkey that an attacker inserted into the database", async () => {
    const { db, alice, other, remove, names, rejected } = await signedIn();
    const row = await db.selectFrom("passkey").selectAll().where("id", "=", other.id)
      .executeTakeFirstOrThrow();
    await db.insertInto("passkey").values({ ...row, id: "passkey_forged", credential_id: random(32) })
      .execute();
    await remove(other.id);
    await assert.rejects(remove(alice.passkey.id), problem("last_passkey"));
    await assert.rejects(remove("passkey_forged"), notFound);
    assert.deepEqual(await names(), ["Passkey 1"]);
    assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["passkey"]);
  });

  test("removePasskey() is refused as inconsistent when a passkey was edited or hidden", async () => {
    const { db, alice, other, remove, list } = await signedIn();
    const edit = db.updateTable("passkey").set({ created_at: 1 }).where("id", "=", other.id);
    const hide = db.deleteFrom("passkey").where("id", "=", other.id);
    for (const attack of [edit, hide]) {
      await attack.execute();
      const before = await db.selectFrom("passkey").selectAll().execute();
      for (const id of [alice.passkey.id, other.id]) await assert.rejects(remove(id), isInconsistent, id);
      await assert.rejects(list(), isInconsistent);
      assert.deepEqual(await db.selectFrom("passkey").selectAll().execute(), before);
    }
  });

  test("removePasskey() finds no passkey of another account, and none twice", async () => {
    const { fixture, other, remove } = await signedIn();
    const bob = await enrolPerson(fixture, "bob@example.com", createAuthenticator());
    await assert.rejects(remove(bob.passkey.id), notFound);
    await remove(other.id);
    await assert.rejects(remove(other.id), notFound);
  });

  test("removePasskey() changes nothing when the audit log cannot be written", async () => {
    const { db, other, mails, remove } = await signedIn();
    const before = await db.selectFrom("outbox").select("id").execute();
    await failLogWrites(db);
    await assert.rejects(remove(other.id), (error) => !(error instanceof ProtocolError));
    assert.equal((await db.selectFrom("passkey").selectAll().execute()).length, 2);
    assert.deepEqual(await db.selectFrom("removed_passkey").selectAll().execute(), []);
    assert.deepEqual(await db.selectFrom("outbox").select("id").execute(), before);
    assert.deepEqual(mails, []);
  });
});

describe("signIn() with a passkey that was removed", () => {
  async function removed() {
    const stage = await signedIn();
    const { db, services, second, other, remove } = stage;
    await remove(other.id);
    const attempt = async (tamper: Partial<AuthenticateTamper> = {}, now = NOW) => {
      const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER, now });
      const response = await second.authenticate(options, { origin: ORIGIN, ...tamper });
      const error = await signIn(db, services, { ...AT, browserHash: BROWSER, response, now }).then(
        () => assert.fail("it signed in"),
        (error: unknown) => error,
      );
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.code, "invalid_passkey");
      return { message: error.message, errors: error.errors };
    };
    return { ...stage, attempt };
  }
  const REFUSED = { message: "Cannot sign in: passkey refused", errors: undefined };

  test("signIn() refuses it, and states the removal only to its holder", async () => {
    const { fixture, alice, attempt } = await removed();
    assert.deepEqual(await attempt(), {
      ...REFUSED,
      errors: [{ path: "/response/id", message: "This passkey was removed from its account" }],
    });
    const recorded = (await auditOf(fixture)).at(-1);
    assert.deepEqual(recorded, {
      event: "sign_in_refused",
      account_id: alice.account.id,
      detail: '{"reason":"removed_credential"}',
    });
    const changed = { signature: (honest: Uint8Array<ArrayBuffer>) => honest.with(9, honest[9]! ^ 1) };
    for (const tamper of [changed as never, { origin: "https://evil.example" }, { flags: 1 }]) {
      assert.deepEqual(await attempt(tamper), REFUSED);
    }
  });

  test("signIn() does not state a removal from long ago", async () => {
    const { attempt } = await removed();
    assert.notDeepEqual(await attempt({}, NOW + REMOVAL_MEMORY - 1), REFUSED);
    assert.deepEqual(await attempt({}, NOW + REMOVAL_MEMORY), REFUSED);
  });

  test("signIn() states no removal of a passkey that an attacker deleted from the database", async () => {
    const { db, attempt } = await removed();
    await db.deleteFrom("removed_passkey").execute();
    assert.deepEqual(await attempt(), REFUSED);
  });

  const edits: Record<string, Partial<Tables["removed_passkey"]>> = {
    created_at: { created_at: NOW + 1 },
    sign_count: { sign_count: 0 },
    algorithm: { algorithm: -8 },
    mac: { mac: new Uint8Array(32) },
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`signIn() states no removal when ${column} of the removal was edited`, async () => {
      const { db, attempt, rejected } = await removed();
      await db.updateTable("removed_passkey").set(edit).execute();
      assert.deepEqual(await attempt(), REFUSED);
      assert.deepEqual(rejected.map(({ kind }) => kind), ["removed_passkey"]);
    });
  }

  test("signIn() states no removal when an attacker recorded an active passkey as removed", async () => {
    const { fixture, db, services, first, alice } = await removed();
    const row = await db.selectFrom("passkey").selectAll().where("id", "=", alice.passkey.id)
      .executeTakeFirstOrThrow();
    const { id, account_id, credential_id, public_key, algorithm, backup_eligible, sign_count } = row;
    const forged = { id, account_id, credential_id, public_key, algorithm, backup_eligible, sign_count };
    await db.insertInto("removed_passkey").values({ ...forged, created_at: NOW, mac: row.mac }).execute();
    assert.equal((await signInAgain(fixture, first)).account.id, alice.account.id, "it still signs in");
    await db.deleteFrom("passkey").execute();
    const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER });
    const response = await first.authenticate(options, { origin: ORIGIN });
    await assert.rejects(signIn(db, services, { ...AT, browserHash: BROWSER, response }), (error) => {
      assert.ok(error instanceof ProtocolError);
      assert.deepEqual([error.code, error.errors], ["invalid_passkey", undefined]);
      return true;
    });
  });

  test("an account keeps up to 50 records of removals", async () => {
    const { db, services: { authority }, alice, remove } = await removed();
    for (let n = 0; n < REMOVAL_LIMIT; n++) {
      const value = {
        accountId: alice.account.id,
        credential: someCredential(),
        name: "x",
        now: NOW,
        random,
      };
      const passkey = await insertPasskey(db, authority, value);
      await remove(passkey!.id, { now: NOW + n + 1 });
    }
    const rows = await db.selectFrom("removed_passkey").select("created_at").orderBy("created_at").execute();
    assert.equal(rows.length, REMOVAL_LIMIT);
    assert.equal(rows[0]!.created_at, NOW + 1, "the oldest is forgotten");
  });
});

describe("signIn() from a browser", () => {
  test("signIn() sends one mail about a browser new to the account, and none at sign-up", async () => {
    await using fixture = await openFixture();
    const { db, services, mails } = fixture;
    const authenticator = createAuthenticator();
    await enrolPerson(fixture, "alice@example.com", authenticator);
    assert.equal(mails.length, 0);
    const from = (deviceHash: string) => ({ ...AT.from, device: "Safari on iPhone", deviceHash });
    const attempt = async (deviceHash: string) => {
      const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER });
      const response = await authenticator.authenticate(options, { origin: ORIGIN });
      await signIn(db, services, { ...AT, browserHash: BROWSER, response, from: from(deviceHash) });
    };
    await attempt(AT.from.deviceHash);
    assert.equal(mails.length, 0, "the browser of the sign-up is known");
    await attempt("another");
    await attempt("another");
    assert.deepEqual(mails.map(({ to }) => to), ["alice@example.com"]);
    assert.match(mails[0]!.text, /Safari on iPhone/);
    assert.match(mails[0]!.text, /192\.0\.2\.1/);
    assert.equal((await db.selectFrom("outbox").selectAll().execute()).length, 1);
  });
});
