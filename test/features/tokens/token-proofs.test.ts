import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { utf8 } from "../../../src/lib/bytes.ts";
import { createTestApp, ORIGIN } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";
import { createProver, hashOf, provingProgram } from "../../support/dpop.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import type { Prover, ProvingProgram, Sending } from "../../support/dpop.ts";

const TOKENS = "/api/auth/tokens";
const ALL = { name: "Payroll", keys: "all", actions: ["read", "sign", "create"] };
const HELLO = { message: "hello" };

const [prover, other] = [await createProver(), await createProver("EdDSA")];

/** An account with a key, and a program with a token that is bound to the program's own key. */
interface Bound {
  readonly person: Client;
  readonly keyId: string;
  readonly text: string;
  readonly program: ProvingProgram;
  sign(sending?: Sending): Promise<Answer>;
}

async function bind(app: TestApp, { by = prover, email = "ada@example.com" } = {}): Promise<Bound> {
  const person = app.client();
  const { key } = (await signUp(person, email)).body;
  const { token, text } = (await person.post(TOKENS, { ...ALL, jwk: by.jwk })).body;
  assert.equal(token.jkt, by.jkt);
  const program = programOf(app, by, text);
  const sign = (sending: Sending = {}): Promise<Answer> =>
    program.send("POST", `/api/keys/${key.id}/sign`, { body: HELLO, ...sending });
  return { person, keyId: key.id, text, program, sign };
}

function programOf(app: TestApp, by: Prover, text: string): ProvingProgram {
  return provingProgram(app.client("192.0.2.9"), by, { text, now: () => app.now });
}

const code = ({ status, body }: Answer): string => `${status} ${body?.code}`;

/** Asserts that a request got 401 with this error of RFC 9449. */
function assertRefused(answer: Answer, error: string): void {
  assert.equal(code(answer), "401 authentication_required", answer.text);
  const challenge = answer.headers.get("www-authenticate")!;
  assert.match(challenge, new RegExp(`^DPoP algs="ES256 EdDSA Ed25519", error="${error}"`));
}

async function signaturesIn({ db }: TestApp): Promise<number> {
  return (await db.selectFrom("audit_event").select("seq").where("event", "=", "message_signed").execute())
    .length;
}

describe("POST /api/auth/tokens with jwk", () => {
  test("accepts a public key of either kind, ignores other members of its JWK, and shows its thumbprint", async () => {
    await using app = await createTestApp();
    const { person } = await bind(app);
    const jwk = { ...other.jwk, kid: "mine", use: "sig", key_ops: ["verify"], ext: true };
    assert.equal((await person.post(TOKENS, { ...ALL, jwk })).status, 201);
    const listed = (await person.get(TOKENS)).body.tokens.map(({ jkt }: { jkt: string }) => jkt);
    assert.deepEqual(listed.toSorted(), [prover.jkt, other.jkt].toSorted());
  });

  test("refuses a private key, and unsupported keys", async () => {
    await using app = await createTestApp();
    const { person } = await bind(app);
    const faults: readonly (readonly [path: string, jwk: unknown])[] = [
      ["/jwk", { ...prover.jwk, d: prover.jwk.x }],
      ["/jwk", { ...prover.jwk, x: "AAAA" }],
      ["/jwk", { kty: "EC", crv: "P-256", x: prover.jwk.x }],
      ["/jwk", { kty: "OKP", crv: "P-256", x: prover.jwk.x, y: prover.jwk.y }],
      ["/jwk/crv", { ...prover.jwk, crv: "P-384" }],
      ["/jwk/kty", { kty: "RSA", n: "AQAB", e: "AQAB" }],
      ["/jwk", prover.jkt],
      ["/jwk", null],
    ];
    for (const [path, jwk] of faults) {
      const answer = await person.post(TOKENS, { ...ALL, jwk });
      assert.equal(code(answer), "400 invalid_request", JSON.stringify(jwk));
      assert.equal(answer.body.errors[0].path, path, JSON.stringify(jwk));
    }
  });

  test("binds permanently: PATCH refuses jwk", async () => {
    await using app = await createTestApp();
    const { person } = await bind(app);
    const [{ id }] = (await person.get(TOKENS)).body.tokens;
    const answer = await person.request("PATCH", `${TOKENS}/${id}`, { body: { jwk: other.jwk } });
    assert.equal(code(answer), "400 invalid_request");
  });
});

