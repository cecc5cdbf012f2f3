import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createClient, HoldfastError, untilSigned } from "../../src/client/client.ts";
import type { ClientOptions, HoldfastClient } from "../../src/client/client.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";

/** A mock of the network. Each request takes the next response; the last one is repeated. */
type Answering = (request: Request) => Response | Promise<Response>;

interface Line {
  readonly client: HoldfastClient;
  readonly seen: Request[];
}

function lineTo(answers: readonly Answering[], options: Partial<ClientOptions> = {}): Line {
  const seen: Request[] = [];
  const fetch: NonNullable<ClientOptions["fetch"]> = async (url, init) => {
    const request = new Request(url, init);
    seen.push(request);
    return await answers[Math.min(seen.length, answers.length) - 1]!(request);
  };
  return { seen, client: createClient({ baseUrl: ORIGIN, token: "hfst_x", ...options, fetch }) };
}

function problem(status: number, code: string, headers: Record<string, string> = {}): Response {
  const body = { type: "about:blank", title: "", status, detail: "No", code, requestId: "r" };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

const lost: Answering = () => Promise.reject(new TypeError("connection lost"));
const limited: Answering = () => problem(429, "rate_limited", { "retry-after": "0" });
const unavailable: Answering = () => problem(503, "unavailable", { "retry-after": "0" });
const gateway: Answering = () =>
  new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "retry-after": "0" } });
const fine: Answering = () => Response.json({ keys: [], nextCursor: null });

test("createClient() names what it was not given, as from an empty environment", () => {
  const missing = (undefined as string | undefined)!;
  assert.throws(() => createClient({ baseUrl: missing }), /Cannot create client: baseUrl is missing/);
});

describe("createClient() sends again", () => {
  const reads = (client: HoldfastClient): Promise<unknown> => client.listKeys();
  const signs = (client: HoldfastClient): Promise<unknown> =>
    client.signMessage({ keyId: "k", body: { message: "" } });
  const makes = (client: HoldfastClient): Promise<unknown> => client.generateKey();
  const acts = (client: HoldfastClient): Promise<unknown> =>
    client.changeToken({ tokenId: "t", body: { name: "a" } });
  const cases:
    readonly (readonly [string, Answering, (client: HoldfastClient) => Promise<unknown>, number])[] = [
      ["what reads, when the answer was lost", lost, reads, 2],
      ["what signs, when the answer was lost", lost, signs, 2],
      ["what brings an Idempotency-Key, when the answer was lost", lost, makes, 2],
      ["what reads, when a proxy failed", gateway, reads, 2],
      ["nothing else, when a proxy failed", gateway, acts, 1],
      ["whatever the service says it did nothing of: limited", limited, acts, 2],
      ["whatever the service says it did nothing of: unavailable", unavailable, acts, 2],
      ["nothing that was refused", () => problem(403, "insufficient_scope"), reads, 1],
      [
        "nothing for longer than half a minute",
        () => problem(429, "rate_limited", { "retry-after": "31" }),
        reads,
        1,
      ],
      ["nothing of which the log was cut", () => problem(503, "log_cut"), acts, 1],
    ];
  for (const [name, answer, call, times] of cases) {
    test(name, async () => {
      const { client, seen } = lineTo([answer, fine]);
      await call(client).catch(() => {});
      assert.equal(seen.length, times);
    });
  }

  test("three times at the most, and then says why", async () => {
    const { client, seen } = lineTo([limited]);
    await assert.rejects(client.listKeys(), { name: "HoldfastError", code: "rate_limited", retryAfter: 0 });
    assert.equal(seen.length, 3);
  });

  test("with the same Idempotency-Key, of its own or the caller's", async () => {
    const { client, seen } = lineTo([lost, fine]);
    await client.generateKey({ body: { label: "a" } });
    const keys = seen.map(({ headers }) => headers.get("idempotency-key"));
    assert.equal(keys[0], keys[1]);
    assert.match(keys[0]!, /^[0-9a-f-]{36}$/);
    await client.generateKey({ idempotencyKey: "mine" });
    assert.equal(seen.at(-1)!.headers.get("idempotency-key"), "mine");
  });

  test("nothing after it was aborted, waiting or not", async () => {
    const waiting = new AbortController();
    const { client, seen } = lineTo([() => problem(429, "rate_limited", { "retry-after": "20" })]);
    const call = client.listKeys({}, { signal: waiting.signal });
    setTimeout(() => waiting.abort(new Error("enough")), 20);
    await assert.rejects(call, /enough/);
    assert.equal(seen.length, 1);
    await assert.rejects(
      lineTo([lost]).client.listKeys({}, { signal: AbortSignal.abort() }),
      /connection lost/,
    );
  });
});

