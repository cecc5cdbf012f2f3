import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import {
  AUTHORIZE,
  authorizeFully,
  authorizePath,
  changeClient,
  errorOf,
  getCode,
  getTokens,
  goodRequest,
  jwtPart,
  postForm,
  redeem,
  register,
} from "./story.ts";
import type { Fields } from "./story.ts";
import { locationOf, pendingOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";

const CB = "https://books.example/cb";

/** Asserts that the response is an error page without a redirect. */
function assertPage(answer: Answer, message: string): void {
  assert.equal(answer.status, 400, message);
  assert.equal(answer.headers.get("location"), null, message);
  assert.equal(answer.headers.get("content-type"), "text/html; charset=utf-8", message);
}

async function openStory(): Promise<{ app: TestApp; browser: Client; client: Registered }> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  return { app, browser, client: await register(app) };
}

describe("GET authorize: a fault in client or redirect URI gets an error page, never a redirect", () => {
  /** The changed parameters, with the number of the rule. */
  const FAULTS: readonly (readonly [number: string, change: Fields])[] = [
    ["T1", { client_id: undefined }],
    ["T2", { client_id: "0123456789abcdefghijklmnop" }],
    ["T6", { redirect_uri: undefined }],
    ["T8", { redirect_uri: "https://evil.example/cb", response_type: "nonsense" }],
    ["T11", { redirect_uri: `${CB}/` }],
    ["T12", { redirect_uri: "https://Books.example/cb" }],
    ["T13", { redirect_uri: "https://books.example/CB" }],
    ["T14", { redirect_uri: "https://books.example:443/cb" }],
    ["T15", { redirect_uri: `${CB}?x=1` }],
    ["T16", { redirect_uri: "https://books.example/other?a=2" }],
    ["T17", { redirect_uri: `${CB}#x` }],
    ["T18", { redirect_uri: "https://books.example%2Fcb" }],
    ["T18", { redirect_uri: "https://books.example/%2e%2e/cb" }],
    ["T18", { redirect_uri: "https://books.example/%2563b" }],
    ["T19", { redirect_uri: "https://books.example/x/../cb" }],
    ["T19", { redirect_uri: "https://books.example/./cb" }],
    ["T20", { redirect_uri: "https://books.example@evil.example/cb" }],
    ["T20", { redirect_uri: "https://books.example:80@evil.example/cb" }],
    ["T21", { redirect_uri: "https://books.example\\cb" }],
    ["T21", { redirect_uri: `${CB}\t` }],
    ["T21", { redirect_uri: `${CB}\r\nset-cookie: a=b` }],
    ["T21", { redirect_uri: `${CB}\0` }],
    ["T21", { redirect_uri: ` ${CB}` }],
    ["T22", { redirect_uri: "https://ｂooks.example/cb" }],
    ["T22", { redirect_uri: "https://books\u00ad.example/cb" }],
    ["T23", { redirect_uri: "https://books.example.evil/cb" }],
    ["T23", { redirect_uri: "https://a.books.example/cb" }],
    ["T23", { redirect_uri: "https://booksxexample/cb" }],
    ["T27", { redirect_uri: "https://books.example:8443/cb" }],
    ["T48b", { redirect_uri: "https://evil.example/cb", prompt: "none" }],
  ];

  test(`for ${[...new Set(FAULTS.map(([number]) => number))].join(", ")}, also without a session (T9)`, async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    for (const [number, change] of FAULTS) {
      const path = authorizePath(client, change);
      assertPage(await browser.get(path), number);
      assertPage(await app.client().get(path), `${number} signed out`);
    }
    assert.equal((await browser.get(authorizePath(client))).status, 303);
  });

  test("for a disabled client (T3), as for an unknown one (T2), and a single URI must still be sent (T7)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const one = await register(app, { redirectUris: [CB] });
    assertPage(await browser.get(authorizePath(one, { redirect_uri: undefined })), "T7");
    await changeClient(app, client, { disabled: true });
    const withoutId = ({ text }: Answer) => text.replace(/<code>[0-9a-f]{32}<\/code>/, "");
    const disabled = await browser.get(authorizePath(client));
    assertPage(disabled, "T3");
    const unknown = await browser.get(authorizePath(client, { client_id: "x" }));
    assert.equal(withoutId(disabled), withoutId(unknown));
  });

  test("for client_id (T4) and redirect_uri (T5) twice, also with the same value", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    for (const again of [`client_id=${client.clientId}`, `redirect_uri=${encodeURIComponent(CB)}`]) {
      assertPage(await browser.get(`${authorizePath(client)}&${again}`), again);
    }
  });

  test("the page is not stored, not framed, sends no referrer and echoes nothing (T10, T56)", async () => {
    await using app = await createTestApp();
    const { headers, text } = await app.client().get(`${AUTHORIZE}?client_id=%3Cscript%3Ealert(1)`);
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.match(headers.get("content-security-policy")!, /frame-ancestors 'none'/);
    assert.doesNotMatch(text, /alert\(1\)/);
  });
});

