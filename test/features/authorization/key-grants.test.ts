import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { createProver } from "../../support/dpop.ts";
import type { ProvingProgram } from "../../support/dpop.ts";
import {
  agreeTo,
  askFor,
  askToken,
  authorizeApplication,
  detailsOf,
  programWith,
  registerKeyClient,
} from "../../support/key-application.ts";
import type { Agreement, Application } from "../../support/key-application.ts";
import {
  administer,
  authorizePath,
  locationOf,
  pkcePair,
  postForm,
  providerOf,
} from "../../support/oauth.ts";
import type { Fields, Provider, Registered } from "../../support/oauth.ts";

const HOUR = 60 * 60_000;
const TEXT = { version: 1, messages: { text: "allow" }, raw: "allow" };
const ASKED = { scope: "openid keys:read keys:sign", authorization_details: detailsOf(TEXT) };
const HELLO = { message: "hello" };

const [prover, other] = [await createProver(), await createProver("EdDSA")];

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly provider: Provider;
  readonly person: Client;
  readonly keys: readonly [string, string];
  readonly client: Registered;
}

async function newPerson(app: TestApp, email: string): Promise<{ person: Client; keys: [string, string] }> {
  const person = app.client();
  const first = (await signUp(person, email)).body.key.id;
  const second = (await person.post("/api/keys/generate", {})).body.key.id;
  return { person, keys: [first, second] };
}

