import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import type { FetchedResponse, FetchInit } from "../../../src/lib/outgoing.ts";
import { createTestApp, NO_PROVIDERS, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer } from "../../support/client.ts";
import { administer, getCode, postForm, providerOf, registerClient } from "../../support/oauth.ts";
import type { Fields, Registered } from "../../support/oauth.ts";

const ALGORITHMS = ["RS256", "ES256", "EdDSA"] as const;
const TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const TOKEN = "/api/auth/oauth2/token";
const JWKS_URI = "https://books.example/keys";

const pairs = Object.fromEntries(
  await Promise.all(
    ALGORITHMS.map(async (alg) => [alg, await generateKeyPair(alg, { extractable: true })] as const),
  ),
);
const publicKeys = await Promise.all(
  ALGORITHMS.map(async (alg) => ({ ...await exportJWK(pairs[alg]!.publicKey), kid: alg, alg, use: "sig" })),
);
const JWKS = { keys: publicKeys };

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly client: Registered;
  readonly requested: string[];
  readonly traces: (string | undefined)[];
  keySet: unknown;
}

async function setStage(change: object = { jwks: JWKS }, rateLimits: "on" | "off" = "off"): Promise<Stage> {
  const requested: string[] = [];
  const traces: (string | undefined)[] = [];
  const fetch = (url: string, { headers }: FetchInit): Promise<FetchedResponse> => {
    requested.push(url);
    traces.push(headers["traceparent"]);
    return Promise.resolve(Response.json(stage.keySet));
  };
  const app = await createTestApp({ identity: { ...NO_PROVIDERS, fetch }, rateLimits });
  const client = await registerClient(providerOf(app), {
    type: "web",
    tokenEndpointAuthMethod: "private_key_jwt",
    ...change,
  });
  const dispose = (): PromiseLike<void> => app[Symbol.asyncDispose]();
  const stage: Stage = { app, client, requested, traces, keySet: JWKS, [Symbol.asyncDispose]: dispose };
  return stage;
}

let made = 0;

/** Returns an assertion of the client with these changes; undefined leaves a claim out. */
async function assertionOf(
  { app, client: { clientId } }: Stage,
  claims: Readonly<Record<string, unknown>> = {},
  { alg = "ES256", kid = alg, by = alg }: { alg?: string; kid?: string; by?: string } = {},
): Promise<string> {
  const now = Math.floor(app.now / 1000);
  const all = {
    iss: clientId,
    sub: clientId,
    aud: ORIGIN,
    exp: now + 60,
    iat: now,
    jti: `id ${made++}`,
    ...claims,
  };
  const known = Object.entries(all).filter(([, value]) => value !== undefined);
  return await new SignJWT(Object.fromEntries(known)).setProtectedHeader({ alg, kid }).sign(
    pairs[by]!.privateKey,
  );
}

function send({ app }: Stage, assertion: string, form: Fields, headers: Fields = {}): Promise<Answer> {
  return postForm(
    app.client(),
    TOKEN,
    { client_assertion_type: TYPE, client_assertion: assertion, ...form },
    headers,
  );
}

async function newCode({ app, client }: Stage): Promise<Fields> {
  const person = app.client();
  await signUp(person, `person${made++}@example.com`);
  const { code, redirectUri, verifier } = await getCode(person, client);
  return { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier };
}

