import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { proveAddress, signIn, signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import {
  authorizeFully,
  authorizePath,
  callAs,
  changeClient,
  errorOf,
  getCode,
  getTokens,
  INTROSPECT,
  jwtPart,
  postDecision,
  redeem,
  refresh,
  register,
  userinfo,
} from "./story.ts";
import type { Fields } from "./story.ts";
import { locationOf, pendingOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";

const CB = "https://books.example/cb";
const HOUR = 3_600_000;

async function openStory(): Promise<{ app: TestApp; browser: Client; client: Registered }> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  return { app, browser, client: await register(app) };
}

async function ask(browser: Client, client: Registered, change: Fields = {}): Promise<string> {
  return pendingOf(await browser.get(authorizePath(client, change)), "/consent");
}

describe("signing in for an application", () => {
  test("leads from the request through sign-up to consent and back, with a cookie that outlasts signing up", async () => {
    await using app = await createTestApp();
    const client = await register(app);
    const browser = app.client();
    const request = pendingOf(await browser.get(authorizePath(client)), "/sign-in");
    assert.ok(
      (await browser.get(`/sign-in?request=${request}`)).text.includes(`/sign-up?request=${request}`),
    );
    assert.equal((await browser.get(`/sign-up?request=${request}`)).status, 200);
    await signUp(browser, "ada@example.com");
    assert.equal((await browser.get(`/consent?request=${request}`)).status, 200);
    const location = locationOf(await postDecision(browser, { request, decision: "approve" }));
    const tokens = await redeem(app, client, location.searchParams.get("code")!);
    assert.equal(jwtPart(tokens.body.id_token, 1).email, "ada@example.com");
  });

  test("sends a visitor to sign in, also from the consent page and its form", async () => {
    await using app = await createTestApp();
    const client = await register(app);
    const browser = app.client();
    const request = pendingOf(await browser.get(authorizePath(client)), "/sign-in");
    assert.equal(pendingOf(await browser.get(`/consent?request=${request}`), "/sign-in"), request);
    const form = { request, decision: "approve" };
    assert.equal(pendingOf(await postDecision(browser, form), "/sign-in"), request);
  });

  test("redirects a user who signed up for it and went back, from both pages, unless they want another account", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const request = await ask(browser, client);
    for (const path of ["/sign-in", "/sign-up"]) {
      assert.equal(pendingOf(await browser.get(`${path}?request=${request}`), "/consent"), request);
      const other = await browser.get(`${path}?request=${request}&account=other`);
      assert.equal(other.status, 200);
      const sibling = path === "/sign-in" ? "/sign-up" : "/sign-in";
      assert.ok(other.text.includes(`href="${sibling}?request=${request}&amp;account=other"`), other.text);
    }
    await proveAddress(browser, "bob@example.com");
    const proven = await browser.get(`/sign-up?request=${request}&account=other`);
    assert.ok(
      proven.text.includes(`href="/sign-up?request=${request}&amp;account=other&amp;afresh=1"`),
      proven.text,
    );
  });

  test("two tabs with two requests each return to the right client (T139)", async () => {
    await using app = await createTestApp();
    const books = await register(app);
    const maps = await register(app, { name: "Maps", redirectUris: ["https://maps.example/cb"] });
    const browser = app.client();
    const first = pendingOf(await browser.get(authorizePath(books, { state: "1" })), "/sign-in");
    const second = pendingOf(await browser.get(authorizePath(maps, { state: "2" })), "/sign-in");
    await signUp(browser, "ada@example.com");
    assert.match((await browser.get(`/consent?request=${first}`)).text, /Books/);
    assert.match((await browser.get(`/consent?request=${second}`)).text, /Maps/);
    const there = locationOf(await postDecision(browser, { request: second, decision: "approve" }));
    const here = locationOf(await postDecision(browser, { request: first, decision: "approve" }));
    assert.deepEqual([there.host, there.searchParams.get("state")], ["maps.example", "2"]);
    assert.deepEqual([here.host, here.searchParams.get("state")], ["books.example", "1"]);
    assert.equal((await redeem(app, books, here.searchParams.get("code")!)).status, 200);
    assert.equal((await redeem(app, books, there.searchParams.get("code")!)).status, 400);
  });

  test("switching the account asks again under a new id, and the old page's form is refused (T133)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const request = await ask(browser, client);
    await signUp(browser, "second@example.com");
    const renewed = pendingOf(await browser.get(`/consent?request=${request}`), "/consent");
    assert.notEqual(renewed, request);
    assert.match((await browser.get(`/consent?request=${renewed}`)).text, /second@example\.com/);
    assert.equal((await postDecision(browser, { request, decision: "approve" })).status, 400);
    const answer = await postDecision(browser, { request: renewed, decision: "approve" });
    assert.ok(locationOf(answer).searchParams.has("code"));
  });
});

