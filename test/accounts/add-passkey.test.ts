import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { beginAddPasskey, finishAddPasskey } from "../../src/accounts/add-passkey.ts";
import { removePasskey } from "../../src/accounts/manage-passkey.ts";
import { insertPasskey, listPasskeys, PASSKEY_LIMIT } from "../../src/accounts/passkey/passkey.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { MINUTE } from "../../src/lib/time.ts";
import { createAuthenticator, FLAG } from "../support/authenticator.ts";
import type { RegisterTamper } from "../support/authenticator.ts";
import { NOW, openFixture, problem, random, RELYING_PARTY } from "./fixture.ts";
import { AT, auditOf, enrolPerson, signInAgain, someCredential } from "./people.ts";

const ORIGIN = RELYING_PARTY.origin;
const refused = problem("invalid_passkey_registration");

async function signedIn() {
  const fixture = await openFixture();
  const { db, services } = fixture;
  const first = createAuthenticator();
  const alice = await enrolPerson(fixture, "alice@example.com", first);
  const second = createAuthenticator();
  const begin = (now = NOW) => beginAddPasskey(db, services, { ...AT, signedIn: alice, now });
  const answer = async (tamper: Partial<RegisterTamper> = {}) =>
    await second.register(await begin(), { origin: ORIGIN, ...tamper });
  const finish = (response: unknown, change: { now?: number; name?: string; signedIn?: typeof alice } = {}) =>
    finishAddPasskey(db, services, { ...AT, signedIn: alice, response, name: undefined, ...change });
  const list = () => listPasskeys(db, services.authority, alice.account.id);
  return { fixture, db, services, first, second, alice, begin, answer, finish, list };
}

describe("beginAddPasskey()", () => {
  test("beginAddPasskey() names the account and excludes its passkeys with their transports", async () => {
    const { begin, alice } = await signedIn();
    const options = await begin();
    assert.equal(options.user.id, toBase64url(utf8(alice.account.id)));
    assert.equal(options.user.name, "alice@example.com");
    assert.deepEqual(options.excludeCredentials, [
      { type: "public-key", id: toBase64url(alice.passkey.credentialId), transports: ["hybrid", "internal"] },
    ]);
  });

  test("beginAddPasskey() and finishAddPasskey() need a sign-in of the last ten minutes (T163)", async () => {
    const { begin, answer, finish, list } = await signedIn();
    const stale = problem("fresh_session_required");
    await begin(NOW + 10 * MINUTE - 1);
    await assert.rejects(begin(NOW + 10 * MINUTE), stale);
    await assert.rejects(finish(await answer(), { now: NOW + 10 * MINUTE }), stale);
    assert.equal((await list()).length, 1);
  });

  test("beginAddPasskey() counts as a ceremony of the network", async () => {
    const { fixture, begin } = await signedIn();
    fixture.taken.length = 0;
    await begin();
    assert.deepEqual(fixture.taken, [{ name: "passkey_ceremony", subject: AT.network }]);
  });
});

