import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { postForm } from "../../support/oauth.ts";
import { confirm, mailsTo, userInfoOf } from "../../support/own-account.ts";
import { proveAddress, readCode, signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

const OLD = "ada@example.com";
const NEW = "ada@example.org";
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const sendCode = (client: Client, email: string): Promise<Answer> =>
  client.post("/api/auth/account/email/code", { email });

async function change(client: Client, email: string): Promise<Answer> {
  assert.equal((await sendCode(client, email)).status, 200);
  return await client.post("/api/auth/account/email", { email, code: await readCode(client, email) });
}

/** Returns the token of the last link sent to an address. */
async function linkOf(client: Client, email: string): Promise<string> {
  const [mail] = await mailsTo(client, email);
  return new URL(/\bhttp\S+\/take-back\S+/.exec(mail!.text)![0]).searchParams.get("token")!;
}

const revert = (client: Client, token: string): Promise<Answer> => postForm(client, "/take-back", { token });

async function emailOf(client: Client): Promise<string | null> {
  return (await client.get("/api/auth/session")).body.account.email;
}

async function auditOf({ db }: TestApp): Promise<string> {
  return JSON.stringify(await db.selectFrom("audit_event").select(["event", "subject", "detail"]).execute());
}

describe("changing the address of an account", () => {
  test("needs a code sent to the new address, notifies the old one, and logs neither", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    const changed = await change(client, NEW.toUpperCase());
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.body.account.email, NEW);
    assert.equal(await emailOf(client), NEW);
    const [notice] = await mailsTo(client, OLD);
    assert.equal(notice!.subject, "The e-mail address of your account was changed");
    assert.ok(!notice!.text.includes(NEW), "who reads the old mailbox need not learn the new one");
    const log = await auditOf(app);
    assert.ok(log.includes("email_changed"));
    assert.ok(!log.includes("example"), log);
    assert.equal((await signIn(client)).body.account.email, NEW);
  });

  test("needs a fresh sign-in or a step-up for it, which is used up", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    app.now += 10 * MINUTE;
    assert.equal((await sendCode(client, NEW)).body.code, "fresh_session_required");
    await confirm(client, "add_passkey");
    assert.equal((await sendCode(client, NEW)).body.code, "fresh_session_required");
    await confirm(client, "change_email");
    assert.equal((await sendCode(client, NEW)).status, 200);
    const code = await readCode(client, NEW);
    const wrong = code === "000000" ? "000001" : "000000";
    const refused = await client.post("/api/auth/account/email", { email: NEW, code: wrong });
    assert.equal(refused.body.code, "invalid_code", "a wrong code leaves the step-up");
    assert.equal((await client.post("/api/auth/account/email", { email: NEW, code })).status, 200);
    assert.equal((await sendCode(client, "third@example.org")).body.code, "fresh_session_required");
  });

  test("refuses another session's code, a code of sign-up and a used one, and invalidates a code at the third wrong attempt", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, OLD);
    await signUp(other, "eve@example.com");
    const redeem = (who: Client, code: string) => who.post("/api/auth/account/email", { email: NEW, code });
    await sendCode(client, NEW);
    const code = await readCode(client, NEW);
    assert.equal((await redeem(other, code)).body.code, "invalid_code");
    app.now += 1000; // the outbox is sorted by time
    assert.equal((await other.post("/api/auth/email-code", { email: NEW })).status, 200);
    const signUpCode = await readCode(client, NEW);
    assert.equal((await redeem(other, signUpCode)).body.code, "invalid_code");
    const verify = await client.post("/api/auth/email-code/verify", { email: NEW, code });
    assert.equal(verify.body.code, "invalid_code", "and the other way round");
    const wrong = ["000000", "000001", "000002", "000003"].filter((one) => one !== code).slice(0, 3);
    for (const one of wrong) assert.equal((await redeem(client, one)).body.code, "invalid_code");
    assert.equal((await redeem(client, code)).body.code, "invalid_code");
    app.now += 1000;
    assert.equal((await change(client, NEW)).status, 200);
    assert.equal(await emailOf(other), "eve@example.com");
  });

  test("sends the same answer and mail whether or not an account has the address, and refuses it after the code", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, OLD);
    await signUp(other, NEW);
    const [taken, free] = [await sendCode(client, NEW), await sendCode(client, "free@example.org")];
    assert.deepEqual(taken.body, free.body);
    const subjects = [(await mailsTo(client, NEW))[0]!, (await mailsTo(client, "free@example.org"))[0]!];
    assert.equal(subjects[0]!.subject, subjects[1]!.subject);
    const code = await readCode(client, NEW);
    const refused = await client.post("/api/auth/account/email", { email: NEW, code });
    assert.equal(refused.body.code, "account_exists");
    assert.equal(await emailOf(client), OLD);
    assert.equal(await emailOf(other), NEW);
    for (const email of ["no address", OLD, ""]) {
      assert.equal((await sendCode(client, email)).body.code, "invalid_request", email);
    }
  });

  test("has the limits of codes at sign-up", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const client = app.client();
    await signUp(client, OLD);
    for (let count = 0; count < 3; count++) {
      assert.equal((await client.post("/api/auth/email-code", { email: NEW })).status, 200);
    }
    assert.equal((await sendCode(client, NEW)).status, 200);
    assert.equal((await sendCode(client, NEW)).status, 200);
    assert.equal((await sendCode(client, NEW)).status, 429);
  });

  test("shows applications the new address", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    const ask = await userInfoOf(app, client);
    assert.equal((await ask()).email, OLD);
    await change(client, NEW);
    assert.deepEqual(await ask().then(({ email, email_verified }) => [email, email_verified]), [NEW, true]);
    assert.equal(
      (await client.request("PATCH", "/api/auth/account", { body: { name: "Ada L." } })).status,
      200,
    );
    assert.equal((await ask()).name, "Ada L.");
    await client.request("PATCH", "/api/auth/account", { body: { name: null } });
    assert.equal((await ask()).name, undefined);
  });
});

