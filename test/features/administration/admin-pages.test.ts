import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { transaction } from "../../../src/db/transaction.ts";
import { findRow } from "../../../src/store/read.ts";
import { replaceRow } from "../../../src/store/write.ts";
import { applyDeclaredClients } from "../../../src/oauth/client/declared-clients.ts";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp, TestAppOptions } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { dropMemory } from "../../support/inconsistent.ts";
import { postForm } from "../../support/oauth.ts";
import { createTestAuthority } from "../../support/vault.ts";

const HOUR = 60 * 60_000;
const NEW = {
  name: "Books",
  uri: "https://books.example/",
  type: "web",
  algorithm: "ES256",
  redirect0: "https://books.example/cb",
};

const locationOf = ({ headers }: Answer): string | null => headers.get("location");

async function enter(app: TestApp, key = ADMIN_KEY): Promise<Client> {
  const client = app.client();
  const answer = await postForm(client, "/admin/enter", { key, next: "/admin/applications" });
  assert.deepEqual([answer.status, locationOf(answer)], [303, "/admin/applications"], answer.text);
  return client;
}

async function isIn(client: Client): Promise<boolean> {
  return (await client.get("/admin/applications")).status === 200;
}

describe("signing in to the administrator's pages", () => {
  test("needs the admin key once, and lasts an hour", async () => {
    await using app = await createTestApp();
    const stranger = app.client();
    const sent = await stranger.get("/admin/accounts?search=a");
    assert.equal(locationOf(sent), "/admin/enter?next=%2Fadmin%2Faccounts%3Fsearch%3Da");
    const client = await enter(app);
    assert.ok(await isIn(client));
    app.now += HOUR - 1;
    assert.ok(await isIn(client));
    app.now += 1;
    assert.ok(!await isIn(client));
  });

  test("sets a host-only session cookie, which is stored as a hash", async () => {
    await using app = await createTestApp({ origin: "https://wallet.localhost" });
    const client = app.client();
    const answer = await postForm(client, "/admin/enter", { key: ADMIN_KEY, next: "" });
    const cookie = answer.headers.getSetCookie().find((text) => text.includes("administration"))!;
    assert.match(cookie, /^__Host-service\.administration=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    const secret = cookie.split(";")[0]!.split(".").at(-1)!;
    assert.ok(
      !JSON.stringify(await app.db.selectFrom("admin_session").selectAll().execute()).includes(secret),
    );
  });

  test("refuses a wrong key, and every key for a minute after ten wrong ones", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const wrong = async () => {
      const answer = await postForm(app.client(), "/admin/enter", { key: "wrong", next: "" });
      assert.deepEqual(answer.headers.getSetCookie(), []);
      return answer.status;
    };
    for (let round = 0; round < 10; round++) assert.equal(await wrong(), 401);
    assert.equal(await wrong(), 429);
    await enter(app);
  });

  test("ends by signing out, and another site's page can neither sign in nor act", async () => {
    await using app = await createTestApp();
    const client = await enter(app);
    const foreign = { "sec-fetch-site": "cross-site" };
    for (const path of ["/admin/enter", "/admin/applications", "/admin/leave", "/admin/invitations"]) {
      assert.equal((await postForm(client, path, { key: ADMIN_KEY, next: "" }, foreign)).status, 403, path);
    }
    const kept = new Map(client.cookies);
    assert.equal(locationOf(await postForm(client, "/admin/leave", {})), "/admin/enter");
    for (const [name, value] of kept) client.cookies.set(name, value);
    assert.ok(!await isIn(client));
  });

  test("ends when the admin key changes", async () => {
    await using app = await createTestApp();
    const client = await enter(app);
    await transaction(app.db, async (tx) => {
      const authority = createTestAuthority(app.vault);
      const { id } = await tx.selectFrom("admin_session").select("id").executeTakeFirstOrThrow();
      const row = await findRow(tx, authority, "admin_session", "byId", { id });
      await replaceRow(tx, authority, "admin_session", row!, { admin_key_hash: "x" });
    });
    assert.ok(!await isIn(client));
  });

  test("is refused when the row was edited, and lasts no longer", async () => {
    await using app = await createTestApp();
    const client = await enter(app);
    await app.db.updateTable("admin_session").set({ expires_at: app.now + 9 * HOUR }).execute();
    assert.ok(await isIn(client), "the process has the session in memory");
    app.now += HOUR;
    assert.ok(!await isIn(client));
    dropMemory(app.db);
    assert.equal((await client.get("/admin/applications")).status, 503);
  });
});

