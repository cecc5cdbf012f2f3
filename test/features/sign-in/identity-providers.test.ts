import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { proveAddress, registerPasskey, signIn, signUp } from "../../support/client.ts";
import { beginAt, comeBack, createIdentityStage, lastReason, visitProvider } from "../../support/identity.ts";
import type { IdentityStage } from "../../support/identity.ts";
import { PERSON } from "../../support/upstream.ts";

const SIGN_UP = "/sign-up?identity=upstream";
const SIGN_IN = "/sign-in?identity=upstream";

function locationOf(answer: { headers: Headers }): string | null {
  return answer.headers.get("location");
}

async function rows({ app }: IdentityStage): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (
    const table of ["account", "identity", "passkey", "ethereum_key", "session", "sign_up_ticket"] as const
  ) {
    counts[table] = (await app.db.selectFrom(table).selectAll().execute()).length;
  }
  return counts;
}

describe("GET /api/auth/identity", () => {
  test("lists the providers without anything secret", async () => {
    await using stage = await createIdentityStage();
    const { body, text } = await stage.app.client().get("/api/auth/identity");
    assert.deepEqual(body, {
      providers: [{ id: "upstream", name: "Upstream" }, { id: "other", name: "Other" }],
    });
    assert.ok(!text.includes("ecret"));
  });
});

describe("GET /api/auth/identity/:provider", () => {
  test("sends the browser to the provider with state, nonce, PKCE S256 and the exact redirect URI", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    const url = new URL(await beginAt(client, stage.upstream));
    assert.equal(url.origin + url.pathname, "https://id.example/authorize");
    const parameters = Object.fromEntries(url.searchParams);
    assert.match(parameters["state"]!, /^[A-Za-z0-9]{43}$/);
    assert.match(parameters["nonce"]!, /^[A-Za-z0-9_-]{43}$/);
    assert.match(parameters["code_challenge"]!, /^[A-Za-z0-9_-]{43}$/);
    const { state: _s, nonce: _n, code_challenge: _c, ...fixed } = parameters;
    assert.deepEqual(fixed, {
      tenant: "1",
      response_type: "code",
      client_id: "holdfast client",
      scope: "openid email profile",
      redirect_uri: "http://localhost:3000/api/auth/identity/upstream/callback",
      code_challenge_method: "S256",
    });
    const again = new URL(await beginAt(client, stage.upstream));
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.notEqual(again.searchParams.get(name), parameters[name], name);
    }
  });

  test("stores neither state, nonce nor verifier", async () => {
    await using stage = await createIdentityStage();
    const url = new URL(await beginAt(stage.app.client(), stage.upstream));
    const stored = JSON.stringify(await stage.app.db.selectFrom("identity_request").selectAll().execute());
    for (const name of ["state", "nonce", "code_challenge"]) {
      assert.ok(!stored.includes(url.searchParams.get(name)!), name);
    }
  });

  test("shows an error page for an unknown provider and an unknown query", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    for (const path of ["unknown", "unknown/callback?state=a&code=b", "Upstream"]) {
      const answer = await client.get(`/api/auth/identity/${path}`);
      assert.equal(answer.status, 404, path);
      assert.match(answer.headers.get("content-type")!, /^text\/html/);
    }
    for (
      const query of [
        "next=https://evil.example",
        "next=//evil.example",
        "request=x",
        "returnTo=/",
        "next=/a&next=/b",
      ]
    ) {
      assert.equal((await client.get(`/api/auth/identity/upstream?${query}`)).status, 400, query);
    }
    assert.equal((await client.request("POST", "/api/auth/identity/upstream")).status, 405);
  });

  test("is limited to 30 a minute for a network", async () => {
    await using stage = await createIdentityStage({ rateLimits: "on" });
    const ask = async (network: string) =>
      (await stage.app.client(network).get("/api/auth/identity/upstream")).status;
    for (let round = 0; round < 30; round++) assert.equal(await ask("198.51.100.7"), 303);
    assert.equal(await ask("198.51.100.7"), 429);
    assert.equal(await ask("198.51.100.8"), 303);
  });

  test("is for navigations only: an image or a frame on another site sends no request to the provider", async () => {
    await using stage = await createIdentityStage({ rateLimits: "on" });
    const ask = async (destination: string) =>
      (await stage.app.client().get("/api/auth/identity/upstream", {
        headers: { "sec-fetch-dest": destination },
      })).status;
    for (let round = 0; round < 31; round++) {
      for (const destination of ["image", "iframe", "empty"]) assert.equal(await ask(destination), 403);
    }
    assert.equal(await ask("document"), 303);
  });

  test("asks for metadata once in an hour", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    for (let round = 0; round < 3; round++) await beginAt(app.client(), upstream);
    assert.equal(upstream.requests.length, 1);
    app.now += 3_600_000;
    await beginAt(app.client(), upstream);
    assert.equal(upstream.requests.length, 2);
  });
});