describe("private_key_jwt (RFC 7523)", () => {
  for (const alg of ALGORITHMS) {
    test(`authenticates a client by ${alg}, and an assertion counts once, over restarts`, async () => {
      await using stage = await setStage();
      const assertion = await assertionOf(stage, {}, { alg });
      const { status, body } = await send(stage, assertion, await newCode(stage));
      assert.equal(status, 200, JSON.stringify(body));
      const again = { grant_type: "refresh_token", refresh_token: body.refresh_token };
      await using second = await createTestApp({ db: stage.app.db, vault: stage.app.vault });
      for (const app of [stage.app, second]) {
        const replayed = await send({ ...stage, app }, assertion, again);
        assert.deepEqual([replayed.status, replayed.body.error], [401, "invalid_client"]);
      }
      const refreshed = await send(stage, await assertionOf(stage, { aud: [ORIGIN] }, { alg }), again);
      assert.equal(refreshed.status, 200, refreshed.text);
    });
  }

  test("a failure is 401 invalid_client and leaves the code as it was", async () => {
    await using stage = await setStage();
    const form = await newCode(stage);
    const now = Math.floor(stage.app.now / 1000);
    const wrong = [
      await assertionOf(stage, { aud: undefined }),
      await assertionOf(stage, { aud: "https://other.example" }),
      await assertionOf(stage, { aud: ORIGIN + TOKEN }),
      await assertionOf(stage, { aud: [ORIGIN, "https://other.example"] }),
      await assertionOf(stage, { aud: [] }),
      await assertionOf(stage, { iss: "other" }),
      await assertionOf(stage, { iss: undefined }),
      await assertionOf(stage, { sub: "0".repeat(26) }),
      await assertionOf(stage, { sub: undefined }),
      ...await Promise.all([1, null, {}, ["0".repeat(26)], "x:\0"].map((sub) => assertionOf(stage, { sub }))),
      await assertionOf(stage, { exp: undefined }),
      await assertionOf(stage, { exp: now }),
      await assertionOf(stage, { exp: now + 3601 }),
      await assertionOf(stage, { nbf: now + 60 }),
      await assertionOf(stage, { jti: undefined }),
      await assertionOf(stage, { jti: "" }),
      await assertionOf(stage, { jti: 1 }),
      await assertionOf(stage, {}, { by: "ES256", alg: "ES256", kid: "RS256" }),
      (await assertionOf(stage)).slice(0, -4) + "AAAA",
      "a.b.c",
      "",
    ];
    for (const [index, assertion] of wrong.entries()) {
      const { status, body } = await send(stage, assertion, form);
      assert.deepEqual([status, body.error], [401, "invalid_client"], `${index}`);
    }
    const good = await assertionOf(stage);
    const others: readonly Fields[] = [
      { client_assertion_type: "other" },
      { client_assertion_type: "" },
      { client_id: "0".repeat(26) },
      { client_secret: "x" },
    ];
    for (const more of others) assert.equal((await send(stage, good, { ...form, ...more })).status, 401);
    const byId = { ...form, client_id: stage.client.clientId };
    assert.equal((await postForm(stage.app.client(), TOKEN, byId, {})).status, 401);
    assert.equal((await send(stage, good, { ...form, client_id: stage.client.clientId })).status, 200);
  });

  test("accepts times with a fraction (RFC 7519 section 2), and an assertion counts once until then", async () => {
    await using stage = await setStage();
    const exp = Math.floor(stage.app.now / 1000) + 60.0625;
    const assertion = await assertionOf(stage, { exp, iat: exp - 60 });
    const form = { grant_type: "refresh_token", refresh_token: "none" };
    assert.equal((await send(stage, assertion, form)).body.error, "invalid_grant");
    stage.app.now += 60_000;
    assert.equal((await send(stage, assertion, form)).body.error, "invalid_client");
  });

  test("authenticates by keys that name no algorithm, use or id (RFC 7517 section 4)", async () => {
    const keys = publicKeys.map(({ alg: _alg, use: _use, kid: _kid, ...key }) => key);
    await using stage = await setStage({ jwks: { keys } });
    const form = { grant_type: "refresh_token", refresh_token: "none" };
    for (const alg of ALGORITHMS) {
      const { body } = await send(stage, await assertionOf(stage, {}, { alg }), form);
      assert.equal(body.error, "invalid_grant", alg);
    }
  });

  test("with a key that is no point of its curve, fails alone: other users' requests go on", async () => {
    const offCurve = { kty: "EC", crv: "P-256", x: "A".repeat(43), y: `${"A".repeat(42)}E`, alg: "ES256" };
    await using stage = await setStage({ jwks: { keys: [offCurve] } }, "on");
    const form = { grant_type: "refresh_token", refresh_token: "none" };
    for (let count = 0; count < 4; count++) {
      const answers = await Promise.all([
        send(stage, await assertionOf(stage), form),
        stage.app.client().post("/api/auth/passkey/authentication/options", {}),
        send(stage, await assertionOf(stage), form),
      ]);
      assert.deepEqual(answers.map(({ status }) => status), [401, 200, 401]);
    }
  });

  test("fetches the keys of jwksUri once, and again for an unknown key after a minute", async () => {
    await using stage = await setStage({ jwksUri: JWKS_URI });
    stage.keySet = { keys: publicKeys.filter(({ kid }) => kid === "ES256") };
    const form = { grant_type: "refresh_token", refresh_token: "none" };
    const authenticated = async (alg: string): Promise<boolean> =>
      (await send(stage, await assertionOf(stage, {}, { alg }), form)).body.error === "invalid_grant";
    assert.equal(await authenticated("ES256"), true);
    assert.equal(await authenticated("EdDSA"), false);
    assert.deepEqual(stage.requested, [JWKS_URI]);
    stage.keySet = JWKS;
    stage.app.now += 61_000;
    assert.equal(await authenticated("EdDSA"), true);
    assert.deepEqual(stage.requested, [JWKS_URI, JWKS_URI]);
    assert.deepEqual(stage.traces, [undefined, undefined]);
    stage.app.now += 86_400_000;
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    await send(stage, await assertionOf(stage), form, { traceparent });
    assert.deepEqual(stage.traces.slice(2), [traceparent]);
  });

  test("is refused to a client with a secret, and a secret to a client with keys", async () => {
    await using stage = await setStage();
    const withSecret = await registerClient(providerOf(stage.app), { type: "web" });
    const assertion = await assertionOf({ ...stage, client: withSecret });
    const form = { grant_type: "refresh_token", refresh_token: "none" };
    assert.equal((await send(stage, assertion, form)).status, 401);
    const authorization = `Basic ${btoa(`${stage.client.clientId}:secret`)}`;
    assert.equal((await postForm(stage.app.client(), TOKEN, form, { authorization })).status, 401);
  });
});