describe("GET authorize: every other fault is returned to the client with state and iss", () => {
  const FAULTS: readonly (readonly [number: string, change: Fields, error: string])[] = [
    ["T28", { code_challenge: undefined, code_challenge_method: undefined }, "invalid_request"],
    ["T28", { code_challenge: undefined, code_challenge_method: undefined, nonce: "n" }, "invalid_request"],
    ["T29", { code_challenge_method: undefined }, "invalid_request"],
    ["T30", { code_challenge_method: "plain" }, "invalid_request"],
    ["T31", { code_challenge_method: "s256" }, "invalid_request"],
    ["T31", { code_challenge_method: "S512" }, "invalid_request"],
    ["T31", { code_challenge_method: "" }, "invalid_request"],
    ["T32", { code_challenge: undefined }, "invalid_request"],
    ["T33", { code_challenge: "a".repeat(42) }, "invalid_request"],
    ["T33", { code_challenge: "a".repeat(44) }, "invalid_request"],
    ["T33", { code_challenge: "a".repeat(129) }, "invalid_request"],
    ["T33", { code_challenge: `${"a".repeat(42)}=` }, "invalid_request"],
    ["T33", { code_challenge: `${"a".repeat(42)}+` }, "invalid_request"],
    ["T33", { code_challenge: `${"a".repeat(42)}/` }, "invalid_request"],
    ["T33", { code_challenge: `${"a".repeat(42)} ` }, "invalid_request"],
    ["T33", { code_challenge: `${"a".repeat(42)}é` }, "invalid_request"],
    ["T43", { response_type: undefined }, "invalid_request"],
    ["T44", { response_type: "foo" }, "unsupported_response_type"],
    ["T45", { response_type: "token" }, "unsupported_response_type"],
    ["T45", { response_type: "id_token" }, "unsupported_response_type"],
    ["T45", { response_type: "code id_token" }, "unsupported_response_type"],
    ["T45", { response_type: "code token" }, "unsupported_response_type"],
    ["T45", { response_type: "none" }, "unsupported_response_type"],
    ["T46", { response_mode: "fragment" }, "invalid_request"],
    ["T46", { response_mode: "form_post" }, "invalid_request"],
    ["T46", { response_mode: "web_message" }, "invalid_request"],
    ["T47", { scope: undefined }, "invalid_scope"],
    ["T47", { scope: "email" }, "invalid_scope"],
    ["T47", { scope: 'openid "' }, "invalid_scope"],
    ["T47", { scope: "openid \\" }, "invalid_scope"],
    ["T49", { prompt: "none login" }, "invalid_request"],
    ["T49", { prompt: "none select_account" }, "invalid_request"],
    ["T49", { prompt: "create" }, "invalid_request"],
    ["T49", { prompt: "none" }, "consent_required"],
    ["T59a", { request: "e30.e30." }, "request_not_supported"],
    ["T59a", { request_uri: "https://books.example/r" }, "request_uri_not_supported"],
    ["T59a", { registration: "{}" }, "registration_not_supported"],
    ["T59c", { max_age: "-1" }, "invalid_request"],
    ["T59c", { max_age: "abc" }, "invalid_request"],
    ["T59c", { max_age: "1e9" }, "invalid_request"],
    ["T59c", { max_age: "9007199254740992" }, "invalid_request"],
    ["T53", { state: "s".repeat(2049) }, "invalid_request"],
  ];

  test(`for ${[...new Set(FAULTS.map(([number]) => number))].join(", ")} (T51, T54)`, async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    for (const [number, change, error] of FAULTS) {
      const parameters = errorOf(await browser.get(authorizePath(client, change)), CB);
      assert.equal(parameters.get("error"), error, `${number} ${JSON.stringify(change)}`);
      if (number !== "T53") assert.equal(parameters.get("state"), "the state");
    }
  });

  test("for a repeated parameter (T34), and without the state if that is repeated (T53)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const path = authorizePath(client);
    const challenge = errorOf(await browser.get(`${path}&code_challenge=x`), CB);
    assert.deepEqual([challenge.get("error"), challenge.get("state")], ["invalid_request", "the state"]);
    const state = errorOf(await browser.get(`${path}&state=x`), CB);
    assert.deepEqual([state.get("error"), state.get("state")], ["invalid_request", null]);
  });

  test("prompt=none without a session is login_required (T48), with another user's hint too (T59e)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const silent = authorizePath(client, { prompt: "none" });
    assert.equal(errorOf(await app.client().get(silent), CB).get("error"), "login_required");
    const { id_token: hint } = await getTokens(app, browser, client);
    const other = app.client();
    await signUp(other, "eve@example.com");
    const hinted = authorizePath(client, { prompt: "none", id_token_hint: hint });
    assert.equal(errorOf(await other.get(hinted), CB).get("error"), "login_required");
    assert.ok(locationOf(await browser.get(hinted)).searchParams.has("code"));
  });
});

