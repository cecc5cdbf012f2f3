import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { createAuthenticator } from "../../support/authenticator.ts";
import { registerPasskey, signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { getTokens, register, userinfo } from "../authorization/story.ts";

const headers = { authorization: `Bearer ${ADMIN_KEY}` };

function admin(app: TestApp, method: string, path: string): Promise<Answer> {
  return app.client().request(method, `/api/admin/accounts/${path}`, { headers });
}

async function openStory(): Promise<
  { readonly app: TestApp; readonly browser: Client; readonly account: string }
> {
  const app = await createTestApp();
  const browser = app.client();
  const account = (await signUp(browser, "ada@example.com")).body.account.id;
  return { app, browser, account };
}

async function mailed(browser: Client): Promise<readonly string[]> {
  const { body } = await browser.get("/dev/outbox", { headers: { accept: "application/json" } });
  return body.messages.map(({ subject }: { subject: string }) => subject);
}

async function events(app: TestApp, account: string): Promise<readonly string[]> {
  const rows = await app.db.selectFrom("audit_event").select("event").where("account_id", "=", account)
    .where("event", "like", "%_for").execute();
  return rows.map(({ event }) => event);
}

describe("an administrator", () => {
  test("removes a passkey of an account that has another, and the owner is told", async () => {
    const { app, browser, account } = await openStory();
    await using _ = app;
    const [only] = (await admin(app, "GET", `${account}/passkeys`)).body.passkeys;
    const refused = await admin(app, "DELETE", `${account}/passkeys/${only.id}`);
    assert.deepEqual([refused.status, refused.body.code], [409, "last_passkey"]);
    const other = { ...browser, authenticator: createAuthenticator() };
    assert.equal((await registerPasskey(other)).status, 201);
    assert.equal((await admin(app, "GET", `${account}/passkeys`)).body.passkeys.length, 2);
    assert.equal((await admin(app, "DELETE", `${account}/passkeys/${only.id}`)).status, 200);
    assert.equal((await admin(app, "DELETE", `${account}/passkeys/${only.id}`)).status, 404);
    assert.equal((await browser.get("/api/keys")).status, 401, "the session that it opened has ended");
    assert.equal((await signIn(other)).status, 200, "with the other");
    assert.ok((await mailed(browser)).includes("The administrator changed your account"));
    assert.deepEqual(await events(app, account), ["passkey_removed_for"]);
  });

  test("sees and ends the access of an application, and sees groups", async () => {
    const { app, browser, account } = await openStory();
    await using _ = app;
    const client = await register(app);
    const { access_token } = await getTokens(app, browser, client);
    const { body } = await admin(app, "GET", `${account}/applications`);
    assert.deepEqual(body.applications.map(({ name }: { name: string }) => name), ["Books"]);
    const path = `${account}/applications/${client.clientId}`;
    assert.equal((await admin(app, "DELETE", path)).status, 200);
    assert.equal((await admin(app, "DELETE", path)).status, 404);
    assert.equal((await userinfo(app, access_token)).status, 401);
    assert.deepEqual((await admin(app, "GET", `${account}/applications`)).body, { applications: [] });
    assert.ok((await mailed(browser)).includes("The administrator changed your account"));
    assert.deepEqual(await events(app, account), ["access_ended_for"]);
    assert.deepEqual((await admin(app, "GET", `${account}/groups`)).body, { groups: [] });
    assert.equal((await admin(app, "GET", "account_x/groups")).status, 404);
    assert.equal((await app.client().get(`/api/admin/accounts/${account}/passkeys`)).status, 401);
  });

  test("tells the owner of every other act by mail and in the log, once", async () => {
    const { app, browser, account } = await openStory();
    await using _ = app;
    const { body: made } = await app.client().post("/api/admin/groups", { name: "Staff" }, { headers });
    const groups = `/api/admin/groups/${made.group.id}`;
    const acts: readonly (readonly [method: string, path: string, event: string, sentence: RegExp])[] = [
      [
        "POST",
        `/api/admin/accounts/${account}/sessions/revoke-all`,
        "sessions_ended_for",
        /ended all sessions/,
      ],
      ["POST", `/api/admin/accounts/${account}/disable`, "account_disabled", /disabled your account/],
      ["POST", `/api/admin/accounts/${account}/enable`, "account_enabled", /enabled your account/],
      ["PUT", `${groups}/members/${account}`, "group_joined", /added your account to the group "Staff"/],
      ["DELETE", `${groups}/members/${account}`, "group_left", /removed your account from the group "Staff"/],
      ["PUT", `${groups}/members/${account}`, "group_joined", /added your account to the group "Staff"/],
      ["DELETE", groups, "group_left", /removed your account from the group "Staff"/],
    ];
    const told = async (): Promise<readonly string[]> => {
      const { body } = await browser.get("/dev/outbox", { headers: { accept: "application/json" } });
      return body.messages.filter(({ subject }: { subject: string }) => /administrator/.test(subject))
        .map(({ text }: { text: string }) => text);
    };
    const entries = async (event: string): Promise<number> =>
      (await app.db.selectFrom("audit_event").select("event").where("account_id", "=", account)
        .where("event", "=", event).execute()).length;
    for (const [method, path, event, sentence] of acts) {
      const [mailsBefore, entriesBefore] = [(await told()).length, await entries(event)];
      app.now += 1000;
      assert.equal((await app.client().request(method, path, { headers })).status, 200, path);
      assert.equal(await entries(event), entriesBefore + 1, event);
      const mails = await told();
      assert.equal(mails.length, mailsBefore + 1, event);
      assert.match(mails[0]!, sentence);
      assert.equal(mails[0]!.includes("/account/audit"), event !== "account_disabled", event);
      // The second time there is nothing to do.
      await app.client().request(method, path, { headers });
      assert.equal((await told()).length, mails.length, event);
      if (event === "sessions_ended_for") assert.equal((await signIn(browser)).status, 200);
    }
  });

  test("does so on the account's page", async () => {
    const { app, browser, account } = await openStory();
    await using _ = app;
    const client = await register(app);
    await getTokens(app, browser, client);
    await registerPasskey({ ...browser, authenticator: createAuthenticator() });
    const admin = app.client();
    const send = (path: string, form: Record<string, string> = {}) =>
      admin.request("POST", path, {
        text: new URLSearchParams(form).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      });
    const page = `/admin/accounts/${account}`;
    assert.equal((await admin.get(page)).status, 303);
    await send("/admin/enter", { key: ADMIN_KEY, next: page });
    const { text } = await admin.get(page);
    assert.ok(text.includes("Books"));
    const [remove] = [...text.matchAll(/action="([^"]+\/remove)"/g)].map(([, path]) => path!);
    assert.equal((await send(remove!)).status, 303);
    assert.doesNotMatch((await admin.get(page)).text, /\/remove"/, "the only passkey stays");
    assert.equal((await send(`${page}/applications/${client.clientId}/end`)).status, 303);
    assert.equal((await admin.get(page)).text.includes("Books"), false);
  });
});
