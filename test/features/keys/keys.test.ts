import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recoverTypedDataAddress } from "viem";
import { signUp } from "../../support/client.ts";
import type { Client } from "../../support/client.ts";
import { createKeyOwner as createOwner } from "../../support/key-owner.ts";

const TYPED_DATA = {
  types: { Mail: [{ name: "contents", type: "string" }] },
  primaryType: "Mail",
  domain: { name: "Ether Mail", chainId: 1 },
  message: { contents: "Hello" },
} as const;

const TRANSACTION = {
  type: "eip1559",
  chainId: 1,
  nonce: 0,
  maxPriorityFeePerGas: "1",
  maxFeePerGas: "2",
  gas: 21_000,
  to: "0x3535353535353535353535353535353535353535",
};
const AUTHORIZATION = { chainId: 1, address: "0x3535353535353535353535353535353535353535", nonce: 0 };

/** A body for each signing endpoint. */
const SIGNING: readonly (readonly [action: string, body: unknown])[] = [
  ["sign", { message: "x" }],
  ["sign-typed-data", TYPED_DATA],
  ["sign-transaction", TRANSACTION],
  ["sign-authorization", AUTHORIZATION],
];

const KEY_ROUTES: readonly [method: string, path: string, body?: unknown][] = [
  ["GET", ""],
  ["PATCH", "", { label: "x" }],
  ...SIGNING.map(([action, body]) => ["POST", `/${action}`, body] as [string, string, unknown]),
  ["POST", "/explain", { message: "x" }],
  ["GET", "/quote"],
  ["POST", "/archive"],
  ["POST", "/unarchive"],
];

describe("every key route", () => {
  for (const [method, path, body] of KEY_ROUTES) {
    test(`${method} /api/keys/:keyId${path} answers 401 without a session and 404 for another account's key`, async () => {
      await using owner = await createOwner();
      const request = (client: Client, id: string) =>
        client.request(method, `/api/keys/${id}${path}`, body === undefined ? {} : { body });
      const signedOut = await request(owner.app.client(), owner.keyId);
      assert.equal(signedOut.status, 401);
      assert.equal(signedOut.body.code, "authentication_required");
      const other = owner.app.client();
      await signUp(other, "eve@example.com");
      const foreign = await request(other, owner.keyId);
      const missing = await request(other, "key_" + "0".repeat(26));
      assert.equal(foreign.status, 404);
      assert.equal(missing.status, 404);
      assert.deepEqual({ ...foreign.body, requestId: "" }, { ...missing.body, requestId: "" });
      assert.equal((await request(owner.client, owner.keyId)).status, 200);
    });
  }
});

test("POST /api/keys/generate answers 201 with Location, with and without a body", async () => {
  await using owner = await createOwner();
  const { client } = owner;
  const made = await client.post("/api/keys/generate");
  assert.equal(made.status, 201);
  assert.equal(made.headers.get("location"), `/api/keys/${made.body.key.id}`);
  assert.deepEqual(made.body.key, {
    id: made.body.key.id,
    address: made.body.key.address,
    publicKey: made.body.key.publicKey,
    keyIndex: 1,
    label: "Key 2",
    createdAt: "2026-01-31T09:30:00.000Z",
    archived: false,
    archivedAt: null,
    blindSigning: "allow",
  });
  assert.match(made.body.key.publicKey, /^0x04[0-9a-f]{128}$/);
  assert.equal((await client.post("/api/keys/generate", { label: "  Rent " })).body.key.label, "Rent");
  assert.deepEqual((await client.get(made.headers.get("location")!)).body.key, made.body.key);
});

const BAD_LABELS = ["", "  ", "a".repeat(101), "a\nb", 5, null, ["x"], "\ud800"];

