import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import { locationOf, pendingOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";
import {
  authorizePath,
  changeClient,
  errorOf,
  getCode,
  jwtPart,
  postDecision,
  redeem,
  refresh,
  register,
  userinfo,
} from "./story.ts";
import type { Fields } from "./story.ts";

const CB = "https://books.example/cb";

interface Story {
  readonly app: TestApp;
  readonly browser: Client;
  readonly client: Registered;
  readonly sub: string;
}

async function openStory(scopes?: readonly string[]): Promise<Story> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const { body } = await browser.request("PATCH", "/api/auth/account", { body: { name: "Ada" } });
  const client = await register(app, scopes === undefined ? {} : { scopes });
  return { app, browser, client, sub: body.account.id };
}

/** The claims of a token response, by place. */
interface Seen {
  readonly scope: string;
  readonly userinfo: Readonly<Record<string, unknown>>;
  readonly idToken: Readonly<Record<string, unknown>>;
  readonly accessToken: Readonly<Record<string, unknown>>;
  readonly tokens: { readonly access_token: string; readonly refresh_token: string };
}

async function seenBy(
  app: TestApp,
  tokens: Seen["tokens"] & { id_token: string; scope: string },
): Promise<Seen> {
  const answer = await userinfo(app, tokens.access_token);
  assert.equal(answer.status, 200, answer.text);
  const { iss: _iss, aud: _aud, iat: _iat, exp: _exp, auth_time: _time, sid: _sid, ...rest } = jwtPart(
    tokens.id_token,
    1,
  );
  const { at_hash: _hash, acr: _acr, amr: _amr, nonce: _nonce, ...idToken } = rest;
  const accessToken = jwtPart(tokens.access_token, 1);
  return { scope: tokens.scope, userinfo: answer.body, idToken, accessToken, tokens };
}

async function signIn({ app, browser, client }: Story, change: Fields): Promise<Seen> {
  const answer = await redeem(app, client, await getCode(browser, client, change));
  assert.equal(answer.status, 200, answer.text);
  return await seenBy(app, answer.body);
}

const ADA = { email: "ada@example.com", email_verified: true, name: "Ada" };
const ALL = "openid profile email address phone groups wallets offline_access";