describe("a token that is bound to a key", () => {
  for (const by of [prover, other]) {
    test(`reads, creates keys and signs with proofs by ${by.jwk.crv}`, async () => {
      await using app = await createTestApp();
      const { keyId, program, sign } = await bind(app, { by });
      assert.equal((await program.send("GET", "/api/keys?limit=5")).status, 200);
      assert.equal((await program.send("HEAD", "/api/keys")).status, 200);
      assert.equal((await program.send("POST", "/api/keys/generate", { body: {} })).status, 201);
      assert.equal((await program.send("POST", `/api/keys/${keyId}/explain`, { body: HELLO })).status, 200);
      assert.equal((await sign()).status, 200);
    });
  }

  test("needs a nonce, and gets one with every response (RFC 9449 section 9)", async () => {
    await using app = await createTestApp();
    const { keyId, program, sign } = await bind(app);
    const refused = await sign({ claims: { nonce: undefined } });
    assertRefused(refused, "use_dpop_nonce");
    const nonce = refused.headers.get("dpop-nonce")!;
    assert.match(nonce, /^[A-Za-z0-9_-]{22}$/);
    for (
      const answer of [await sign(), await sign({ body: {} }), await program.send("GET", "/api/keys/no")]
    ) {
      assert.equal(answer.headers.get("dpop-nonce"), nonce);
    }
    app.now += 2 * 60_000;
    const next = (await sign()).headers.get("dpop-nonce");
    assert.notEqual(next, nonce);
    assert.equal((await sign({ claims: { nonce } })).status, 200, "the one before still counts");
    app.now += 2 * 60_000;
    assertRefused(await sign({ claims: { nonce } }), "use_dpop_nonce");
    assert.equal((await program.send("GET", `/api/keys/${keyId}`)).status, 200);
  });

  test("is refused as Bearer, without a proof, and with a proof by another key", async () => {
    await using app = await createTestApp();
    const { text, sign } = await bind(app);
    assertRefused(await sign({ scheme: "Bearer" }), "invalid_token");
    assertRefused(await sign({ scheme: "Bearer", proof: null }), "invalid_token");
    assertRefused(await sign({ proof: null }), "invalid_dpop_proof");
    const thief = programOf(app, other, text);
    assertRefused(await thief.send("GET", "/api/keys"), "invalid_dpop_proof");
    assert.equal(await signaturesIn(app), 0);
  });

  test("is not recorded as used by a thief", async () => {
    await using app = await createTestApp();
    const { person, text, sign } = await bind(app);
    const used = async () => (await person.get(TOKENS)).body.tokens[0].lastUsedAt;
    await sign({ scheme: "Bearer" });
    await programOf(app, other, text).send("GET", "/api/keys");
    assert.equal(await used(), null);
    await sign();
    assert.equal(await used(), new Date(app.now).toISOString());
  });

  test("accepts each proof once, whatever the request", async () => {
    await using app = await createTestApp();
    const { keyId, program } = await bind(app);
    const requests = [
      ["GET", "/api/keys"],
      ["GET", `/api/keys/${keyId}`],
      ["POST", `/api/keys/${keyId}/sign`, HELLO],
      ["POST", `/api/keys/${keyId}/explain`, HELLO],
      ["POST", "/api/keys/generate", {}],
    ] as const;
    for (const [method, path, body] of requests) {
      const sending = { ...(body === undefined ? {} : { body }), claims: { jti: `${method} ${path}` } };
      const first = await program.send(method, path, sending);
      assert.ok(first.status < 300, first.text);
      assertRefused(await program.send(method, path, sending), "invalid_dpop_proof");
    }
    assert.equal(await signaturesIn(app), 1);
  });

  test("signs once of a hundred requests at once with one proof", async () => {
    await using app = await createTestApp();
    const { sign } = await bind(app);
    await sign();
    const answers = await Promise.all(Array.from({ length: 100 }, () => sign({ claims: { jti: "one" } })));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(await signaturesIn(app), 2);
  });

  test("does not sign with a proof for another method, address, token or time", async () => {
    await using app = await createTestApp();
    const { sign, keyId } = await bind(app);
    const wrong = [
      { htm: "GET" },
      { htu: `${ORIGIN}/api/keys/${keyId}/sign-typed-data` },
      { htu: `https://elsewhere.example/api/keys/${keyId}/sign` },
      { ath: hashOf("another") },
      { ath: undefined },
      { iat: app.now / 1000 - 301 },
      { iat: app.now / 1000 + 301 },
      { jti: undefined },
    ];
    for (const claims of wrong) assertRefused(await sign({ claims }), "invalid_dpop_proof");
    assert.equal(await signaturesIn(app), 0);
  });

  test("refuses a proof for another token of the same key", async () => {
    await using app = await createTestApp();
    const ada = await bind(app);
    const bob = await bind(app, { email: "bob@example.com" });
    assertRefused(await ada.sign({ claims: { ath: hashOf(bob.text) } }), "invalid_dpop_proof");
    assert.equal((await bob.sign({ claims: { jti: "shared" } })).status, 200);
    assertRefused(await ada.sign({ claims: { jti: "shared" } }), "invalid_dpop_proof");
    assert.equal((await ada.sign()).status, 200);
  });

  test("accepts one DPoP header, and a proof in its exact encoding only", async () => {
    await using app = await createTestApp();
    const { sign } = await bind(app);
    const proof = await prover.prove({});
    for (const text of [`${proof}, ${proof}`, proof.replace(".", ".."), `${proof}=`, "", "x"]) {
      assertRefused(await sign({ proof: text }), "invalid_dpop_proof");
    }
  });

  test("is refused from the first request after its end, and with 403 for what it may not do", async () => {
    await using app = await createTestApp();
    const { person, keyId } = await bind(app);
    const { token, text } = (await person.post(TOKENS, { ...ALL, actions: ["read"], jwk: prover.jwk })).body;
    const program = programOf(app, prover, text);
    const denied = await program.send("POST", `/api/keys/${keyId}/sign`, { body: HELLO });
    assert.equal(code(denied), "403 insufficient_scope");
    assert.match(denied.headers.get("www-authenticate")!, /^DPoP .*error="insufficient_scope"/);
    assert.equal((await person.request("DELETE", `${TOKENS}/${token.id}`)).status, 204);
    assertRefused(await program.send("GET", "/api/keys"), "invalid_token");
  });

  test("uses its proof once for a slow body, and is checked again after it", async () => {
    await using app = await createTestApp();
    const { keyId, text, program } = await bind(app);
    const nonce = (await program.send("GET", "/api/keys")).headers.get("dpop-nonce");
    for (const path of [`/api/keys/${keyId}/explain`, `/api/keys/${keyId}/sign`]) {
      const claims = { htm: "POST", htu: ORIGIN + path, iat: app.now / 1000, ath: hashOf(text), nonce };
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          app.now += 5000;
          controller.enqueue(utf8(JSON.stringify(HELLO)));
          controller.close();
        },
      }, { highWaterMark: 0 });
      const headers = {
        host: "localhost:3000",
        authorization: `DPoP ${text}`,
        dpop: await prover.prove(claims),
        "content-type": "application/json",
      };
      const init = { method: "POST", headers, body: stream, duplex: "half" } as RequestInit;
      const answer = await app.app(new Request(ORIGIN + path, init), { clientAddress: "192.0.2.9" });
      assert.equal(answer.status, 200, path);
    }
  });

  test("is refused as inconsistent when an attacker removes the key from its row, or replaces it", async () => {
    await using app = await createTestApp();
    const { text, sign } = await bind(app);
    await sign();
    await sql`update api_token set jkt = null`.execute(app.db);
    assertInconsistent(await sign());
    assertInconsistent(await sign({ scheme: "Bearer", proof: null }));
    await sql`update api_token set jkt = ${other.jkt}`.execute(app.db);
    assertInconsistent(await programOf(app, other, text).send("GET", "/api/keys"));
    dropMemory(app.db);
    assertInconsistent(await programOf(app, other, text).send("GET", "/api/keys"));
  });

  test("may be used by pages of other origins, which may read the nonce", async () => {
    await using app = await createTestApp();
    const { sign } = await bind(app);
    const headers = { origin: "https://app.example", "sec-fetch-site": "cross-site" };
    const answer = await sign({ headers });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
    const exposed = answer.headers.get("access-control-expose-headers")!.split(", ");
    for (const name of ["DPoP-Nonce", "X-Request-Id", "RateLimit", "Retry-After", "WWW-Authenticate"]) {
      assert.ok(exposed.includes(name), name);
    }
  });
});

