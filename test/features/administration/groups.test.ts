import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ADMIN_KEY, createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { locationOf, pendingOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";
import {
  authorizePath,
  callAs,
  changeClient,
  getCode,
  getTokens,
  INTROSPECT,
  postDecision,
  redeem,
  refresh,
  register,
  userinfo,
} from "../authorization/story.ts";

const CB = "https://books.example/cb";
const headers = { authorization: `Bearer ${ADMIN_KEY}` };

function admin(app: TestApp, method: string, path = "", body?: object): Promise<Answer> {
  return app.client().request(method, `/api/admin/groups${path}`, { headers, body });
}

async function newGroup(app: TestApp, name: string): Promise<string> {
  const answer = await admin(app, "POST", "", { name });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.group.id;
}

async function join(app: TestApp, group: string, account: string): Promise<void> {
  assert.equal((await admin(app, "PUT", `/${group}/members/${account}`)).status, 200);
}

interface Story {
  readonly app: TestApp;
  readonly browser: Client;
  readonly account: string;
  readonly group: string;
  readonly client: Registered;
}

/** A person in a group, and a client for that group which is notified of logouts. */
async function openStory(change: object = {}): Promise<Story> {
  const app = await createTestApp();
  const browser = app.client();
  const account = (await signUp(browser, "ada@example.com")).body.account.id;
  const group = await newGroup(app, "staff");
  await join(app, group, account);
  const backchannelLogoutUri = "https://books.example/out";
  const client = await register(app, { groups: [group], backchannelLogoutUri, ...change });
  return { app, browser, account, group, client };
}

async function notices({ db }: TestApp): Promise<readonly (readonly [string, string | null])[]> {
  const rows = await db.selectFrom("logout_notice").selectAll().execute();
  return rows.map(({ subject, sid }) => [subject, sid] as const);
}

async function placeOf({ browser, client }: Story): Promise<string> {
  const path = locationOf(await browser.get(authorizePath(client)));
  return path.origin === ORIGIN ? path.pathname : path.href;
}

describe("/api/admin/groups", () => {
  test("creates, lists and deletes groups with unique names", async () => {
    await using app = await createTestApp();
    const made = await admin(app, "POST", "", { name: " staff " });
    assert.equal(made.status, 201);
    assert.deepEqual([made.body.group.name, Object.keys(made.body)], ["staff", ["group"]]);
    const taken = await admin(app, "POST", "", { name: "staff" });
    assert.deepEqual([taken.status, taken.body.code], [409, "group_exists"]);
    for (const name of ["", " ", "a,b", "a\nb", "x".repeat(101), 1]) {
      assert.equal((await admin(app, "POST", "", { name })).status, 400, String(name));
    }
    await newGroup(app, "admins");
    const names = async () =>
      (await admin(app, "GET")).body.groups.map((group: { name: string }) => group.name);
    assert.deepEqual(await names(), ["admins", "staff"]);
    assert.equal((await admin(app, "DELETE", `/${made.body.group.id}`)).status, 200);
    assert.equal((await admin(app, "DELETE", `/${made.body.group.id}`)).status, 404);
    assert.deepEqual(await names(), ["admins"]);
    assert.equal((await app.client().get("/api/admin/groups")).status, 401);
  });

  test("adds and removes members", async () => {
    const { app, account, group } = await openStory();
    await using _ = app;
    const path = `/${group}/members/${account}`;
    assert.equal((await admin(app, "PUT", path)).status, 200, "again");
    assert.equal((await admin(app, "PUT", `/${group}/members/account_x`)).status, 404);
    assert.equal((await admin(app, "PUT", `/group_x/members/${account}`)).status, 404);
    assert.equal((await admin(app, "DELETE", path)).status, 200);
    assert.equal((await admin(app, "DELETE", path)).status, 404);
    const rows = await app.db.selectFrom("audit_event").select("event").where("account_id", "=", account)
      .where("event", "like", "group%").orderBy("seq").execute();
    assert.deepEqual(rows.map(({ event }) => event), ["group_joined", "group_left"]);
  });
});

describe("a client with groups", () => {
  test("is for their members, for everyone with null, and for no account with []", async () => {
    const story = await openStory();
    const { app, client, group } = story;
    await using _ = app;
    assert.equal(await placeOf(story), "/consent");
    const other = { ...story, browser: app.client() };
    await signUp(other.browser, "bob@example.com");
    const barred = async (who: Story): Promise<boolean> => {
      const request = pendingOf(await who.browser.get(authorizePath(client)), "/consent");
      return !(await who.browser.get(`/consent?request=${request}`)).text.includes(
        '<form method="post" action="/consent"',
      );
    };
    assert.deepEqual([await barred(story), await barred(other)], [false, true]);
    await changeClient(app, client, { groups: [] });
    assert.deepEqual([await barred(story), await barred(other)], [true, true]);
    await changeClient(app, client, { groups: null });
    assert.deepEqual([await barred(story), await barred(other)], [false, false]);
    await changeClient(app, client, { groups: [group, await newGroup(app, "other")] });
    assert.deepEqual([await barred(story), await barred(other)], [false, true]);
  });

  test("refuses ids of no group, and shows its groups", async () => {
    const { app, client, group } = await openStory();
    await using _ = app;
    const path = `/api/admin/oauth/clients/${client.clientId}`;
    const change = (groups: unknown) => app.client().request("PATCH", path, { headers, body: { groups } });
    const refused = await change([group, "group_x"]);
    assert.deepEqual([refused.status, refused.body.errors[0].path], [400, "/groups/1"]);
    assert.equal((await change("x")).status, 400);
    assert.deepEqual((await change([group, group])).body.client.groups, [group]);
    assert.deepEqual((await app.client().get(path, { headers })).body.client.groups, [group]);
  });

  test("without access, prompt=none is access_denied, and a page has one way back", async () => {
    const story = await openStory({ groups: [] });
    const { app, browser, client } = story;
    await using _ = app;
    const silent = locationOf(await browser.get(authorizePath(client, { prompt: "none" })));
    assert.equal(silent.searchParams.get("error"), "access_denied");
    const request = pendingOf(await browser.get(authorizePath(client)), "/consent");
    const page = await browser.get(`/consent?request=${request}`);
    assert.equal(page.status, 200);
    assert.ok(page.text.includes("Books"));
    const links = [...page.text.matchAll(/href="(https:[^"]+)"/g)].map(([, href]) =>
      href!.replaceAll("&amp;", "&")
    );
    assert.equal(links.length, 1);
    const back = new URL(links[0]!);
    assert.equal(back.origin + back.pathname, CB);
    const { error, state, iss } = Object.fromEntries(back.searchParams);
    assert.deepEqual({ error, state, iss }, { error: "access_denied", state: "the state", iss: ORIGIN });
    const decided = locationOf(await postDecision(browser, { request, decision: "approve" }));
    assert.equal(decided.pathname, "/consent", "no decision opens it");
  });

  const LOSSES: readonly (readonly [string, (story: Story) => Promise<unknown>])[] = [
    ["leaving the group", ({ app, group, account }) => admin(app, "DELETE", `/${group}/members/${account}`)],
    ["the end of the group", ({ app, group }) => admin(app, "DELETE", `/${group}`)],
    ["other groups of the client", ({ app, client }) => changeClient(app, client, { groups: [] })],
  ];

  for (const [what, lose] of LOSSES) {
    test(`${what} ends grant and codes at once, notifies the client, and keeps the session`, async () => {
      const story = await openStory();
      const { app, browser, client, account } = story;
      await using _ = app;
      const tokens = await getTokens(app, browser, client);
      const code = await getCode(browser, client);
      await lose(story);
      assert.equal((await redeem(app, client, code)).body.error, "invalid_grant");
      assert.equal((await refresh(app, client, tokens.refresh_token)).body.error, "invalid_grant");
      assert.equal((await userinfo(app, tokens.access_token)).status, 401);
      const { body } = await callAs(app, client, INTROSPECT, { token: tokens.access_token });
      assert.deepEqual(body, { active: false });
      assert.deepEqual(await notices(app), [[account, null]]);
      assert.equal((await browser.get("/api/keys")).status, 200);
      assert.equal(await placeOf(story), "/consent");
    });
  }

  test("a deleted group opens nothing, also after its client was changed", async () => {
    const story = await openStory();
    const { app, client, group } = story;
    await using _ = app;
    await admin(app, "DELETE", `/${group}`);
    await changeClient(app, client, { name: "Books 2" });
    const path = `/api/admin/oauth/clients/${client.clientId}`;
    assert.deepEqual((await app.client().get(path, { headers })).body.client.groups, [group]);
    const silent = locationOf(await story.browser.get(authorizePath(client, { prompt: "none" })));
    assert.equal(silent.searchParams.get("error"), "access_denied");
  });

  test("keeps the access of a member of another of its groups, and sends nothing", async () => {
    const story = await openStory();
    const { app, browser, client, account, group } = story;
    await using _ = app;
    const second = await newGroup(app, "second");
    await changeClient(app, client, { groups: [group, second] });
    await join(app, second, account);
    const tokens = await getTokens(app, browser, client);
    await admin(app, "DELETE", `/${group}`);
    assert.equal((await userinfo(app, tokens.access_token)).status, 200);
    assert.deepEqual(await notices(app), []);
  });

  test("gets sorted names with the scope groups", async () => {
    const story = await openStory({ scopes: ["openid", "groups"] });
    const { app, browser, client, account } = story;
    await using _ = app;
    await join(app, await newGroup(app, "admins"), account);
    await newGroup(app, "others");
    const answer = await redeem(app, client, await getCode(browser, client, { scope: "openid groups" }));
    const { body } = await userinfo(app, answer.body.access_token);
    assert.deepEqual(body, { sub: account, groups: ["admins", "staff"] });
  });

  test("a deleted account leaves its groups", async () => {
    const { app, group, browser } = await openStory();
    await using _ = app;
    await browser.post("/api/auth/account/deletion", { confirm: "ada@example.com" });
    app.now += 8 * 86_400_000;
    await app.maintain();
    const rows = await app.db.selectFrom("group_member").select("group_id").execute();
    assert.deepEqual(rows, [], group);
  });
});

