import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WITHDRAWAL_UNFINISHED } from "../../../src/features/account/pages.ts";
import { createTestApp } from "../../support/app.ts";
import { createAuthenticator } from "../../support/authenticator.ts";
import { registerPasskey, signIn, signUp } from "../../support/client.ts";
import { postForm } from "../../support/oauth.ts";
import { getTokens, register } from "../authorization/story.ts";

const EMAIL = "ada@example.com";
const HOSTILE = "<b>Laptop</b>";

describe("GET /account", () => {
  test("is for signed-in users; a visitor is redirected to sign in, and back", async () => {
    await using app = await createTestApp();
    const { status, headers } = await app.client().get("/account");
    assert.deepEqual([status, headers.get("location")], [303, "/sign-in?next=%2Faccount"]);
  });

  test("shows the passkeys, sessions and events that the API lists, with escaped names, and no other account's", async () => {
    await using app = await createTestApp();
    const client = app.client("127.0.0.1");
    const other = app.client("127.0.0.2");
    await signUp(client, EMAIL);
    await signUp(other, "eve@example.com");
    app.now += 1000;
    const added = await registerPasskey({ ...client, authenticator: createAuthenticator() });
    assert.equal(added.status, 201, added.text);
    const { id } = added.body.passkey;
    await client.request("PATCH", `/api/auth/passkeys/${id}`, { body: { name: HOSTILE } });

    const { status, headers, text } = await client.get("/account");
    assert.deepEqual([status, headers.get("cache-control")], [200, "no-store"]);
    const { passkeys } = (await client.get("/api/auth/passkeys")).body;
    const { sessions } = (await client.get("/api/auth/sessions")).body;
    const { events } = (await client.get("/api/audit")).body;
    assert.deepEqual([passkeys.length, sessions.length], [2, 1]);
    for (const passkey of passkeys) assert.ok(text.includes(`id="rename-${passkey.id}"`));
    for (const { id, network } of sessions) {
      assert.ok(text.includes(`id="facts-${id}"`) && text.includes(network));
    }
    const shown = [...text.matchAll(/<dt>Entry<\/dt>\s*<dd><code>(\d+)</g)].map(([, seq]) => Number(seq));
    assert.deepEqual(shown, events.slice(0, 5).map(({ seq }: { seq: number }) => seq), "the latest five");
    assert.ok(text.includes("&lt;b&gt;Laptop&lt;/b&gt;") && !text.includes(HOSTILE));
    assert.ok(text.includes(EMAIL) && !text.includes("eve@example.com") && !text.includes("127.0.0.2"));
    for (const { id } of (await other.get("/api/auth/passkeys")).body.passkeys) assert.ok(!text.includes(id));
  });

  test("contains no secret of the session (ASVS 3.3.4)", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const { text } = await client.get("/account");
    const [, secret] = client.cookies.get("service.session_token")!.split(".");
    assert.ok(secret !== undefined && secret.length > 20);
    assert.ok(!text.includes(secret));
    for (const value of client.cookies.values()) assert.ok(!text.includes(value));
  });

  test("marks the current session and its passkey", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    const elsewhere = { ...app.client(), authenticator: client.authenticator };
    assert.equal((await signIn(elsewhere)).status, 200);
    for (const one of [client, elsewhere]) {
      const { id } = (await one.get("/api/auth/session")).body.session;
      const { text } = await one.get("/account");
      assert.equal(text.split(">This session<").length, 2);
      assert.ok(!text.includes(`id="end-${id}"`), "no button to end this one");
      assert.equal(text.split('data-act="end"').length, 2);
    }
  });
});

describe("POST /account/withdraw", () => {
  test("withdraws the access of this application only, and only for this account", async () => {
    await using app = await createTestApp();
    const [ada, eve] = [app.client(), app.client()];
    await signUp(ada, EMAIL);
    await signUp(eve, "eve@example.com");
    const [books, games] = [await register(app), await register(app)];
    for (const client of [books, games]) await getTokens(app, ada, client);
    await getTokens(app, eve, books);
    const answer = await postForm(ada, "/account/withdraw", { clientId: books.clientId });
    const back = `/account?withdrawn=${books.clientId}#applications`;
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, back]);
    const of = async (person: typeof ada) =>
      (await person.get("/api/auth/grants")).body.grants.map(({ clientId }: { clientId: string }) =>
        clientId
      );
    assert.deepEqual([await of(ada), await of(eve)], [[games.clientId], [books.clientId]]);
  });

  test("redirects to sign in after the session ended, and then says that nothing was withdrawn", async () => {
    await using app = await createTestApp();
    const [ada, eve] = [app.client(), app.client()];
    await signUp(ada, EMAIL);
    await signUp(eve, "eve@example.com");
    const client = await register(app);
    for (const person of [ada, eve]) await getTokens(app, person, client);
    ada.cookies.delete("service.session_token");
    const answer = await postForm(ada, "/account/withdraw", { clientId: client.clientId });
    const location = new URL(answer.headers.get("location")!, ada.origin);
    assert.deepEqual([answer.status, location.pathname], [303, "/sign-in"]);
    const next = location.searchParams.get("next")!;
    // A withdrawal must not apply to the application of another account that signs in.
    for (const person of [ada, eve]) {
      await signIn(person);
      const page = await person.get(next);
      assert.equal(page.status, 200);
      assert.match(page.text, /Your session had ended, so nothing was withdrawn/);
      assert.ok(page.text.includes(`value="${client.clientId}"`));
    }
    assert.doesNotMatch((await ada.get("/account")).text, /nothing was withdrawn/);
  });

  test("withdraws nothing for another account that signed in after the page was loaded", async () => {
    await using app = await createTestApp();
    const [ada, eve] = [app.client(), app.client()];
    await signUp(ada, EMAIL);
    await signUp(eve, "eve@example.com");
    const client = await register(app);
    const { clientId } = client;
    for (const person of [ada, eve]) await getTokens(app, person, client);
    const [, account] = /name="account" value="([^"]+)">\s*<input type="hidden" name="clientId"/.exec(
      (await ada.get("/account")).text,
    )!;
    const answer = await postForm(eve, "/account/withdraw", { clientId, account: account! });
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, WITHDRAWAL_UNFINISHED]);
    assert.match((await eve.get(WITHDRAWAL_UNFINISHED)).text, /nothing was withdrawn/);
    assert.equal((await eve.get("/api/auth/grants")).body.grants.length, 1);
    await postForm(ada, "/account/withdraw", { clientId, account: account! });
    assert.deepEqual((await ada.get("/api/auth/grants")).body.grants, []);
  });
});