describe("ADMIN_ACCOUNTS", () => {
  const options: TestAppOptions = { environment: { ADMIN_ACCOUNTS: "Ada@example.com" } };
  const byPasskey = (client: Client) => postForm(client, "/admin/enter/passkey", { next: "/admin/accounts" });

  test("lets a listed account in with a fresh passkey only, and no other account", async () => {
    await using app = await createTestApp(options);
    const [ada, bob] = [app.client(), app.client()];
    await signUp(ada, "ada@example.com");
    await signUp(bob, "bob@example.com");
    const [hers, his] = [await ada.get("/account/settings"), await bob.get("/account/settings")];
    assert.deepEqual([hers, his].map(({ text }) => text.includes('href="/admin/applications"')), [
      true,
      false,
    ]);
    assert.match((await ada.get("/admin/enter")).text, /data-sign="fresh"/);
    assert.doesNotMatch((await bob.get("/admin/enter")).text, /passkey-entrance/);
    assert.equal((await byPasskey(bob)).status, 404);
    assert.equal(locationOf(await byPasskey(app.client())), "/sign-in?next=%2Fadmin%2Fenter");
    app.now += 11 * 60_000;
    assert.equal((await byPasskey(ada)).status, 403);
    assert.match((await ada.get("/admin/enter")).text, /data-sign="stale"/);
    const action = "administer";
    const asked = await ada.post("/api/auth/step-up/options", { action });
    const response = await ada.authenticator.authenticate(asked.body, { origin: ada.origin });
    assert.equal((await ada.post("/api/auth/step-up", { action, response })).status, 200);
    assert.equal(locationOf(await byPasskey(ada)), "/admin/accounts");
    assert.ok(await isIn(ada));
    const { events } = (await ada.get("/api/audit")).body;
    assert.ok(events.some(({ event }: { event: string }) => event === "administration_entered"));
    // A step-up is valid once.
    const fresh = app.client();
    for (const [name, value] of ada.cookies) {
      if (!name.includes("administration")) fresh.cookies.set(name, value);
    }
    assert.equal((await byPasskey(fresh)).status, 403);
  });

  test("shows in an account's activity that an administrator acted, and names the administrator in the log only", async () => {
    await using app = await createTestApp(options);
    const [ada, bob] = [app.client(), app.client()];
    const { account: admin } = (await signUp(ada, "ada@example.com")).body;
    const { account } = (await signUp(bob, "bob@example.com")).body;
    await byPasskey(ada);
    const byKey = await enter(app);
    const path = `/admin/accounts/${account.id}`;
    assert.equal((await postForm(ada, `${path}/disable`, {})).status, 303);
    assert.equal((await postForm(byKey, `${path}/enable`, {})).status, 303);
    assert.equal((await signIn(bob)).status, 200);
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const ending = await app.client().request("POST", `/api${path}/sessions/revoke-all`, { headers });
    assert.equal(ending.status, 200, ending.text);
    assert.equal((await signIn(bob)).status, 200);
    const { events } = (await bob.get("/api/audit")).body;
    const acts = ["account_disabled", "account_enabled", "sessions_ended_for"];
    const [disabled, enabled, ended] = acts.map((act) =>
      events.find(({ event }: { event: string }) => event === act).detail
    );
    assert.deepEqual([disabled.by, enabled.by], ["account", "admin_key"]);
    assert.deepEqual(ended, { by: "admin_key", sessions: 1 });
    assert.ok(!JSON.stringify(events).includes(admin.id), "its owner is not told whose account it was");
    const entrances = await app.db.selectFrom("audit_event").select(["subject", "account_id"])
      .where("event", "=", "administration_entered").execute();
    const whose = (entrance: string) => entrances.find(({ subject }) => subject === entrance)?.account_id;
    assert.deepEqual([whose(disabled.entrance), whose(enabled.entrance)], [admin.id, null]);
    const { text } = await bob.get("/account/audit");
    assert.match(text, /disabled your account, with their own account; 1 session ended with it/);
  });

  test("ends with the account's session, and when the account is disabled", async () => {
    await using app = await createTestApp(options);
    const ada = app.client();
    const { body } = await signUp(ada, "ada@example.com");
    await byPasskey(ada);
    assert.ok(await isIn(ada));
    await ada.post("/api/auth/sign-out");
    assert.ok(!await isIn(ada));
    await signIn(ada);
    await byPasskey(ada);
    const key = await enter(app);
    await postForm(key, `/admin/accounts/${body.account.id}/disable`, {});
    assert.ok(!await isIn(ada));
  });
});

