import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp, type TestApp } from "../../support/app.ts";
import { type Client, signUp } from "../../support/client.ts";
import { mailsTo } from "../../support/own-account.ts";

const EMAIL = "ada@example.com";
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

/** Allows sign-ins to one site alone. */
const POLICY = { version: 1, messages: { signIn: [{ domains: ["app.example.org"] }] } };

async function stage(app: TestApp) {
  const person = app.client();
  const { body } = await signUp(person, EMAIL);
  const keyId: string = body.key.id;
  const createToken = async (settings: object) => {
    const answer = await person.post("/api/auth/tokens", { name: "Bot", keys: [keyId], ...settings });
    assert.equal(answer.status, 201, answer.text);
    const headers = { authorization: `Bearer ${answer.body.text}` };
    const client = app.client("192.0.2.9");
    const path = `/api/keys/${keyId}/sign`;
    return {
      id: answer.body.token.id as string,
      read: () => client.get("/api/keys", { headers }),
      sign: (request: object) => client.post(path, request, { headers }),
    };
  };
  return { person, keyId, createToken };
}

async function refusalsOf(
  person: Client,
): Promise<readonly { subject: string; detail: Record<string, unknown> }[]> {
  const { body } = await person.get("/api/audit");
  return body.events.filter(({ event }: { event: string }) => event === "signing_refused");
}

describe("refusals of a program", () => {
  test("are recorded once an hour for a rule, and counted at its end", async () => {
    await using app = await createTestApp();
    const { person, createToken } = await stage(app);
    const bot = await createToken({ actions: ["sign"], policy: POLICY });
    const start = app.now;
    for (const message of ["a", "b", "c"]) {
      const refused = await bot.sign({ message });
      assert.equal(refused.body.code, "policy_denied");
      assert.equal(refused.body.rule, "/messages/text");
      app.now += 1000;
    }
    assert.equal((await bot.sign({ message: "0x00", format: "raw" })).status, 403);
    const at = (time: number) => new Date(time).toISOString();
    const first = { policy: "token", rule: "/messages/text", count: 1, first: at(start), last: at(start) };
    assert.deepEqual((await refusalsOf(person)).map(({ detail }) => detail.rule), ["/raw", "/messages/text"]);
    const [, recorded] = await refusalsOf(person);
    assert.equal(recorded!.subject, bot.id);
    assert.deepEqual(recorded!.detail, first);
    await app.maintain();
    assert.equal((await refusalsOf(person)).length, 2);
    app.now += HOUR;
    await app.maintain();
    await app.maintain();
    const [sum, ...others] = await refusalsOf(person);
    assert.equal(others.length, 2);
    assert.deepEqual(sum!.detail, { ...first, count: 3, last: at(start + 2000) });
    assert.match((await person.get("/account/audit")).text, /A policy refused 3 signatures to <strong>/);
  });

  test("by the owner, and by a program without the right, are not recorded", async () => {
    await using app = await createTestApp();
    const { person, keyId, createToken } = await stage(app);
    const reader = await createToken({ actions: ["read"] });
    assert.equal((await reader.sign({ message: "a" })).status, 403);
    await person.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy: POLICY } });
    assert.equal((await person.post(`/api/keys/${keyId}/sign`, { message: "a" })).body.code, "policy_denied");
    assert.deepEqual(await refusalsOf(person), []);
  });

  test("by very many rules share a record", async () => {
    await using app = await createTestApp();
    const { person, createToken } = await stage(app);
    const to = (index: number) => `0x${index.toString(16).padStart(40, "0")}`;
    const policies = [0, 1].map((part) => ({
      version: 1,
      authorizations: Array.from({ length: 40 }, (_, index) => (
        { chainId: 40 * part + index + 1, delegates: [to(index + 1)] }
      )),
    }));
    const bot = await createToken({ actions: ["sign"], policy: policies[0] });
    const { db } = app;
    for (let index = 0; index < 55; index++) {
      await db.insertInto("signing_refusal").values({
        holder_id: bot.id,
        hour: app.now - app.now % HOUR,
        policy: "token",
        rule: `/rule/${index}`,
        account_id: (await db.selectFrom("account").select("id").executeTakeFirstOrThrow()).id,
        client_id: null,
        count: 1,
        first_at: app.now,
        last_at: app.now,
      }).execute();
    }
    for (const message of ["a", "b"]) await bot.sign({ message });
    const rows = await db.selectFrom("signing_refusal").selectAll().where("rule", "=", "").execute();
    assert.deepEqual(rows.map(({ policy, count }) => [policy, count]), [["", 2]]);
    assert.deepEqual((await refusalsOf(person)).map(({ detail }) => detail.rule), [""]);
  });

  test("cost a mail a day from the hundredth in an hour on", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const { person, createToken } = await stage(app);
    const bot = await createToken({ actions: ["sign"], policy: POLICY });
    const mails = async () =>
      (await mailsTo(person, EMAIL)).filter(({ subject }) => /refused many/.test(subject)).length;
    const refuse = async (count: number) => {
      for (let index = 0; index < count; index++) {
        assert.equal((await bot.sign({ message: "a" })).status, 403);
      }
      await app.maintain();
    };
    await refuse(99);
    assert.equal(await mails(), 0);
    await refuse(1);
    assert.equal(await mails(), 1);
    app.now += HOUR;
    await refuse(100);
    assert.equal(await mails(), 1);
    app.now += DAY;
    // The first mail has left the outbox.
    assert.equal(await mails(), 0);
    await refuse(100);
    assert.equal(await mails(), 1);
  });
});

