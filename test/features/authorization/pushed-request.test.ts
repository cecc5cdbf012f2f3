import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as openid from "openid-client";
import { canonicalPolicy } from "../../../src/policy/canonical.ts";
import { type Policy, POLICY_LIMITS } from "../../../src/policy/policy.ts";
import { readPolicy } from "../../../src/policy/read-policy.ts";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { createProver } from "../../support/dpop.ts";
import { discover } from "../../support/openid-client.ts";
import { basic, locationOf, pendingOf } from "../../support/oauth.ts";
import type { Registered } from "../../support/oauth.ts";
import {
  assertError,
  AUTHORIZE,
  authorizePath,
  callAs,
  changeClient,
  encode,
  errorOf,
  goodRequest,
  postDecision,
  postForm,
  redeem,
  register,
  VERIFIER,
} from "./story.ts";
import type { Fields } from "./story.ts";

/** Returns a policy with this many characters of canonical JSON, much of which is longer in a form. */
function policyOfLength(length: number): Policy {
  const where = Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`/${at}`, { atMost: "1" }]));
  const padded = (padding: number): Policy => {
    const typedData = Array.from({ length: 45 }, (_, index) => ({
      chainId: 1,
      verifyingContract: `0x${"00".repeat(20)}`,
      typeHash: `0x${"00".repeat(32)}`,
      name: "n".repeat(1 + Math.min(Math.max(padding - 255 * index, 0), 255)),
      where,
    }));
    return readPolicy({ version: 1, typedData }, "");
  };
  return padded(length - canonicalPolicy(padded(0)).length);
}

const PAR = "/api/auth/oauth2/par";
const CB = "https://books.example/cb";

function push(app: TestApp, client: Registered, change: Fields = {}): Promise<Answer> {
  return callAs(app, client, PAR, Object.fromEntries(new URLSearchParams(goodRequest(client, change))));
}

async function pushed(app: TestApp, client: Registered, change: Fields = {}): Promise<string> {
  const answer = await push(app, client, change);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.request_uri;
}

function pathOf({ clientId: client_id }: Registered, request_uri: string, more: Fields = {}): string {
  return `${AUTHORIZE}?${encode({ client_id, request_uri, ...more })}`;
}

interface Story {
  readonly app: TestApp;
  readonly browser: Client;
  readonly client: Registered;
}

async function openStory(change: object = {}): Promise<Story> {
  const app = await createTestApp();
  const browser = app.client();
  await signUp(browser, "ada@example.com");
  return { app, browser, client: await register(app, change) };
}

function assertPage(answer: Answer, message = answer.text): void {
  assert.deepEqual([answer.status, answer.body], [400, undefined], message);
  assert.ok(answer.headers.get("content-type")?.startsWith("text/html"));
}

