import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { FetchedResponse, FetchInit } from "../../../src/lib/outgoing.ts";
import { createTestApp, NO_PROVIDERS } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import { dropMemory } from "../../support/inconsistent.ts";
import type { Answer, Client } from "../../support/client.ts";
import { agreeTo, askFor, askToken, detailsOf } from "../../support/key-application.ts";
import {
  administer,
  authorizePath,
  locationOf,
  pkcePair,
  postForm,
  providerOf,
} from "../../support/oauth.ts";
import type { Fields, Registered } from "../../support/oauth.ts";

const ID = "https://agent.example/client.json";
const REDIRECT_URI = "http://127.0.0.1:4000/callback";
const GOOD = {
  client_id: ID,
  client_name: "Agent",
  redirect_uris: ["http://127.0.0.1/callback"],
  token_endpoint_auth_method: "none",
  client_name_of_another_standard: 1,
};

type Answering = (url: string, init: FetchInit) => FetchedResponse | Promise<FetchedResponse>;

function documentOf(document: unknown, headers: Fields = {}): Response {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return new Response(text, { headers: { "content-type": "application/json", ...headers } });
}

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly person: Client;
  readonly keyId: string;
  readonly requested: string[];
  answer: Answering;
}

async function setStage(
  answer: Answering,
  { environment = {}, ...more }: {
    origin?: string;
    environment?: Record<string, string>;
    rateLimits?: "on";
  } = {},
): Promise<Stage> {
  const requested: string[] = [];
  const identity = {
    ...NO_PROVIDERS,
    fetch: async (url: string, init: FetchInit): Promise<FetchedResponse> => {
      requested.push(url);
      return await stage.answer(url, init);
    },
  };
  const app = await createTestApp({ identity, environment, ...more });
  const person = app.client();
  const keyId = more.origin === undefined ? (await signUp(person, "ada@example.com")).body.key.id : "";
  const dispose = (): PromiseLike<void> => app[Symbol.asyncDispose]();
  const stage: Stage = { app, person, keyId, requested, answer, [Symbol.asyncDispose]: dispose };
  return stage;
}

function clientOf(clientId: string, redirectUri: string): Registered {
  return { clientId, clientSecret: undefined, redirectUris: [redirectUri] } as unknown as Registered;
}

const AGENT = clientOf(ID, REDIRECT_URI);
const SIGNS = {
  scope: "keys:read keys:sign",
  authorization_details: detailsOf({ version: 1, messages: { text: "allow" } }),
};

/** Lets the client in and returns the answer of the token endpoint. */
async function letIn({ app, person, keyId }: Stage, client = AGENT, asked: Fields = SIGNS): Promise<Answer> {
  const pkce = pkcePair();
  const { request } = await askFor(person, client, pkce, asked);
  const answer = await agreeTo(person, request, { keys: [keyId], rules: ["text"] });
  return await askToken(app, client, {
    grant_type: "authorization_code",
    code: locationOf(answer).searchParams.get("code")!,
    redirect_uri: client.redirectUris[0]!,
    code_verifier: pkce.verifier,
  });
}

function traceOf(index: number): string {
  return `00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333${index}-01`;
}

function refresh({ app }: Stage, token: string): Promise<Answer> {
  return askToken(app, AGENT, { grant_type: "refresh_token", refresh_token: token });
}