describe("stopping everything", () => {
  test("ends tokens that sign and pending requests, and leaves what only reads", async () => {
    await using app = await createTestApp();
    const { person, keyId, createToken } = await stage(app);
    const signer = await createToken({ actions: ["sign", "read"] });
    const asking = await createToken({
      actions: ["sign"],
      policy: { version: 1, messages: { text: "ask" } },
    });
    const reader = await createToken({ actions: ["read"] });
    assert.equal((await asking.sign({ message: "hello" })).status, 202);
    const stopped = await person.post("/api/auth/stop", {});
    assert.equal(stopped.status, 200, stopped.text);
    assert.deepEqual(stopped.body, { tokens: 2, grants: 0, requests: 1 });
    for (const { sign } of [signer, asking]) assert.equal((await sign({ message: "a" })).status, 401);
    assert.equal((await reader.read()).status, 200);
    assert.deepEqual((await person.get("/api/auth/signing-requests")).body?.requests ?? [], []);
    assert.equal((await person.post(`/api/keys/${keyId}/sign`, { message: "a" })).status, 200);
    assert.deepEqual((await person.post("/api/auth/stop", {})).body, { tokens: 0, grants: 0, requests: 0 });
  });

  test("works with the button of the page, for the account that it showed, and never from another site", async () => {
    await using app = await createTestApp();
    const { person, createToken } = await stage(app);
    const bot = await createToken({ actions: ["sign"] });
    const page = await person.get("/developer");
    const [, account] = page.text.match(/action="\/developer\/stop"[\s\S]*?name="account" value="(\w+)"/)!;
    const submit = (given: string, origin: string) =>
      person.request("POST", "/developer/stop", {
        text: String(new URLSearchParams({ account: given })),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": origin },
      });
    assert.equal((await submit(account!, "cross-site")).status, 403);
    assert.equal((await submit("acct_another", "same-origin")).headers.get("location"), "/developer#stop");
    assert.equal((await bot.sign({ message: "a" })).status, 200);
    const done = await submit(account!, "same-origin");
    assert.equal(done.headers.get("location"), "/developer?stopped=1#stop");
    assert.equal((await bot.sign({ message: "a" })).status, 401);
    assert.match((await person.get("/developer?stopped=1")).text, /Everything is stopped/);
    assert.match((await person.get("/account")).text, /href="\/developer#stop"/);
  });
});