describe("the administrator's pages of applications", () => {
  test("register one, show its secret once, change, rotate, disable and delete it", async () => {
    await using app = await createTestApp();
    const client = await enter(app);
    const made = await postForm(client, "/admin/applications", NEW);
    const clientId = /id="client-id"[^>]*>([0-9a-v]{26})</.exec(made.text)![1]!;
    const secret = /id="client-secret"[^>]*>([A-Za-z0-9]{43})</.exec(made.text)![1]!;
    const path = `/admin/applications/${clientId}`;
    const page = await client.get(path);
    assert.ok(!page.text.includes(secret));
    assert.ok(page.text.includes(`CLIENT_ID=${clientId}`));
    assert.ok(page.text.includes("/api/auth/oauth2/token"));
    const { type: _type, ...rest } = NEW;
    const changed = await postForm(client, path, {
      ...rest,
      name: "Ledger",
      redirect1: "https://l.example/cb",
    });
    assert.match(changed.text, /Ledger/);
    const rotated = await postForm(client, `${path}/secret`, { overlap: "3600" });
    const next = /id="client-secret"[^>]*>([A-Za-z0-9]{43})</.exec(rotated.text)![1]!;
    const isGood = async (text: string) => {
      const headers = {
        authorization: `Basic ${btoa(`${clientId}:${text}`)}`,
        "content-type": "application/x-www-form-urlencoded",
      };
      const options = { headers, text: "token=x" };
      return (await app.client().request("POST", "/api/auth/oauth2/introspect", options)).status === 200;
    };
    assert.deepEqual([await isGood(secret), await isGood(next)], [true, true]);
    await postForm(client, `${path}/secret/end`, {});
    assert.deepEqual([await isGood(secret), await isGood(next)], [false, true]);
    await postForm(client, `${path}/disable`, {});
    assert.equal(await isGood(next), false);
    await postForm(client, `${path}/enable`, {});
    assert.equal(await isGood(next), true);
    assert.match((await client.get("/admin/applications?search=ledg")).text, new RegExp(clientId));
    assert.doesNotMatch((await client.get("/admin/applications?search=books")).text, new RegExp(clientId));
    await postForm(client, `${path}/delete`, {});
    assert.equal((await client.get(path)).status, 404);
  });

  test("show the error beside the wrong URI, and keep the input", async () => {
    await using app = await createTestApp();
    const client = await enter(app);
    const form = { ...NEW, redirect1: "", redirect2: "http://books.example/cb" };
    const answer = await postForm(client, "/admin/applications", form);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /id="redirect1-fault"|id="redirect2-fault"/);
    assert.match(answer.text, /aria-describedby="redirect2-fault"/);
    assert.match(answer.text, /value="http:\/\/books\.example\/cb"/);
    assert.deepEqual(await app.db.selectFrom("client").selectAll().execute(), []);
  });

  test("show the application's back-channel logout URI, and an error beside it", async () => {
    await using app = await createTestApp({ origin: "https://wallet.example" });
    const client = await enter(app);
    for (const backchannel of ["http://localhost:4000/bcl", "https://10.0.0.7/bcl", "https://a.example/#b"]) {
      const answer = await postForm(client, "/admin/applications", { ...NEW, backchannel, session: "on" });
      assert.equal(answer.status, 400);
      assert.match(answer.text, /aria-describedby="backchannel-fault backchannel-hint"/);
      assert.ok(answer.text.includes(`name="backchannel" type="text" value="${backchannel}"`), answer.text);
      assert.match(answer.text, /name="session" value="on"\s+checked/);
    }
    assert.deepEqual(await app.db.selectFrom("client").selectAll().execute(), []);
    const told = { ...NEW, backchannel: " https://books.example/bcl ", session: "on" };
    const made = await postForm(client, "/admin/applications", told);
    assert.equal(made.status, 200, made.text);
    const way = () =>
      app.db.selectFrom("client").select(["id", "backchannel_logout_uri", "backchannel_logout_session"])
        .executeTakeFirstOrThrow();
    const { id, ...columns } = await way();
    assert.deepEqual(Object.values(columns), ["https://books.example/bcl", 1]);
    const page = await client.get(`/admin/applications/${id}`, { headers: { "accept-language": "de" } });
    assert.match(page.text, /value="https:\/\/books\.example\/bcl"/);
    assert.match(page.text, /Adresse für Abmeldungen/);
    const { type: _type, ...rest } = NEW;
    const silenced = await postForm(client, `/admin/applications/${id}`, {
      ...rest,
      backchannel: "",
      session: "on",
    });
    assert.equal(silenced.status, 200, silenced.text);
    assert.deepEqual(Object.values(await way()), [id, null, null]);
  });
});

