import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { signIn, signUp } from "../support/client.ts";
import {
  actsOf,
  ALICE,
  begin,
  cancelLink,
  codesOf,
  DAY,
  fetchProof,
  finish,
  HOUR,
  mailsTo,
  makeCodes,
  MINUTE,
  pass,
  pressCancel,
  readProof,
  setRecoveryStage,
  stepUp,
  subjectsTo,
} from "../support/recovery.ts";

describe("a recovery", () => {
  test("starts with both codes, waits 72 hours with a mail each day, and ends with a new passkey", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, keyId, codes, other } = stage;
    const begun = await begin(other, ALICE, codes[0]);
    assert.equal(begun.status, 201, begun.text);
    assert.equal(Date.parse(begun.body.recovery.readyAt), app.now + 72 * HOUR);
    assert.equal(begun.body.recovery.ready, false);
    assert.ok((await subjectsTo(other)).includes("A recovery of your account was begun"));
    assert.deepEqual(codesOf(await finish(other, ALICE)), ["recovery_not_ready"]);
    assert.deepEqual(await pass(app, 72 * HOUR), [
      "A recovery of your account is pending",
      "A recovery of your account is pending",
      "Your account can be recovered now",
    ]);
    assert.equal((await other.get("/api/auth/recovery")).body.recovery.ready, true);
    const done = await finish(other, ALICE);
    assert.equal(done.status, 201, done.text);
    assert.equal(done.body.account.email, ALICE);
    assert.equal((await other.get("/api/keys")).body.keys[0].id, keyId);
    assert.equal((await alice.get("/api/keys")).status, 401, "earlier sessions are ended");
    assert.equal((await signIn(alice)).status, 401, "earlier passkeys are removed");
    assert.ok((await subjectsTo(other)).includes("Your account was recovered"));
    assert.deepEqual(await actsOf(other), ["codes_made", "begun", "finished"]);
    other.cookies.clear();
    assert.equal((await signIn(other)).status, 200, "the new one signs in");
    assert.equal((await other.get("/api/auth/way-back")).body.wayBack.codesLeft, 7);
  });

  test("sends a mail each day, even after the clock was set back", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes, other } = stage;
    app.ahead = 30 * DAY;
    assert.equal((await begin(other, ALICE, codes[0])).status, 201);
    app.ahead = 0;
    assert.deepEqual(await pass(app, 2 * DAY), [
      "A recovery of your account is pending",
      "A recovery of your account is pending",
    ]);
  });

  test("accepts an e-mail code alone only if the account allows it, and never a recovery code alone", async () => {
    await using stage = await setRecoveryStage();
    const { alice, codes, other } = stage;
    assert.deepEqual(codesOf(await begin(other, ALICE)), ["recovery_refused"]);
    const alone = await other.post("/api/auth/recovery", { recoveryCode: codes[0] });
    assert.deepEqual(codesOf(alone), ["recovery_refused"]);
    const chosen = await alice.request("PATCH", "/api/auth/way-back", { body: { emailAlone: true } });
    assert.equal(chosen.status, 200, chosen.text);
    assert.equal((await begin(other, ALICE)).status, 201);
  });

  test("accepts each recovery code once, and no replaced one or one of another account", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    const [bobs] = await makeCodes(bob);
    const wrong = { recoveryCode: "0000-0000-0000-0000" };
    const proof = await fetchProof(other, ALICE);
    for (const recoveryCode of [bobs, wrong.recoveryCode, "short"]) {
      const answer = await other.post("/api/auth/recovery", { ...proof, recoveryCode });
      assert.deepEqual(codesOf(answer), ["recovery_refused"], answer.text);
    }
    // These were the three attempts at the e-mail code.
    assert.deepEqual(codesOf(await other.post("/api/auth/recovery", { ...proof, recoveryCode: codes[0] })), [
      "invalid_code",
    ]);
    assert.equal((await begin(other, ALICE, codes[0]!.toLowerCase().replaceAll("-", " "))).status, 201);
    assert.equal((await pressCancel(other, await cancelLink(other, ALICE))).status, 200);
    assert.deepEqual(codesOf(await begin(other, ALICE, codes[0])), ["recovery_refused"]);
    const again = await makeCodes(alice);
    assert.deepEqual(codesOf(await begin(other, ALICE, codes[1])), ["recovery_refused"]);
    assert.equal((await begin(other, ALICE, again[0])).status, 201);
    assert.ok(
      (await alice.get("/api/audit")).body.events.some(({ event }: { event: string }) =>
        event === "recovery_refused"
      ),
    );
  });

  test("is limited to one for each account, and a second one uses up no code", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    assert.equal((await begin(other, ALICE, codes[0])).status, 201);
    const third = app.client("127.0.0.10");
    assert.deepEqual(codesOf(await begin(third, ALICE, codes[1])), ["recovery_waiting"]);
    assert.equal((await third.get("/api/auth/recovery")).status, 401);
    assert.equal((await alice.get("/api/auth/way-back")).body.wayBack.codesLeft, 7);
    await pressCancel(third, await cancelLink(third, ALICE));
    assert.equal((await begin(third, ALICE, codes[1])).status, 201);
  });

  test("is limited to one for each browser, and another account's uses up no code", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes, other } = stage;
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    const [bobs, another] = await makeCodes(bob);
    assert.equal((await begin(other, ALICE, codes[0])).status, 201);
    assert.deepEqual(codesOf(await begin(other, "bob@example.com", bobs)), ["recovery_in_browser"]);
    assert.equal((await bob.get("/api/auth/way-back")).body.wayBack.codesLeft, 8);
    // A second one of the same account gets the account's error, in this browser too.
    assert.deepEqual(codesOf(await begin(other, ALICE, codes[1])), ["recovery_waiting"]);
    const third = app.client("127.0.0.10");
    assert.equal((await begin(third, "bob@example.com", bobs)).status, 201);
    await pressCancel(third, await cancelLink(third, "bob@example.com"));
    await pass(app, 72 * HOUR);
    const finished = await finish(other, ALICE);
    assert.equal(finished.status, 201, finished.text);
    assert.equal((await begin(other, "bob@example.com", another)).status, 201);
  });

  test("is started once by two requests at once", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes, other } = stage;
    const third = app.client("127.0.0.10");
    const one = await fetchProof(other, ALICE);
    const two = await fetchProof(third, ALICE);
    const answers = await Promise.all([
      other.post("/api/auth/recovery", { ...one, recoveryCode: codes[0] }),
      third.post("/api/auth/recovery", { ...two, recoveryCode: codes[1] }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  });

  test("is completed only in the browser that started it, with another code", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    await pass(app, 72 * HOUR);
    const third = app.client("127.0.0.10");
    const proof = await fetchProof(third, ALICE);
    assert.equal((await finish(third, ALICE, proof)).status, 401, "without the cookie");
    assert.deepEqual(codesOf(await finish(other, ALICE, proof)), ["invalid_code"], "another browser's code");
    const bobs = await fetchProof(other, "bob@example.com");
    assert.deepEqual(codesOf(await finish(other, ALICE, bobs)), ["invalid_code"], "another mailbox's code");
    assert.deepEqual(codesOf(await finish(other, ALICE, { recoveryCode: codes[1]! })), ["invalid_code"]);
    const [name, value] = [...other.cookies].find(([name]) => name === "service.recovery")!;
    third.cookies.set(name, value.slice(0, -1) + (value.endsWith("A") ? "B" : "A"));
    assert.equal((await third.get("/api/auth/recovery")).status, 401, "a forged cookie");
    third.cookies.set(name, value);
    assert.deepEqual(codesOf(await finish(third, ALICE, { email: ALICE, code: "AAAA-AAAA" })), [
      "invalid_code",
    ]);
    assert.equal((await finish(other, ALICE)).status, 201);
    assert.equal((await third.get("/api/auth/recovery")).status, 401, "it is completed");
  });

  test("is not completed with a registration challenge of another ceremony", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    await pass(app, 72 * HOUR);
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    const options = await bob.post("/api/auth/passkey/registration/options", { account: "present" });
    const response = await other.authenticator.register(options.body, { origin: other.origin });
    const refused = await other.post("/api/auth/recovery/passkey", { response });
    assert.deepEqual(codesOf(refused), ["invalid_passkey_registration"]);
    assert.equal((await alice.get("/api/keys")).status, 200, "no session is ended");
  });

  test("is completed after the longest delay, an hour before it expires, with its first cookie", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    const body = { delayHours: 720 };
    assert.equal((await alice.request("PATCH", "/api/auth/way-back", { body })).status, 200);
    const begun = await begin(other, ALICE, codes[0]);
    const { readyAt, endsAt } = begun.body.recovery;
    assert.equal(Date.parse(readyAt), app.now + 30 * DAY);
    const cookie = begun.headers.getSetCookie().find((one) => one.startsWith("service.recovery="))!;
    const kept = Number(/; Max-Age=(\d+)/.exec(cookie)![1]) * 1000;
    assert.ok(app.now + kept >= Date.parse(endsAt), "the cookie lasts until the recovery expires");
    const subjects = await pass(app, 30 * DAY - HOUR);
    assert.equal(
      subjects.filter((subject) => subject === "A recovery of your account is pending").length,
      29,
    );
    assert.deepEqual(codesOf(await finish(other, ALICE)), ["recovery_not_ready"]);
    await pass(app, 7 * DAY);
    assert.equal(app.now, Date.parse(endsAt) - HOUR);
    assert.equal((await finish(other, ALICE)).status, 201);
  });

  test("expires seven days after its delay, and the owner is notified", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes, other } = stage;
    await begin(other, ALICE, codes[0]);
    const subjects = await pass(app, 72 * HOUR + 7 * DAY);
    assert.equal(subjects.at(-1), "A recovery of your account has expired");
    assert.equal(subjects.filter((subject) => subject === "Your account can be recovered now").length, 7);
    assert.equal((await other.get("/api/auth/recovery")).status, 401);
    assert.equal((await begin(other, ALICE, codes[1])).status, 201);
  });
});

