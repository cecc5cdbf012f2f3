import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CHALLENGE_LIFETIME } from "../../src/accounts/passkey/challenge.ts";
import type { StepUpAction } from "../../src/accounts/session/step-up-action.ts";
import { requireFreshSession } from "../../src/accounts/session/fresh-session.ts";
import { findSession, revokeSession } from "../../src/accounts/session/session.ts";
import { beginSignIn, signIn } from "../../src/accounts/sign-in.ts";
import { beginStepUp, finishStepUp } from "../../src/accounts/step-up.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { newId } from "../../src/lib/id.ts";
import { HOUR, MINUTE } from "../../src/lib/time.ts";
import { createRateLimiter } from "../../src/limits/rate-limit.ts";
import type { WebAuthnErrorCode } from "../../src/webauthn/error.ts";
import { createAuthenticator, FLAG } from "../support/authenticator.ts";
import type { AuthenticateTamper } from "../support/authenticator.ts";
import { isInconsistent } from "../support/state.ts";
import { NOW, openFixture, problem, random, RELYING_PARTY } from "./fixture.ts";
import { AT, auditOf, BROWSER, enrolPerson, signInAgain } from "./people.ts";

const ORIGIN = RELYING_PARTY.origin;
const LATER = NOW + HOUR;
const ACTION: StepUpAction = "add_passkey";
const refused = problem("invalid_passkey");
const stale = problem("fresh_session_required");

async function signedIn() {
  const fixture = await openFixture();
  const { db, services } = fixture;
  const authenticator = createAuthenticator();
  const alice = await enrolPerson(fixture, "alice@example.com", authenticator);
  const value = { ...AT, signedIn: alice, action: ACTION, now: LATER };
  const begin = (change: Partial<typeof value> = {}) => beginStepUp(db, services, { ...value, ...change });
  const answer = async (tamper: Partial<AuthenticateTamper> = {}) =>
    await authenticator.authenticate(await begin(), { origin: ORIGIN, ...tamper });
  const finish = (response: unknown, change: Partial<typeof value & { token: string }> = {}) =>
    finishStepUp(db, services, { ...value, token: alice.token, response, ...change });
  const find = (token: string, now = LATER) => findSession(db, services.authority, { token, now });
  return { fixture, ...fixture, authenticator, alice, begin, answer, finish, find };
}

/** Lists the reasons of refused step-ups in the audit log. */
async function reasons(fixture: Parameters<typeof auditOf>[0]): Promise<string[]> {
  const refusals = (await auditOf(fixture)).filter(({ event }) => event === "step_up_refused");
  return refusals.map(({ detail }) => (JSON.parse(detail) as { reason: string }).reason);
}

describe("beginStepUp()", () => {
  test("beginStepUp() asks for one of the account's passkeys, with user verification", async () => {
    const { begin, alice, authenticator } = await signedIn();
    const options = await begin();
    assert.deepEqual({ ...options, challenge: "" }, {
      challenge: "",
      timeout: CHALLENGE_LIFETIME,
      rpId: RELYING_PARTY.id,
      allowCredentials: [
        {
          type: "public-key",
          id: authenticator.credentials[0]!.id.toBase64({ alphabet: "base64url", omitPadding: true }),
          transports: alice.passkey.transports,
        },
      ],
      userVerification: "required",
    });
  });

  test("beginStepUp() counts as a ceremony of the network", async () => {
    const { fixture, services, alice } = await signedIn();
    const limited = { ...services, limits: createRateLimiter(services.vault) };
    const begin = () =>
      beginStepUp(fixture.db, limited, { ...AT, signedIn: alice, action: ACTION, now: LATER });
    for (let n = 0; n < 30; n++) await begin();
    await assert.rejects(begin(), problem("rate_limited"));
  });
});