test("the administrator's pages of accounts and invitations have the effect of the API", async () => {
  await using app = await createTestApp({ environment: { SIGN_UP: "invite" } });
  const client = await enter(app);
  const wrong = await postForm(client, "/admin/invitations", { email: "unknown", uses: "1", days: "7" });
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /id="email-fault"/);
  const made = await postForm(client, "/admin/invitations", { email: "", uses: "2", days: "7" });
  const link = new URL(/id="link"[^>]*>([^<]+)</.exec(made.text)![1]!);
  assert.doesNotMatch((await client.get("/admin/invitations")).text, /id="link"/);
  const ada = app.client();
  await ada.get(link.pathname + link.search);
  const { body: { account } } = await signUp(ada, "ada@example.com");
  assert.match((await client.get("/admin/accounts?search=ada")).text, new RegExp(account.id));
  const ended = await postForm(client, `/admin/accounts/${account.id}/end-sessions`, {});
  assert.match((await client.get(locationOf(ended)!)).text, /1 session has ended/);
  await postForm(client, `/admin/accounts/${account.id}/disable`, {});
  assert.equal((await signIn(ada)).status, 403);
  await postForm(client, `/admin/accounts/${account.id}/enable`, {});
  assert.equal((await signIn(ada)).status, 200);
  const id = /\/admin\/invitations\/(invitation_[0-9a-v]{26})\/withdraw/.exec(made.text)![1]!;
  await postForm(client, `/admin/invitations/${id}/withdraw`, {});
  assert.doesNotMatch((await client.get("/admin/invitations")).text, new RegExp(id));
});

test("every administrator's page and form redirects a visitor to its sign-in", async () => {
  await using app = await createTestApp();
  const stranger = app.client();
  await signUp(stranger, "ada@example.com");
  const id = "0".repeat(26);
  const gets = ["", "/applications", "/applications/new", `/applications/${id}`, "/accounts", "/invitations"];
  for (const path of gets) {
    assert.match(locationOf(await stranger.get(`/admin${path}`))!, /^\/admin\/enter\?/, path);
  }
  const acts = ["", "/disable", "/enable", "/secret", "/secret/end", "/delete"].map((act) =>
    `/applications/${id}${act}`
  )
    .concat(["/disable", "/enable", "/end-sessions"].map((act) => `/accounts/account_${id}${act}`))
    .concat(["/applications", "/invitations", `/invitations/invitation_${id}/withdraw`, "/leave"]);
  for (const path of acts) {
    assert.match(locationOf(await postForm(stranger, `/admin${path}`, {}))!, /^\/admin\/enter\?/, path);
  }
});

test("the page of an application declared in a file says so, and its forms are refused", async () => {
  await using app = await createTestApp();
  const clientId = "0".repeat(26);
  const metadata = { name: "Books", uri: NEW.uri, type: "web", redirectUris: [NEW.redirect0] } as const;
  const entry = { clientId, metadata, disabled: false, clientSecret: "s".repeat(32) };
  const authority = createTestAuthority(app.vault);
  const services = { vault: app.vault, authority, logoutHosts: "public" } as const;
  await applyDeclaredClients(app.db, services, [entry], {
    now: app.now,
    random: (length) => new Uint8Array(length),
  });
  const client = await enter(app);
  const path = `/admin/applications/${clientId}`;
  const { text } = await client.get(path);
  assert.match(text, /This application is declared in the file of CLIENTS_FILE/);
  assert.doesNotMatch(text, /<form[^>]+action="\/admin\/applications/);
  assert.match((await client.get("/admin/applications")).text, /From a file/);
  const before = await app.db.selectFrom("client").selectAll().execute();
  const { type: _, ...changed } = { ...NEW, name: "Mine" };
  const forms: Readonly<Record<string, Record<string, string>>> = {
    "": changed,
    "/disable": {},
    "/enable": {},
    "/secret": { overlap: "0" },
    "/secret/end": {},
    "/delete": {},
  };
  for (const [act, form] of Object.entries(forms)) {
    assert.equal((await postForm(client, path + act, form)).status, 409, act);
  }
  assert.deepEqual(await app.db.selectFrom("client").selectAll().execute(), before);
});