describe("the settings of a recovery", () => {
  test("change only with a passkey, for recoveries that are started afterwards", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice, codes, other } = stage;
    const change = (body: unknown) => alice.request("PATCH", "/api/auth/way-back", { body });
    app.now += 11 * MINUTE;
    const tries = [{ delayHours: 24 }, { delayHours: 720 }, { emailAlone: true }];
    for (const body of tries) assert.deepEqual(codesOf(await change(body)), ["fresh_session_required"]);
    assert.deepEqual(codesOf(await alice.post("/api/auth/way-back/codes", {})), ["fresh_session_required"]);
    await stepUp(alice, "change_recovery");
    assert.equal((await change({ delayHours: 96 })).status, 200);
    assert.deepEqual(
      codesOf(await change({ delayHours: 48 })),
      ["fresh_session_required"],
      "the step-up is used up",
    );
    assert.equal((await signIn(alice)).status, 200);
    const begun = await begin(other, ALICE, codes[0]);
    assert.equal(Date.parse(begun.body.recovery.readyAt), app.now + 96 * HOUR);
    const changed = await change({ delayHours: 24 });
    assert.equal(changed.body.wayBack.delayHours, 24, changed.text);
    assert.equal((await other.get("/api/auth/recovery")).body.recovery.readyAt, begun.body.recovery.readyAt);
    await pass(app, 24 * HOUR);
    assert.deepEqual(codesOf(await finish(other, ALICE)), ["recovery_not_ready"]);
    await pressCancel(other, await cancelLink(other, ALICE));
    await begin(other, ALICE, codes[1]);
    await pass(app, 24 * HOUR);
    assert.equal((await finish(other, ALICE)).status, 201);
  });

  test("allow delays from one day to thirty", async () => {
    await using stage = await setRecoveryStage();
    const { alice } = stage;
    for (const delayHours of [23, 721, 24.5, -1, "24", null]) {
      const answer = await alice.request("PATCH", "/api/auth/way-back", { body: { delayHours } });
      assert.equal(answer.status, 400, String(delayHours));
    }
    for (const delayHours of [24, 720]) {
      const answer = await alice.request("PATCH", "/api/auth/way-back", { body: { delayHours } });
      assert.equal(answer.status, 200, String(delayHours));
    }
    for (const body of [{}, { email: ALICE }, { code: "AAAA-AAAA" }]) {
      assert.equal((await alice.post("/api/auth/recovery", body)).status, 400);
    }
  });

  test("cannot be reached with a token", async () => {
    await using stage = await setRecoveryStage();
    const { app, alice } = stage;
    const terms = { name: "bot", keys: "all", actions: ["read", "sign", "create"] };
    const { text } = (await alice.post("/api/auth/tokens", terms)).body;
    const program = app.client("127.0.0.3");
    const headers = { authorization: `Bearer ${text}` };
    const tries = [["GET", "way-back"], ["PATCH", "way-back"], ["POST", "way-back/codes"]] as const;
    for (const [method, path] of [...tries, ["DELETE", "way-back/recovery"], ["GET", "recovery"]] as const) {
      const body = method === "GET" ? {} : { body: {} };
      assert.equal((await program.request(method, `/api/auth/${path}`, { headers, ...body })).status, 401);
    }
  });

  test("does not reveal whether an address has an account", async () => {
    await using stage = await setRecoveryStage();
    const { app, codes } = stage;
    const answers = [];
    for (const [index, email] of [ALICE, "unknown@example.com"].entries()) {
      const visitor = app.client(`127.0.1.${index}`);
      const sent = await visitor.post("/api/auth/recovery/email-code", { email });
      const mail = (await mailsTo(visitor, email))[0]!;
      const code = await readProof(visitor, email);
      const wrong = await visitor.post("/api/auth/recovery", {
        email,
        code: "AAAA-AAAA",
        recoveryCode: codes[0],
      });
      const none = await visitor.post("/api/auth/recovery", { email, code });
      const bad = await visitor.post("/api/auth/recovery", {
        email,
        code,
        recoveryCode: "0000-0000-0000-0000",
      });
      answers.push({
        sent: [sent.status, sent.body],
        mail: [mail.subject, mail.text.replace(code, "")],
        refusals: [wrong, none, bad].map(({ status, body }) => [status, body.code, body.detail]),
        headers: [sent, wrong, none, bad].map(({ headers }) =>
          headers.get("ratelimit")?.replace(/t=\d+/g, "")
        ),
      });
    }
    assert.deepEqual(answers[0], answers[1]);
  });
});