describe("signing in a second time during an authorization request", () => {
  test("asks again after the open page is submitted, and Allow then works", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const first = await ask(browser, client, { state: "1" });
    const second = pendingOf(
      await browser.get(authorizePath(client, { state: "2", prompt: "login" })),
      "/sign-in",
    );
    app.now += 1000;
    assert.equal((await signIn(browser)).status, 200);
    assert.equal((await browser.get(`/consent?request=${second}`)).status, 200);
    const again = pendingOf(await postDecision(browser, { request: first, decision: "approve" }), "/consent");
    assert.equal(again, first);
    const renewed = pendingOf(await browser.get(`/consent?request=${first}`), "/consent");
    const answer = locationOf(await postDecision(browser, { request: renewed, decision: "approve" }));
    assert.equal(answer.searchParams.get("state"), "1");
    assert.ok(answer.searchParams.has("code"));
  });

  test("redirects the sign-in page to consent, except for another account or a required sign-in", async () => {
    await using app = await createTestApp();
    const client = await register(app);
    const browser = app.client();
    const plain = pendingOf(await browser.get(authorizePath(client)), "/sign-in");
    const anew = pendingOf(await browser.get(authorizePath(client, { prompt: "login" })), "/sign-in");
    app.now += 1000;
    await signUp(browser, "ada@example.com");
    assert.equal(pendingOf(await browser.get(`/sign-in?request=${plain}`), "/consent"), plain);
    assert.equal((await browser.get(`/sign-in?request=${plain}&account=other`)).status, 200);
    // The session began after the request, so the user has signed in as requested.
    assert.equal(pendingOf(await browser.get(`/sign-in?request=${anew}`), "/consent"), anew);
    const later = pendingOf(await browser.get(authorizePath(client, { prompt: "login" })), "/sign-in");
    assert.equal((await browser.get(`/sign-in?request=${later}`)).status, 200);
    const stranger = app.client();
    await signUp(stranger, "eve@example.com");
    assert.equal((await stranger.get(`/sign-in?request=${plain}`)).status, 200);
  });
});