describe("a new user of an identity provider", () => {
  test("registers a passkey, which creates account, link, key and session in one transaction", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    assert.equal(locationOf(await visitProvider(client, stage.upstream)), SIGN_UP);
    assert.deepEqual(await rows(stage), {
      account: 0,
      identity: 0,
      passkey: 0,
      ethereum_key: 0,
      session: 0,
      sign_up_ticket: 1,
    });
    assert.equal((await client.get("/api/keys")).status, 401, "the provider alone signs no user in");
    const page = await client.get(SIGN_UP);
    assert.match(page.text, /Upstream has confirmed that you are <strong><bdi>ada@example\.com<\/bdi>/);
    const { status, body } = await registerPasskey(client);
    assert.equal(status, 201);
    assert.deepEqual([body.account.email, body.account.name], [PERSON.email, PERSON.name]);
    assert.deepEqual([...client.cookies.keys()].filter((name) => /session|sign/.test(name)), [
      "service.session_token",
    ]);
    assert.deepEqual(await rows(stage), {
      account: 1,
      identity: 1,
      passkey: 1,
      ethereum_key: 1,
      session: 1,
      sign_up_ticket: 0,
    });
    const signed = await client.post(`/api/keys/${body.key.id}/sign`, { message: "hello" });
    assert.equal(signed.status, 200);
    const events = await stage.app.db.selectFrom("audit_event").select("event").orderBy("seq").execute();
    assert.deepEqual(events.slice(0, 3).map(({ event }) => event), [
      "account_created",
      "identity_linked",
      "passkey_added",
    ]);
  });

  test("authenticates with client_secret_basic, form-encoded (RFC 6749 section 2.3.1), and sends the verifier", async () => {
    await using stage = await createIdentityStage();
    await visitProvider(stage.app.client(), stage.upstream);
    const { init } = stage.upstream.requests.find(({ url }) => url.endsWith("/token"))!;
    assert.equal(init.headers["authorization"], `Basic ${btoa("holdfast+client:s%3Aecret%2F%2B%25")}`);
    assert.deepEqual([...new URLSearchParams(init.body).keys()].sort(), [
      "code",
      "code_verifier",
      "grant_type",
      "redirect_uri",
    ]);
    assert.deepEqual(init.addresses, ["93.184.216.34"]);
  });

  test("authenticates in the form if the metadata offers only that", async () => {
    await using stage = await createIdentityStage();
    stage.upstream.metadata["token_endpoint_auth_methods_supported"] = [
      "private_key_jwt",
      "client_secret_post",
    ];
    assert.equal(locationOf(await visitProvider(stage.app.client(), stage.upstream)), SIGN_UP);
    const { init } = stage.upstream.requests.find(({ url }) => url.endsWith("/token"))!;
    assert.equal(init.headers["authorization"], undefined);
    assert.equal(new URLSearchParams(init.body).get("client_secret"), stage.upstream.config.clientSecret);
  });

  for (const verified of ["true", "false", 1, false, null, undefined]) {
    test(`gets an account without an address when email_verified is ${JSON.stringify(verified)}`, async () => {
      await using stage = await createIdentityStage();
      const client = stage.app.client();
      stage.upstream.claims = { email_verified: verified };
      await visitProvider(client, stage.upstream);
      assert.match((await client.get(SIGN_UP)).text, /did not confirm an e-mail address/);
      const { body } = await registerPasskey(client);
      assert.equal(body.account.email, null);
      const key = await client.get(`/keys/${body.key.id}`);
      assert.equal(key.status, 200);
    });
  }

  test("has one name in passkeys, signals and pages if the account has no address", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    stage.upstream.claims = { email_verified: false };
    await visitProvider(client, stage.upstream);
    const first = await client.post("/api/auth/passkey/registration/options", {});
    await registerPasskey(client);
    const further = await client.post("/api/auth/passkey/registration/options", {});
    const { body } = await client.get("/api/auth/passkeys");
    assert.deepEqual(
      [first.body.user.name, further.body.user.name, body.signal.name],
      [PERSON.name, PERSON.name, PERSON.name],
    );
    assert.match((await client.get("/keys")).text, /<bdi>Ada Lovelace<\/bdi>/);
  });

  for (const email of ["no address", "a@b", "ada@example.com\nbcc: eve@example.com", 5, "ada＠example.com"]) {
    test(`gets an account without an address when the provider says ${JSON.stringify(email)}`, async () => {
      await using stage = await createIdentityStage();
      const client = stage.app.client();
      stage.upstream.claims = { email, name: "x".repeat(101) };
      assert.equal(locationOf(await visitProvider(client, stage.upstream)), SIGN_UP);
      const { body } = await registerPasskey(client);
      assert.deepEqual([body.account.email, body.account.name], [null, null]);
    });
  }

  test("is looked up at the userinfo endpoint when the ID token has no address", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    stage.upstream.claims = { email: undefined, email_verified: undefined, name: "As signed" };
    await visitProvider(client, stage.upstream);
    const { account } = (await registerPasskey(client)).body;
    assert.deepEqual([account.email, account.name], [PERSON.email, "As signed"], "what is signed goes first");
    const { init } = stage.upstream.requests.find(({ url }) => url.endsWith("/userinfo"))!;
    assert.equal(init.headers["authorization"], "Bearer the access token");
  });

  const verified = { email_verified: true };
  const victim = { email: "victim@example.com" };
  for (
    const [where, claims, userinfo] of [
      ["the ID token's email_verified for the address of userinfo", verified, victim],
      ["userinfo's email_verified for the address of the ID token", victim, verified],
      ["the ID token's email_verified against userinfo's", verified, { ...victim, email_verified: false }],
    ] as const
  ) {
    test(`gets no address by ${where}, because both claims must be in one document`, async () => {
      await using stage = await createIdentityStage();
      const client = stage.app.client();
      stage.upstream.claims = { email: undefined, email_verified: undefined, ...claims };
      const answer = JSON.stringify({ sub: PERSON.sub, ...userinfo });
      const headers = { "content-type": "application/json" };
      stage.upstream.instead.set("/userinfo", () => new Response(answer, { headers }));
      await visitProvider(client, stage.upstream);
      const { account } = (await registerPasskey(client)).body;
      assert.equal(account.email, null);
    });
  }

  test("is named by the ticket, not by the provider in the link, if the address was verified by mail", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    for (const path of [SIGN_UP, "/sign-up?identity=unknown"]) {
      assert.match((await client.get(path)).text, /We send a code to it/);
    }
    await proveAddress(client, PERSON.email);
    assert.match((await client.get(SIGN_UP)).text, /We send a code to it/);
    assert.match((await client.get(SIGN_IN)).text, /Use the passkey of your account/);
  });

  test("is named by the provider of the ticket, not by another one in the link", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    await visitProvider(client, stage.upstream);
    assert.match((await client.get("/sign-up?identity=upstream")).text, /has confirmed/);
    assert.doesNotMatch((await client.get("/sign-up?identity=other")).text, /has confirmed/);
  });

  test("is redirected to the pending authorization request, or to the page", async () => {
    await using stage = await createIdentityStage();
    const request = `request_${"0".repeat(26)}`;
    const client = stage.app.client();
    for (const returnTo of [`request=${request}`, `next=${encodeURIComponent("/keys/key_1?a=b")}`]) {
      const answer = await visitProvider(client, stage.upstream, `?${returnTo}`);
      assert.equal(locationOf(answer), `${SIGN_UP}&${returnTo}`);
    }
    const page = await client.get(`/sign-in?request=${request}`);
    assert.ok(page.text.includes(`/api/auth/identity/upstream?request=${request}"`));
  });

  test("gets one account from many tabs at once, with one ticket or several", async () => {
    await using stage = await createIdentityStage();
    const tabs = [];
    for (let count = 0; count < 8; count++) {
      const client = stage.app.client();
      // Without an address, only the link separates the accounts.
      stage.upstream.claims = { email_verified: false };
      await visitProvider(client, stage.upstream);
      const options = await client.post("/api/auth/passkey/registration/options", {});
      const response = await client.authenticator.register(options.body, { origin: client.origin });
      tabs.push({ client, response });
    }
    const answers = await Promise.all(
      tabs.map(({ client, response }) => client.post("/api/auth/passkey/registration", { response })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.deepEqual(
      new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.code)),
      new Set(["account_exists"]),
    );
    const { account, identity, passkey, ethereum_key } = await rows(stage);
    assert.deepEqual([account, identity, passkey, ethereum_key], [1, 1, 1, 1]);
  });

  test("gets account_exists when the address got an account after the ticket, and nothing is written", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    await visitProvider(client, stage.upstream);
    await signUp(stage.app.client(), PERSON.email);
    assert.equal((await registerPasskey(client)).body.code, "account_exists");
    const { account, identity } = await rows(stage);
    assert.deepEqual([account, identity], [1, 0]);
  });
});

