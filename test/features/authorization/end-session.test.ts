import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { encode, END_SESSION, getTokens, postForm, refresh, register } from "./story.ts";
import type { Fields } from "./story.ts";
import { locationOf, pendingOf } from "../../support/oauth.ts";
import type { Registered, Tokens } from "../../support/oauth.ts";

const BYE = "https://books.example/bye";

interface Story {
  readonly app: TestApp;
  readonly browser: Client;
  readonly client: Registered;
  readonly tokens: Tokens;
}

async function openStory(): Promise<Story> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const client = await register(app);
  return { app, browser, client, tokens: await getTokens(app, browser, client) };
}

function ask(browser: Client, fields: Fields): Promise<Answer> {
  return browser.get(`${END_SESSION}?${encode(fields)}`);
}

function decide(browser: Client, fields: Fields, site = "same-origin"): Promise<Answer> {
  return postForm(browser, "/end-session", fields, { "sec-fetch-site": site });
}

async function isSignedIn(browser: Client): Promise<boolean> {
  return (await browser.get("/api/auth/session")).body.session !== null;
}

describe("end-session", () => {
  test("with the user's ID token signs out at once and redirects back with the state; grants stay (T138)", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const session = browser.cookies.get("service.session_token")!;
    app.now += 2 * 3_600_000;
    const fields = { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE, state: "a&b" };
    assert.equal(locationOf(await ask(browser, fields)).href, `${BYE}?state=a%26b`);
    assert.equal(browser.cookies.has("service.session_token"), false);
    browser.cookies.set("service.session_token", session);
    assert.equal(await isSignedIn(browser), false);
    assert.equal((await refresh(app, client, tokens.refresh_token)).status, 200);
  });

  test("keeps a pop-up's opener at every step, for two applications", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const other = await register(app);
    const answers: Answer[] = [
      await postForm(browser, END_SESSION, { client_id: other.clientId }, {}),
      await ask(browser, { client_id: other.clientId }),
    ];
    for (const answer of [...answers]) {
      const request = pendingOf(answer, "/end-session");
      answers.push(await browser.get(`/end-session?request=${request}`));
      answers.push(await decide(browser, { request, decision: "stay" }));
      answers.push(await decide(browser, { request, decision: "sign_out" }));
    }
    answers.push(await ask(browser, { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE }));
    answers.push(await ask(browser, { client_id: client.clientId }), await browser.get("/signed-out"));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 200, 303, 400, 200, 303, 400, 303, 303, 200],
    );
    for (const { headers } of answers) assert.equal(headers.get("cross-origin-opener-policy"), null);
  });

  test("redirects only to a registered URI of the hint's client", async () => {
    const { app, browser, client, tokens } = await openStory();
    await using _ = app;
    const requests: Fields[] = [
      { post_logout_redirect_uri: BYE },
      { post_logout_redirect_uri: BYE, client_id: client.clientId },
      { post_logout_redirect_uri: BYE, id_token_hint: tokens.access_token },
      { post_logout_redirect_uri: BYE, id_token_hint: tokens.id_token, client_id: "x" },
      { post_logout_redirect_uri: `${BYE}/evil`, id_token_hint: tokens.id_token },
      { id_token_hint: tokens.id_token },
      {},
    ];
    await browser.post("/api/auth/sign-out");
    for (const fields of requests) {
      assert.equal(locationOf(await ask(browser, fields)).pathname, "/signed-out");
    }
  });

  test("without a hint of this user asks first, and signs out only after confirmation", async () => {
    const { app, browser, tokens } = await openStory();
    await using _ = app;
    const other = app.client();
    await signUp(other, "eve@example.com");
    const request = pendingOf(await ask(other, { id_token_hint: tokens.id_token }), "/end-session");
    const page = await other.get(`/end-session?request=${request}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /Books/);
    const csp = page.headers.get("content-security-policy")!;
    assert.match(csp, /frame-ancestors 'none'/);
    assert.doesNotMatch(csp, /form-action/);
    assert.ok(await isSignedIn(other));
    assert.equal((await decide(other, { request, decision: "sign_out" }, "cross-site")).status, 403);
    assert.equal((await decide(other, { request, decision: "x" })).status, 400);
    assert.ok(await isSignedIn(other));
    assert.equal(locationOf(await decide(other, { request, decision: "sign_out" })).pathname, "/signed-out");
    assert.equal(await isSignedIn(other), false);
    assert.ok(await isSignedIn(browser));
    assert.equal((await decide(other, { request, decision: "sign_out" })).status, 400);
    assert.equal((await other.get(`/end-session?request=${request}`)).status, 400);
  });

  test("asks first with a hint of another session of the user's, or of an ended one", async () => {
    const { app, browser, tokens } = await openStory();
    await using _ = app;
    const phone: Client = { ...app.client(), authenticator: browser.authenticator };
    await signIn(phone);
    const fields = { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE };
    const posted = await postForm(app.client(), END_SESSION, fields, { "sec-fetch-site": "cross-site" });
    const request = pendingOf(posted, "/end-session");
    assert.equal((await phone.get(`/end-session?request=${request}`)).status, 200);
    pendingOf(await ask(phone, fields), "/end-session");
    assert.ok(await isSignedIn(phone));

    await browser.post("/api/auth/sign-out");
    await signIn(browser);
    const asked = pendingOf(await ask(browser, fields), "/end-session");
    assert.ok(await isSignedIn(browser));
    assert.equal(locationOf(await decide(browser, { request: asked, decision: "sign_out" })).href, BYE);
    assert.equal(await isSignedIn(browser), false);
  });

  test("lets the user cancel", async () => {
    const { app, browser } = await openStory();
    await using _ = app;
    const request = pendingOf(await ask(browser, {}), "/end-session");
    assert.equal(locationOf(await decide(browser, { request, decision: "stay" })).pathname, "/");
    assert.ok(await isSignedIn(browser));
  });

  test("by POST reads no cookie and redirects to GET", async () => {
    const { app, browser, tokens } = await openStory();
    await using _ = app;
    const fields = { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE };
    const answer = await postForm(app.client(), END_SESSION, fields, { "sec-fetch-site": "cross-site" });
    const request = pendingOf(answer, "/end-session");
    assert.equal(locationOf(await browser.get(`/end-session?request=${request}`)).href, BYE);
    assert.equal(await isSignedIn(browser), false);
  });
});