test("POST /api/keys/generate refuses bad labels and unknown members, and names them", async () => {
  await using owner = await createOwner();
  for (const label of BAD_LABELS) {
    const answer = await owner.client.post("/api/keys/generate", { label });
    assert.equal(answer.status, 400, JSON.stringify(label));
    assert.equal(answer.body.errors[0].path, "/label");
    const patched = await owner.client.request("PATCH", `/api/keys/${owner.keyId}`, { body: { label } });
    assert.equal(patched.status, 400);
  }
  const answer = await owner.client.post("/api/keys/generate", { lable: "x" });
  assert.deepEqual(answer.body.errors, [{ path: "/lable", message: "Unknown member" }]);
  assert.equal((await owner.client.get("/api/keys")).body.keys.length, 1);
});

test("POST /api/keys/generate assigns contiguous indexes to parallel requests", async () => {
  await using owner = await createOwner();
  const made = await Promise.all(Array.from({ length: 30 }, () => owner.client.post("/api/keys/generate")));
  assert.deepEqual(
    made.map(({ body }) => body.key.keyIndex).sort((a, b) => a - b),
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

describe("Idempotency-Key", () => {
  test("returns the same answer for the same body, also in parallel, and creates one key", async () => {
    await using owner = await createOwner();
    const ask = () =>
      owner.client.post("/api/keys/generate", { label: "A" }, { headers: { "idempotency-key": "k" } });
    const answers = [...await Promise.all([ask(), ask(), ask()]), await ask()];
    for (const answer of answers) {
      assert.equal(answer.status, 201);
      assert.deepEqual(answer.body, answers[0]!.body);
      assert.equal(answer.headers.get("location"), answers[0]!.headers.get("location"));
    }
    assert.equal((await owner.client.get("/api/keys")).body.keys.length, 2);
  });

  test("refuses another body with idempotency_mismatch, and creates a new key after 24 hours", async () => {
    await using owner = await createOwner();
    const ask = (label: string) =>
      owner.client.post("/api/keys/generate", { label }, { headers: { "idempotency-key": "k" } });
    const first = await ask("A");
    assert.equal((await ask("B")).body.code, "idempotency_mismatch");
    owner.app.now += 24 * 3_600_000;
    assert.notEqual((await ask("B")).body.key.id, first.body.key.id);
  });

  test("must be 1 to 255 printable ASCII characters", async () => {
    await using owner = await createOwner();
    for (const key of ["", "x".repeat(256), "a\tb", "é"]) {
      const headers = { "idempotency-key": key };
      const answer = await owner.client.post("/api/keys/generate", {}, { headers });
      assert.equal(answer.status, 400, JSON.stringify(key));
    }
    const headers = { "idempotency-key": "~".repeat(255) };
    assert.equal((await owner.client.post("/api/keys/generate", {}, { headers })).status, 201);
  });
});

test("GET /api/keys pages with limit and cursor, and links to the next page", async () => {
  await using owner = await createOwner();
  const { client } = owner;
  for (let index = 0; index < 4; index++) await client.post("/api/keys/generate");
  const seen: number[] = [];
  let path: string | undefined = "/api/keys?limit=2";
  while (path !== undefined) {
    const page = await client.get(path);
    seen.push(...page.body.keys.map((key: { keyIndex: number }) => key.keyIndex));
    const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    assert.equal(next === undefined, page.body.nextCursor === null);
    path = next?.slice(client.origin.length);
  }
  assert.deepEqual(seen, [0, 1, 2, 3, 4]);
});

test("GET /api/keys lists many keys in steps: all, up to a limit, and after a cursor", async () => {
  await using owner = await createOwner();
  const { client } = owner;
  await Promise.all(Array.from({ length: 101 }, () => client.post("/api/keys/generate")));
  const list = async (
    query: string,
  ): Promise<{ readonly indexes: number[]; readonly next: string | null }> => {
    const { body } = await client.get(`/api/keys?${query}`);
    return { indexes: body.keys.map((key: { keyIndex: number }) => key.keyIndex), next: body.nextCursor };
  };
  const all = Array.from({ length: 102 }, (_, index) => index);
  assert.deepEqual(await list(""), { indexes: all, next: null });
  assert.deepEqual(await list("limit=102"), { indexes: all, next: null });
  for (const limit of [100, 101]) {
    const { indexes, next } = await list(`limit=${limit}`);
    assert.deepEqual(indexes, all.slice(0, limit));
    assert.deepEqual(await list(`cursor=${next}`), { indexes: all.slice(limit), next: null });
  }
});

const BAD_QUERIES = [
  "archived=yes",
  "archived=",
  "archived=true&archived=true",
  "limit=0",
  "limit=1001",
  "limit=1.5",
  "limit=-1",
  "cursor=!!",
  "cursor=YWJj",
  "page=2",
];

test("GET /api/keys refuses malformed, duplicate and unknown parameters", async () => {
  await using owner = await createOwner();
  for (const query of BAD_QUERIES) {
    assert.equal((await owner.client.get(`/api/keys?${query}`)).status, 400, query);
  }
  assert.equal((await owner.client.get("/api/keys?limit=1000&archived=false")).status, 200);
});

test("PATCH /api/keys/:keyId changes label and blind signing; loosening needs a fresh sign-in", async () => {
  await using owner = await createOwner();
  const patch = (body: unknown) => owner.client.request("PATCH", `/api/keys/${owner.keyId}`, { body });
  assert.equal((await patch({ label: "Rent" })).body.key.label, "Rent");
  assert.equal((await patch({ blindSigning: "deny" })).body.key.blindSigning, "deny");
  assert.equal((await patch({ blindSigning: "guard" })).body.key.blindSigning, "guard");
  owner.app.now += 10 * 60_000;
  for (const blindSigning of ["guard", "deny"]) assert.equal((await patch({ blindSigning })).status, 200);
  for (const blindSigning of ["guard", "allow"]) {
    const answer = await patch({ blindSigning, label: "Stolen" });
    assert.equal(answer.status, 403);
    assert.equal(answer.body.code, "fresh_session_required");
  }
  assert.equal((await owner.client.get(`/api/keys/${owner.keyId}`)).body.key.label, "Rent");
  for (const body of [{ blindSigning: "never" }, { archived: true }, { id: "x" }, [], "x", null]) {
    assert.equal((await patch(body)).status, 400, JSON.stringify(body));
  }
  assert.equal((await patch({})).status, 200);
});

test("POST archive and unarchive are idempotent, and an archived key does not sign", async () => {
  await using owner = await createOwner();
  const post = (action: string, body?: unknown) =>
    owner.client.post(`/api/keys/${owner.keyId}/${action}`, body);
  const archived = await post("archive");
  owner.app.now += 1000;
  assert.deepEqual((await post("archive")).body, archived.body);
  assert.equal(archived.body.key.archivedAt, "2026-01-31T09:30:00.000Z");
  for (const [action, body] of SIGNING) {
    const refused = await post(action, body);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, "key_archived");
  }
  assert.equal((await post("explain", { message: "x" })).body.refusal.code, "key_archived");
  const active = await post("unarchive", {});
  assert.equal(active.body.key.archivedAt, null);
  assert.deepEqual((await post("unarchive")).body, active.body);
  assert.equal((await post("archive", { force: true })).status, 400);
});

test("POST sign returns signature, address, format and digest, and refuses an invalid message", async () => {
  await using owner = await createOwner();
  const sign = (body: unknown) => owner.client.post(`/api/keys/${owner.keyId}/sign`, body);
  const answer = await sign({ message: "hello", format: "personal_sign" });
  assert.deepEqual(Object.keys(answer.body).sort(), ["address", "digest", "format", "signature"]);
  assert.deepEqual(answer.body, (await sign({ message: "hello" })).body);
  const bodies = [
    {},
    { message: 5 },
    { message: "x", format: "eth_sign" },
    { message: "0x1", format: "raw" },
    {
      message: "x",
      keyId: "y",
    },
  ];
  for (const body of bodies) assert.equal((await sign(body)).status, 400, JSON.stringify(body));
  const big = "x".repeat(1_000_000);
  assert.equal((await sign({ message: big })).status, 200);
  assert.equal((await sign({ message: big + "x".repeat(50_000) })).status, 413);
});

test("POST sign-typed-data signs EIP-712, and points at the fault of an invalid document", async () => {
  await using owner = await createOwner();
  const post = (body: unknown) => owner.client.post(`/api/keys/${owner.keyId}/sign-typed-data`, body);
  const { body } = await post(TYPED_DATA);
  assert.equal(await recoverTypedDataAddress({ ...TYPED_DATA, signature: body.signature }), body.address);
  const refused = await post({ ...TYPED_DATA, types: { Mail: [{ name: "contents", type: "strin" }] } });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.code, "invalid_typed_data");
  assert.equal(refused.body.errors[0].path, "/types/Mail/0/type");
  for (const body of [{}, { ...TYPED_DATA, extra: 1 }]) {
    assert.equal((await post(body)).body.code, "invalid_typed_data", JSON.stringify(body));
  }
  for (const body of [[], null, 5]) assert.equal((await post(body)).body.code, "invalid_request");
});

test("POST explain explains either body, and returns no signature", async () => {
  await using owner = await createOwner();
  const post = (action: string, body: unknown) =>
    owner.client.post(`/api/keys/${owner.keyId}/${action}`, body);
  const typed = await post("explain", TYPED_DATA);
  assert.equal(typed.body.kind, "typed_data");
  assert.equal(typed.body.digest, (await post("sign-typed-data", TYPED_DATA)).body.digest);
  assert.equal(typed.body.encodeType, "Mail(string contents)");
  assert.equal(typed.body.message.members[0].value, "Hello");
  for (
    const [format, message] of [["personal_sign", "hi"], ["raw", "0x00"], ["digest", "0x" + "00".repeat(32)]]
  ) {
    const { intent, decision, ...explained } = (await post("explain", { format, message })).body;
    assert.equal(intent.kind, { personal_sign: "text", raw: "bytes", digest: "digest" }[format!]);
    assert.deepEqual([decision.outcome, decision.policy], ["allow", null]);
    assert.deepEqual(explained, {
      kind: "message",
      format,
      ...(format === "personal_sign" ? { encoding: "utf8" } : {}),
      address: typed.body.address,
      digest: (await post("sign", { format, message })).body.digest,
      refusal: null,
    });
  }
  assert.equal(typed.text.includes("signature"), false);
  for (const body of [{}, { message: 5 }, { format: "raw", message: "zz" }, { types: {} }]) {
    assert.equal((await post("explain", body)).status, 400);
  }
});

test("GET quote binds key, address and nonce, and states that it is simulated", async () => {
  await using owner = await createOwner();
  const nonce = "AAECAwQFBgcICQoLDA0ODw";
  const { body } = await owner.client.get(`/api/keys/${owner.keyId}/quote?nonce=${nonce}`);
  assert.equal(body.inTee, false);
  assert.equal(body.provider, "simulated");
  const claims = JSON.parse(body.claims);
  const { configurationHash, ...others } = claims;
  const { key } = (await owner.client.get(`/api/keys/${owner.keyId}`)).body;
  assert.deepEqual(others, {
    purpose: "holdfast/key-quote/v2",
    keyId: owner.keyId,
    address: key.address,
    publicKey: key.publicKey,
    derivation: "ethereum-key/v1",
    policy: null,
    policyEntry: null,
    baseUrl: owner.client.origin,
    keyProvider: { name: "simulated", id: "", verified: null },
    slots: [],
    nonce,
    issuedAt: new Date(owner.app.now).toISOString(),
  });
  assert.equal(typeof configurationHash, "string");
  assert.equal(body.address, key.address);
  const preimage = new TextEncoder().encode("holdfast/key-quote/v2\0" + body.claims);
  const reportData = new Uint8Array(await crypto.subtle.digest("SHA-512", preimage));
  assert.ok(Uint8Array.fromBase64(body.quote).toHex().includes(reportData.toHex()));
  assert.equal(
    JSON.parse((await owner.client.get(`/api/keys/${owner.keyId}/quote`)).body.claims).nonce,
    null,
  );
  for (const bad of ["", "AAAA", nonce + "==", "A".repeat(87), nonce + "&nonce=" + nonce, "!".repeat(22)]) {
    assert.equal((await owner.client.get(`/api/keys/${owner.keyId}/quote?nonce=${bad}`)).status, 400, bad);
  }
});

const LIMITED: readonly [limit: number, method: string, path: string][] = [
  [60, "POST", "generate"],
  [10, "GET", ":keyId/quote?nonce=AAECAwQFBgcICQoLDA0ODw"],
  [10, "GET", ":keyId/quote"],
];

for (const [limit, method, path] of LIMITED) {
  test(`${method} ${path} is limited to ${limit} a minute for each account`, async () => {
    await using owner = await createOwner("on");
    const ask = (client: Client, keyId: string) =>
      client.request(method, `/api/keys/${path.replace(":keyId", keyId)}`);
    for (let round = 0; round < limit; round++) {
      assert.ok((await ask(owner.client, owner.keyId)).status < 300);
    }
    const limited = await ask(owner.client, owner.keyId);
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get("retry-after")) >= 1);
    assert.ok(limited.headers.has("ratelimit") && limited.headers.has("ratelimit-policy"));
    const other = owner.app.client();
    const { key } = (await signUp(other, "eve@example.com")).body;
    assert.ok((await ask(other, key.id)).status < 300);
    owner.app.now += 60_000;
    assert.ok((await ask(owner.client, owner.keyId)).status < 300);
  });
}