describe("the redirect to a provider and back", () => {
  test("keeps the opener of a pop-up, and is not cached", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    const begun = await client.get("/api/auth/identity/upstream");
    const back = stage.upstream.visit(locationOf(begun)!);
    for (const answer of [begun, await comeBack(client, stage.upstream, back)]) {
      assert.equal(answer.status, 303);
      assert.equal(answer.headers.get("cross-origin-opener-policy"), null);
      assert.equal(answer.headers.get("cache-control"), "no-store");
      assert.equal(answer.headers.get("referrer-policy"), "no-referrer");
    }
  });

  test("shows no secret in a response, and neither secrets nor parameters in the log", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const client = app.client();
    const location = await beginAt(client, upstream);
    const query = upstream.visit(location);
    await comeBack(client, upstream, query);
    await client.get(SIGN_UP);
    await registerPasskey(client);
    const { init } = upstream.requests.find(({ url }) => url.endsWith("/token"))!;
    const verifier = new URLSearchParams(init.body).get("code_verifier")!;
    const secrets = [
      upstream.config.clientSecret,
      init.headers["authorization"]!,
      verifier,
      "the access token",
    ];
    const parameters = [
      query.get("code")!,
      query.get("state")!,
      new URL(location).searchParams.get("nonce")!,
    ];
    for (const secret of secrets) assert.ok(!client.seen.join().includes(secret), secret);
    for (const secret of [...secrets, ...parameters, PERSON.email, PERSON.name, PERSON.sub]) {
      assert.ok(!app.logged.join().includes(secret), secret);
    }
  });
});

