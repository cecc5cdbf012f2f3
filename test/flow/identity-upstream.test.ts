import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createTestApp, NO_PROVIDERS, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import {
  authorizePath,
  locationOf,
  pendingOf,
  pkcePair,
  postForm,
  providerOf,
  registerClient,
} from "../support/oauth.ts";
import { startRealUpstream, UPSTREAM_CLIENT, visitUpstream } from "../support/real-upstream.ts";
import type { RealUpstream } from "../support/real-upstream.ts";

const CALLBACK = "/api/auth/identity/upstream/callback";
const LIMIT = { timeout: 30_000 };

describe("oidc-provider as a real upstream", () => {
  let upstream: RealUpstream;
  before(async () => {
    upstream = await startRealUpstream(ORIGIN + CALLBACK);
  }, LIMIT);
  after(() => upstream.close());

  async function openApp(change: { clientSecret?: string } = {}): Promise<TestApp> {
    const app = await createTestApp({
      identity: {
        ...NO_PROVIDERS,
        providers: [{
          kind: "openid",
          id: "upstream",
          name: "Upstream",
          issuer: upstream.issuer,
          ...UPSTREAM_CLIENT,
          scopes: "openid email profile",
          ...change,
        }],
        fetch,
      },
    });
    // oidc-provider uses the machine's clock.
    app.now = Date.now();
    return app;
  }

  async function roundTrip(client: Client, person: string, query = ""): Promise<string | null> {
    const begun = await client.get(`/api/auth/identity/upstream${query}`);
    assert.equal(begun.status, 303, begun.text);
    const back = await visitUpstream(begun.headers.get("location")!, person, ORIGIN);
    assert.ok(back.startsWith(`${CALLBACK}?`), back);
    return (await client.get(back)).headers.get("location");
  }

  test("signs a person up to a first signature, and signs the same person in afterwards", LIMIT, async () => {
    await using app = await openApp();
    const client = app.client();
    assert.equal(await roundTrip(client, "ada"), "/sign-up?identity=upstream");
    const { body } = await registerPasskey(client);
    assert.deepEqual([body.account.email, body.account.name], ["ada@upstream.example", "Ada Lovelace"]);
    assert.equal((await client.post(`/api/keys/${body.key.id}/sign`, { message: "hello" })).status, 200);
    client.cookies.clear();
    assert.equal(await roundTrip(client, "ada"), "/sign-in?identity=upstream");
    assert.equal((await signIn(client)).body.account.id, body.account.id);
  });

  test("an address that the provider has not verified needs an e-mail code", LIMIT, async () => {
    await using app = await openApp();
    const client = app.client();
    await roundTrip(client, "grace");
    assert.equal((await registerPasskey(client)).body.account.email, null);
  });

  test("reports a cancelled sign-in and a wrong client secret", LIMIT, async () => {
    await using app = await openApp();
    assert.equal(await roundTrip(app.client(), ""), null);
    assert.ok(app.logged.some((line) => line.includes('"reason":"denied"')));
    await using wrong = await openApp({ clientSecret: "wrong" });
    assert.equal(await roundTrip(wrong.client(), "ada"), null);
    assert.ok(wrong.logged.some((line) => line.includes('"reason":"token_refused"')));
  });

  test("returns to the client whose authorization request is pending", LIMIT, async () => {
    await using app = await openApp();
    const registered = await registerClient(providerOf(app), {});
    const client = app.client();
    const redirected = await client.get(authorizePath(registered, pkcePair()));
    const waiting = redirected.headers.get("location")!;
    assert.match(waiting, /^\/sign-in\?request=request_/);
    const request = waiting.slice(waiting.indexOf("?"));
    assert.equal(await roundTrip(client, "ada", request), `/sign-up?identity=upstream&${request.slice(1)}`);
    assert.equal((await registerPasskey(client)).status, 201);
    const consent = await client.get(`/consent${request}`);
    assert.equal(consent.status, 200);
    assert.match(consent.text, /ada@upstream\.example/);
  });
});

for (const alg of ["ES256", "RS256", "EdDSA"]) {
  test(`another Holdfast is an upstream that signs with ${alg}`, LIMIT, async () => {
    const issuer = "http://localhost:4000";
    await using upstream = await createTestApp({ origin: issuer });
    const provider = { origin: issuer, client: () => upstream.client() };
    const registered = await registerClient(provider, {
      redirectUris: [ORIGIN + CALLBACK],
      type: "web",
      idTokenSignedResponseAlg: alg,
    });
    await using app = await createTestApp({
      identity: {
        ...NO_PROVIDERS,
        providers: [{
          kind: "openid",
          id: "upstream",
          name: "Holdfast",
          issuer,
          clientId: registered.clientId,
          clientSecret: registered.clientSecret!,
          scopes: "openid email profile",
        }],
        fetch: (url, init) =>
          upstream.app(new Request(url, { ...init, headers: { ...init.headers, host: new URL(url).host } }), {
            clientAddress: "127.0.0.1",
          }),
      },
    });
    const person = upstream.client();
    const client = app.client();
    await signUp(person, "ada@example.com");
    const begun = await client.get("/api/auth/identity/upstream");
    const redirected = await person.get(locationOf(begun).href.slice(issuer.length));
    const request = pendingOf(redirected, "/consent");
    await person.get(`/consent?request=${request}`);
    const back = locationOf(await postForm(person, "/consent", { request, decision: "approve" })).href;
    assert.ok(back.startsWith(ORIGIN + CALLBACK), back);
    const answer = await client.get(back.slice(ORIGIN.length));
    assert.equal(answer.headers.get("location"), "/sign-up?identity=upstream", answer.text);
    assert.equal((await registerPasskey(client)).body.account.email, "ada@example.com");
  });
}