test("signing is limited to 6,000 a minute for each account, all kinds together", async () => {
  await using owner = await createOwner("on");
  const ask = (action: string, body: unknown) =>
    owner.client.post(`/api/keys/${owner.keyId}/${action}`, body);
  for (const [action, body] of SIGNING) assert.equal((await ask(action, body)).status, 200);
  const rows = await owner.app.db.selectFrom("rate_limit").select("full_at").where("name", "=", "sign")
    .execute();
  assert.deepEqual(rows, [{ full_at: owner.app.now + 4 * 10 }], "four of 6,000 taken");
  await owner.app.db.updateTable("rate_limit").set({ full_at: owner.app.now + 60_000 })
    .where("name", "=", "sign").execute();
  for (const [action, body] of SIGNING) {
    const limited = await ask(action, body);
    assert.equal(limited.body.code, "rate_limited");
    assert.equal(limited.headers.get("ratelimit-policy"), '"sign";q=6000;w=60');
  }
  assert.equal((await ask("explain", { message: "x" })).status, 200);
});

test("key routes behind the cookie refuse another site's page and serve programs", async () => {
  await using owner = await createOwner();
  const status = async (headers: Record<string, string>) =>
    (await owner.client.post("/api/keys/generate", {}, { headers })).status;
  assert.equal(await status({ "sec-fetch-site": "cross-site" }), 403);
  assert.equal(await status({ "sec-fetch-site": "same-site" }), 403);
  assert.equal(await status({ origin: "https://evil.example" }), 403);
  assert.equal(await status({ origin: "null" }), 403);
  assert.equal(await status({ "sec-fetch-site": "same-origin", origin: "https://evil.example" }), 201);
  assert.equal(await status({ origin: owner.client.origin }), 201);
  assert.equal(await status({}), 201);
});