describe("finishStepUp()", () => {
  test("finishStepUp() permits one action to the session, and replaces its token, not its id (ASVS 7.2.4)", async () => {
    const { fixture, db, services: { vault }, alice, answer, finish, find } = await signedIn();
    const stepped = await finish(await answer());
    assert.notEqual(stepped.token, alice.token);
    assert.equal(await find(alice.token), undefined, "the old token is dead");
    const found = (await find(stepped.token))!;
    assert.deepEqual(found.session, stepped.session);
    assert.equal(found.session.id, alice.session.id);
    assert.equal(found.session.authenticatedAt, NOW, "auth_time stays");
    assert.equal(found.session.expiresAt, alice.session.expiresAt, "it lives no longer");
    const { session } = found;
    requireFreshSession({ session, action: ACTION, now: LATER + 10 * MINUTE - 1 });
    const other = `delete_passkey:${alice.passkey.id}` as const;
    for (const [action, now] of [[ACTION, LATER + 10 * MINUTE], [other, LATER]] as const) {
      assert.throws(() => requireFreshSession({ session, action, now }), stale);
    }
    assert.deepEqual((await auditOf(fixture)).at(-1), {
      event: "stepped_up",
      account_id: alice.account.id,
      detail: JSON.stringify({ action: ACTION, passkeyId: alice.passkey.id }),
    });
    assert.equal((await verifyAudit(db, vault)).fault, undefined);
  });

  test("finishStepUp() stores counter, backup state and time of use", async () => {
    const { db, answer, finish } = await signedIn();
    await finish(await answer({ flags: FLAG.UP | FLAG.UV | FLAG.BE }));
    const row = await db.selectFrom("passkey").selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([row.sign_count, row.backed_up, row.last_used_at], [2, 0, LATER]);
  });

  test("finishStepUp() accepts a response without a user handle (section 7.2 step 6)", async () => {
    for (const userHandle of [null, ""]) {
      const { answer, finish, find } = await signedIn();
      const stepped = await finish(await answer({ userHandle }));
      assert.notEqual(await find(stepped.token), undefined);
    }
  });

  test("finishStepUp() uses up the challenge of a response that cannot be read, and records it", async () => {
    const { fixture, db, answer, finish } = await signedIn();
    const response = await answer();
    await assert.rejects(finish({ ...response, rawId: "other" }), refused);
    assert.deepEqual(await reasons(fixture), ["raw_id"]);
    assert.deepEqual(await db.selectFrom("challenge").selectAll().execute(), []);
    await assert.rejects(finish(response), refused);
  });

  test("finishStepUp() steps up once when one response is sent twenty times at once (T154)", async () => {
    const { fixture, answer, finish } = await signedIn();
    const response = await answer();
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => finish(response)));
    assert.equal(all.filter(({ status }) => status === "fulfilled").length, 1);
    for (const outcome of all) if (outcome.status === "rejected") assert.ok(refused(outcome.reason));
    assert.deepEqual(await reasons(fixture), []);
  });

  test("finishStepUp() issues one token when two requests step up with the same session token", async () => {
    const { answer, finish, find } = await signedIn();
    const responses = [await answer(), await answer()];
    const first = await finish(responses[0]);
    await assert.rejects(finish(responses[1]), problem("authentication_required"));
    assert.notEqual(await find(first.token), undefined);
  });

  test("finishStepUp() refuses another action than the challenge's, and uses up the challenge (A.2 7)", async () => {
    const { fixture, alice, answer, finish } = await signedIn();
    const [one, other] = [`delete_passkey:${alice.passkey.id}`, `delete_passkey:${newId("passkey", random)}`];
    for (const action of [one, other, `loosen_key:${alice.key.id}`] as StepUpAction[]) {
      const response = await answer();
      await assert.rejects(finish(response, { action }), refused);
      await assert.rejects(finish(response), refused, "it is gone");
    }
    assert.deepEqual(await reasons(fixture), ["challenge", "challenge", "challenge"]);
  });

  test("finishStepUp() refuses another session's challenge, also of the same account (T156)", async () => {
    const { fixture, authenticator, answer, finish } = await signedIn();
    const second = await signInAgain(fixture, authenticator, LATER);
    const bob = await enrolPerson(fixture, "bob@example.com", createAuthenticator());
    for (const signedIn of [second, bob]) {
      const change = { signedIn: signedIn as typeof bob, token: signedIn.token };
      await assert.rejects(finish(await answer(), change), refused);
    }
  });

  test("finishStepUp() refuses a sign-in challenge, and signIn() one of a step-up (T153)", async () => {
    const { db, services, authenticator, answer, finish } = await signedIn();
    const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER, now: LATER });
    await assert.rejects(
      finish(await authenticator.authenticate(options, { origin: ORIGIN })),
      refused,
    );
    const attempt = { ...AT, browserHash: BROWSER, response: await answer(), now: LATER };
    await assert.rejects(signIn(db, services, attempt), refused);
    assert.equal((await db.selectFrom("session").selectAll().execute()).length, 1);
  });

  test("finishStepUp() refuses another account's passkey (A.3 84)", async () => {
    const { fixture, begin, finish } = await signedIn();
    const mallory = createAuthenticator();
    await enrolPerson(fixture, "mallory@example.com", mallory);
    const response = await mallory.authenticate({ ...await begin(), allowCredentials: [] }, {
      origin: ORIGIN,
    });
    await assert.rejects(finish(response), refused);
    assert.deepEqual(await reasons(fixture), ["unknown_credential"]);
  });

  const tampered: Record<string, [WebAuthnErrorCode, Partial<AuthenticateTamper>]> = {
    "the user was not verified (T158)": ["user_verification", { flags: FLAG.UP | FLAG.BE | FLAG.BS }],
    "the origin differs (T157)": ["origin", { origin: "https://evil.example" }],
    "the user handle is another account's (T159)": ["user_handle_mismatch", { userHandle: "bWFsbG9yeQ" }],
    "the signature was changed (T160)": ["signature", {
      signature: (honest) => honest.with(9, honest[9]! ^ 1),
    }],
    "the counter did not grow (T161)": ["sign_count", { counter: 1 }],
  };
  for (const [what, [code, tamper]] of Object.entries(tampered)) {
    test(`finishStepUp() refuses, keeps the session and records ${code} when ${what}`, async () => {
      const { fixture, db, alice, answer, finish, find } = await signedIn();
      const before = await db.selectFrom("session").selectAll().execute();
      await assert.rejects(finish(await answer(tamper)), refused);
      assert.deepEqual(await reasons(fixture), [code]);
      assert.notEqual(await find(alice.token), undefined);
      assert.deepEqual(
        (await db.selectFrom("session").selectAll().execute())
          .map((row) => ({ ...row, last_seen_at: NOW })),
        before,
      );
      assert.deepEqual(await db.selectFrom("challenge").selectAll().execute(), []);
    });
  }

  test("finishStepUp() refuses from the fifth minute on (T155) and an invalid response", async () => {
    const { answer, finish } = await signedIn();
    await assert.rejects(finish(await answer(), { now: LATER + CHALLENGE_LIFETIME }), refused);
    for (const response of [undefined, null, 5, "", [], {}]) await assert.rejects(finish(response), refused);
  });

  test("finishStepUp() does not restore an ended session", async () => {
    const { db, services, alice, answer, finish } = await signedIn();
    const response = await answer();
    await revokeSession(db, services, { session: alice.session, now: LATER, random });
    await assert.rejects(finish(response), problem("authentication_required"));
    assert.deepEqual(await db.selectFrom("session").selectAll().execute(), []);
  });
});