describe("a client that its metadata document describes", () => {
  test("gets bearer tokens that sign, and the consent page shows host and claim", async () => {
    await using stage = await setStage(() => documentOf({ ...GOOD, client_name: "Your Bank" }));
    const { page } = await askFor(stage.person, AGENT, pkcePair(), SIGNS);
    assert.match(page.text, /Sign in to <bdi>agent\.example<\/bdi>\?/);
    assert.match(
      page.text,
      /It calls itself <bdi>Your Bank<\/bdi>\. That name is the application.s own claim, and was not checked/,
    );
    const { body } = await letIn(stage);
    assert.equal(body.token_type, "Bearer");
    const headers = { authorization: `Bearer ${body.access_token}` };
    const path = `/api/keys/${stage.keyId}/sign`;
    const signed = await stage.app.client().post(path, { message: "hello" }, { headers });
    assert.equal(signed.status, 200, signed.text);
  });

  test("has the host as its name if the document has none", async () => {
    const { client_name: _, ...nameless } = GOOD;
    await using stage = await setStage(() => documentOf(nameless));
    await letIn(stage);
    const { body } = await stage.person.get("/api/auth/grants");
    assert.deepEqual([body.grants[0].name, body.grants[0].clientId], ["agent.example", ID]);
  });

  test("is announced in the metadata unless it is off", async () => {
    for (const [mode, expected] of [["on", true], ["off", false], ["agent.example", true]] as const) {
      await using app = await createTestApp({ environment: { CLIENT_METADATA: mode } });
      const { body } = await app.client().get("/.well-known/oauth-authorization-server");
      assert.equal(body.client_id_metadata_document_supported, expected);
    }
  });

  test("is asked again at a refresh after the cache's end; 401 where it is gone, and the grant stays", async () => {
    await using stage = await setStage(() => documentOf(GOOD, { "cache-control": "max-age=600" }));
    const { body } = await letIn(stage);
    stage.app.now += 599_000;
    const second = await refresh(stage, body.refresh_token);
    assert.equal(second.status, 200, second.text);
    assert.equal(stage.requested.length, 1);
    stage.app.now += 2_000;
    for (
      const answer of [new Response(null, { status: 404 }), documentOf({ ...GOOD, client_id: `${ID}2` })]
    ) {
      stage.answer = () => answer;
      const { status, body: { error } } = await refresh(stage, second.body.refresh_token);
      assert.deepEqual([status, error], [401, "invalid_client"]);
    }
    stage.answer = () => documentOf(GOOD);
    assert.equal((await refresh(stage, second.body.refresh_token)).status, 200);
    assert.equal(stage.requested.length, 4);
  });

  test("is fetched within the trace of the request, at authorize, PAR and token endpoint", async () => {
    const traces: (string | undefined)[] = [];
    await using stage = await setStage((_url, { headers }) => {
      traces.push(headers["traceparent"]);
      return documentOf(GOOD);
    });
    const { body } = await letIn(stage);
    const form = { grant_type: "refresh_token", client_id: ID, refresh_token: body.refresh_token };
    const requests = [
      (client: Client, headers: Fields) => client.get(authorizePath(AGENT, pkcePair(), SIGNS), { headers }),
      (client: Client, headers: Fields) => postForm(client, "/api/auth/oauth2/token", form, headers),
      (client: Client, headers: Fields) =>
        postForm(client, "/api/auth/oauth2/par", { client_id: ID, response_type: "code" }, headers),
    ];
    for (const [index, request] of requests.entries()) {
      stage.app.now += 86_400_000;
      await request(stage.app.client(), { traceparent: traceOf(index) });
    }
    assert.deepEqual(traces, [undefined, ...requests.keys().map(traceOf)]);
  });

  test("is cached for at least five minutes and at most a day", async () => {
    for (
      const [control, from, to] of [["no-store", 299, 301], ["max-age=9999999", 86_399, 86_401]] as const
    ) {
      await using stage = await setStage(() => documentOf(GOOD, { "cache-control": control }));
      const ask = () => stage.person.get(authorizePath(AGENT, pkcePair(), SIGNS));
      await ask();
      stage.app.now += from * 1000;
      await ask();
      assert.equal(stage.requested.length, 1, control);
      stage.app.now += (to - from) * 1000;
      await ask();
      assert.equal(stage.requested.length, 2, control);
    }
  });

  test("can be disabled and deleted by an administrator, and not changed", async () => {
    await using stage = await setStage(() => documentOf(GOOD));
    const { body } = await letIn(stage);
    const path = `/${encodeURIComponent(ID)}`;
    const provider = providerOf(stage.app);
    const renamed = await administer(provider, "PATCH", path, { name: "Other" });
    assert.equal(renamed.body.code, "client_declared");
    const disabled = await administer(provider, "PATCH", path, { disabled: true });
    assert.equal(disabled.status, 200, disabled.text);
    assert.equal((await refresh(stage, body.refresh_token)).status, 401);
    const page = await stage.person.get(authorizePath(AGENT, pkcePair(), SIGNS));
    assert.equal(page.status, 400);
    assert.equal((await administer(provider, "DELETE", path)).status, 200);
    assert.equal((await stage.person.get("/api/auth/grants")).body.grants.length, 0);
  });

  test("gets nothing by a code from before its deletion, if the database hid the grant from that", async () => {
    await using stage = await setStage(() => documentOf(GOOD));
    const { app, person, keyId } = stage;
    await letIn(stage);
    const pkce = pkcePair();
    const { request } = await askFor(person, AGENT, pkce, SIGNS);
    const answer = await agreeTo(person, request, { keys: [keyId], rules: ["text"] });
    const hidden = await app.db.selectFrom("authorization_grant").selectAll().execute();
    await app.db.deleteFrom("authorization_grant").execute();
    dropMemory(app.db);
    const path = `/${encodeURIComponent(ID)}`;
    assert.equal((await administer(providerOf(app), "DELETE", path)).status, 200);
    app.now += 1000;
    dropMemory(app.db);
    await sql`pragma foreign_keys = off`.execute(app.db);
    await app.db.insertInto("authorization_grant").values(hidden).execute();
    await sql`pragma foreign_keys = on`.execute(app.db);
    await letIn(stage);
    const redeemed = await askToken(app, AGENT, {
      grant_type: "authorization_code",
      code: locationOf(answer).searchParams.get("code")!,
      redirect_uri: REDIRECT_URI,
      code_verifier: pkce.verifier,
    });
    assert.equal(redeemed.body.error, "invalid_grant", redeemed.text);
  });

  test("loses its access when the owner withdraws it", async () => {
    await using stage = await setStage(() => documentOf(GOOD));
    const { body } = await letIn(stage);
    const withdrawn = await stage.person.request("DELETE", `/api/auth/grants/${encodeURIComponent(ID)}`);
    assert.equal(withdrawn.status, 204, withdrawn.text);
    assert.equal((await refresh(stage, body.refresh_token)).body.error, "invalid_grant");
  });

  test("is fetched 60 times a minute for a network, at the token endpoint too", async () => {
    await using stage = await setStage(() => documentOf(GOOD), { rateLimits: "on" });
    const { body } = await letIn(stage);
    stage.app.now += 300_001;
    stage.answer = () => new Response(null, { status: 404 });
    stage.requested.length = 0;
    const codes: string[] = [];
    for (let count = 0; count < 65; count++) {
      codes.push((await refresh(stage, body.refresh_token)).body.error);
    }
    assert.equal(codes[0], "invalid_client");
    assert.equal(codes.at(-1), "temporarily_unavailable");
    assert.equal(stage.requested.length, 60);
    assert.deepEqual([...new Set(stage.requested)], [ID]);
  });

  test("must have been let in before the token endpoint fetches its document", async () => {
    await using stage = await setStage(() => documentOf(GOOD));
    assert.equal((await refresh(stage, "x")).body.error, "invalid_client");
    assert.deepEqual(stage.requested, []);
  });
});