describe("the pages of groups", () => {
  test("create a group, add and remove members, and delete it", async () => {
    const { app, account } = await openStory();
    await using _ = app;
    const browser = app.client();
    const send = (path: string, form: Record<string, string>) =>
      browser.request("POST", path, {
        text: new URLSearchParams(form).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      });
    assert.equal((await browser.get("/admin/groups")).status, 303);
    await send("/admin/enter", { key: ADMIN_KEY, next: "/admin/groups" });
    assert.ok((await browser.get("/admin/groups")).text.includes("staff"));
    const wrong = await send("/admin/groups", { name: "a,b" });
    assert.deepEqual([wrong.status, wrong.text.includes("a,b")], [400, true]);
    assert.equal((await send("/admin/groups", { name: "staff" })).status, 400);
    const path = locationOf(await send("/admin/groups", { name: "pages" })).pathname;
    assert.equal((await send(`${path}/members`, { account: "ada" })).status, 400);
    assert.equal((await send(`${path}/members`, { account: "ADA@example.com" })).status, 303);
    assert.ok((await browser.get(path)).text.includes("ada@example.com"));
    assert.equal((await send(`${path}/members/${account}/remove`, {})).status, 303);
    assert.equal((await browser.get(path)).text.includes("ada@example.com"), false);
    assert.equal(locationOf(await send(`${path}/delete`, {})).pathname, "/admin/groups");
    assert.equal((await browser.get(path)).status, 404);
  });
});
