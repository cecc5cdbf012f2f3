import { describe, test } from "node:test";
import assert from "node:assert/strict";
import { CHALLENGE_LIFETIME } from "../../src/accounts/passkey/challenge.ts";
import { findSession } from "../../src/accounts/session/session.ts";
import { beginSignIn, signIn } from "../../src/accounts/sign-in.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { MINUTE } from "../../src/lib/time.ts";
import { createRateLimiter } from "../../src/limits/rate-limit.ts";
import type { WebAuthnErrorCode } from "../../src/webauthn/error.ts";
import { createAuthenticator, FLAG, newPrivateKey } from "../support/authenticator.ts";
import type { AuthenticateTamper } from "../support/authenticator.ts";
import { failLogWrites } from "../support/audit.ts";
import { isInconsistent, openSecondHandle } from "../support/state.ts";
import { NOW, openFixture, problem, random, RELYING_PARTY } from "./fixture.ts";
import type { Fixture } from "./fixture.ts";
import { AT, auditOf, BROWSER, enrolPerson, signInAgain, ticketFor } from "./people.ts";
import { beginSignUp } from "../../src/accounts/sign-up.ts";

const ORIGIN = RELYING_PARTY.origin;

async function enrolled(settings: Parameters<typeof createAuthenticator>[0] = {}) {
  const fixture = await openFixture();
  const authenticator = createAuthenticator(settings);
  const alice = await enrolPerson(fixture, "alice@example.com", authenticator);
  const { db, services } = fixture;
  const begin = () => beginSignIn(db, services, { ...AT, browserHash: BROWSER });
  const answer = async (tamper: Partial<AuthenticateTamper> = {}) =>
    await authenticator.authenticate(await begin(), { origin: ORIGIN, ...tamper });
  const finish = (response: unknown, change: { browserHash?: string; now?: number } = {}) =>
    signIn(db, services, { ...AT, browserHash: BROWSER, response, ...change });
  return { fixture, db, services, authenticator, alice, begin, answer, finish };
}

const refused = problem("invalid_passkey");

/** Lists the reasons of refused sign-ins in the audit log. */
async function reasons(fixture: Fixture): Promise<string[]> {
  const refusals = (await auditOf(fixture)).filter(({ event }) => event === "sign_in_refused");
  return refusals.map(({ detail }) => (JSON.parse(detail) as { reason: string }).reason);
}

async function sessions({ db }: Fixture): Promise<number> {
  return (await db.selectFrom("session").select("id").execute()).length;
}

describe("beginSignIn()", () => {
  test("beginSignIn() asks for any discoverable passkey, the same for every browser (T165)", async () => {
    const { begin } = await enrolled();
    const [first, second] = [await begin(), await begin()];
    assert.notEqual(first.challenge, second.challenge);
    assert.equal(first.challenge.length, 43);
    assert.deepEqual({ ...first, challenge: "" }, {
      challenge: "",
      timeout: CHALLENGE_LIFETIME,
      rpId: RELYING_PARTY.id,
      allowCredentials: [],
      userVerification: "required",
    });
  });

  test("beginSignIn() allows a network 30 ceremonies a minute", async () => {
    const { db, services } = await openFixture();
    const limited = { ...services, limits: createRateLimiter(services.vault) };
    const begin = (now: number) => beginSignIn(db, limited, { ...AT, browserHash: BROWSER, now });
    for (let n = 0; n < 30; n++) await begin(NOW);
    await assert.rejects(begin(NOW), problem("rate_limited"));
    assert.equal((await db.selectFrom("challenge").select("challenge").execute()).length, 30);
    await begin(NOW + MINUTE);
  });
});