describe("a metadata document is refused with a page that repeats nothing of it, and nothing is stored", () => {
  const MARK = "evilmark";
  const many = { ...GOOD, client_name: MARK };
  const twice = JSON.stringify(many).replace("{", `{"client_id":"${ID}",`);
  const CASES: Readonly<Record<string, Answering>> = {
    "another client_id": () => documentOf({ ...many, client_id: `${ID}?${MARK}` }),
    "no client_id": () => documentOf({ ...many, client_id: undefined }),
    "a redirect": () =>
      new Response(null, { status: 302, headers: { location: `https://${MARK}.example/` } }),
    "a status other than 200": () =>
      new Response(JSON.stringify(many), { status: 203, headers: { "content-type": "application/json" } }),
    "another media type": () => documentOf(many, { "content-type": "text/html" }),
    "more than 5 KiB": () => documentOf({ ...many, filler: "a".repeat(5 * 1024) }),
    "no JSON": () => documentOf(MARK),
    "no object": () => documentOf([MARK]),
    "bytes that are not UTF-8": () =>
      new Response(Uint8Array.of(0x22, 0xff, 0x22), { headers: { "content-type": "application/json" } }),
    "a member that stands twice": () => documentOf(twice),
    "client_secret": () => documentOf({ ...many, client_secret: MARK }),
    "client_secret_expires_at": () => documentOf({ ...many, client_secret_expires_at: 0 }),
    "no token_endpoint_auth_method": () => documentOf({ ...many, token_endpoint_auth_method: undefined }),
    "client_secret_basic": () => documentOf({ ...many, token_endpoint_auth_method: "client_secret_basic" }),
    "private_key_jwt without keys": () =>
      documentOf({ ...many, token_endpoint_auth_method: "private_key_jwt" }),
    "no redirect_uris": () => documentOf({ ...many, redirect_uris: undefined }),
    "redirect_uris of other schemes only": () =>
      documentOf({ ...many, redirect_uris: ["javascript:alert(1)"] }),
    "a name with control characters": () => documentOf({ ...many, client_name: `a\n${MARK}` }),
    "a failing host": () => Promise.reject(new Error(MARK)),
  };
  for (const [name, answer] of Object.entries(CASES)) {
    test(name, async () => {
      await using stage = await setStage(answer);
      const page = await stage.person.get(authorizePath(AGENT, pkcePair(), SIGNS));
      assert.equal(page.status, 400, page.text);
      assert.match(page.headers.get("content-type")!, /^text\/html/);
      assert.ok(!page.text.includes(MARK));
      assert.equal((await stage.app.db.selectFrom("client").selectAll().execute()).length, 0);
      assert.equal((await stage.app.db.selectFrom("authorization_request").selectAll().execute()).length, 0);
    });
  }

  test("accepts application/*+json", async () => {
    await using stage = await setStage(() => documentOf(GOOD, { "content-type": "application/cimd+json" }));
    assert.equal((await letIn(stage)).status, 200);
  });

  test("another redirect URI than the document's is a page", async () => {
    await using stage = await setStage(() => documentOf(GOOD));
    for (
      const uri of ["http://127.0.0.1:4000/other", "http://localhost:4000/callback", "https://evil.example/"]
    ) {
      const page = await stage.person.get(authorizePath(clientOf(ID, uri), pkcePair(), SIGNS));
      assert.equal(page.status, 400, uri);
    }
  });
});