describe("POST /account/language", () => {
  test("sets the language of the account's pages and mails, whatever Accept-Language says, and of no other account", async () => {
    await using app = await createTestApp();
    const client = app.client("127.0.0.1");
    const other = app.client("127.0.0.2");
    await signUp(client, EMAIL);
    await signUp(other, "eve@example.com");
    const { status, headers } = await postForm(client, "/account/language", { language: "de" });
    assert.deepEqual([status, headers.get("location")], [303, "/account"]);
    const english = { headers: { "accept-language": "en" } };
    const page = await client.get("/account", english);
    assert.match(page.text, /<html lang="de">[^]*<h1>Konto<\/h1>/);
    assert.equal(page.headers.get("content-language"), "de");
    assert.match((await client.get("/keys/key_none", english)).text, /<html lang="de">/);
    assert.match((await other.get("/account", { headers: { "accept-language": "de" } })).text, /lang="en"/);
    await registerPasskey({ ...client, authenticator: createAuthenticator() });
    const mails =
      (await client.get("/dev/outbox", { headers: { accept: "application/json" } })).body.messages;
    assert.equal(mails[0].subject, "Ein Passkey wurde hinzugefügt");
    await postForm(client, "/account/language", { language: "en" });
    assert.match((await client.get("/account")).text, /<html lang="en">/);
  });

  test("changes nothing for another account that signed in after the page was loaded", async () => {
    await using app = await createTestApp();
    const [ada, eve] = [app.client(), app.client()];
    await signUp(ada, EMAIL);
    await signUp(eve, "eve@example.com");
    const [, account] = /language-form">\s*<input type="hidden" name="account" value="([^"]+)">/.exec(
      (await ada.get("/account")).text,
    )!;
    const form = { language: "de", account: account! };
    for (const person of [eve, ada]) {
      const { status, headers } = await postForm(person, "/account/language", form);
      assert.deepEqual([status, headers.get("location")], [303, "/account"]);
    }
    assert.match((await eve.get("/account")).text, /<html lang="en">/);
    assert.match((await ada.get("/account")).text, /<html lang="de">/);
  });

  test("refuses an unknown language, and changes nothing", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await signUp(client, EMAIL);
    for (const form of [{ language: "fr" }, { language: "" }, {}, { language: "de", more: "1" }]) {
      assert.equal((await postForm(client, "/account/language", form)).status, 400);
    }
    assert.match((await client.get("/account")).text, /<html lang="en">/);
  });

  test("is English for visitors, and for an unknown value in the row", async () => {
    await using app = await createTestApp();
    const client = app.client();
    assert.equal((await postForm(client, "/account/language", { language: "de" })).status, 303);
    await signUp(client, EMAIL);
    await app.db.updateTable("account").set({ language: "<script>" }).execute();
    assert.match((await client.get("/account")).text, /<html lang="en">/);
  });
});

test("an account has the language of the browser that created it, and so has the mail with its code", async () => {
  await using app = await createTestApp();
  const client = app.client();
  const request: typeof client.request = (method, path, options) =>
    client.request(method, path, { ...options, headers: { ...options?.headers, "accept-language": "de" } });
  const german: typeof client = {
    ...client,
    request,
    get: (path, options) => request("GET", path, options),
    post: (path, body, options) => request("POST", path, { ...(body !== undefined && { body }), ...options }),
  };
  await signUp(german, EMAIL);
  const mails = (await client.get("/dev/outbox", { headers: { accept: "application/json" } })).body.messages;
  assert.equal(mails[0].subject, "Ihr Code für Holdfast");
  assert.match((await client.get("/account")).text, /<html lang="de">/);
});
