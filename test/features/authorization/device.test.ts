import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as openid from "openid-client";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { createClient, signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { createProver } from "../../support/dpop.ts";
import { detailsOf, tokenProof } from "../../support/key-application.ts";
import { administer, basic, providerOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";
import { discover } from "../../support/openid-client.ts";
import { assertError, callAs, changeClient, postForm, refresh, register, TOKEN, userinfo } from "./story.ts";
import type { Fields } from "./story.ts";

const ENDPOINT = "/api/auth/oauth2/device_authorization";
const DEVICE = "/api/auth/device";
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
const POLICY = { version: 1, messages: { text: "allow" } };

interface Story extends AsyncDisposable {
  readonly app: TestApp;
  readonly browser: Client;
  readonly client: Registered;
}

async function openStory(change: object = {}, rateLimits: "on" | "off" = "off"): Promise<Story> {
  const app = await createTestApp({ rateLimits });
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  const client = await register(app, { type: "native", deviceGrant: true, ...change });
  return { app, browser, client, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

interface Codes {
  readonly deviceCode: string;
  readonly userCode: string;
}

async function begin({ app, client }: Story, change: Fields = {}): Promise<Codes> {
  const answer = await callAs(app, client, ENDPOINT, { scope: "openid", ...change });
  assert.equal(answer.status, 200, answer.text);
  return { deviceCode: answer.body.device_code, userCode: answer.body.user_code };
}

function poll({ app, client }: Pick<Story, "app" | "client">, { deviceCode }: Codes): Promise<Answer> {
  return callAs(app, client, TOKEN, { grant_type: GRANT_TYPE, device_code: deviceCode });
}

async function assertionFor(browser: Client, userCode: string): Promise<unknown> {
  const { status, body, text } = await browser.post(`${DEVICE}/approval/options`, { userCode });
  assert.equal(status, 200, text);
  return await browser.authenticator.authenticate(body, { origin: browser.origin });
}

async function approve(browser: Client, { userCode }: Codes, more: object = {}): Promise<Answer> {
  const response = await assertionFor(browser, userCode);
  return await browser.post(`${DEVICE}/approval`, { userCode, response, ...more });
}

async function createKey(browser: Client): Promise<{ readonly id: string; readonly address: string }> {
  const { status, body, text } = await browser.post("/api/keys/generate", {});
  assert.equal(status, 201, text);
  return body.key ?? body;
}

function codeOf({ status, body }: Answer): string {
  return `${status} ${body?.code}`;
}

describe("the device authorization grant (RFC 8628)", () => {
  test("issues codes for ten minutes, and tokens once the user has approved", async () => {
    await using story = await openStory();
    const { app, browser, client } = story;
    const { status, body, headers } = await callAs(app, client, ENDPOINT, { scope: "openid" });
    assert.equal(status, 200);
    assert.equal(headers.get("cache-control"), "no-store");
    const { device_code, user_code, ...rest } = body;
    assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(rest, {
      verification_uri: `${ORIGIN}/device`,
      verification_uri_complete: `${ORIGIN}/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const codes = { deviceCode: device_code, userCode: user_code };
    assertError(await poll(story, codes), 400, "authorization_pending");
    const variants = [
      user_code,
      user_code.toLowerCase(),
      user_code.replace("-", ""),
      ` ${[...user_code].join(" ")} `,
    ];
    for (const userCode of variants) {
      const { body } = await browser.get(`${DEVICE}?userCode=${encodeURIComponent(userCode)}`);
      assert.deepEqual(body.request, {
        userCode: user_code,
        application: { clientId: client.clientId, name: "Books", uri: "https://books.example" },
        scope: "openid",
        claims: ["email", "email_verified", "name"],
        network: "127.0.0.1",
        createdAt: new Date(app.now).toISOString(),
        expiresAt: new Date(app.now + 600_000).toISOString(),
      });
    }
    assert.equal((await approve(browser, { ...codes, userCode: variants[2] })).status, 204);
    const tokens = await poll(story, codes);
    assert.equal(tokens.status, 200, tokens.text);
    assert.equal(tokens.body.scope, "openid");
    assert.equal((await userinfo(app, tokens.body.access_token)).body.email, "ada@example.com");
    assert.equal((await refresh(app, client, tokens.body.refresh_token)).status, 200);
    const events = (await browser.get("/api/audit")).body.events.map(({ event }: { event: string }) => event);
    assert.deepEqual(events.slice(0, 4), [
      "grant_refreshed",
      "code_redeemed",
      "grant_started",
      "consent_given",
    ]);
    const applications = (await browser.get("/api/auth/grants")).body.grants;
    assert.deepEqual(applications.map(({ name }: { name: string }) => name), ["Books"]);
  });

  for (const [when, later] of [["soon", 0], ["after it expired", 600_000]] as const) {
    test(`gives tokens once: a second use ${when} ends the grant`, async () => {
      await using story = await openStory();
      const codes = await begin(story);
      await approve(story.browser, codes);
      const { body } = await poll(story, codes);
      story.app.now += later;
      assertError(await poll(story, codes), 400, "invalid_grant");
      assert.equal((await userinfo(story.app, body.access_token)).status, 401);
      assert.equal(codeOf(await story.browser.get(`${DEVICE}?userCode=${codes.userCode}`)), "404 not_found");
    });
  }

  test("gives tokens to one of many polls at once, and their grant ends", async () => {
    await using story = await openStory();
    const codes = await begin(story);
    await approve(story.browser, codes);
    const answers = await Promise.all(Array.from({ length: 9 }, () => poll(story, codes)));
    const [won, ...others] = answers.toSorted((one, other) => one.status - other.status);
    assert.equal(won!.status, 200);
    for (const answer of others) assertError(answer, 400, "invalid_grant");
    assert.equal((await userinfo(story.app, won!.body.access_token)).status, 401);
  });

  test("asks a device to slow down, by five seconds more each time", async () => {
    await using story = await openStory();
    const { app } = story;
    const codes = await begin(story);
    const after = async (milliseconds: number, error: string): Promise<void> => {
      app.now += milliseconds;
      assertError(await poll(story, codes), 400, error);
    };
    await after(0, "authorization_pending");
    await after(4_999, "slow_down");
    await after(9_999, "slow_down");
    await after(14_999, "slow_down");
    await after(20_000, "authorization_pending");
    await after(19_999, "slow_down");
    await approve(story.browser, codes);
    assert.equal((await poll(story, codes)).status, 200, "approved, at once");
  });

  test("expires, approved or not, and stays so if the clock is set back", async () => {
    await using story = await openStory();
    const { app, browser } = story;
    const [pending, approved] = [await begin(story), await begin(story)];
    await approve(browser, approved);
    app.now += 600_000;
    for (const codes of [pending, approved]) assertError(await poll(story, codes), 400, "expired_token");
    assert.equal(codeOf(await browser.get(`${DEVICE}?userCode=${pending.userCode}`)), "404 not_found");
    assert.equal((await browser.get(`/device?user_code=${pending.userCode}`)).status, 404);
    app.now -= 300_000;
    assertError(await poll(story, approved), 400, "invalid_grant");
  });

  test("tells the device of a denial", async () => {
    await using story = await openStory();
    const codes = await begin(story);
    const { userCode } = codes;
    assert.equal((await story.browser.post(`${DEVICE}/denial`, { userCode })).status, 204);
    assertError(await poll(story, codes), 400, "access_denied");
    assert.equal(codeOf(await story.browser.post(`${DEVICE}/denial`, { userCode })), "404 not_found");
    const options = await story.browser.post(`${DEVICE}/approval/options`, { userCode });
    assert.equal(codeOf(options), "404 not_found");
  });

  test("is for clients registered for it only", async () => {
    await using story = await openStory({ deviceGrant: false });
    const { app, client } = story;
    assertError(await callAs(app, client, ENDPOINT, { scope: "openid" }), 400, "unauthorized_client");
    const form = { grant_type: GRANT_TYPE, device_code: "x" };
    assertError(await callAs(app, client, TOKEN, form), 400, "unauthorized_client");
    assert.equal(
      (await administer(providerOf(app), "GET", `/${client.clientId}`)).body.client.deviceGrant,
      false,
    );
    await changeClient(app, client, { deviceGrant: true });
    const codes = await begin(story);
    await approve(story.browser, codes);
    await changeClient(app, client, { deviceGrant: false });
    assertError(await poll(story, codes), 400, "unauthorized_client");
  });

  test("validates the request as the authorization endpoint does, and authenticates the client", async () => {
    await using story = await openStory({ type: "web" });
    const { app, client } = story;
    const faults: readonly (readonly [Fields, string])[] = [
      [{}, "invalid_scope"],
      [{ scope: "keys:read" }, "invalid_scope"],
      [{ scope: "unknown" }, "invalid_scope"],
      [{ scope: "openid", resource: "https://other.example" }, "invalid_target"],
      [{ scope: "openid", authorization_details: "[]" }, "invalid_authorization_details"],
      [{ scope: "openid", claims: "[" }, "invalid_request"],
      [{ scope: "openid", claims: '{"id_token":{"sub":{"value":"x"}}}' }, "invalid_request"],
      [{ scope: "openid", dpop_jkt: "x" }, "invalid_request"],
    ];
    for (const [form, error] of faults) {
      assertError(await callAs(app, client, ENDPOINT, form), 400, error, JSON.stringify(form));
    }
    assertError(await postForm(app.client(), ENDPOINT, { scope: "openid" }), 401, "invalid_client");
    const unnamed = await postForm(app.client(), TOKEN, { grant_type: GRANT_TYPE }, basic(client));
    assertError(unnamed, 400, "invalid_request");
    const other = await register(app, { deviceGrant: true });
    const codes = await begin(story);
    assertError(await poll({ app, client: other }, codes), 400, "invalid_grant");
    for (const deviceCode of ["", "x", "0".repeat(69), `${"x".repeat(43)}${codes.deviceCode.slice(43)}`]) {
      const error = deviceCode === "" ? "invalid_request" : "invalid_grant";
      assertError(await poll(story, { ...codes, deviceCode }), 400, error);
    }
    assertError(await poll(story, codes), 400, "authorization_pending");
  });
});

describe("the approval of a device", () => {
  test("needs a passkey for this code in this session, however fresh the sign-in", async () => {
    await using story = await openStory();
    const { app, browser } = story;
    const [codes, other] = [await begin(story), await begin(story)];
    const { userCode } = codes;
    const send = async (person: Client, response: unknown): Promise<string> =>
      codeOf(await person.post(`${DEVICE}/approval`, { userCode, response }));
    assert.equal(await send(browser, await assertionFor(browser, other.userCode)), "401 invalid_passkey");
    const made = createClient(browser.origin, (request) => app.app(request, { clientAddress: "127.0.0.5" }));
    const second = { ...made, authenticator: browser.authenticator };
    assert.equal((await signIn(second)).status, 200);
    assert.equal(await send(second, await assertionFor(browser, userCode)), "401 invalid_passkey");
    const stepUp = (await browser.post("/api/auth/step-up/options", { action: "add_token" })).body;
    const stepped = await browser.authenticator.authenticate(stepUp, { origin: browser.origin });
    assert.equal(await send(browser, stepped), "401 invalid_passkey");
    assert.equal(await send(browser, null), "401 invalid_passkey");
    const used = await assertionFor(browser, userCode);
    const forged = structuredClone(used) as { response: { signature: string } };
    forged.response.signature = "AAAA";
    assert.equal(await send(browser, forged), "401 invalid_passkey");
    assert.equal((await browser.get("/api/audit")).body.events[0].event, "device_approval_refused");
    assert.equal(await send(browser, used), "401 invalid_passkey");
    assert.equal((await browser.post(`${DEVICE}/approval`, { userCode })).status, 400);
    assertError(await poll(story, codes), 400, "authorization_pending");
    assert.equal(await send(app.client(), null), "401 authentication_required");
  });

  test("a link shows what is asked, from where and when, and approves nothing", async () => {
    await using story = await openStory();
    const { app, browser } = story;
    const codes = await begin(story);
    const path = `/device?user_code=${codes.userCode}`;
    const away = await app.client().get(path);
    assert.equal(away.headers.get("location"), `/sign-in?next=${encodeURIComponent(path)}`);
    const { status, text } = await browser.get(path);
    assert.equal(status, 200);
    for (
      const part of ["Books", codes.userCode, "127.0.0.1", new Date(app.now).toISOString(), "ada@example.com"]
    ) {
      assert.ok(text.includes(part), part);
    }
    assertError(await poll(story, codes), 400, "authorization_pending");
    assert.equal((await browser.get("/device")).status, 200);
    for (const wrong of ["", "AEIO-UAEI", "BBBB-BBB", "BBBB-BBBB", "<b>"]) {
      const page = await browser.get(`/device?user_code=${wrong}`);
      assert.equal(page.status, 404, wrong);
      assert.equal(codeOf(await browser.get(`${DEVICE}?userCode=${wrong}`)), "404 not_found", wrong);
    }
    assert.equal((await browser.get(DEVICE)).status, 400);
  });

  test("counts the tries of a network", async () => {
    await using story = await openStory({}, "on");
    const { browser } = story;
    for (let index = 0; index < 60; index++) await browser.get(`${DEVICE}?userCode=BBBB-BBBB`);
    assert.equal(codeOf(await browser.get(`${DEVICE}?userCode=BBBB-BBBB`)), "429 rate_limited");
    assert.equal((await browser.get("/device?user_code=BBBB-BBBB")).status, 429);
    assert.equal(
      codeOf(await browser.post(`${DEVICE}/denial`, { userCode: "BBBB-BBBB" })),
      "429 rate_limited",
    );
  });

  test("gives the keys, the rules and the length that the user chose", async () => {
    await using story = await openStory({
      type: "web",
      scopes: ["openid", "keys:read", "keys:sign", "wallets"],
      dpopBoundAccessTokens: false,
    });
    const { app, browser } = story;
    const first = await createKey(browser);
    await createKey(browser);
    const scope = "openid keys:read keys:sign wallets";
    const codes = await begin(story, { scope, authorization_details: detailsOf(POLICY) });
    const page = await browser.get(`/device?user_code=${codes.userCode}`);
    assert.ok(page.text.includes(`key:${first.id}`) && page.text.includes('name="end"'), page.text);
    assert.equal(codeOf(await approve(browser, codes)), "400 invalid_request");
    const rules = [...page.text.matchAll(/name="rule:([^"]+)"/g)].map(([, name]) => name);
    for (const wrong of [{ keys: ["key_x"] }, { keys: first.id }, { end: "year" }, { template: "none" }]) {
      assert.equal(
        codeOf(await approve(browser, codes, wrong)),
        "400 invalid_request",
        JSON.stringify(wrong),
      );
    }
    const answer = await approve(browser, codes, { keys: [first.id], rules, end: "hour" });
    assert.equal(answer.status, 204, answer.text);
    const { status, body, text } = await poll(story, codes);
    assert.equal(status, 200, text);
    assert.deepEqual(body.authorization_details[0].keys, [first.id]);
    assert.equal(body.authorization_details[0].policy.messages.text, "allow");
    assert.ok(body.expires_in <= 3600);
    const { wallets } = (await userinfo(app, body.access_token)).body;
    assert.deepEqual(wallets, [{ address: first.address, keyId: first.id }]);
  });

  test("grants the policy that the user wrote, and refuses a faulty one", async () => {
    await using story = await openStory({
      type: "web",
      scopes: ["openid", "keys:read", "keys:sign"],
      dpopBoundAccessTokens: false,
    });
    const { id } = await createKey(story.browser);
    const codes = await begin(story, { scope: "keys:read keys:sign" });
    const choice = { keys: [id], template: "own" };
    for (const policy of [undefined, { version: 2 }, "{"]) {
      const answer = await approve(story.browser, codes, { ...choice, policy });
      assert.equal(codeOf(answer), "400 invalid_request", answer.text);
    }
    const policy = { version: 1, messages: { text: "ask" } };
    assert.equal((await approve(story.browser, codes, { ...choice, policy })).status, 204);
    const { body, text } = await poll(story, codes);
    assert.equal(body.authorization_details?.[0].policy.messages.text, "ask", text);
  });

  test("is not for an account outside the client's groups, nor for a disabled client", async () => {
    await using story = await openStory();
    const { app, browser, client } = story;
    const codes = await begin(story);
    const { userCode } = codes;
    const response = await assertionFor(browser, userCode);
    await changeClient(app, client, { groups: [] });
    assert.equal(codeOf(await browser.post(`${DEVICE}/approval`, { userCode, response })), "403 no_access");
    assert.equal(codeOf(await browser.post(`${DEVICE}/approval/options`, { userCode })), "403 no_access");
    const page = await browser.get(`/device?user_code=${userCode}`);
    assert.ok(page.text.includes("is in no group that may use"));
    assert.ok(!page.text.includes("Allow with a passkey"));
    await changeClient(app, client, { groups: null });
    assert.equal((await approve(browser, codes)).status, 204);
    await changeClient(app, client, { groups: [] });
    assertError(await poll(story, codes), 400, "invalid_grant");
    await changeClient(app, client, { groups: null, disabled: true });
    assertError(await poll(story, codes), 401, "invalid_client");
  });

  test("a disabled client's code is unknown", async () => {
    await using story = await openStory();
    const { userCode } = await begin(story);
    await changeClient(story.app, story.client, { disabled: true });
    assert.equal(codeOf(await story.browser.get(`${DEVICE}?userCode=${userCode}`)), "404 not_found");
  });

  test("ends with the session that gave it, until the device has its tokens", async () => {
    await using story = await openStory();
    const codes = await begin(story);
    await approve(story.browser, codes);
    await story.browser.post("/api/auth/sign-out");
    assertError(await poll(story, codes), 400, "invalid_grant");
  });
});

describe("a device with DPoP (RFC 9449)", () => {
  test("binds the device code to the key of its first proof", async () => {
    await using story = await openStory();
    const { app, client } = story;
    const prover = await createProver();
    const codes = await begin(story, { dpop_jkt: prover.jkt });
    await approve(story.browser, codes);
    assertError(await poll(story, codes), 400, "invalid_grant");
    const form = { grant_type: GRANT_TYPE, device_code: codes.deviceCode, client_id: client.clientId };
    const wrong = { dpop: await tokenProof(app, await createProver()) };
    assertError(await postForm(app.client(), TOKEN, form, wrong), 400, "invalid_grant");
    const answer = await postForm(app.client(), TOKEN, form, { dpop: await tokenProof(app, prover) });
    assert.deepEqual([answer.status, answer.body.token_type], [200, "DPoP"], answer.text);
  });

  test("takes a proof with the request, and refuses another key beside it", async () => {
    await using story = await openStory();
    const { app, client } = story;
    const prover = await createProver();
    const claims = { htm: "POST", htu: ORIGIN + ENDPOINT, iat: app.now / 1000 };
    const send = (form: Fields, dpop: string) =>
      postForm(app.client(), ENDPOINT, { client_id: client.clientId, scope: "openid", ...form }, { dpop });
    const first = await send({}, await prover.prove(claims));
    assertError(first, 400, "use_dpop_nonce");
    const nonce = first.headers.get("dpop-nonce")!;
    const other = { dpop_jkt: (await createProver()).jkt };
    assertError(await send(other, await prover.prove({ ...claims, nonce })), 400, "invalid_dpop_proof");
    const { status, body } = await send({}, await prover.prove({ ...claims, nonce }));
    assert.equal(status, 200);
    const codes = { deviceCode: body.device_code, userCode: body.user_code };
    await approve(story.browser, codes);
    assertError(await poll(story, codes), 400, "invalid_grant");
  });
});

test("openid-client signs in on a device", async () => {
  await using story = await openStory();
  const config = await discover(story.app, story.client);
  const issued = await openid.initiateDeviceAuthorization(config, { scope: "openid" });
  await approve(story.browser, { deviceCode: issued.device_code, userCode: issued.user_code });
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...issued, interval: 0.001 });
  assert.equal(tokens.claims()?.iss, ORIGIN);
  const { email } = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()!.sub);
  assert.equal(email, "ada@example.com");
});