test("an account is renamed once by equal requests at once", async () => {
  await using app = await createTestApp({ rateLimits: "on" });
  const client = app.client();
  await signUp(client, OLD);
  const rename = (): Promise<Answer> =>
    client.request("PATCH", "/api/auth/account", { body: { name: "Ada L." } });
  const answers = await Promise.all(Array.from({ length: 30 }, rename));
  assert.deepEqual([...new Set(answers.map(({ status, body }) => `${status} ${body.account?.name}`))], [
    "200 Ada L.",
  ]);
  assert.equal((await auditOf(app)).split("account_renamed").length - 1, 1);
});

describe("reverting a change of the address", () => {
  test("restores the address once, ends every session, notifies both, and does not sign in", async () => {
    await using app = await createTestApp();
    const [client, thief] = [app.client(), app.client()];
    await signUp(client, OLD);
    await change(client, NEW);
    const token = await linkOf(client, OLD);
    const page = await thief.get(`/take-back?${new URLSearchParams({ token })}`);
    assert.equal(page.status, 200);
    assert.equal(await emailOf(client), NEW, "the page alone does nothing");
    const done = await revert(thief, token);
    assert.equal(done.status, 303, done.text);
    assert.equal((await client.get("/api/auth/session")).body.session, null);
    assert.equal((await thief.get("/api/auth/session")).body.session, null);
    assert.equal((await signIn(client)).body.account.email, OLD);
    for (const email of [OLD, NEW]) {
      const subjects = (await mailsTo(client, email)).map(({ subject }) => subject);
      assert.ok(subjects.includes("A change of your e-mail address was undone"), email);
    }
    assert.equal((await revert(thief, token)).status, 404);
    assert.equal(await emailOf(client), OLD);
  });

  test("is refused after seven days, with another secret, and with an invalid token", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    await change(client, NEW);
    const token = await linkOf(client, OLD);
    const forged = token.slice(0, -1) + (token.endsWith("a") ? "b" : "a");
    for (const text of [forged, "", "change_x.y", token.split(".")[0]!]) {
      assert.equal((await revert(client, text)).status, 404, text);
      assert.equal((await client.get(`/take-back?${new URLSearchParams({ token: text })}`)).status, 404);
    }
    app.now += 7 * DAY - 1;
    assert.equal((await client.get(`/take-back?${new URLSearchParams({ token })}`)).status, 200);
    app.now += 1;
    assert.equal((await revert(client, token)).status, 404);
    assert.equal((await signIn(client)).body.account.email, NEW);
  });

  test("reverts later changes too; a later address gets no link, and prolongs the first", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    await change(client, NEW);
    const token = await linkOf(client, OLD);
    app.now += 7 * DAY - MINUTE;
    await signIn(client);
    await change(client, "third@example.org");
    for (const email of [OLD, NEW]) {
      const [mail] = await mailsTo(client, email);
      assert.equal(mail!.subject, "The e-mail address of your account was changed", email);
      assert.ok(!mail!.text.includes("/take-back"), "an address that a link can revert gets no link");
      assert.match(mail!.text, /The link in the mail about the first one undoes both/);
    }
    assert.equal(await proveAddress(app.client(), NEW), "sign_in", "it is reserved too");
    app.now += 7 * DAY - 1;
    assert.equal((await revert(client, token)).status, 303);
    assert.equal((await signIn(client)).body.account.email, OLD);
    assert.equal(await proveAddress(app.client(), NEW), "register_passkey", "released with the first");
  });

  test("in the settings deletes the link, and gives the other address none", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    await change(client, NEW);
    const token = await linkOf(client, OLD);
    app.now += 1000;
    assert.equal((await change(client, OLD)).status, 200);
    const [mail] = await mailsTo(client, NEW);
    assert.equal(mail!.subject, "The e-mail address of your account was changed");
    assert.ok(!mail!.text.includes("/take-back"));
    assert.match(mail!.text, /sign in with your passkey, and check your address/);
    assert.equal((await revert(client, token)).status, 404, "it was reverted");
    assert.equal(await proveAddress(app.client(), NEW), "register_passkey", "not reserved any more");
    app.now += 1000;
    await change(client, NEW);
    assert.notEqual(await linkOf(client, OLD), token, "the next change earns a link of its own");
    assert.equal((await revert(client, await linkOf(client, OLD))).status, 303);
  });

  test("of the second of two changes, in the settings, leaves the first link", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    for (const email of [NEW, "third@example.org", NEW]) {
      assert.equal((await change(client, email)).status, 200);
      app.now += 1000;
    }
    assert.equal(await proveAddress(app.client(), "third@example.org"), "register_passkey");
    const token = (await mailsTo(client, OLD)).map(({ text }) => /\/take-back\?token=(\S+)/.exec(text)?.[1])
      .find((text) => text !== undefined)!;
    assert.equal((await revert(client, decodeURIComponent(token))).status, 303);
    assert.equal((await signIn(client)).body.account.email, OLD);
  });

  test("reserves the old address for seven days, and then releases it", async () => {
    await using app = await createTestApp();
    const [client, other] = [app.client(), app.client()];
    await signUp(client, OLD);
    await change(client, NEW);
    assert.equal(await proveAddress(other, OLD), "sign_in");
    await signUp(other, "eve@example.com");
    assert.equal((await change(other, OLD)).body.code, "account_exists");
    app.now += 7 * DAY;
    assert.equal(await proveAddress(app.client(), OLD), "register_passkey");
  });

  test("happens once by two requests at once, and a concurrent change is reverted or refused", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    await change(client, NEW);
    const token = await linkOf(client, OLD);
    await sendCode(client, "third@example.org");
    const code = await readCode(client, "third@example.org");
    const answers = await Promise.all([
      revert(app.client(), token),
      revert(app.client(), token),
      client.post("/api/auth/account/email", { email: "third@example.org", code }),
    ]);
    assert.deepEqual(answers.slice(0, 2).map(({ status }) => status).sort(), [303, 404]);
    assert.equal((await signIn(client)).body.account.email, OLD);
  });

  test("works for each replaced address after two changes by two sessions at once", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    const codes: [string, string][] = [];
    for (const email of [NEW, "third@example.org"]) {
      await sendCode(client, email);
      codes.push([email, await readCode(client, email)]);
    }
    const answers = await Promise.all(
      codes.map(([email, code]) => client.post("/api/auth/account/email", { email, code })),
    );
    // The second change was started for a replaced address, so its mail would go to the wrong one.
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
    assert.equal((await revert(client, await linkOf(client, OLD))).status, 303);
    assert.equal((await signIn(client)).body.account.email, OLD);
  });

  test("is not needed if two sessions verify one address: the second gets an error", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, OLD);
    const other = { ...app.client(), authenticator: client.authenticator };
    await signIn(other);
    const codes: string[] = [];
    for (const session of [client, other]) {
      await sendCode(session, NEW);
      codes.push(await readCode(session, NEW));
    }
    const path = "/api/auth/account/email";
    assert.equal((await client.post(path, { email: NEW, code: codes[0] })).status, 200);
    const mails = (await mailsTo(client, NEW)).length;
    const again = await other.post(path, { email: NEW, code: codes[1] });
    assert.deepEqual([again.status, again.body.errors?.[0].path], [400, "/email"], again.text);
    assert.equal((await mailsTo(client, NEW)).length, mails, "no mail is sent without a change");
  });
});
