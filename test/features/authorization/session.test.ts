import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import { authorizePath, getCode, getTokens, jwtPart, redeem, refresh, register } from "./story.ts";
import { pendingOf } from "../../support/oauth.ts";

const SESSION = "service.session_token";
const TIE = "service.authorization";

describe("sessions around an authorization request", () => {
  test("a sign-in issues a new session token, and invalidates the one before (T136)", async () => {
    await using app = await createTestApp();
    const client = await register(app);
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const old = browser.cookies.get(SESSION)!;
    const redirected = await browser.get(authorizePath(client, { prompt: "login" }));
    const request = pendingOf(redirected, "/sign-in");
    assert.equal((await signIn(browser)).status, 200);
    assert.notEqual(browser.cookies.get(SESSION), old);
    const thief = app.client();
    thief.cookies.set(SESSION, old);
    assert.equal((await thief.get("/api/keys")).status, 401);
    thief.cookies.set(TIE, browser.cookies.get(TIE)!);
    assert.equal(pendingOf(await thief.get(`/consent?request=${request}`), "/sign-in"), request);
  });

  test("the cookies are HttpOnly, SameSite=Lax, for every path and without a domain (T137)", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    const enrolled = await signUp(browser, "ada@example.com");
    const redirected = await browser.get(authorizePath(await register(app)));
    const given = [...enrolled.headers.getSetCookie(), ...redirected.headers.getSetCookie()];
    for (const [name, seconds] of [[SESSION, 2_592_000], [TIE, 3600]] as const) {
      const cookie = given.find((text) => text.startsWith(`${name}=`))!;
      const attributes = cookie.split(";").slice(1).map((text) => text.trim().toLowerCase());
      for (const wanted of ["httponly", "samesite=lax", "path=/", `max-age=${seconds}`]) {
        assert.ok(attributes.includes(wanted), `${name}: ${wanted}`);
      }
      assert.ok(!attributes.some((text) => text.startsWith("domain")), name);
    }
  });

  test("a session that was signed out is invalid, and its pending request asks to sign in (T138)", async () => {
    await using app = await createTestApp();
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const redirected = await browser.get(authorizePath(await register(app)));
    const request = pendingOf(redirected, "/consent");
    const token = browser.cookies.get(SESSION)!;
    await browser.post("/api/auth/sign-out");
    browser.cookies.set(SESSION, token);
    assert.equal((await browser.get("/api/auth/session")).body.session, null);
    assert.equal(pendingOf(await browser.get(`/consent?request=${request}`), "/sign-in"), request);
  });

  test("a refreshed ID token has the auth_time of the same sign-in, newly issued, without the nonce (T109)", async () => {
    await using app = await createTestApp();
    const client = await register(app);
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const { body } = await redeem(app, client, await getCode(browser, client, { nonce: "n" }));
    app.now += 60_000;
    const before = jwtPart(body.id_token, 1);
    const after = jwtPart((await refresh(app, client, body.refresh_token)).body.id_token, 1);
    for (const name of ["iss", "sub", "aud", "auth_time"]) assert.deepEqual(after[name], before[name], name);
    assert.deepEqual([after.iat - before.iat, before.nonce, after.nonce], [60, "n", undefined]);
  });

  test("no two of many codes and tokens have the same prefix (T110)", async () => {
    await using app = await createTestApp();
    const client = await register(app);
    const browser = app.client();
    await signUp(browser, "ada@example.com");
    const seen = new Set<string>();
    for (let round = 0; round < 20; round++) {
      seen.add((await getCode(browser, client)).slice(0, 12));
      seen.add((await getTokens(app, browser, client)).refresh_token.slice(0, 12));
    }
    assert.equal(seen.size, 40);
  });
});