describe("createClient()", () => {
  test("throws what was refused with its code, request id and faults; of what is no problem the status", async () => {
    const { client } = lineTo([() => problem(404, "not_found")]);
    const error = await client.getKey({ keyId: "k" }).catch((reason: unknown) => reason);
    assert.ok(error instanceof HoldfastError);
    assert.deepEqual([error.code, error.status, error.requestId, error.message, error.errors], [
      "not_found",
      404,
      "r",
      "No",
      [],
    ]);
    const other = lineTo([() => new Response("no", { status: 404 })]).client.getKey({ keyId: "k" });
    await assert.rejects(other, { code: "http_error", status: 404, requestId: undefined });
  });

  test("fills in paths and queries so that nothing given can be another path or parameter", async () => {
    const { client, seen } = lineTo([fine], { baseUrl: `${ORIGIN}/` });
    await client.getKey({ keyId: "../x?y#z" });
    await client.listKeys({ query: { limit: 5, cursor: "a&b" } });
    assert.deepEqual(seen.map(({ url }) => url.slice(ORIGIN.length)), [
      "/api/keys/..%2Fx%3Fy%23z",
      "/api/keys?limit=5&cursor=a%26b",
    ]);
    assert.equal(seen[0]!.headers.get("authorization"), "Bearer hfst_x");
  });

  test("walks through all pages as they are asked for", async () => {
    const page = (id: string, nextCursor: string | null): Answering => () =>
      Response.json({ keys: [{ id }], nextCursor });
    const { client, seen } = lineTo([page("a", "2"), page("b", "3"), page("c", null)]);
    const ids: string[] = [];
    for await (const { id } of client.listKeys.all({ query: { archived: "true" } })) {
      ids.push(id);
      assert.equal(seen.length, ids.length);
    }
    assert.deepEqual(ids, ["a", "b", "c"]);
    assert.equal(new URL(seen[2]!.url).search, "?archived=true&cursor=3");
  });

  test("keeps the newest receipt, sends it along, and goes on with that of an earlier run", async () => {
    const withReceipt = (receipt: string): Answering => () =>
      Response.json({}, { headers: { "holdfast-witness": receipt } });
    const { client, seen } = lineTo([withReceipt("two"), fine, withReceipt("three")], { receipt: "one" });
    await client.listKeys();
    await client.listKeys();
    await client.listKeys();
    assert.deepEqual(seen.map(({ headers }) => headers.get("holdfast-witness")), ["one", "two", "two"]);
    assert.equal(client.receipt(), "three");
  });

  test("writes a bigint as digits", async () => {
    const { client, seen } = lineTo([fine]);
    const body = { chainId: 1n as unknown as string, address: "0x00", nonce: 0 } as const;
    await client.signAuthorization({ keyId: "k", body });
    assert.deepEqual(await seen[0]!.json(), { chainId: "1", address: "0x00", nonce: 0 });
  });
});

function clientOf(app: TestApp, options: Partial<ClientOptions>): HoldfastClient {
  const fetch: NonNullable<ClientOptions["fetch"]> = (url, init) => {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(ORIGIN).host);
    return app.app(new Request(url, { ...init, headers }), { clientAddress: "192.0.2.9" });
  };
  return createClient({ baseUrl: ORIGIN, ...options, fetch });
}