describe("an address that has an account", () => {
  test("is not merged with a provider's account: the page asks for the existing account's passkey, and nothing is linked", async () => {
    await using stage = await createIdentityStage();
    await signUp(stage.app.client(), PERSON.email);
    const client = stage.app.client();
    const answer = await visitProvider(client, stage.upstream, "?next=%2Faccount");
    assert.equal(locationOf(answer), "/sign-in?taken=upstream&next=%2Faccount");
    const page = await client.get(locationOf(answer)!);
    assert.match(page.text, /already belongs to an account here/);
    assert.deepEqual([...client.cookies.keys()], ["service.pre_session"]);
    assert.equal((await rows(stage))["identity"], 0);
  });

  test("of an account created through a provider cannot sign up by e-mail either", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    await visitProvider(client, stage.upstream);
    await registerPasskey(client);
    stage.app.now += 1000;
    assert.equal(await proveAddress(stage.app.client(), PERSON.email), "sign_in");
  });

  test("at another provider with the same address and subject is another account", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    await visitProvider(client, stage.upstream);
    await registerPasskey(client);
    const answer = await visitProvider(stage.app.client(), stage.other);
    assert.equal(locationOf(answer), "/sign-in?taken=other");
    stage.other.claims = { email: "other@example.com" };
    assert.equal(locationOf(await visitProvider(stage.app.client(), stage.other)), "/sign-up?identity=other");
  });
});

