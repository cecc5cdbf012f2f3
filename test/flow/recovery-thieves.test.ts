import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../support/app.ts";
import { registerPasskey, signIn, signUp } from "../support/client.ts";
import { createIdentityStage, visitProvider } from "../support/identity.ts";
import { assertInconsistent } from "../support/inconsistent.ts";
import {
  actsOf,
  begin,
  cancelLink,
  DAY,
  finish,
  HOUR,
  mailsTo,
  makeCodes,
  MINUTE,
  pass,
  pressCancel,
} from "../support/recovery.ts";

const ALICE = "alice@example.com";

/** Creates an account with recovery codes, 11 minutes after its sign-in, and a thief's browser. */
async function setStage() {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  const keyId = (await signUp(alice, ALICE)).body.key.id;
  const codes = await makeCodes(alice);
  app.now += 11 * MINUTE;
  const thief = app.client("127.0.6.6");
  return { app, alice, keyId, codes, thief, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function isNotified(
  app: Awaited<ReturnType<typeof setStage>>["app"],
  subject: string,
): Promise<boolean> {
  return (await mailsTo(app.client(), ALICE)).some((mail) => mail.subject === subject);
}

describe("what a thief gains from recovery, and when its owner is notified", () => {
  test("a stolen session: nothing, and the owner's recovery is not stopped", async () => {
    await using stage = await setStage();
    const { app, alice, codes, thief } = stage;
    for (const [name, value] of alice.cookies) thief.cookies.set(name, value);
    const owner = app.client("127.0.0.8");
    assert.equal((await begin(owner, ALICE, codes[0])).status, 201);
    const tries = [
      ["PATCH", "/api/auth/way-back", { delayHours: 24 }],
      ["PATCH", "/api/auth/way-back", { delayHours: 720 }],
      ["PATCH", "/api/auth/way-back", { emailAlone: true }],
      ["POST", "/api/auth/way-back/codes", {}],
      ["DELETE", "/api/auth/way-back/recovery", {}],
    ] as const;
    for (const [method, path, body] of tries) {
      const answer = await thief.request(method, path, { body });
      assert.equal(answer.body.code, "fresh_session_required", `${method} ${path}`);
    }
    assert.equal(
      (await thief.get("/api/auth/recovery")).status,
      401,
      "the session does not see the owner's recovery",
    );
    await pass(app, 72 * HOUR);
    assert.equal((await finish(owner, ALICE)).status, 201);
    assert.equal((await thief.get("/api/keys")).status, 401, "the recovery ends the session");
  });

  test("a stolen session of the last ten minutes: new codes, not the account, and the owner is notified", async () => {
    await using stage = await setStage();
    const { app, alice, codes, thief } = stage;
    assert.equal((await signIn(alice)).status, 200);
    for (const [name, value] of alice.cookies) thief.cookies.set(name, value);
    const [before] = await mailsTo(app.client(), ALICE);
    const made = await makeCodes(thief);
    const [notice] = await mailsTo(app.client(), ALICE);
    assert.notEqual(notice!.createdAt, before!.createdAt);
    assert.equal(notice!.subject, "Recovery codes were created");
    thief.cookies.clear();
    const alone = await thief.post("/api/auth/recovery", { recoveryCode: made[0] });
    assert.equal(alone.body.code, "recovery_refused");
    // The owner's previous codes are invalid until new ones are created with a passkey.
    const owner = app.client("127.0.0.8");
    assert.equal((await begin(owner, ALICE, codes[0])).body.code, "recovery_refused");
    const again = await makeCodes(alice);
    assert.equal((await begin(owner, ALICE, again[0])).status, 201);
  });

  test("a stolen mailbox, with codes required: nothing, but it can cancel the owner's recovery", async () => {
    await using stage = await setStage();
    const { app, alice, codes, thief } = stage;
    assert.equal((await begin(thief, ALICE)).body.code, "recovery_refused");
    const { events } = (await alice.get("/api/audit")).body;
    assert.equal(events[0].event, "recovery_refused", "the owner sees it");
    const owner = app.client("127.0.0.8");
    await begin(owner, ALICE, codes[0]);
    await pressCancel(thief, await cancelLink(thief, ALICE));
    assert.equal((await owner.get("/api/auth/recovery")).status, 401);
    assert.ok(await isNotified(app, "A recovery of your account was cancelled"));
  });

  test("a stolen mailbox, by e-mail alone: the account after the delay, unless a passkey signs in", async () => {
    for (const isThere of [true, false]) {
      await using stage = await setStage();
      const { app, alice, thief } = stage;
      assert.equal((await signIn(alice)).status, 200);
      const body = { emailAlone: true };
      assert.equal((await alice.request("PATCH", "/api/auth/way-back", { body })).status, 200);
      assert.equal((await begin(thief, ALICE)).status, 201);
      assert.ok(await isNotified(app, "A recovery of your account was begun"));
      await pass(app, 71 * HOUR);
      if (isThere) assert.equal((await signIn(alice)).status, 200);
      await pass(app, HOUR);
      assert.equal((await finish(thief, ALICE)).status, isThere ? 401 : 201);
    }
  });

  test("a stolen mailbox or the cookie of a recovery: nothing without the other", async () => {
    await using stage = await setStage();
    const { app, codes, thief } = stage;
    const owner = app.client("127.0.0.8");
    await begin(owner, ALICE, codes[0]);
    await pass(app, 72 * HOUR);
    assert.equal((await finish(thief, ALICE)).status, 401, "the mailbox alone");
    thief.cookies.set("service.recovery", owner.cookies.get("service.recovery")!);
    const without = await thief.post("/api/auth/recovery/passkey/options", { recoveryCode: codes[1] });
    assert.equal(without.body.code, "invalid_code", "the cookie alone");
  });

  test("stolen recovery codes: nothing, if the account has an address", async () => {
    await using stage = await setStage();
    const { codes, thief } = stage;
    for (const recoveryCode of codes) {
      const answer = await thief.post("/api/auth/recovery", { recoveryCode });
      assert.equal(answer.body.code, "recovery_refused");
    }
  });

  test("stolen recovery codes, without an address: the account after its delay, unless a passkey signs in", async () => {
    for (const isThere of [false, true]) {
      await using stage = await createIdentityStage();
      const { app } = stage;
      const owner = app.client("127.0.0.1");
      stage.upstream.claims = { email_verified: false };
      await visitProvider(owner, stage.upstream);
      const made = await registerPasskey(owner, "new");
      assert.equal(made.body.account.email, null, made.text);
      const codes = await makeCodes(owner);
      const thief = app.client("127.0.6.6");
      const begun = await thief.post("/api/auth/recovery", { recoveryCode: codes[0] });
      assert.equal(begun.status, 201, begun.text);
      await pass(app, 71 * HOUR);
      if (isThere) assert.equal((await signIn(owner)).status, 200);
      await pass(app, HOUR);
      if (isThere) {
        assert.equal((await thief.get("/api/auth/recovery")).status, 401);
        assert.equal((await actsOf(owner)).at(-1), "cancelled_by_sign_in");
        continue;
      }
      const other = { recoveryCode: codes[1]! };
      assert.equal((await finish(thief, "", other)).body.code, "invalid_code", "the same code again");
      assert.equal((await finish(thief, "", { recoveryCode: codes[0]! })).status, 201);
    }
  });

  test("a stolen phone that stays locked: its passkey is refused, and the owner's recovery continues", async () => {
    await using stage = await setStage();
    const { app, alice, codes } = stage;
    const owner = app.client("127.0.0.8");
    await begin(owner, ALICE, codes[0]);
    const phone = app.client("127.0.6.6");
    const options = await phone.post("/api/auth/passkey/authentication/options");
    const USER_PRESENT_ALONE = 0x01;
    const tamper = { origin: phone.origin, flags: USER_PRESENT_ALONE };
    const response = await alice.authenticator.authenticate(options.body, tamper);
    assert.equal((await phone.post("/api/auth/passkey/authentication", { response })).status, 401);
    const { events } = (await alice.get("/api/audit")).body;
    assert.deepEqual([events[0].event, events[0].detail.reason], ["sign_in_refused", "user_verification"]);
    await pass(app, 72 * HOUR);
    assert.equal((await finish(owner, ALICE)).status, 201);
  });

  test("a stolen phone with its passkey: it signs in and cancels the recovery, and the owner is notified", async () => {
    await using stage = await setStage();
    const { app, alice, codes } = stage;
    const owner = app.client("127.0.0.8");
    await begin(owner, ALICE, codes[0]);
    await pass(app, DAY);
    const phone = Object.assign(app.client("127.0.6.6"), { authenticator: alice.authenticator });
    assert.equal((await signIn(phone)).status, 200);
    assert.equal((await owner.get("/api/auth/recovery")).status, 401);
    for (const subject of ["A recovery of your account was cancelled"]) {
      assert.ok(await isNotified(app, subject));
    }
  });

  test("an operator who reads mails and sets the clock: the account no sooner, and a mail at once", async () => {
    await using stage = await setStage();
    const { app, alice, thief } = stage;
    assert.equal((await signIn(alice)).status, 200);
    const body = { emailAlone: true };
    assert.equal((await alice.request("PATCH", "/api/auth/way-back", { body })).status, 200);
    assert.equal((await begin(thief, ALICE)).status, 201);
    await app.maintain();
    app.ahead = 73 * HOUR;
    await app.maintain();
    const [notice] = await mailsTo(thief, ALICE);
    assert.equal(notice!.subject, "A recovery of your account is pending", "days before it is due");
    assert.equal((await finish(thief, ALICE)).body.code, "recovery_not_ready");
    // The owner's 72 hours are real ones: a passkey used within them cancels the recovery.
    await pass(app, 70 * HOUR);
    assert.equal((await finish(thief, ALICE)).body.code, "recovery_not_ready");
    assert.equal((await signIn(alice)).status, 200);
    assert.equal((await thief.get("/api/auth/recovery")).status, 401);
  });

  test("an operator who edits the row: nothing, and the log records the row", async () => {
    await using stage = await setStage();
    const { app, alice, codes, thief } = stage;
    assert.equal((await begin(thief, ALICE, codes[0])).status, 201);
    await app.db.updateTable("account_recovery").set({ ready_at: app.now, observed_ms: 90 * DAY }).execute();
    assertInconsistent(await finish(thief, ALICE));
    // The owner's sign-in would cancel the recovery, so it is not acknowledged.
    assertInconsistent(await signIn(alice));
    const recorded = await app.db.selectFrom("audit_event").select(["event", "detail"])
      .where("event", "in", ["row_rejected", "rows_inconsistent"]).orderBy("seq").execute();
    assert.deepEqual(recorded.map(({ event, detail }) => [event, JSON.parse(detail).kind]), [
      ["row_rejected", "account_recovery"],
      ["rows_inconsistent", "account_recovery"],
    ]);
  });
});
