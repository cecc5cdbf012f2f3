import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import {
  assertError,
  authorizePath,
  changeClient,
  END_SESSION,
  errorOf,
  getCode,
  getTokens,
  jwtPart,
  postDecision,
  postForm,
  redeem,
  refresh,
  register,
  userinfo,
} from "./story.ts";
import { locationOf, pendingOf } from "../../support/oauth.ts";

const SAME_ORIGIN = { "sec-fetch-site": "same-origin" };

describe("pages of a pending request", () => {
  test("answer 400 for an unknown id, also one that the database rejects", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    for (const request of ["\0", "request_\0", "", "é", "a".repeat(5000)]) {
      const query = new URLSearchParams({ request });
      const decision = { request, decision: "approve" };
      const answers = [
        await browser.get(`/consent?${query}`),
        await postDecision(browser, decision),
        await browser.get(`/end-session?${query}`),
        await postForm(browser, "/end-session", { request, decision: "sign_out" }, SAME_ORIGIN),
      ];
      assert.deepEqual(answers.map(({ status }) => status), [400, 400, 400, 400]);
    }
    assert.equal(app.logged.some((line) => line.includes("request_failed")), false);
    assert.notEqual((await browser.get("/api/auth/session")).body.session, null);
  });

  test("issue no code for a consent before the required sign-in", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const client = await register(app);
    await getTokens(app, browser, client);
    for (const change of [{ prompt: "login" }, { max_age: "0" }, { prompt: "select_account" }]) {
      const request = pendingOf(await browser.get(authorizePath(client, change)), "/sign-in");
      // The user has not seen the consent page yet: redirects there, and from there to sign in.
      const answer = await postDecision(browser, { request, decision: "approve" });
      assert.equal(pendingOf(answer, "/consent"), request);
      assert.equal(pendingOf(await browser.get(`/consent?request=${request}`), "/sign-in"), request);
    }
  });
});

describe("GET end-session", () => {
  test("neither redirects to a disabled client nor signs out for it without confirmation", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const client = await register(app);
    const { id_token: id_token_hint } = await getTokens(app, browser, client);
    const query = { id_token_hint, post_logout_redirect_uri: "https://books.example/bye" };
    const path = `${END_SESSION}?${new URLSearchParams(query)}`;
    await changeClient(app, client, { disabled: true });
    assert.equal(locationOf(await app.client().get(path)).pathname, "/signed-out");
    const request = pendingOf(await browser.get(path), "/end-session");
    const page = await browser.get(`/end-session?request=${request}`);
    assert.equal(page.status, 200);
    assert.equal(page.text.includes("Books"), false);
    await changeClient(app, client, { disabled: false });
    assert.equal(locationOf(await browser.get(path)).href, "https://books.example/bye");
  });
});

test("no client can opt out of PKCE (T41)", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const metadata = {
    name: "Books",
    uri: "https://books.example",
    type: "web",
    redirectUris: ["https://books.example/cb"],
  };
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const create = (body: object) => app.client().post("/api/admin/oauth/clients", body, { headers });
  const refused = await create({ ...metadata, requirePkce: false });
  assert.deepEqual([refused.status, refused.body.errors[0].path], [400, "/requirePkce"]);
  const { client } = (await create(metadata)).body;
  const without = { code_challenge: undefined, code_challenge_method: undefined, nonce: "n" };
  const error = errorOf(await browser.get(authorizePath(client, without)), client.redirectUris[0]);
  assert.equal(error.get("error"), "invalid_request");
});

test("signing out keeps grants; withdrawn access ends (T108)", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const [kept, withdrawn] = [await register(app), await register(app)];
  const [keptToken, withdrawnToken] = [
    (await getTokens(app, browser, kept)).refresh_token,
    (await getTokens(app, browser, withdrawn)).refresh_token,
  ];
  const answer = await browser.request("DELETE", `/api/auth/grants/${withdrawn.clientId}`);
  assert.equal(answer.status, 204, answer.text);
  assert.equal((await browser.post("/api/auth/sign-out")).status, 204);
  assertError(await refresh(app, withdrawn, withdrawnToken), 400, "invalid_grant");
  assert.equal((await refresh(app, kept, keptToken)).status, 200);
});

test("userinfo is 403 insufficient_scope for a token without openid (T123)", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const { access_token } = await getTokens(app, browser, await register(app));
  const { kid } = jwtPart(access_token, 0);
  const key = await app.db.selectFrom("token_key").selectAll().where("id", "=", kid)
    .executeTakeFirstOrThrow();
  const sign = (scope: string) =>
    app.vault.signJwt({ ...key, kid }, "at+jwt", { ...jwtPart(access_token, 1), scope });
  assert.equal((await userinfo(app, await sign("openid"))).status, 200);
  for (const scope of ["", "profile", "openidx"]) {
    const answer = await userinfo(app, await sign(scope));
    assertError(answer, 403, "insufficient_scope");
    assert.match(answer.headers.get("www-authenticate")!, /^Bearer .*error="insufficient_scope"/);
  }
});

test("a failure between consuming and issuing leaves code and token valid (T148)", async () => {
  await using app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const client = await register(app);
  const code = await getCode(browser, client);
  const breakDown = sql`create trigger breakdown before insert on refresh_token
    begin select raise(abort, 'broken'); end`;
  const repair = sql`drop trigger breakdown`;

  await breakDown.execute(app.db);
  const failed = await redeem(app, client, code);
  assert.ok(failed.status >= 500, failed.text);
  await repair.execute(app.db);
  const redeemed = await redeem(app, client, code);
  assert.equal(redeemed.status, 200, redeemed.text);

  await breakDown.execute(app.db);
  assert.ok((await refresh(app, client, redeemed.body.refresh_token)).status >= 500);
  await repair.execute(app.db);
  assert.equal((await refresh(app, client, redeemed.body.refresh_token)).status, 200);
});