test("a counted request returns the state of its limits, including the limit of proofs, and no other request does", async () => {
  await using app = await createTestApp({ rateLimits: "on" });
  const { text, sign } = await bind(app);
  const signed = (await sign()).headers;
  assert.match(signed.get("ratelimit")!, /^"sign";r=\d+;t=1$/);
  assert.equal(signed.get("ratelimit-policy"), '"sign";q=3000;w=60');
  const { headers } = await programOf(app, prover, text).send("GET", "/api/keys");
  assert.match(headers.get("ratelimit")!, /^"dpop_proof";r=\d+;t=1$/);
  assert.equal((await app.client().get("/api/auth/session")).headers.get("ratelimit"), null);
});

describe("a token that is bound to no key", () => {
  test("is accepted as Bearer only, also together with a proof", async () => {
    await using app = await createTestApp();
    const { person } = await bind(app);
    const { text } = (await person.post(TOKENS, ALL)).body;
    const program = programOf(app, prover, text);
    assertRefused(await program.send("GET", "/api/keys"), "invalid_token");
    assert.equal((await program.send("GET", "/api/keys", { scheme: "Bearer" })).status, 200);
  });
});

test("a request without a token gets both schemes, and one with an invalid token its own scheme", async () => {
  await using app = await createTestApp();
  const stranger = app.client();
  const challengeOf = async (authorization?: string): Promise<string | null> => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await stranger.get("/api/keys", { headers });
    assert.equal(answer.status, 401);
    return answer.headers.get("www-authenticate");
  };
  const dpop = 'DPoP algs="ES256 EdDSA Ed25519"';
  const use = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource/api", scope="keys:read"`;
  assert.equal(await challengeOf(), `Bearer realm="keys", ${use}, ${dpop}, ${use}`);
  assert.equal(await challengeOf("Bearer nonsense"), `Bearer realm="keys", error="invalid_token", ${use}`);
  assert.equal(await challengeOf("DPoP nonsense"), `${dpop}, error="invalid_token", ${use}`);
});