describe("registration with tokenEndpointAuthMethod", () => {
  const BASE = { name: "A", uri: "https://a.example/", redirectUris: ["https://a.example/cb"] };
  const KEYS = { tokenEndpointAuthMethod: "private_key_jwt" };

  test("returns no secret, and shows method and keys", async () => {
    await using app = await createTestApp();
    const sent = { ...BASE, ...KEYS, type: "web", jwks: JWKS };
    const { body: { client } } = await administer(providerOf(app), "POST", "", sent);
    assert.equal(client.clientSecret, undefined);
    assert.deepEqual([client.tokenEndpointAuthMethod, client.public], ["private_key_jwt", false]);
    assert.deepEqual([client.jwks, client.jwksUri], [JWKS, null]);
    const change = { jwksUri: JWKS_URI };
    const { body } = await administer(providerOf(app), "PATCH", `/${client.clientId}`, change);
    assert.deepEqual([body.client.jwks, body.client.jwksUri], [null, JWKS_URI]);
    const secret = await administer(providerOf(app), "POST", `/${client.clientId}/secret`, {});
    assert.deepEqual([secret.status, secret.body.code], [409, "public_client"]);
  });

  test("refuses it without keys, with both, with private keys, and for public clients", async () => {
    await using app = await createTestApp();
    const privateKey = await exportJWK(pairs["ES256"]!.privateKey);
    const wrong: readonly (readonly [object, string])[] = [
      [{ ...KEYS, type: "web" }, "/jwks"],
      [{ ...KEYS, type: "web", jwks: JWKS, jwksUri: JWKS_URI }, "/jwks"],
      [{ ...KEYS, type: "web", jwks: { keys: [] } }, "/jwks"],
      [{ ...KEYS, type: "web", jwks: { keys: [privateKey] } }, "/jwks"],
      [{ ...KEYS, type: "web", jwks: { keys: [{ kty: "oct", k: "AA" }] } }, "/jwks"],
      [{ ...KEYS, type: "web", jwksUri: "ftp://a.example/keys" }, "/jwksUri"],
      [{ ...KEYS, type: "spa", jwks: JWKS }, "/tokenEndpointAuthMethod"],
      [{ type: "web", jwks: JWKS }, "/tokenEndpointAuthMethod"],
      [{ tokenEndpointAuthMethod: "none", type: "web" }, "/tokenEndpointAuthMethod"],
    ];
    for (const [change, path] of wrong) {
      const { status, body } = await administer(providerOf(app), "POST", "", { ...BASE, ...change });
      assert.deepEqual([status, body.errors?.[0].path], [400, path]);
    }
  });
});