describe("createClient() against the service", () => {
  test("makes keys once, lists and signs with a token, and uses a session", async () => {
    await using app = await createTestApp();
    const person = app.client();
    await signUp(person, "ada@example.com");
    const owner = clientOf(app, { session: person.cookies.get("service.session_token")! });
    assert.equal((await owner.getSession()).account?.email, "ada@example.com");
    const { text } = await owner.createToken({
      body: { name: "Bot", keys: "all", actions: ["read", "sign", "create"] },
    });
    const client = clientOf(app, { token: text });
    const made = await client.generateKey({ body: { label: "Bot" }, idempotencyKey: "1" });
    assert.deepEqual(await client.generateKey({ body: { label: "Bot" }, idempotencyKey: "1" }), made);
    const keys = await Array.fromAsync(client.listKeys.all({ query: { limit: 1 } }));
    assert.deepEqual(keys.map(({ label }) => label), ["Key 1", "Bot"]);
    const answer = await client.signMessage({ keyId: made.key.id, body: { message: "hello" } });
    const signed = await untilSigned(client, answer);
    assert.equal(signed.address, made.key.address);
    assert.match(client.receipt()!, /./);
    await assert.rejects(client.listTokens(), { code: "authentication_required" });
    await assert.rejects(
      client.signMessage({ keyId: made.key.id, body: { message: "x", format: "digest" } }),
      {
        code: "invalid_request",
        errors: [{ path: "/message", message: "Message must be 0x-prefixed hex of exactly 32 bytes" }],
      },
    );
  });
});

describe("createClient() with a token that is bound to a key (RFC 9449)", () => {
  const newKey = (): Promise<CryptoKeyPair> =>
    crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]) as Promise<
      CryptoKeyPair
    >;

  test("proves the key with each request, and finds the nonce by itself", async () => {
    await using app = await createTestApp();
    app.now = Date.now();
    const person = app.client();
    await signUp(person, "ada@example.com");
    const dpopKey = await newKey();
    const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", dpopKey.publicKey);
    const terms = { name: "Bot", keys: "all", actions: ["read", "sign"], jwk: { kty, crv, x, y } };
    const { body: { text: token } } = await person.post("/api/auth/tokens", terms);
    const client = clientOf(app, { token, dpopKey });
    const [key] = await Array.fromAsync(client.listKeys.all({ query: { limit: 1 } }));
    const body = { message: "hello" };
    const first = await untilSigned(client, await client.signMessage({ keyId: key!.id, body }));
    const again = await untilSigned(client, await client.signMessage({ keyId: key!.id, body }));
    assert.deepEqual(again, first);
    const calls = [{
      jsonrpc: "2.0",
      id: 1,
      method: "personal_sign",
      params: ["0x00", key!.address],
    }] as const;
    const answers = await client.rpc({ body: [...calls, ...calls] }) as readonly {
      readonly error?: unknown;
    }[];
    assert.deepEqual(answers.map(({ error }) => error), [undefined, undefined]);
    for (const options of [{ token }, { token, dpopKey: await newKey() }]) {
      await assert.rejects(clientOf(app, options).listKeys(), { code: "authentication_required" });
    }
  });

  test("makes a proof of its own for each try, over the address without its query", async () => {
    const { client, seen } = lineTo([lost, fine], { dpopKey: await newKey() });
    await client.listKeys({ query: { limit: 1 } });
    const claims = seen.map(({ headers }) => {
      const [, payload] = headers.get("dpop")!.split(".");
      return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(payload!, { alphabet: "base64url" })));
    });
    assert.equal(claims.length, 2);
    assert.notEqual(claims[0].jti, claims[1].jti);
    assert.deepEqual([claims[0].htm, claims[0].htu], ["GET", `${ORIGIN}/api/keys`]);
    assert.equal(seen[0]!.headers.get("authorization"), "DPoP hfst_x");
  });
});