describe("CLIENT_METADATA", () => {
  const ORIGIN = "https://holdfast.example";

  async function requestedOf(clientId: string, mode: string | undefined, origin?: string): Promise<number> {
    await using stage = await setStage(() => documentOf({ ...GOOD, client_id: clientId }), {
      environment: mode === undefined ? {} : { CLIENT_METADATA: mode },
      ...(origin !== undefined && { origin }),
    });
    const client = clientOf(clientId, REDIRECT_URI);
    const { status } = await stage.person.get(authorizePath(client, pkcePair(), { scope: "openid" }));
    assert.equal(status, stage.requested.length > 0 ? 303 : 400);
    return stage.requested.length;
  }

  test("is on in development, with http on 127.0.0.1, and off in production", async () => {
    assert.equal(await requestedOf(ID, undefined), 1);
    assert.equal(await requestedOf("http://127.0.0.1:8080/client.json", undefined), 1);
    assert.equal(await requestedOf(ID, "off"), 0);
    assert.equal(await requestedOf(ID, undefined, ORIGIN), 0);
    assert.equal(await requestedOf(ID, "on", ORIGIN), 1);
    assert.equal(await requestedOf("http://127.0.0.1:8080/client.json", "on", ORIGIN), 0);
  });

  test("names hosts exactly, with their port", async () => {
    const hosts = "agent.example,other.example:8443";
    assert.equal(await requestedOf(ID, hosts, ORIGIN), 1);
    assert.equal(await requestedOf("https://other.example:8443/client", hosts, ORIGIN), 1);
    for (
      const url of [
        "https://other.example/client",
        "https://a.agent.example/c",
        "https://agent.example:8443/c",
      ]
    ) {
      assert.equal(await requestedOf(url, hosts, ORIGIN), 0, url);
    }
  });

  test("accepts no other URL: without a path, not in normal form, with a fragment or a user name", async () => {
    for (
      const url of [
        "https://agent.example/",
        "https://agent.example",
        "https://AGENT.example/c",
        "https://agent.example/a/../c",
        "https://agent.example/c#f",
        "https://u@agent.example/c",
        "https://agent.example:443/c",
        "http://agent.example/c",
        "http://localhost:8080/c",
        "ftp://agent.example/c",
        "javascript:alert(1)",
        `https://agent.example/${"a".repeat(2000)}`,
      ]
    ) assert.equal(await requestedOf(url, "on"), 0, url);
  });

  test("contacts no private network in production", async () => {
    for (const url of ["https://10.0.0.1/c", "https://[::1]/c", "https://localhost/c"]) {
      assert.equal(await requestedOf(url, "on", ORIGIN), 0, url);
    }
  });
});