describe("GET authorize: returns", () => {
  test("exactly code, state and iss (T50), in addition to the URI's query (T16), without a state if none was sent (T53)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const location = await authorizeFully(browser, client);
    assert.equal(location.origin + location.pathname, CB);
    assert.deepEqual([...location.searchParams.keys()], ["code", "state", "iss"]);
    assert.equal(location.searchParams.get("iss"), ORIGIN);
    const second = await authorizeFully(browser, client, { redirect_uri: client.redirectUris[1] });
    assert.match(
      second.href,
      /^https:\/\/books\.example\/other\?a=1&code=[A-Za-z0-9]+&state=the\+state&iss=/,
    );
    for (const state of [undefined, ""]) {
      const { searchParams } = await authorizeFully(browser, client, { state });
      assert.deepEqual([...searchParams.keys()], ["code", "iss"]);
    }
  });

  test("the state as it was sent (T53), also 2,000 characters of it", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    for (const state of ['&=%"<>é+ \r\n', "é".repeat(2000), "%2526", "a'b"]) {
      assert.equal((await authorizeFully(browser, client, { state })).searchParams.get("state"), state);
    }
  });

  test("the scope openid for unknown scopes (T47), and ignores unknown parameters (T59b)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const code = await getCode(browser, client, { scope: "openid unknown", foo: "bar", claims: "{}" });
    assert.equal((await redeem(app, client, code)).body.scope, "openid");
  });

  test("to the port that a native application sent (T25, T27), and only there (T26)", async () => {
    const { app, browser } = await openStory();
    await using _ = app;
    const redirectUris = ["http://127.0.0.1/cb", "http://localhost/here"];
    const native = await register(app, { type: "native", redirectUris });
    for (const redirect_uri of ["http://127.0.0.1:51004/cb", "http://localhost:51004/here"]) {
      const location = await authorizeFully(browser, native, { redirect_uri });
      assert.equal(location.origin + location.pathname, redirect_uri);
      assert.ok(location.searchParams.has("code"));
    }
    const wrong = ["http://127.0.0.1:1/other", "http://127.0.0.1:1/cb?x", "https://127.0.0.1:1/cb"];
    wrong.push("http://a@127.0.0.1:1/cb", "http://127.0.0.1.evil/cb", "http://127.1/cb", "http://[::1]/cb");
    wrong.push("http://2130706433/cb", "http://localhost:1/cb", "http://127.0.0.1:1/here");
    for (const redirect_uri of wrong) {
      assertPage(await browser.get(authorizePath(native, { redirect_uri })), redirect_uri);
    }
  });

  test("a nonce of 64 and of 384 characters unchanged (T59f)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    for (const nonce of ["n".repeat(64), "n".repeat(384)]) {
      const { body } = await redeem(app, client, await getCode(browser, client, { nonce }));
      assert.equal(jwtPart(body.id_token, 1).nonce, nonce);
    }
  });

  test("a response that no other origin may read (T55), and 405 to other methods (T58)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const { headers } = await browser.get(authorizePath(client), {
      headers: { origin: "https://evil.example" },
    });
    assert.equal(headers.get("access-control-allow-origin"), null);
    for (const method of ["OPTIONS", "PUT", "DELETE"]) {
      const answer = await browser.request(method, authorizePath(client));
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.get("allow"), "GET, HEAD, POST");
      assert.equal(answer.headers.get("access-control-allow-origin"), null);
    }
  });
});