describe("the consent page", () => {
  test("names client, home, host, what is shared and the account, escaped (T132)", async () => {
    const { app, browser } = await openStory();
    await using _ = app;
    const client = await register(app, { name: "<script>alert(1)</script>" });
    const { text, status } = await browser.get(`/consent?request=${await ask(browser, client)}`);
    assert.equal(status, 200);
    assert.doesNotMatch(text, /<script>alert/);
    for (
      const shown of ["&lt;script&gt;alert(1)", "https://books.example", "ada@example.com", "e-mail address"]
    ) {
      assert.ok(text.includes(shown), shown);
    }
  });

  test("is not framed, loads nothing from other origins, keeps its opener and lets its form redirect to the client (T56, T57)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { headers, text } = await browser.get(`/consent?request=${await ask(browser, client)}`);
    const csp = headers.get("content-security-policy")!;
    assert.match(csp, /frame-ancestors 'none'/);
    assert.doesNotMatch(csp, /form-action/);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("cross-origin-opener-policy"), null);
    assert.doesNotMatch(text, /(?:src|<link[^>]*href)="(?:https?:)?\/\//);
  });

  test("denied, sends access_denied and stores nothing (T59h)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const request = await ask(browser, client);
    const parameters = errorOf(await postDecision(browser, { request, decision: "deny" }), CB);
    assert.deepEqual([parameters.get("error"), parameters.get("state")], ["access_denied", "the state"]);
    await ask(browser, client);
    assert.deepEqual((await browser.get("/api/auth/grants")).body, { grants: [] });
  });

  test("issues one code: the form or the page sent again gets an error page (T133, T140)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const request = await ask(browser, client);
    const form = { request, decision: "approve" };
    assert.ok(locationOf(await postDecision(browser, form)).searchParams.has("code"));
    for (
      const answer of [await postDecision(browser, form), await browser.get(`/consent?request=${request}`)]
    ) {
      assert.deepEqual([answer.status, answer.headers.get("location")], [400, null]);
      assert.match(answer.text, /return to the application/);
    }
  });

  test("accepts the decision only from the same site, session, browser and request, in time and once (T133)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const other = app.client();
    await signUp(other, "eve@example.com");
    const request = await ask(browser, client);
    const form = { request, decision: "approve" };
    for (const headers of [{}, { "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
      assert.equal((await postDecision(browser, form, headers)).status, 403);
    }
    assert.equal((await postDecision(other, form)).status, 400);
    assert.equal((await other.get(`/consent?request=${request}`)).status, 400);
    const strange = [{ ...form, scope: "openid all" }, { ...form, redirect_uri: CB }, {
      ...form,
      state: "x",
    }];
    const wrong = [
      { request: "request_x", decision: "approve" },
      { request },
      { ...form, decision: "yes" },
      {},
    ];
    for (const bent of [...strange, ...wrong]) {
      const { status, headers } = await postDecision(browser, bent);
      assert.deepEqual([status, headers.get("location")], [400, null], JSON.stringify(bent));
    }
    const { cookies } = browser;
    const tie = cookies.get("service.authorization")!;
    cookies.set("service.authorization", other.cookies.get("service.authorization") ?? "x");
    assert.equal((await postDecision(browser, form)).status, 400);
    cookies.set("service.authorization", tie);
    app.now += HOUR;
    assert.equal((await postDecision(browser, form)).status, 400);
  });

  test("works until the last moment, and not for a client that was disabled meanwhile", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const [first, second] = [await ask(browser, client), await ask(browser, client)];
    app.now += HOUR - 1;
    assert.ok(locationOf(await postDecision(browser, { request: first, decision: "approve" })));
    await changeClient(app, client, { disabled: true });
    const answer = await postDecision(browser, { request: second, decision: "approve" });
    assert.deepEqual([answer.status, answer.headers.get("location")], [400, null]);
  });
});