async function setStage(change: object = {}): Promise<Stage> {
  const app = await createTestApp();
  const provider = providerOf(app);
  const client = await registerKeyClient(provider, change);
  const dispose = (): PromiseLike<void> => app[Symbol.asyncDispose]();
  return {
    app,
    provider,
    client,
    ...await newPerson(app, "ada@example.com"),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Authorizes the application for the first key and both rules, with the given changes. */
async function enter(
  stage: Stage,
  agreement: Partial<Agreement> = {},
  requestedRights: Fields = ASKED,
): Promise<Application> {
  const { app, person, client, keys } = stage;
  const agreed = { keys: [keys[0]], rules: ["text", "raw"], ...agreement };
  return await authorizeApplication(app, { person, client, prover, requestedRights, agreement: agreed });
}

function sign(program: ProvingProgram, keyId: string, body: object = HELLO): Promise<Answer> {
  return program.send("POST", `/api/keys/${keyId}/sign`, { body });
}

const code = ({ status, body }: Answer): string => `${status} ${body?.code ?? body?.error}`;

/** Returns the error of an authorization request. */
async function errorOf({ person, client }: Stage, requestedRights: Fields): Promise<string | null> {
  const answer = locationOf(await person.get(authorizePath(client, pkcePair(), requestedRights)));
  return answer.searchParams.get("error");
}

describe("authorize with scopes for keys", () => {
  test("refuses scopes that the client is not registered for, and ignores unknown ones", async () => {
    await using stage = await setStage({ scopes: ["openid", "keys:read"] });
    assert.equal(await errorOf(stage, ASKED), "invalid_scope");
    assert.equal(await errorOf(stage, { scope: "openid keys:read keys:everything" }), null);
  });

  test("refuses authorization_details that are malformed, unknown, or beside the scope", async () => {
    await using stage = await setStage();
    const scope = ASKED.scope;
    const wrong = [
      "no JSON",
      "{}",
      "[]",
      "[1]",
      `[${detailsOf(TEXT).slice(1, -1)},${detailsOf(TEXT).slice(1, -1)}]`,
      JSON.stringify([{ type: "payment_initiation" }]),
      JSON.stringify([{ policy: TEXT }]),
      JSON.stringify([{ type: "ethereum_sign" }]),
      JSON.stringify([{ type: "ethereum_sign", policy: TEXT, keys: ["key_1"] }]),
      JSON.stringify([{ type: "ethereum_sign", policy: TEXT, locations: ["https://a.example"] }]),
      detailsOf({ version: 2 }),
      detailsOf({ version: 1, everything: "allow" }),
      detailsOf({ version: 1, raw: "<script>" }),
      detailsOf({ version: 1, typedData: [{ chainId: "1" }] }),
      detailsOf({ version: 1, budgets: { 'a"b\\': { perDay: "1" } } }),
      `[{"type":"ethereum_sign","policy":"${"a".repeat(41_000)}"}]`,
      detailsOf(TEXT).replace("{", '{"type":"ethereum_sign",'),
      detailsOf(TEXT).replace('"version":1', '"version":1,"raw":"deny","raw":"allow"'),
    ];
    for (const authorization_details of wrong) {
      const error = await errorOf(stage, { scope, authorization_details });
      assert.equal(error, "invalid_authorization_details", authorization_details.slice(0, 80));
    }
    const beside = { scope: "openid keys:read", authorization_details: ASKED.authorization_details };
    assert.equal(await errorOf(stage, beside), "invalid_authorization_details");
  });

  test("asks each time, and refuses prompt=none", async () => {
    await using stage = await setStage();
    await enter(stage);
    assert.equal(await errorOf(stage, { ...ASKED, prompt: "none" }), "consent_required");
    assert.equal(await errorOf(stage, { scope: "openid", prompt: "none" }), null, "openid is remembered");
    await askFor(stage.person, stage.client, pkcePair(), ASKED);
  });

  test("asks for a passkey when the sign-in is over ten minutes old, so that a stolen cookie is not enough", async () => {
    await using stage = await setStage();
    stage.app.now += 11 * 60_000;
    const at = locationOf(await stage.person.get(authorizePath(stage.client, pkcePair(), ASKED)));
    assert.equal(at.pathname, "/sign-in");
    const openid = await stage.person.get(authorizePath(stage.client, pkcePair(), { scope: "openid" }));
    assert.equal(locationOf(openid).pathname, "/consent");
  });

  test("asks for a passkey when the sign-in is in the future, because the clock was set back", async () => {
    await using stage = await setStage();
    stage.app.now -= 10 * 60_000;
    const at = locationOf(await stage.person.get(authorizePath(stage.client, pkcePair(), ASKED)));
    assert.equal(at.pathname, "/sign-in");
  });

  test("asks for a passkey when the sign-in came after the request, or the page was open for long", async () => {
    await using stage = await setStage();
    const { app, client, person, keys } = stage;
    const browser = app.client();
    const waiting = locationOf(await browser.get(authorizePath(client, pkcePair(), ASKED)));
    assert.equal(waiting.pathname, "/sign-in");
    app.now += 60_000;
    await signUp(browser, "bob@example.com");
    const consent = `/consent?request=${waiting.searchParams.get("request")}`;
    assert.equal((await browser.get(consent)).status, 200, "signed in just now");
    app.now += 10 * 60_000;
    assert.equal(locationOf(await browser.get(consent)).pathname, "/sign-in");

    await signIn(person);
    const { request } = await askFor(person, client, pkcePair(), ASKED);
    app.now += 10 * 60_000;
    const decided = locationOf(await agreeTo(person, request, { keys, rules: ["text"] }));
    assert.equal(decided.pathname, "/consent");
    assert.equal(locationOf(await person.get(decided.pathname + decided.search)).pathname, "/sign-in");
  });
});

describe("the consent page", () => {
  test("lists the person's keys that are in use, and each rule in plain words", async () => {
    await using stage = await setStage();
    const { app, person, client, keys } = stage;
    const bob = await newPerson(app, "bob@example.com");
    await person.post(`/api/keys/${keys[1]}/archive`);
    const { page } = await askFor(person, client, pkcePair(), ASKED);
    assert.ok(page.text.includes(`name="key:${keys[0]}"`));
    for (const id of [keys[1], ...bob.keys]) assert.ok(!page.text.includes(id));
    assert.match(page.text, /name="rule:text" value="on"\s+checked.*May sign any text/s);
    // A dangerous rule has a box of its own, which is not ticked.
    assert.match(
      page.text,
      /class="notice danger choices"><label[^>]*><input type="checkbox" name="rule:raw" value="on"\s+> <span><strong>Danger: <\/strong><bdi>May sign any raw bytes/,
    );
    assert.match(page.text, /Nothing else\./);
  });

  test("escapes the application's request", async () => {
    await using stage = await setStage();
    const policy = {
      version: 1,
      budgets: { b: { perDay: "1" } },
      typedData: [{
        chainId: "1",
        verifyingContract: null,
        name: "<b>bold</b>",
        typeHash: `0x${"11".repeat(32)}`,
      }],
    };
    const requestedRights = { ...ASKED, authorization_details: detailsOf(policy) };
    const { page } = await askFor(stage.person, stage.client, pkcePair(), requestedRights);
    assert.ok(!page.text.includes("<b>bold"), "no markup of the application's");
    assert.ok(page.text.includes("&lt;b&gt;bold"));
  });

  test("says that the application already has rights, and replaces them if the user wants", async () => {
    await using stage = await setStage();
    const { app, person, client, keys } = stage;
    const grants = async () => (await person.get("/api/auth/grants")).body.grants[0].keyGrants;
    const pageOf = async () => (await askFor(person, client, pkcePair(), ASKED)).page.text;
    const ALREADY = /It already has rights on your keys/;
    assert.doesNotMatch(await pageOf(), ALREADY);
    const first = await enter(stage);
    const second = await enter(stage);
    assert.match(await pageOf(), ALREADY);
    assert.match(await pageOf(), /<input type="checkbox" name="replace" value="on"\s*> <span>Replace:/);
    assert.equal((await grants()).length, 2);
    assert.equal((await sign(first.program, keys[0])).status, 200);
    const third = await enter(stage, { replace: "on", keys: [keys[1]] });
    const [left, ...more] = await grants();
    assert.deepEqual([left.keys, more], [[keys[1]], []]);
    for (const { program, tokens } of [first, second]) {
      assert.equal((await sign(program, keys[0])).status, 401);
      const form = { grant_type: "refresh_token", refresh_token: tokens["refresh_token"]! };
      assert.equal((await askToken(app, client, form, prover)).body.error, "invalid_grant");
    }
    assert.equal((await sign(third.program, keys[1])).status, 200);
    const { events } = (await person.get("/api/audit")).body;
    const ends = events.filter(({ event }: { event: string }) => event === "grant_ended");
    assert.deepEqual(ends.map(({ detail }: Answer["body"]) => detail.reason), ["replaced", "replaced"]);
  });

  test("replaces nothing of another application or another person", async () => {
    await using stage = await setStage();
    const other = { ...stage, client: await registerKeyClient(stage.provider, { name: "Other" }) };
    const ben = { ...stage, ...await newPerson(stage.app, "ben@example.com") };
    const kept = [await enter(other), await enter(ben)];
    await enter(stage, { replace: "on" });
    assert.equal((await sign(kept[0]!.program, stage.keys[0])).status, 200);
    assert.equal((await sign(kept[1]!.program, ben.keys[0])).status, 200);
  });

  test("grants nothing without a key, and keeps the request pending", async () => {
    await using stage = await setStage();
    const { app, person, client } = stage;
    const bob = await newPerson(app, "bob@example.com");
    const { request } = await askFor(person, client, pkcePair(), ASKED);
    for (const keys of [[], ["key_00000000000000000000000000"], bob.keys]) {
      const answer = await agreeTo(person, request, { keys });
      assert.equal(answer.status, 400, "no key of the person's");
      assert.ok(answer.text.includes(`/consent?request=${request}`));
    }
    assert.equal((await agreeTo(person, request, { keys: [stage.keys[0]] })).status, 303);
  });

  test("refuses other fields, and an expiry that it does not offer", async () => {
    await using stage = await setStage();
    const { person, client, keys } = stage;
    const { request } = await askFor(person, client, pkcePair(), ASKED);
    const form = { request, decision: "approve", [`key:${keys[0]}`]: "on" };
    for (const change of [{ end: "century" }, { scope: "openid" }, { "rule:text": "off" }]) {
      assert.equal((await postForm(person, "/consent", { ...form, ...change })).status, 400);
    }
  });
});

describe("an application with keys:sign", () => {
  test("uses only the picked keys of this account", async () => {
    await using stage = await setStage();
    const { app, keys } = stage;
    const bob = await newPerson(app, "bob@example.com");
    const { tokens, program } = await enter(stage);
    assert.equal(tokens["token_type"], "DPoP");
    const listed = (await program.send("GET", "/api/keys")).body.keys;
    assert.deepEqual(listed.map(({ id }: { id: string }) => id), [keys[0]]);
    assert.equal((await sign(program, keys[0])).status, 200);
    for (const id of [keys[1], ...bob.keys]) {
      assert.equal(code(await sign(program, id)), "404 not_found");
      assert.equal(code(await program.send("GET", `/api/keys/${id}`)), "404 not_found");
    }
  });

  test("signs under the remaining rules, and is told which rule refused", async () => {
    await using stage = await setStage();
    const { program, tokens } = await enter(stage, { rules: ["text"] });
    const [detail] = tokens.authorization_details as { policy: Record<string, unknown> }[];
    assert.deepEqual([detail!.policy["raw"], (detail!.policy["messages"] as { text: string }).text], [
      "deny",
      "allow",
    ]);
    assert.equal((await sign(program, stage.keys[0])).status, 200);
    const raw = await sign(program, stage.keys[0], { message: "0x00", format: "raw" });
    assert.equal(code(raw), "403 policy_denied");
    assert.deepEqual([raw.body.policy, raw.body.rule], ["application", "/raw"]);
    const explained = await program.send("POST", `/api/keys/${stage.keys[0]}/explain`, {
      body: { message: "0x00", format: "raw" },
    });
    assert.equal(explained.body.decision.outcome, "deny");
  });

  test("signs no more than a policy counts, for each grant", async () => {
    await using stage = await setStage();
    const requestedRights = { ...ASKED, authorization_details: detailsOf({ ...TEXT, perDay: 1 }) };
    const [first, second] = [
      await enter(stage, {}, requestedRights),
      await enter(stage, {}, requestedRights),
    ];
    assert.equal((await sign(first.program, stage.keys[0])).status, 200);
    assert.equal(code(await sign(first.program, stage.keys[0])), "403 policy_denied");
    assert.equal((await sign(second.program, stage.keys[0])).status, 200);
  });

  test("cannot create keys, and has no access to the rest of the account", async () => {
    await using stage = await setStage();
    const { program } = await enter(stage, { keys: stage.keys });
    assert.equal(
      code(await program.send("POST", "/api/keys/generate", { body: {} })),
      "403 insufficient_scope",
    );
    const refused = [
      ["PATCH", `/api/keys/${stage.keys[0]}`, { label: "Mine" }],
      ["POST", `/api/keys/${stage.keys[0]}/archive`, undefined],
      ["GET", "/api/auth/passkeys", undefined],
      ["GET", "/api/auth/sessions", undefined],
      ["GET", "/api/auth/tokens", undefined],
      ["POST", "/api/auth/tokens", { name: "a", keys: "all", actions: ["sign"] }],
      ["GET", "/api/auth/grants", undefined],
      ["GET", "/api/audit", undefined],
      ["POST", "/api/auth/step-up/options", { action: "add_token" }],
      ["POST", "/api/auth/passkey/registration/options", {}],
    ] as const;
    for (const [method, path, body] of refused) {
      const answer = await program.send(method, path, body === undefined ? {} : { body });
      assert.equal(answer.status, 401, `${method} ${path}`);
    }
  });

  test("is refused from the next request after its withdrawal, also for a slow body", async () => {
    await using stage = await setStage();
    const { person, client, keys } = stage;
    const { program, tokens } = await enter(stage);
    assert.equal((await sign(program, keys[0])).status, 200);
    assert.equal((await person.request("DELETE", `/api/auth/grants/${client.clientId}`)).status, 204);
    assert.equal(code(await sign(program, keys[0])), "401 authentication_required");
    assert.equal(code(await program.send("GET", "/api/keys")), "401 authentication_required");
    const form = { grant_type: "refresh_token", refresh_token: tokens["refresh_token"]! };
    assert.equal(code(await askToken(stage.app, client, form, prover)), "400 invalid_grant");
  });

  test("is refused when its client is disabled or loses the scope, and only for that client", async () => {
    await using stage = await setStage();
    const { app, provider, person, client, keys } = stage;
    const rival = await registerKeyClient(provider, { name: "Rival" });
    const { program } = await enter(stage);
    const agreement = { keys: [keys[0]], rules: ["text"] };
    const rivals = await authorizeApplication(app, {
      person,
      client: rival,
      prover,
      requestedRights: ASKED,
      agreement,
    });
    const change = (body: object) => administer(provider, "PATCH", `/${client.clientId}`, body);
    assert.equal((await change({ scopes: ["openid", "keys:read"] })).status, 200);
    assert.equal(code(await sign(program, keys[0])), "403 insufficient_scope");
    assert.equal((await program.send("GET", "/api/keys")).status, 200);
    assert.equal((await change({ disabled: true })).status, 200);
    assert.equal(code(await program.send("GET", "/api/keys")), "401 authentication_required");
    assert.equal((await sign(rivals.program, keys[0])).status, 200);
  });

  test("expires when the user chose, with its access token, however often it is refreshed", async () => {
    await using stage = await setStage();
    const { app, client, keys } = stage;
    const { program, tokens } = await enter(stage, { end: "hour" });
    app.now += HOUR / 2;
    const form = { grant_type: "refresh_token", refresh_token: tokens["refresh_token"]! };
    const refreshed = await askToken(app, client, form, prover);
    assert.equal(refreshed.body.expires_in, 1800);
    app.now += HOUR / 2 - 1;
    assert.equal((await sign(programWith(app, prover, refreshed.body.access_token), keys[0])).status, 200);
    app.now += 1;
    const again = { ...form, refresh_token: refreshed.body.refresh_token };
    assert.equal(code(await sign(program, keys[0])), "401 authentication_required");
    assert.equal(code(await askToken(app, client, again, prover)), "400 invalid_grant");
  });

  test("does not let a thief of its access token sign", async () => {
    await using stage = await setStage();
    const { tokens, program } = await enter(stage);
    const path = `/api/keys/${stage.keys[0]}/sign`;
    for (const sending of [{ scheme: "Bearer" }, { scheme: "Bearer", proof: null }, { proof: null }]) {
      assert.equal((await program.send("POST", path, { body: HELLO, ...sending })).status, 401);
    }
    const thief = programWith(stage.app, other, tokens["access_token"]!);
    assert.equal((await sign(thief, stage.keys[0])).status, 401);
    const first = await program.send("POST", path, { body: HELLO, claims: { jti: "one" } });
    const replayed = await program.send("POST", path, { body: HELLO, claims: { jti: "one" } });
    assert.deepEqual([first.status, replayed.status], [200, 401]);
  });

  test("with openid alone cannot use a key", async () => {
    await using stage = await setStage();
    const { program } = await authorizeApplication(stage.app, {
      ...stage,
      prover,
      requestedRights: { scope: "openid" },
      agreement: { keys: [] },
    });
    assert.equal(code(await program.send("GET", "/api/keys")), "403 insufficient_scope");
  });

  test("with keys:read alone reads the picked keys and cannot sign", async () => {
    await using stage = await setStage();
    const { program, tokens } = await enter(stage, {}, { scope: "openid keys:read" });
    assert.equal(tokens.authorization_details, undefined);
    assert.equal((await program.send("GET", "/api/keys")).body.keys.length, 1);
    assert.equal(code(await sign(program, stage.keys[0])), "403 insufficient_scope");
  });

  test("is named in the log with its client and its grant", async () => {
    await using stage = await setStage();
    const { program } = await enter(stage);
    await sign(program, stage.keys[0]);
    const { events } = (await stage.person.get("/api/audit")).body;
    const [signed] = events;
    assert.equal(signed.event, "message_signed");
    assert.equal(signed.detail.client, stage.client.clientId);
    assert.match(signed.detail.by, /^grant_/);
    const given = events.find(({ event }: { event: string }) => event === "consent_given");
    assert.equal(given.detail.keys, stage.keys[0]);
    assert.match(given.detail.policy, /^0x[0-9a-f]{64}$/);
  });
});

describe("the token endpoint for keys", () => {
  test("issues no token to a public client without a proof, and does not use up its code", async () => {
    await using stage = await setStage();
    const { app, person, client, keys } = stage;
    const pkce = pkcePair();
    const { request } = await askFor(person, client, pkce, ASKED);
    const given = locationOf(await agreeTo(person, request, { keys: [keys[0]] })).searchParams.get("code")!;
    const form = {
      grant_type: "authorization_code",
      code: given,
      redirect_uri: client.redirectUris[0]!,
      code_verifier: pkce.verifier,
    };
    assert.equal(code(await askToken(app, client, form)), "400 invalid_dpop_proof");
    assert.equal((await askToken(app, client, form, prover)).status, 200);
  });

  test("issues bearer tokens to a confidential client while it is registered for them", async () => {
    await using stage = await setStage({ type: "web", dpopBoundAccessTokens: false });
    const { app, provider, person, client, keys } = stage;
    const pkce = pkcePair();
    const { request } = await askFor(person, client, pkce, ASKED);
    const given = locationOf(
      await agreeTo(person, request, { keys: [keys[0]], rules: ["text"] }),
    ).searchParams.get("code")!;
    const answer = await askToken(app, client, {
      grant_type: "authorization_code",
      code: given,
      redirect_uri: client.redirectUris[0]!,
      code_verifier: pkce.verifier,
    });
    assert.equal(answer.body.token_type, "Bearer");
    const program = programWith(app, prover, answer.body.access_token);
    const path = `/api/keys/${keys[0]}/sign`;
    const bearer = { body: HELLO, scheme: "Bearer", proof: null };
    assert.equal((await program.send("POST", path, bearer)).status, 200);
    await administer(provider, "PATCH", `/${client.clientId}`, { dpopBoundAccessTokens: true });
    assert.equal(code(await program.send("POST", path, bearer)), "403 insufficient_scope");
  });

  test("narrows an access token on request, and never widens one (RFC 9396 sections 6 and 7)", async () => {
    await using stage = await setStage();
    const { app, client, keys } = stage;
    const { tokens } = await enter(stage, { keys });
    let refreshToken = tokens["refresh_token"]!;
    const refresh = async (change: Fields): Promise<Answer> => {
      const form = { grant_type: "refresh_token", refresh_token: refreshToken, ...change };
      const answer = await askToken(app, client, form, prover);
      if (answer.status === 200) refreshToken = answer.body.refresh_token;
      return answer;
    };
    const detail = (change: object): Fields => ({
      authorization_details: JSON.stringify([{ type: "ethereum_sign", ...change }]),
    });
    const narrow = await refresh(
      detail({ keys: [keys[1]], policy: { version: 1, messages: { text: "allow" } } }),
    );
    const [granted] = narrow.body.authorization_details;
    assert.deepEqual([granted.keys, granted.policy.raw], [[keys[1]], "deny"]);
    const program = programWith(app, prover, narrow.body.access_token);
    assert.equal((await sign(program, keys[1])).status, 200);
    assert.equal(code(await sign(program, keys[0])), "404 not_found");
    assert.equal(code(await sign(program, keys[1], { message: "0x00", format: "raw" })), "403 policy_denied");

    const wider = [
      detail({ keys: ["key_00000000000000000000000000"] }),
      detail({ keys: [] }),
      detail({ policy: { ...TEXT, digest: "allow" } }),
      { authorization_details: "[]" },
      // Authorization details cannot limit a grant that may only read.
      { scope: "openid keys:read", ...detail({ keys: [keys[1]] }) },
    ];
    for (const change of wider) {
      assert.equal(code(await refresh(change)), "400 invalid_authorization_details");
    }
    assert.equal(code(await refresh({ scope: "openid keys:create" })), "400 invalid_scope");
    const whole = await refresh({});
    assert.deepEqual(whole.body.authorization_details, tokens.authorization_details);
    const reading = await refresh({ scope: "openid keys:read" });
    assert.deepEqual([reading.body.scope, reading.body.authorization_details], [
      "openid keys:read",
      undefined,
    ]);
    assert.equal(
      code(await sign(programWith(app, prover, reading.body.access_token), keys[0])),
      "403 insufficient_scope",
    );
  });
});

describe("an attacker with database access gains nothing:", () => {
  const EDITS = [
    "keys = (select json_group_array(id) from ethereum_key)",
    "keys = null",
    `policy = '${JSON.stringify({ version: 1, raw: "allow" })}'`,
    "policy = null",
    "jkt = null",
    `jkt = '${other.jkt}'`,
    "ends_at = ends_at + 1",
    "ends_at = null",
  ];
  for (const edit of EDITS) {
    test(`a grant with ${edit.slice(0, 30)} is not used`, async () => {
      await using stage = await setStage();
      const { app, client, keys } = stage;
      const { program, tokens } = await enter(stage);
      const signAll = async () => [code(await sign(program, keys[0])), code(await sign(program, keys[1]))];
      const before = await signAll();
      await sql.raw(`update authorization_grant set ${edit}`).execute(app.db);
      assert.deepEqual(await signAll(), before, "from memory");
      dropMemory(app.db);
      for (const id of keys) assertInconsistent(await sign(program, id));
      const form = { grant_type: "refresh_token", refresh_token: tokens["refresh_token"]! };
      for (const by of [prover, other]) assertInconsistent(await askToken(app, client, form, by));
    });
  }

  test("a client whose scopes or binding were edited is not used", async () => {
    for (const edit of ["key_scopes = 'keys:read keys:sign', dpop_bound = 0", "dpop_bound = 0"]) {
      await using stage = await setStage(edit.startsWith("key") ? { scopes: ["openid"] } : {});
      const { app, person, client } = stage;
      const path = authorizePath(client, pkcePair(), ASKED);
      const before = await person.get(path);
      await sql.raw(`update client set ${edit}`).execute(app.db);
      const after = await person.get(path);
      assert.deepEqual([after.status, locationOf(after)?.pathname], [
        before.status,
        locationOf(before)?.pathname,
      ]);
      dropMemory(app.db);
      assert.equal((await person.get(path)).status, 503);
    }
  });

  test("a pending request that was edited counts as absent", async () => {
    for (const edit of ["policy = null", `policy = '{"version":1,"digest":"allow"}'`, "dpop_jkt = 'a'"]) {
      await using stage = await setStage();
      const { app, person, client, keys } = stage;
      const { request } = await askFor(person, client, pkcePair(), ASKED);
      await sql.raw(`update authorization_request set ${edit}`).execute(app.db);
      assert.equal((await agreeTo(person, request, { keys: [keys[0]], rules: ["digest"] })).status, 400);
    }
  });
});

describe("the admin API registers clients for keys", () => {
  test("with bound tokens and openid alone by default", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const body = { name: "A", uri: "https://a.example", type: "web", redirectUris: ["https://a.example/cb"] };
    const register = async (change: object) =>
      (await administer(provider, "POST", "", { ...body, ...change })).body;
    const of = (
      { client }: { client: Record<string, unknown> },
    ) => [client["scopes"], client["dpopBoundAccessTokens"]];
    assert.deepEqual(of(await register({})), [["openid"], false]);
    assert.deepEqual(of(await register({ scopes: ["keys:sign"] })), [["openid", "keys:sign"], true]);
    const bearer = { scopes: ["openid", "keys:sign"], dpopBoundAccessTokens: false };
    assert.deepEqual(of(await register(bearer)), [["openid", "keys:sign"], false]);
    assert.deepEqual(
      of(await register({ type: "spa", scopes: ["keys:read"], dpopBoundAccessTokens: false })),
      [
        ["openid", "keys:read"],
        false,
      ],
    );
    const faults: readonly (readonly [path: string, change: object])[] = [
      ["/scopes/0", { scopes: ["keys:create"] }],
      ["/dpopBoundAccessTokens", { ...bearer, type: "spa" }],
      ["/dpopBoundAccessTokens", { ...bearer, type: "native" }],
      ["/dpopBoundAccessTokens", { dpopBoundAccessTokens: true }],
    ];
    for (const [path, change] of faults) {
      const { code, errors } = await register(change);
      assert.deepEqual([code, errors[0].path], ["invalid_request", path], JSON.stringify(change));
    }
  });

  test("changes a client's scopes, and removes the binding with the last scope for keys", async () => {
    await using app = await createTestApp();
    const provider = providerOf(app);
    const { clientId } = await registerKeyClient(provider, { type: "web" });
    const change = async (body: object) => {
      const { client } = (await administer(provider, "PATCH", `/${clientId}`, body)).body;
      return [client.scopes, client.dpopBoundAccessTokens];
    };
    assert.deepEqual(await change({ dpopBoundAccessTokens: false }), [
      ["openid", "keys:read", "keys:sign"],
      false,
    ]);
    assert.deepEqual(await change({ scopes: ["openid", "keys:read"] }), [["openid", "keys:read"], false]);
    assert.deepEqual(await change({ scopes: ["openid"] }), [["openid"], false]);
    assert.deepEqual(await change({ scopes: ["openid", "keys:sign"] }), [["openid", "keys:sign"], true]);
  });
});