describe("scopes and claims", () => {
  test("a client without scopes gets what it always got, whatever it asks for", async () => {
    const story = await openStory();
    await using _ = story.app;
    const { scope, userinfo, idToken, accessToken } = await signIn(story, { scope: ALL });
    assert.equal(scope, "openid");
    assert.deepEqual(userinfo, { sub: story.sub, ...ADA });
    assert.deepEqual(idToken, userinfo);
    const names = ["iss", "sub", "aud", "client_id", "scope", "auth_time", "iat", "exp", "jti", "grant_id"];
    assert.deepEqual(Object.keys(accessToken), names);
    const claims = JSON.stringify({ userinfo: { locale: null }, id_token: { updated_at: null } });
    assert.deepEqual((await signIn(story, { claims })).userinfo, { sub: story.sub, ...ADA });
  });

  const SCOPES: readonly (readonly [asked: string, granted: string, claims: object])[] = [
    ["openid", "openid", {}],
    ["email openid", "openid email", { email: "ada@example.com", email_verified: true }],
    ["openid profile", "openid profile", {
      name: "Ada",
      preferred_username: "Ada",
      locale: "en",
      updated_at: Date.UTC(2026, 0, 31, 9, 30) / 1000,
    }],
    ["openid wallets phone", "openid", {}],
  ];

  test("openid gives sub alone to a client registered for claims, and each scope its claims", async () => {
    const story = await openStory(["openid", "email", "profile"]);
    await using _ = story.app;
    for (const [asked, granted, claims] of SCOPES) {
      const { scope, userinfo, idToken, accessToken } = await signIn(story, { scope: asked });
      assert.equal(scope, granted);
      assert.deepEqual(userinfo, { sub: story.sub, ...claims });
      assert.deepEqual(idToken, userinfo);
      for (const name of Object.keys(claims)) assert.equal(name in accessToken, false, name);
    }
  });

  test("a refresh with fewer scopes gives fewer claims", async () => {
    const story = await openStory(["openid", "email", "profile"]);
    await using _ = story.app;
    const { tokens } = await signIn(story, { scope: "openid email" });
    const { body } = await refresh(story.app, story.client, tokens.refresh_token, { scope: "openid" });
    const { userinfo, idToken } = await seenBy(story.app, body);
    assert.deepEqual([userinfo, idToken], [{ sub: story.sub }, { sub: story.sub }]);
  });

  test("what was consented is not asked again, and more is, also by a changed registration", async () => {
    const story = await openStory(["openid", "email", "profile"]);
    await using _ = story.app;
    const { app, browser, client } = story;
    await getCode(browser, client, { scope: "openid email" });
    const pathFor = async (change: Fields): Promise<string> =>
      locationOf(await browser.get(authorizePath(client, change))).pathname;
    const named = (name: string) => JSON.stringify({ userinfo: { [name]: null } });
    assert.equal(await pathFor({ scope: "openid email" }), "/cb");
    assert.equal(await pathFor({ scope: "openid" }), "/cb");
    assert.equal(await pathFor({ scope: "openid", claims: named("email") }), "/cb");
    assert.equal(await pathFor({ scope: "openid", claims: named("phone_number") }), "/cb");
    assert.equal(await pathFor({ scope: "openid", claims: named("name") }), "/consent");
    assert.equal(await pathFor({ scope: "openid profile" }), "/consent");
    const silent = authorizePath(client, { scope: "openid profile", prompt: "none" });
    assert.equal(errorOf(await browser.get(silent), CB).get("error"), "consent_required");
    await changeClient(app, client, { scopes: ["openid"] });
    assert.equal(await pathFor({ scope: "openid" }), "/consent", "the usual claims include the name");
  });

  test("a changed registration never widens a grant, and narrows it at once", async () => {
    const story = await openStory(["openid", "email", "profile"]);
    await using _ = story.app;
    const { tokens: { access_token } } = await signIn(story, { scope: "openid email" });
    await changeClient(story.app, story.client, { scopes: ["openid", "profile"] });
    assert.deepEqual((await userinfo(story.app, access_token)).body, { sub: story.sub });
    await changeClient(story.app, story.client, { scopes: ["openid"] });
    const { body } = await userinfo(story.app, access_token);
    assert.deepEqual(body, { sub: story.sub, email: ADA.email, email_verified: true });
  });

  test("the page says each claim in words", async () => {
    const story = await openStory(["openid", "email", "profile", "wallets"]);
    await using _ = story.app;
    const textFor = async (change: Fields): Promise<string> => {
      const request = pendingOf(await story.browser.get(authorizePath(story.client, change)), "/consent");
      return (await story.browser.get(`/consent?request=${request}`)).text;
    };
    const all = await textFor({ scope: "openid email profile wallets" });
    const lines = [
      "Your name: Ada",
      "Your e-mail address: ada@example.com",
      "Your language",
      "When you last changed your name, address or language",
      "The addresses of the keys that you choose",
      "The id of your account",
    ];
    for (const line of lines) assert.ok(all.includes(line), line);
    const one = await textFor({ scope: "openid", claims: '{"id_token":{"locale":{"essential":true}}}' });
    assert.deepEqual(lines.filter((line) => one.includes(line)), ["Your language", "The id of your account"]);
    assert.ok((await textFor({ scope: "openid", claims: '{"userinfo":{"email_verified":null}}' })).includes(
      "That you have a verified e-mail address",
    ));
  });

  test("an account without a name or with a changed one", async () => {
    const story = await openStory(["openid", "profile"]);
    await using _ = story.app;
    story.app.now += 60_000;
    await story.browser.request("PATCH", "/api/auth/account", { body: { name: "Ada L." } });
    const { userinfo } = await signIn(story, { scope: "openid profile" });
    const seconds = story.app.now / 1000;
    assert.deepEqual([userinfo["name"], userinfo["updated_at"]], ["Ada L.", seconds]);
    const other = story.app.client();
    await signUp(other, "bob@example.com");
    const { userinfo: bob } = await signIn({ ...story, browser: other }, { scope: "openid profile" });
    assert.deepEqual(Object.keys(bob), ["sub", "locale", "updated_at"]);
  });
});