describe("consent", () => {
  test("is stored for https (T134), and signing in is still required (T135)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    await getCode(browser, client);
    assert.ok(locationOf(await browser.get(authorizePath(client))).searchParams.has("code"));
    assert.ok(
      locationOf(await browser.get(authorizePath(client, { prompt: "none" }))).searchParams.has("code"),
    );
    await ask(browser, client, { prompt: "consent" });
    await browser.post("/api/auth/sign-out");
    const request = pendingOf(await browser.get(authorizePath(client)), "/sign-in");
    assert.equal((await signIn(browser)).status, 200);
    assert.ok(locationOf(await browser.get(`/consent?request=${request}`)).searchParams.has("code"));
  });

  test("is requested each time for loopback and private-use addresses", async () => {
    const { app, browser } = await openStory();
    await using _ = app;
    const redirectUris = ["http://127.0.0.1/cb", "com.example.app:/cb"];
    const client = await register(app, { type: "native", redirectUris });
    for (const redirect_uri of ["http://127.0.0.1:4242/cb", "com.example.app:/cb"]) {
      const location = await authorizeFully(browser, client, { redirect_uri });
      assert.ok(location.searchParams.has("code"));
      await ask(browser, client, { redirect_uri });
      const silent = await browser.get(authorizePath(client, { redirect_uri, prompt: "none" }));
      assert.equal(errorOf(silent, redirect_uri).get("error"), "consent_required");
    }
  });

  test("is shown on the account page, escaped, and withdrawn by a form without a script", async () => {
    const { app, browser } = await openStory();
    await using _ = app;
    const client = await register(app, { name: "<b>Books</b>" });
    const { access_token } = await getTokens(app, browser, client);
    const page = await browser.get("/account");
    assert.equal(page.status, 200);
    assert.ok(page.text.includes("&lt;b&gt;Books&lt;/b&gt;") && !page.text.includes("<b>Books</b>"));
    assert.ok(page.text.includes(`name="clientId" value="${client.clientId}"`));
    // The page does not show content of a forged link.
    for (const clientId of [client.clientId, "unknown"]) {
      assert.doesNotMatch((await browser.get(`/account?withdrawn=${clientId}`)).text, /no access any more/);
    }
    const withdraw = (headers: Readonly<Record<string, string>>) => {
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const text = `clientId=${client.clientId}`;
      return browser.request("POST", "/account/withdraw", { text, headers: { ...form, ...headers } });
    };
    for (const site of ["cross-site", "same-site"]) {
      assert.equal((await withdraw({ "sec-fetch-site": site })).status, 403);
    }
    assert.equal((await withdraw({})).status, 403, "a form always says where it comes from");
    assert.equal((await userinfo(app, access_token)).status, 200);
    const done = await withdraw({ "sec-fetch-site": "same-origin" });
    const back = done.headers.get("location")!;
    assert.equal(back, `/account?withdrawn=${client.clientId}#applications`);
    assert.match(
      (await browser.get(back)).text,
      /“<bdi>&lt;b&gt;Books&lt;\/b&gt;<\/bdi>” has no access any more/,
    );
    assert.equal((await userinfo(app, access_token)).status, 401);
    assert.ok((await browser.get("/account")).text.includes("No application has access to your account."));
    assert.equal((await app.client().get("/account")).headers.get("location"), "/sign-in?next=%2Faccount");
  });

  test("is listed, and withdrawing it ends every code and token and asks again (T94, T106, T134)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const other = app.client();
    await signUp(other, "eve@example.com");
    const theirs = await getTokens(app, other, client);
    const tokens = await getTokens(app, browser, client);
    const code = await getCode(browser, client);
    assert.deepEqual((await browser.get("/api/auth/grants")).body, {
      grants: [{
        clientId: client.clientId,
        name: "Books",
        uri: "https://books.example",
        scope: "openid",
        consentedAt: "2026-01-31T09:30:00.000Z",
        keyGrants: [],
      }],
    });
    const path = `/api/auth/grants/${client.clientId}`;
    assert.equal((await app.client().request("DELETE", path)).status, 401);
    assert.equal((await app.client().get("/api/auth/grants")).status, 401);
    const foreign = { headers: { "sec-fetch-site": "cross-site" } };
    assert.equal((await browser.request("DELETE", path, foreign)).status, 403);
    assert.equal((await browser.request("DELETE", path)).status, 204);
    assert.equal((await browser.request("DELETE", path)).status, 404);
    assert.deepEqual((await browser.get("/api/auth/grants")).body, { grants: [] });

    assert.equal((await redeem(app, client, code)).body.error, "invalid_grant");
    assert.equal((await refresh(app, client, tokens.refresh_token)).body.error, "invalid_grant");
    assert.equal((await userinfo(app, tokens.access_token)).status, 401);
    const { body } = await callAs(app, client, INTROSPECT, { token: tokens.access_token });
    assert.deepEqual(body, { active: false });
    await ask(browser, client);
    assert.equal((await userinfo(app, theirs.access_token)).status, 200);
  });
});