describe("signIn()", () => {
  for (const algorithm of [-7, -8, -257] as const) {
    test(`signIn() creates a session for a passkey of algorithm ${algorithm}`, async () => {
      const { fixture, db, services, answer, finish, alice } = await enrolled({ algorithm });
      const signedIn = await finish(await answer());
      assert.deepEqual(signedIn.account, alice.account);
      assert.notEqual(signedIn.session.id, alice.session.id, "a new session (T136)");
      const found = await findSession(db, services.authority, { token: signedIn.token, now: NOW });
      assert.deepEqual(found, { session: signedIn.session, account: alice.account });
      const last = (await auditOf(fixture)).at(-1);
      assert.deepEqual(last, {
        event: "signed_in",
        account_id: alice.account.id,
        detail: JSON.stringify({ passkeyId: alice.passkey.id }),
      });
      assert.equal((await verifyAudit(db, services.vault)).fault, undefined);
    });
  }

  test("signIn() stores counter, backup state and time of use", async () => {
    const { fixture, db, authenticator } = await enrolled();
    await signInAgain(fixture, authenticator, NOW + 7);
    const row = await db.selectFrom("passkey").selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([row.sign_count, row.backed_up, row.last_used_at], [2, 1, NOW + 7]);
  });

  test("signIn() finds each of two people by their passkey", async () => {
    const { fixture, authenticator, alice } = await enrolled();
    const other = createAuthenticator();
    const bob = await enrolPerson(fixture, "bob@example.com", other);
    assert.equal((await signInAgain(fixture, authenticator)).account.id, alice.account.id);
    assert.equal((await signInAgain(fixture, other)).account.id, bob.account.id);
  });

  test("signIn() signs in once when a valid response is replayed fifty times at once (T154)", async () => {
    const { fixture, answer, finish } = await enrolled();
    const response = await answer();
    const before = await sessions(fixture);
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => finish(response)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of all) if (outcome.status === "rejected") assert.ok(refused(outcome.reason));
    assert.equal(await sessions(fixture), before + 1);
    assert.deepEqual(await reasons(fixture), [], "replays without a challenge do not fill the log");
  });

  test("signIn() accepts parallel responses to different challenges and keeps the highest counter", async () => {
    const { db, answer, finish } = await enrolled();
    const responses = [await answer(), await answer(), await answer()];
    const all = await Promise.allSettled(responses.toReversed().map((response) => finish(response)));
    assert.ok(all.some(({ status }) => status === "fulfilled"));
    for (const outcome of all) if (outcome.status === "rejected") assert.ok(refused(outcome.reason));
    assert.equal(
      (await db.selectFrom("passkey").select("sign_count").executeTakeFirstOrThrow()).sign_count,
      4,
    );
  });

  test("signIn() accepts one of five parallel responses with one counter: the passkey was copied (T161)", async () => {
    const { fixture, answer, finish } = await enrolled();
    const responses = [];
    for (let n = 0; n < 5; n++) responses.push(await answer({ counter: 9 }));
    const all = await Promise.allSettled(responses.map((response) => finish(response)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    assert.deepEqual(await reasons(fixture), new Array(4).fill("sign_count"));
    assert.equal(await sessions(fixture), 2);
  });

  test("signIn() accepts all parallel responses of an authenticator without a counter", async () => {
    const { answer, finish } = await enrolled({ step: 0 });
    const responses = [await answer(), await answer(), await answer()];
    await Promise.all(responses.map((response) => finish(response)));
  });

  const tampered: Record<string, [WebAuthnErrorCode, Partial<AuthenticateTamper>]> = {
    "the origin has another port (T157)": ["origin", { origin: `${ORIGIN}:8443` }],
    "the origin has another scheme (T157)": ["origin", { origin: "http://example.org" }],
    "the origin is a sub-domain (T157)": ["origin", { origin: "https://www.example.org" }],
    "the relying party is another (T157)": ["rp_id", { rpId: "evil.example" }],
    "the ceremony ran in a cross-origin frame (T157)": ["cross_origin", { crossOrigin: true }],
    "a top origin is set (T157)": ["top_origin", { topOrigin: "https://evil.example" }],
    "the user was not verified (T158)": ["user_verification", { flags: FLAG.UP | FLAG.BE | FLAG.BS }],
    "the user was not present (T158)": ["user_presence", { flags: FLAG.UV | FLAG.BE | FLAG.BS }],
    "the client data is of a registration (T153)": ["type", { type: "webauthn.create" }],
    "the user handle is another account's (T159)": [
      "user_handle_mismatch",
      { userHandle: toBase64url(utf8("account_of_somebody_else")) },
    ],
    "another key signed (T160)": ["signature", {
      signWith: { algorithm: -7, privateKey: newPrivateKey(-7) },
    }],
    "the signature was changed (T160)": ["signature", {
      signature: (honest) => honest.with(9, honest[9]! ^ 1),
    }],
    "the authenticator data was changed after signing (T160)": ["signature", {
      signedMessage: (honest) => honest.with(33, 7),
    }],
    "the backup eligibility changed": ["backup_eligibility", { flags: FLAG.UP | FLAG.UV }],
    "the counter did not grow (T161)": ["sign_count", { counter: 1 }],
    "the counter fell to zero (T161)": ["sign_count", { counter: 0 }],
  };
  for (const [what, [code, tamper]] of Object.entries(tampered)) {
    test(`signIn() refuses, uses up the challenge and records ${code} when ${what}`, async () => {
      const { fixture, db, alice, answer, finish } = await enrolled();
      const before = await db.selectFrom("passkey").selectAll().execute();
      const response = await answer(tamper);
      await assert.rejects(finish(response), refused);
      await assert.rejects(finish(response), refused, "again");
      assert.deepEqual(await reasons(fixture), [code]);
      const last = (await auditOf(fixture)).at(-1);
      assert.equal(last?.account_id, alice.account.id);
      assert.deepEqual(
        await db.selectFrom("passkey").selectAll().execute(),
        before,
        "the passkey is unchanged",
      );
      assert.equal(await sessions(fixture), 1, "only the one of the sign-up");
      assert.deepEqual(await db.selectFrom("challenge").selectAll().execute(), []);
    });
  }

  test("signIn() refuses an unknown passkey and records nothing (T159)", async () => {
    const { fixture, db, finish, answer } = await enrolled();
    const response = await answer();
    await db.deleteFrom("passkey").execute();
    await assert.rejects(finish(response), refused);
    assert.deepEqual(await reasons(fixture), [], "strangers cannot make the log grow");
  });

  test("signIn() refuses when id and rawId differ (T159)", async () => {
    const { fixture, answer, finish } = await enrolled();
    const rawId = toBase64url(random(32));
    await assert.rejects(finish(await answer({ rawId })), refused);
    assert.equal(await sessions(fixture), 1);
  });

  test("signIn() uses up the challenge of a response that cannot be read", async () => {
    const { db, answer, finish } = await enrolled();
    const response = await answer();
    await assert.rejects(finish({ ...response, rawId: "other" }), refused);
    assert.deepEqual(await db.selectFrom("challenge").selectAll().execute(), []);
    await assert.rejects(finish(response), refused);
  });

  for (const userHandle of [null, ""]) {
    test(`signIn() refuses ${JSON.stringify(userHandle)} as user handle if no provider named the user`, async () => {
      const { fixture, answer, finish } = await enrolled();
      await assert.rejects(finish(await answer({ userHandle })), refused);
      assert.deepEqual(await reasons(fixture), ["user_handle_missing"]);
    });

    test(`signIn() accepts ${JSON.stringify(userHandle)} only of the user that a provider named (section 7.2 step 6)`, async () => {
      const { fixture, db, services, authenticator, alice, finish } = await enrolled();
      const other = createAuthenticator();
      const bob = await enrolPerson(fixture, "bob@example.com", other);
      const named = (accountId: string) =>
        beginSignIn(db, services, { ...AT, browserHash: BROWSER, accountId });
      const tamper = { origin: ORIGIN, userHandle };
      const asAlice = await finish(await authenticator.authenticate(await named(alice.account.id), tamper));
      assert.equal(asAlice.account.id, alice.account.id);
      const asBob = await finish(await other.authenticate(await named(bob.account.id), tamper));
      assert.equal(asBob.account.id, bob.account.id);
      const swapped = await other.authenticate(await named(alice.account.id), tamper);
      await assert.rejects(finish(swapped), refused);
      assert.deepEqual(await reasons(fixture), ["challenge"]);
    });
  }

  test("signIn() refuses an invalid response", async () => {
    const { fixture, finish } = await enrolled();
    for (const response of [undefined, null, "", 1, [], {}, { type: "public-key" }]) {
      await assert.rejects(finish(response), refused, JSON.stringify(response));
    }
    assert.deepEqual(await reasons(fixture), []);
  });

  test("signIn() refuses a challenge that was never issued (T153)", async () => {
    const { fixture, answer, finish } = await enrolled();
    await assert.rejects(finish(await answer({ challenge: toBase64url(random(32)) })), refused);
    assert.equal(await sessions(fixture), 1);
  });

  test("signIn() refuses a registration challenge, and does not use it up (T153)", async () => {
    const { fixture, db, services, answer, finish } = await enrolled();
    const ticket = await ticketFor(fixture, "bob@example.com");
    const { challenge } = await beginSignUp(db, services, { ...AT, ticket });
    await assert.rejects(finish(await answer({ challenge })), refused);
    const left = await db.selectFrom("challenge").select("kind").where("challenge", "=", challenge).execute();
    assert.deepEqual(left, [{ kind: "registration" }]);
  });

  test("signIn() refuses in another browser, and uses up the challenge (T156)", async () => {
    const { fixture, answer, finish } = await enrolled();
    const response = await answer();
    await assert.rejects(finish(response, { browserHash: "other" }), refused);
    await assert.rejects(finish(response), refused);
    assert.deepEqual(await reasons(fixture), ["challenge"]);
    assert.equal(await sessions(fixture), 1);
  });

  test("signIn() refuses from the fifth minute on (T155)", async () => {
    const { fixture, answer, finish } = await enrolled();
    await assert.rejects(finish(await answer(), { now: NOW + CHALLENGE_LIFETIME }), refused);
    assert.deepEqual(await reasons(fixture), ["challenge"]);
    await finish(await answer(), { now: NOW + CHALLENGE_LIFETIME - 1 });
  });

  test("signIn() has one message for every failure", async () => {
    const { answer, finish, db } = await enrolled();
    const responses = [
      null,
      await answer({ signature: (honest) => honest.with(9, honest[9]! ^ 1) }),
      await answer({ origin: "https://evil.example" }),
      await answer({ challenge: toBase64url(random(32)) }),
      await answer(),
    ];
    const answers = new Set<string>();
    for (const response of responses) {
      if (response === responses.at(-1)) await db.deleteFrom("passkey").execute();
      await assert.rejects(finish(response), (error) => {
        assert.ok(error instanceof ProtocolError);
        answers.add(JSON.stringify([error.code, error.message, error.errors, error.headers]));
        return true;
      });
    }
    assert.equal(answers.size, 1);
  });

  test("signIn() changes only the used challenge when the audit log cannot be written", async () => {
    const { fixture, db, answer, finish } = await enrolled();
    const response = await answer();
    const before = await db.selectFrom("passkey").selectAll().execute();
    await failLogWrites(db);
    await assert.rejects(finish(response), (error) => !(error instanceof ProtocolError));
    assert.deepEqual(await db.selectFrom("passkey").selectAll().execute(), before);
    assert.equal(await sessions(fixture), 1);
    assert.deepEqual(await db.selectFrom("challenge").selectAll().execute(), []);
  });
});

describe("signIn() and an edited database", () => {
  test("signIn() refuses when an attacker replaced the public key of a victim's passkey", async () => {
    const { fixture, db, alice, begin, finish } = await enrolled();
    const mallory = createAuthenticator();
    await enrolPerson(fixture, "mallory@evil.example", mallory);
    const own = mallory.credentials[0]!;
    await db.updateTable("passkey").set({ public_key: own.publicKey }).where("id", "=", alice.passkey.id)
      .execute();
    const credential = { ...own, id: alice.passkey.credentialId, userHandle: utf8(alice.account.id) };
    const response = await mallory.authenticate(await begin(), { origin: ORIGIN, credential });
    await assert.rejects(finish(response), isInconsistent);
    assert.deepEqual(await reasons(fixture), []);
    assert.deepEqual([...new Set(fixture.rejected.map(({ kind }) => kind))], ["passkey"]);
  });

  test("signIn() refuses when an attacker moved a passkey to a victim's account", async () => {
    const { fixture, db, alice, begin, finish } = await enrolled();
    const mallory = createAuthenticator();
    const { passkey } = await enrolPerson(fixture, "mallory@evil.example", mallory);
    await db.updateTable("passkey").set({ account_id: alice.account.id }).where("id", "=", passkey.id)
      .execute();
    const userHandle = toBase64url(utf8(alice.account.id));
    const response = await mallory.authenticate(await begin(), { origin: ORIGIN, userHandle });
    await assert.rejects(finish(response), refused);
  });

  test("signIn() refuses when an attacker inserted a passkey for a victim", async () => {
    const { fixture, db, alice, begin, finish } = await enrolled();
    const mallory = createAuthenticator();
    const { passkey } = await enrolPerson(fixture, "mallory@evil.example", mallory);
    const row = await db.selectFrom("passkey").selectAll().where("id", "=", passkey.id)
      .executeTakeFirstOrThrow();
    const credential = { ...mallory.credentials[0]!, id: random(32), userHandle: utf8(alice.account.id) };
    const forged = {
      ...row,
      id: "passkey_forged",
      account_id: alice.account.id,
      credential_id: credential.id,
    };
    await db.insertInto("passkey").values(forged).execute();
    const response = await mallory.authenticate(await begin(), { origin: ORIGIN, credential });
    await assert.rejects(finish(response), refused);
  });

  test("signIn() does not use an account's row that was edited", async () => {
    const { db, alice, answer, finish } = await enrolled();
    await db.updateTable("account").set({ email: "mallory@evil.example" }).execute();
    const response = await answer();
    const { db: afterStart, services } = await openFixture(openSecondHandle(db));
    const attempt = signIn(afterStart, services, { ...AT, browserHash: BROWSER, response });
    await assert.rejects(attempt, isInconsistent);
    const signedIn = await finish(await answer());
    assert.deepEqual(signedIn.account, alice.account, "the process has the account in memory");
  });

  test("signIn() refuses when an attacker moved a challenge to another browser", async () => {
    const { fixture, db, answer, finish } = await enrolled();
    const response = await answer();
    await db.updateTable("challenge").set({ bound_to: "browser:mallory" }).execute();
    await assert.rejects(finish(response, { browserHash: "mallory" }), refused);
    assert.deepEqual(fixture.rejected.map(({ kind }) => kind), ["challenge"]);
  });
});