describe("finishStepUp() and an edited database", () => {
  test("finishStepUp() refuses a challenge that was moved to another action or session", async () => {
    const { db, alice, rejected, answer, finish } = await signedIn();
    const action = `delete_passkey:${alice.passkey.id}` as const;
    const response = await answer();
    await db.updateTable("challenge").set({ bound_to: `session:${alice.session.id}/${action}` }).execute();
    await assert.rejects(finish(response, { action }), refused);
    assert.deepEqual(rejected.map(({ kind }) => kind), ["challenge"]);
  });

  test("finishStepUp() refuses a sign-in challenge that was changed into one for step-up", async () => {
    const { db, services, alice, rejected, authenticator, finish } = await signedIn();
    const options = await beginSignIn(db, services, { ...AT, browserHash: BROWSER, now: LATER });
    const response = await authenticator.authenticate(options, { origin: ORIGIN });
    const holder = `session:${alice.session.id}/${ACTION}`;
    await db.updateTable("challenge").set({ kind: "step_up", bound_to: holder }).execute();
    await assert.rejects(finish(response), refused);
    assert.deepEqual(rejected.map(({ kind }) => kind), ["challenge"]);
  });

  test("finishStepUp() refuses a passkey that was moved into the account", async () => {
    const { fixture, db, alice, begin, finish } = await signedIn();
    const mallory = createAuthenticator();
    const own = await enrolPerson(fixture, "mallory@example.com", mallory);
    await db.updateTable("passkey").set({ account_id: alice.account.id }).where("id", "=", own.passkey.id)
      .execute();
    const response = await mallory.authenticate({ ...await begin(), allowCredentials: [] }, {
      origin: ORIGIN,
      userHandle: null,
    });
    await assert.rejects(finish(response), refused);
  });

  test("finishStepUp() does not authenticate a session that was edited meanwhile", async () => {
    const { db, answer, finish } = await signedIn();
    const response = await answer();
    await db.updateTable("session").set({ expires_at: LATER + 1_000 * HOUR }).execute();
    await assert.rejects(finish(response), isInconsistent);
  });
});