describe("a known user", () => {
  async function known(stage: IdentityStage) {
    const client = stage.app.client();
    await visitProvider(client, stage.upstream);
    const { body } = await registerPasskey(client);
    client.cookies.clear();
    return { client, account: body.account };
  }

  test("is asked for the passkey of the account, and only then signed in", async () => {
    await using stage = await createIdentityStage();
    const { client, account } = await known(stage);
    assert.equal(locationOf(await visitProvider(client, stage.upstream)), SIGN_IN);
    assert.deepEqual((await client.get("/api/auth/session")).body.account, null);
    assert.match((await client.get(SIGN_IN)).text, /Upstream has confirmed who you are/);
    const options = await client.post("/api/auth/passkey/authentication/options", {});
    assert.equal(options.body.allowCredentials.length, 1);
    const { status, body } = await signIn(client);
    assert.equal(status, 200);
    assert.equal(body.account.id, account.id);
    assert.equal(client.cookies.has("service.sign_in"), false);
    for (const page of [SIGN_IN, SIGN_UP]) {
      assert.equal(locationOf(await client.get(page)), "/keys", `Back to ${page}: it is done`);
    }
  });

  test("is identified by the subject when the address and the name at the provider changed", async () => {
    await using stage = await createIdentityStage();
    const { client } = await known(stage);
    stage.upstream.claims = { email: "new@example.com", name: "Countess" };
    assert.equal(locationOf(await visitProvider(client, stage.upstream)), SIGN_IN);
    stage.upstream.claims = { sub: "person-2" };
    assert.equal(locationOf(await visitProvider(client, stage.upstream)), "/sign-in?taken=upstream");
  });

  test("cannot answer with a passkey of another account", async () => {
    await using stage = await createIdentityStage();
    const { client } = await known(stage);
    const eve = stage.app.client();
    await signUp(eve, "eve@example.com");
    eve.cookies.clear();
    await visitProvider(eve, stage.upstream);
    const options = await eve.post("/api/auth/passkey/authentication/options", {});
    const response = await eve.authenticator.authenticate({ ...options.body, allowCredentials: [] }, {
      origin: eve.origin,
    });
    const answer = await eve.post("/api/auth/passkey/authentication", { response });
    assert.equal(answer.body.code, "invalid_passkey");
    assert.notEqual(client.authenticator, eve.authenticator);
  });

  test("may use any passkey again after opening the plain sign-in page", async () => {
    await using stage = await createIdentityStage();
    const { client } = await known(stage);
    await visitProvider(client, stage.upstream);
    await client.get("/sign-in");
    const options = await client.post("/api/auth/passkey/authentication/options", {});
    assert.deepEqual(options.body.allowCredentials, []);
  });

  test("is named by the cookie, whose secret is verified", async () => {
    await using stage = await createIdentityStage();
    const { client } = await known(stage);
    await visitProvider(client, stage.upstream);
    const [id] = client.cookies.get("service.sign_in")!.split(".");
    for (const forged of [`${id}.${"A".repeat(43)}`, id!, `${id}.`]) {
      client.cookies.set("service.sign_in", forged);
      const options = await client.post("/api/auth/passkey/authentication/options", {});
      assert.deepEqual(options.body.allowCredentials, [], forged);
    }
  });

  test("is no longer named after 15 minutes", async () => {
    await using stage = await createIdentityStage();
    const { client } = await known(stage);
    await visitProvider(client, stage.upstream);
    stage.app.now += 15 * 60_000;
    const options = await client.post("/api/auth/passkey/authentication/options", {});
    assert.deepEqual(options.body.allowCredentials, []);
  });
});