describe("the claims parameter (OpenID Connect Core section 5.5)", () => {
  test("names claims for one place", async () => {
    const story = await openStory(["openid", "email", "profile"]);
    await using _ = story.app;
    const { userinfo, idToken } = await signIn(story, {
      claims: JSON.stringify({
        userinfo: { name: { essential: true }, phone_number: null, "name#de": null },
        id_token: { email: { value: "other@example.com" }, auth_time: { essential: true }, acr: null },
        other: 1,
      }),
    });
    assert.deepEqual(userinfo, { sub: story.sub, name: "Ada" });
    assert.deepEqual(idToken, { sub: story.sub, email: "ada@example.com" });
  });

  const MALFORMED = [
    "x",
    "[]",
    "1",
    "null",
    '{"userinfo":[]}',
    '{"userinfo":null}',
    '{"id_token":1}',
    '{"userinfo":{"email":true}}',
    '{"userinfo":{"email":{"essential":1}}}',
    '{"userinfo":{"email":{"values":"x"}}}',
    '{"id_token":{"sub":{"value":1}}}',
    '{"userinfo":{},"userinfo":{}}',
    `{"userinfo":{"${"x".repeat(9000)}":null}}`,
  ];

  test("is invalid_request if malformed, for every client", async () => {
    const story = await openStory();
    await using _ = story.app;
    for (const claims of MALFORMED) {
      const answer = await story.browser.get(authorizePath(story.client, { claims }));
      assert.equal(errorOf(answer, CB).get("error"), "invalid_request", claims);
    }
  });

  test("obeys a required sub and acr", async () => {
    const story = await openStory();
    await using _ = story.app;
    const { app, browser, client, sub } = story;
    const idToken = (claims: object) => JSON.stringify({ id_token: claims });
    const ask = (claims: object, change: Fields = {}) =>
      browser.get(authorizePath(client, { claims: idToken(claims), ...change }));
    const errorFor = async (claims: object, change: Fields = {}) =>
      errorOf(await ask(claims, change), CB).get("error");
    pendingOf(await ask({ sub: { value: sub } }), "/consent");
    assert.equal(await errorFor({ sub: { value: "account_other" } }, { prompt: "none" }), "login_required");
    pendingOf(await ask({ sub: { value: "account_other" } }), "/sign-in");
    const hint = (await redeem(app, client, await getCode(browser, client))).body.id_token;
    const change = { id_token_hint: hint };
    assert.equal(await errorFor({ sub: { value: "account_other" } }, change), "invalid_request");
    for (const acr of [{ values: ["phrh", "phr"] }, { value: "phr" }, {}]) {
      assert.ok(locationOf(await ask({ acr: { essential: true, ...acr } })).searchParams.has("code"));
    }
    assert.ok(locationOf(await ask({ acr: { values: ["x"] } })).searchParams.has("code"), "voluntary");
    for (const acr of [{ values: ["phrh"] }, { value: "x" }]) {
      assert.equal(await errorFor({ acr: { essential: true, ...acr } }), "access_denied");
    }
  });
});

describe("the scope wallets", () => {
  async function withKeys(): Promise<Story & { readonly keys: readonly { id: string; address: string }[] }> {
    const story = await openStory(["openid", "wallets"]);
    const keys = [];
    for (const label of ["one", "two"]) {
      keys.push((await story.browser.post("/api/keys/generate", { label })).body.key);
    }
    return { ...story, keys };
  }

  async function choose({ browser, client }: Story, boxes: Fields, change: Fields = {}): Promise<string> {
    const path = authorizePath(client, { scope: "openid wallets", ...change });
    const request = pendingOf(await browser.get(path), "/consent");
    const page = await browser.get(`/consent?request=${request}`);
    assert.doesNotMatch(page.text, /name="end"/);
    const answer = await postDecision(browser, { request, decision: "approve", ...boxes });
    return locationOf(answer).searchParams.get("code")!;
  }

  test("shows the addresses that the user picked, gives no right on keys, and is remembered", async () => {
    const story = await withKeys();
    await using _ = story.app;
    const { app, browser, client, keys } = story;
    const [one] = keys;
    const code = await choose(story, { [`key:${one!.id}`]: "on", "key:key_foreign": "on" });
    const { body } = await redeem(app, client, code);
    const { userinfo, idToken, accessToken } = await seenBy(app, body);
    const wallets = [{ address: one!.address, keyId: one!.id }];
    assert.deepEqual(userinfo, { sub: story.sub, wallets });
    assert.deepEqual(idToken, userinfo);
    assert.equal("wallets" in accessToken, false);
    const headers = { authorization: `Bearer ${body.access_token}` };
    assert.notEqual((await app.client().get("/api/keys", { headers })).status, 200);
    const again = locationOf(await browser.get(authorizePath(client, { scope: "openid wallets" })));
    const second = await redeem(app, client, again.searchParams.get("code")!);
    assert.deepEqual((await seenBy(app, second.body)).userinfo, { sub: story.sub, wallets });
    await browser.post(`/api/keys/${one!.id}/archive`);
    assert.deepEqual((await seenBy(app, second.body)).userinfo, { sub: story.sub, wallets: [] });
  });

  test("may show none, and is asked for by a claim too", async () => {
    const story = await withKeys();
    await using _ = story.app;
    const claims = '{"userinfo":{"wallets":null}}';
    const { body } = await redeem(
      story.app,
      story.client,
      await choose(story, {}, { scope: "openid", claims }),
    );
    const { userinfo, idToken } = await seenBy(story.app, body);
    assert.deepEqual([userinfo, idToken], [{ sub: story.sub, wallets: [] }, { sub: story.sub }]);
  });
});