describe("GET authorize: signing in again", () => {
  test("prompt=login and max_age require it although the user is signed in; auth_time is then new (T49, T59c, T59d)", async () => {
    for (
      const change of [{ prompt: "login" }, { prompt: "select_account" }, { max_age: "0" }, { max_age: "60" }]
    ) {
      const { app, browser, client } = await openStory();
      await using _ = app;
      const before = app.now;
      app.now += 61_000;
      const request = pendingOf(await browser.get(authorizePath(client, change)), "/sign-in");
      assert.equal((await browser.get(`/sign-in?request=${request}`)).status, 200);
      assert.equal(pendingOf(await browser.get(`/consent?request=${request}`), "/sign-in"), request);
      app.now += 1000;
      assert.equal((await signIn(browser)).status, 200);
      const page = await browser.get(`/consent?request=${request}`);
      assert.equal(page.status, 200, JSON.stringify(change));
      const code = (await postForm(browser, "/consent", { request, decision: "approve" }, {
        "sec-fetch-site": "same-origin",
      })).headers.get("location")!;
      const tokens = await redeem(app, client, new URL(code).searchParams.get("code")!);
      assert.equal(jwtPart(tokens.body.id_token, 1).auth_time, Math.floor((before + 62_000) / 1000));
    }
  });

  test("an address in login_hint is not shown, whether or not it has an account (T59g)", async () => {
    const { app, client } = await openStory();
    await using _ = app;
    const pages = await Promise.all(["ada@example.com", "<script>x"].map(async (login_hint) => {
      const stranger = app.client();
      const request = pendingOf(await stranger.get(authorizePath(client, { login_hint })), "/sign-in");
      return (await stranger.get(`/sign-in?request=${request}`)).text.replaceAll(request, "");
    }));
    assert.equal(pages[0], pages[1]);
    assert.doesNotMatch(pages[0]!, /ada@example\.com|<script>x/);
  });
});

describe("POST authorize", () => {
  test("works like GET, without a cookie, through a redirect (T58)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    await getCode(browser, client);
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://books.example" };
    const stranger = app.client();
    const answer = await postForm(stranger, AUTHORIZE, goodRequest(client), foreign);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    const request = pendingOf(answer, "/consent");
    const location = locationOf(await browser.get(`/consent?request=${request}`));
    assert.equal(location.origin + location.pathname, CB);
    assert.ok(location.searchParams.has("code"));
    // The request was used up. Another browser does not find it.
    assertPage(await stranger.get(`/consent?request=${request}`), "used");
  });

  test("answers faults as GET does, and accepts forms only (T58)", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    assertPage(await postForm(browser, AUTHORIZE, goodRequest(client, { redirect_uri: "x" })), "page");
    const answer = await postForm(browser, AUTHORIZE, goodRequest(client, { scope: "x" }));
    assert.equal(errorOf(answer, CB).get("error"), "invalid_scope");
    assert.equal((await browser.post(AUTHORIZE, { client_id: client.clientId })).status, 415);
    assert.equal((await postForm(browser, AUTHORIZE, `a=${"a".repeat(65_536)}`)).status, 413);
  });
});

test("authorize stores at most 300 new requests a minute for a network, and then answers 429 with a page", async () => {
  await using app = await createTestApp({ rateLimits: "on" });
  const client = await register(app);
  const ask = (address: string): Promise<Answer> => app.client(address).get(authorizePath(client));
  for (let round = 0; round < 300; round++) assert.equal((await ask("192.0.2.1")).status, 303);
  const limited = await ask("192.0.2.1");
  assert.deepEqual([limited.status, limited.headers.get("location")], [429, null]);
  assert.match(limited.headers.get("retry-after")!, /^[1-9]\d*$/);
  assert.equal(limited.headers.get("content-type"), "text/html; charset=utf-8");
  assert.equal((await ask("192.0.2.2")).status, 303);
  const silent = await app.client("192.0.2.1").get(authorizePath(client, { prompt: "none" }));
  assert.equal(errorOf(silent, CB).get("error"), "login_required");
});