describe("finishAddPasskey()", () => {
  test("finishAddPasskey() adds a passkey that signs in, and records it", async () => {
    const { fixture, alice, second, answer, finish, list } = await signedIn();
    const passkey = await finish(await answer(), { name: "Security key" });
    assert.equal(passkey.name, "Security key");
    assert.deepEqual(
      (await list()).map(({ id }) => id).toSorted(),
      [alice.passkey.id, passkey.id].toSorted(),
    );
    assert.equal((await auditOf(fixture)).at(-1)?.event, "passkey_added");
    const again = await signInAgain(fixture, second);
    assert.equal(again.account.id, alice.account.id);
    assert.equal(again.session.passkeyId, passkey.id);
  });

  test("finishAddPasskey() uses up the challenge of a response that cannot be read, and no other", async () => {
    const { db, answer, begin, finish, list } = await signedIn();
    const response = await answer();
    const waiting = await begin();
    await assert.rejects(finish({ ...response, rawId: "other" }), refused);
    const left = await db.selectFrom("challenge").select("challenge").execute();
    assert.deepEqual(left, [{ challenge: waiting.challenge }]);
    await assert.rejects(finish(response), refused);
    assert.equal((await list()).length, 1);
  });

  test("finishAddPasskey() numbers a passkey without a name", async () => {
    const { answer, finish } = await signedIn();
    assert.equal((await finish(await answer())).name, "Passkey 2");
  });

  test("finishAddPasskey() adds one passkey when one response is sent twenty times at once", async () => {
    const { answer, finish, list } = await signedIn();
    const response = await answer();
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => finish(response)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal((await list()).length, 2);
  });

  test("finishAddPasskey() adds nothing for a session whose passkey is removed meanwhile", async () => {
    const { fixture, db, services, answer, finish, list, first, second, alice } = await signedIn();
    await finish(await answer());
    const owner = await signInAgain(fixture, second);
    const { passkeyId } = alice.session;
    // An attacker with the first passkey has sent a response. The owner removes the passkey before it is stored.
    const response = await createAuthenticator().register(
      await beginAddPasskey(db, services, { ...AT, signedIn: alice }),
      { origin: ORIGIN },
    );
    await removePasskey(db, services, { ...AT, signedIn: owner, passkeyId });
    fixture.mails.length = 0;
    await assert.rejects(finish(response), problem("authentication_required"));
    assert.equal((await list()).length, 1);
    assert.deepEqual(fixture.mails, []);
    await assert.rejects(signInAgain(fixture, first), problem("invalid_passkey"));
  });

  test("finishAddPasskey() refuses a credential id that already exists (T164)", async () => {
    const { fixture, db, alice, answer, finish, list } = await signedIn();
    const bob = await enrolPerson(fixture, "bob@example.com", createAuthenticator());
    const before = await db.selectFrom("passkey").selectAll().execute();
    for (const credentialId of [bob.passkey.credentialId, alice.passkey.credentialId]) {
      await assert.rejects(finish(await answer({ credentialId })), refused);
    }
    assert.deepEqual(await db.selectFrom("passkey").selectAll().execute(), before);
    assert.equal((await list()).length, 1);
  });

  test("finishAddPasskey() refuses another session's challenge, also of the same account (T156)", async () => {
    const { fixture, alice, first, answer, finish, list } = await signedIn();
    const other = await signInAgain(fixture, first);
    const bob = await enrolPerson(fixture, "bob@example.com", createAuthenticator());
    for (const signedIn of [{ ...alice, ...other }, bob]) {
      await assert.rejects(finish(await answer(), { signedIn }), refused);
    }
    assert.equal((await list()).length, 1);
  });

  test("finishAddPasskey() refuses a bad response and uses up its challenge", async () => {
    const { db, answer, finish, list } = await signedIn();
    await assert.rejects(finish(await answer({ flags: FLAG.UP })), refused);
    assert.deepEqual(await db.selectFrom("challenge").selectAll().execute(), []);
    assert.equal((await list()).length, 1);
  });

  test("an account has at most 50 passkeys, also when two are added at once", async () => {
    const { db, services, alice, begin, answer, finish, list } = await signedIn();
    for (let n = 2; n < PASSKEY_LIMIT; n++) {
      const value = {
        accountId: alice.account.id,
        credential: someCredential(),
        name: "x",
        now: NOW,
        random,
      };
      await insertPasskey(db, services.authority, value);
    }
    const responses = [await answer(), await answer({ credentialId: random(32) })];
    const all = await Promise.allSettled(responses.map((response) => finish(response)));
    assert.deepEqual(all.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
    const lost = all.find(({ status }) => status === "rejected") as PromiseRejectedResult;
    assert.ok(problem("too_many_passkeys")(lost.reason));
    assert.equal((await list()).length, PASSKEY_LIMIT);
    await assert.rejects(begin(), problem("too_many_passkeys"));
  });
});