describe("POST par (RFC 9126)", () => {
  test("stores a request for 60 seconds, whose code works once, and then another is needed", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const answer = await push(app, client);
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.body), ["request_uri", "expires_in"]);
    assert.match(answer.body.request_uri, /^urn:ietf:params:oauth:request_uri:[0-9a-v]{26}$/);
    assert.equal(answer.body.expires_in, 60);
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const path = pathOf(client, answer.body.request_uri, {
      scope: "x",
      redirect_uri: "https://evil.example/",
    });
    const first = pendingOf(await browser.get(path), "/consent");
    const second = pendingOf(await browser.get(path), "/consent");
    const location = locationOf(await postDecision(browser, { request: first, decision: "approve" }));
    assert.equal(location.searchParams.get("state"), "the state");
    const redeemed = await redeem(app, client, location.searchParams.get("code")!);
    assert.deepEqual([redeemed.status, redeemed.body.scope], [200, "openid"]);
    assertPage(await browser.get(path), "a consented request");
    assertPage(await browser.get(`/consent?request=${second}`), "begun before");
    assertPage(await postDecision(browser, { request: second, decision: "approve" }), "begun before");
    const direct = locationOf(await browser.get(pathOf(client, await pushed(app, client))));
    assert.ok(direct.searchParams.has("code"), "with a consent, at once");
  });

  test("works for a public client by its id, and from a form at the authorization endpoint", async () => {
    const { app, browser, client } = await openStory({ type: "spa" });
    await using _ = app;
    const form = { client_id: client.clientId, request_uri: await pushed(app, client) };
    assert.equal(locationOf(await postForm(browser, AUTHORIZE, form)).pathname, "/consent");
  });

  test("takes the longest policy that a token takes, and at most 40 KiB", async () => {
    const longest = policyOfLength(POLICY_LIMITS.canonical);
    const { app, browser, client } = await openStory({ scopes: ["openid", "keys:read", "keys:sign"] });
    const change = (policy: unknown): Fields => ({
      scope: "openid keys:sign",
      authorization_details: JSON.stringify([{ type: "ethereum_sign", policy }]),
    });
    const uri = await pushed(app, client, change(longest));
    const request = pendingOf(await browser.get(pathOf(client, uri)), "/consent");
    assert.equal((await browser.get(`/consent?request=${request}`)).status, 200);
    const made = await browser.post("/api/auth/tokens", {
      name: "long",
      keys: "all",
      actions: ["sign"],
      policy: longest,
    });
    assert.equal(made.status, 201, made.text);
    const { typedData: [rule, ...rules] } = longest;
    const tooLong = { ...longest, typedData: [{ ...rule, domainVersion: "1" }, ...rules] };
    assertError(await push(app, client, change(tooLong)), 400, "invalid_authorization_details");
    assert.equal((await push(app, client, { unknown: '"'.repeat(128 * 1024) })).status, 413);
  });

  test("is not used up by another client, and not by errors or another browser", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const other = await register(app);
    const uri = await pushed(app, client, { prompt: "consent" });
    assertPage(await browser.get(pathOf(other, uri)));
    assertPage(await browser.get(`${pathOf(client, uri)}&client_id=${client.clientId}`));
    assertPage(await browser.get(`${pathOf(client, uri)}&request_uri=x`));
    pendingOf(await app.client().get(pathOf(client, uri)), "/sign-in");
    const request = pendingOf(await browser.get(pathOf(client, uri)), "/consent");
    const location = locationOf(await postDecision(browser, { request, decision: "approve" }));
    assert.ok(location.searchParams.has("code"));
  });

  test("expires after 60 seconds, but one that was begun in time can be finished", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const path = pathOf(client, await pushed(app, client));
    app.now += 59_999;
    const request = pendingOf(await browser.get(path), "/consent");
    app.now += 1;
    assertPage(await browser.get(path));
    app.now += 600_000;
    const location = locationOf(await postDecision(browser, { request, decision: "approve" }));
    assert.ok(location.searchParams.has("code"));
  });

  test("an unknown or malformed request_uri is a page, a foreign one is refused by name", async () => {
    const { app, browser, client } = await openStory();
    await using _ = app;
    const prefix = "urn:ietf:params:oauth:request_uri:";
    for (const reference of ["", "x", "0".repeat(26), "%00", "0".repeat(27)]) {
      assertPage(await browser.get(pathOf(client, prefix + reference, { redirect_uri: CB })), reference);
    }
    const foreign = authorizePath(client, { request_uri: "https://books.example/r" });
    assert.equal(errorOf(await browser.get(foreign), CB).get("error"), "request_uri_not_supported");
  });

  const FAULTS: readonly (readonly [change: Fields, error: string])[] = [
    [{ request_uri: "https://books.example/r" }, "invalid_request"],
    [{ request: "e30.e30." }, "request_not_supported"],
    [{ redirect_uri: "https://evil.example/" }, "invalid_request"],
    [{ redirect_uri: undefined }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ scope: "keys:read openid" }, "invalid_scope"],
    [{ claims_locales: "x".repeat(41_000) }, "invalid_request"],
  ];

  test("validates the request as the authorization endpoint does", async () => {
    const { app, client } = await openStory();
    await using _ = app;
    for (const [change, error] of FAULTS) {
      assertError(await push(app, client, change), 400, error, JSON.stringify(change));
    }
    const repeated = `${goodRequest(client)}&scope=openid`;
    assertError(await postForm(app.client(), PAR, repeated, basic(client)), 400, "invalid_request");
  });

  test("authenticates the client", async () => {
    const { app, client } = await openStory();
    await using _ = app;
    assertError(await postForm(app.client(), PAR, goodRequest(client)), 401, "invalid_client");
    const wrong = basic({ ...client, clientSecret: "x".repeat(43) });
    assertError(await postForm(app.client(), PAR, goodRequest(client), wrong), 401, "invalid_client");
    const other = await register(app);
    assertError(
      await postForm(app.client(), PAR, goodRequest(other), basic(client)),
      400,
      "invalid_request",
    );
  });

  test("is required of a client that is registered so", async () => {
    const { app, browser, client } = await openStory({ requirePushedAuthorizationRequests: true });
    await using _ = app;
    assertPage(await browser.get(authorizePath(client)));
    pendingOf(await browser.get(pathOf(client, await pushed(app, client))), "/consent");
    await changeClient(app, client, { requirePushedAuthorizationRequests: false });
    pendingOf(await browser.get(authorizePath(client)), "/consent");
  });

  test("binds the code to the key of a DPoP proof (RFC 9449 section 10.1)", async () => {
    const { app, browser, client } = await openStory({ type: "native" });
    await using _ = app;
    const prover = await createProver();
    const send = async (change: Fields, proof: string): Promise<Answer> =>
      await postForm(app.client(), PAR, goodRequest(client, change), { dpop: proof });
    const claims = { htm: "POST", htu: ORIGIN + PAR, iat: Math.floor(app.now / 1000) };
    const asked = await send({}, await prover.prove(claims));
    assertError(asked, 400, "use_dpop_nonce");
    const proof = await prover.prove({ ...claims, nonce: asked.headers.get("dpop-nonce")! });
    assertError(await send({ dpop_jkt: "A".repeat(43) }, proof), 400, "invalid_dpop_proof");
    const { request_uri } = (await send({}, proof)).body;
    assertError(await send({}, proof), 400, "invalid_dpop_proof", "used");
    const request = pendingOf(await browser.get(pathOf(client, request_uri)), "/consent");
    const location = locationOf(await postDecision(browser, { request, decision: "approve" }));
    assertError(await redeem(app, client, location.searchParams.get("code")!), 400, "invalid_grant");
  });

  test("goes through with openid-client", async () => {
    const { app, browser, client } = await openStory({ requirePushedAuthorizationRequests: true });
    await using _ = app;
    const config = await discover(app, client);
    const url = await openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: CB,
      scope: "openid",
      state: "s",
      code_challenge: await openid.calculatePKCECodeChallenge(VERIFIER),
      code_challenge_method: "S256",
    });
    assert.deepEqual([...url.searchParams.keys()].sort(), ["client_id", "request_uri"]);
    const request = pendingOf(await browser.get(url.pathname + url.search), "/consent");
    const back = locationOf(await postDecision(browser, { request, decision: "approve" }));
    const checks = { pkceCodeVerifier: VERIFIER, expectedState: "s" };
    const tokens = await openid.authorizationCodeGrant(config, back, checks);
    assert.ok(tokens.claims()!.sub);
  });
});