describe("GET /api/auth/identity/:provider/callback", () => {
  test("refuses a used, unknown or expired state, and one of another browser", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const client = app.client();
    const refused = async (query: URLSearchParams | string, from = client) => {
      const answer = await comeBack(from, upstream, query);
      assert.equal(answer.status, 400);
      assert.equal(lastReason(app), "request_unknown");
      assert.match(answer.text, /Back to sign-in/);
    };
    const once = upstream.visit(await beginAt(client, upstream));
    assert.equal((await comeBack(client, upstream, once)).status, 303);
    await refused(once);
    await refused(`state=${"A".repeat(43)}&code=x`);
    const late = upstream.visit(await beginAt(client, upstream));
    app.now += 10 * 60_000;
    await refused(late);
    const theirs = upstream.visit(await beginAt(client, upstream));
    await refused(theirs, app.client());
    await refused(theirs);
    assert.equal((await rows(stage))["sign_up_ticket"], 1);
  });

  test("refuses the state of another provider (mix-up, RFC 9700 section 4.4)", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    const query = stage.upstream.visit(await beginAt(client, stage.upstream));
    assert.equal((await comeBack(client, stage.other, query)).status, 400);
    assert.equal(lastReason(stage.app), "request_unknown");
    assert.ok(
      !stage.other.requests.some(({ url }) => url.endsWith("/token")),
      "the code went to no provider",
    );
  });

  test("refuses a code of another request (code injection), even in the same browser", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    const stolen = stage.upstream.visit(await beginAt(stage.app.client(), stage.upstream));
    const own = stage.upstream.visit(await beginAt(client, stage.upstream));
    own.set("code", stolen.get("code")!);
    assert.equal((await comeBack(client, stage.upstream, own)).status, 400);
    assert.equal(lastReason(stage.app), "token_refused");
  });

  test("says that the person declined, links to the pending request, and echoes nothing", async () => {
    await using stage = await createIdentityStage();
    const client = stage.app.client();
    const location = new URL(await beginAt(client, stage.upstream, "?next=%2Faccount"));
    const state = location.searchParams.get("state")!;
    const description = "<script>alert(1)</script> call 555-0100";
    const query = new URLSearchParams({ error: "access_denied", error_description: description, state });
    const answer = await comeBack(client, stage.upstream, query);
    assert.equal(answer.status, 400);
    assert.equal(lastReason(stage.app), "denied");
    assert.match(answer.text, /You did not allow Upstream to confirm who you are/);
    assert.match(answer.text, /href="\/sign-in\?next=%2Faccount"/);
    assert.ok(!answer.text.includes("555-0100"));
    assert.ok(!stage.app.logged.join().includes("555-0100"));
  });

  /** The changed queries of a callback, with the check that must refuse each. */
  const QUERIES:
    readonly (readonly [what: string, change: (query: URLSearchParams) => unknown, reason: string])[] = [
      ["a second code", (query) => query.append("code", "x"), "callback_repeated"],
      ["a second state", (query) => query.append("state", "x"), "callback_repeated"],
      ["a second iss", (query) => (query.append("iss", "a"), query.append("iss", "a")), "callback_repeated"],
      ["no state", (query) => query.delete("state"), "callback_state"],
      ["an empty state", (query) => query.set("state", ""), "callback_state"],
      ["no code", (query) => query.delete("code"), "callback_code"],
      ["an empty code", (query) => query.set("code", ""), "callback_code"],
      ["a code of 4,097 characters", (query) => query.set("code", "x".repeat(4097)), "callback_code"],
      ["another issuer (RFC 9207)", (query) => query.set("iss", "https://other.example"), "callback_issuer"],
      ["an empty issuer", (query) => query.set("iss", ""), "callback_issuer"],
      [
        "another issuer of an error",
        (query) => (query.set("iss", "x"), query.set("error", "access_denied")),
        "callback_issuer",
      ],
      ["an error of the provider", (query) => query.set("error", "server_error"), "callback_error"],
    ];
  for (const [what, change, reason] of QUERIES) {
    test(`refuses ${what}: ${reason}`, async () => {
      await using stage = await createIdentityStage();
      const client = stage.app.client();
      const query = stage.upstream.visit(await beginAt(client, stage.upstream));
      change(query);
      const answer = await comeBack(client, stage.upstream, query);
      assert.equal(answer.status, 400);
      assert.equal(lastReason(stage.app), reason);
      assert.equal((await rows(stage))["sign_up_ticket"], 0);
    });
  }

  test("requires iss if the metadata announces it, and accepts the right one (RFC 9207 section 2.4)", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    upstream.metadata["authorization_response_iss_parameter_supported"] = true;
    const client = app.client();
    const query = upstream.visit(await beginAt(client, upstream));
    assert.equal((await comeBack(client, upstream, query)).status, 400);
    assert.equal(lastReason(app), "callback_issuer");
    const right = upstream.visit(await beginAt(client, upstream));
    right.set("iss", upstream.config.issuer);
    assert.equal(locationOf(await comeBack(client, upstream, right)), SIGN_UP);
  });
});
