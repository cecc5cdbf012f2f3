import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from "jose";
import type { JWTPayload } from "jose";
import { SIZE_LIMIT } from "../../../src/identity/provider-request.ts";
import type { Fetch } from "../../../src/lib/outgoing.ts";
import { createTestApp, NO_PROVIDERS } from "../../support/app.ts";
import { registerPasskey } from "../../support/client.ts";
import type { Answer } from "../../support/client.ts";
import { beginAt, comeBack, createIdentityStage, lastReason, visitProvider } from "../../support/identity.ts";
import type { IdentityStage } from "../../support/identity.ts";
import { createUpstream, PERSON } from "../../support/upstream.ts";
import type { Upstream } from "../../support/upstream.ts";

type Lie = (upstream: Upstream, stage: IdentityStage) => unknown;

function base64url(value: object): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

function jsonAnswer(value: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(value), { headers: { "content-type": "application/json" }, ...init });
}

const seconds = ({ app }: IdentityStage): number => app.now / 1000;

/** Signs with a symmetric key made of the public key that the provider publishes. */
async function signWithPublicKey(
  upstream: Upstream,
  claims: JWTPayload,
  form: "jwk" | "pem",
): Promise<string> {
  const [jwk] = upstream.keys as { x: string }[];
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const key = await crypto.subtle.importKey("jwk", jwk!, curve, true, ["verify"]);
  const text = form === "jwk" ? jwk!.x : await exportSPKI(key);
  return await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "key-1" })
    .sign(new TextEncoder().encode(text));
}

/** Invalid ID tokens, with the check that must refuse each. */
const TOKEN_LIES: readonly (readonly [what: string, lie: Lie, reason: string])[] = [
  ["another issuer", (up) => up.claims = { iss: "https://other.example" }, "id_token_iss"],
  ["an issuer with a final slash", (up) => up.claims = { iss: "https://id.example/" }, "id_token_iss"],
  ["no issuer", (up) => up.claims = { iss: undefined }, "id_token_iss"],
  ["another audience", (up) => up.claims = { aud: "another client" }, "id_token_aud"],
  ["no audience", (up) => up.claims = { aud: undefined }, "id_token_aud"],
  ["a second audience and no azp", (up) => up.claims = { aud: ["holdfast client", "x"] }, "id_token_aud"],
  [
    "a second audience beside ours, which is not trusted here, and our azp (Core section 3.1.3.7 step 3)",
    (up) => up.claims = { aud: ["holdfast client", "x"], azp: "holdfast client" },
    "id_token_aud",
  ],
  ["another azp", (up) => up.claims = { azp: "x" }, "id_token_azp"],
  ["an azp that is not a string", (up) => up.claims = { azp: null }, "id_token_azp"],
  ["another nonce", (up) => up.claims = { nonce: "another" }, "id_token_nonce"],
  ["no nonce", (up) => up.claims = { nonce: undefined }, "id_token_nonce"],
  ["an exp in the past", (up, stage) => up.claims = { exp: seconds(stage) - 61 }, "id_token_exp"],
  ["no exp", (up) => up.claims = { exp: undefined }, "id_token_exp"],
  ["an exp that is not a number", (up) => up.claims = { exp: "never" }, "id_token_exp"],
  ["an iat in the future", (up, stage) => up.claims = { iat: seconds(stage) + 61 }, "id_token_iat"],
  ["an old iat", (up, stage) => up.claims = { iat: seconds(stage) - 661 }, "id_token_iat"],
  ["no iat", (up) => up.claims = { iat: undefined }, "id_token_iat"],
  ["an nbf in the future", (up, stage) => up.claims = { nbf: seconds(stage) + 61 }, "id_token_nbf"],
  ["no subject", (up) => up.claims = { sub: undefined }, "id_token_sub"],
  ["an empty subject", (up) => up.claims = { sub: "" }, "id_token_sub"],
  ["a subject that is a number", (up) => up.claims = { sub: 5 }, "id_token_sub"],
  ["a subject of 256 characters", (up) => up.claims = { sub: "x".repeat(256) }, "id_token_sub"],
  ["a subject with a NUL", (up) => up.claims = { sub: "person-1\0" }, "id_token_sub"],
  ["the hash of another access token", (up) => up.claims = { at_hash: "x" }, "id_token_at_hash"],
  ["an at_hash that is not a string", (up) => up.claims = { at_hash: null }, "id_token_at_hash"],
  [
    "no signature (alg none)",
    (up) => up.sign = (claims) => Promise.resolve(`${base64url({ alg: "none" })}.${base64url(claims)}.`),
    "id_token_alg",
  ],
  [
    "HS256 with the public key's x as secret",
    (up) => up.sign = (claims) => signWithPublicKey(up, claims, "jwk"),
    "id_token_alg",
  ],
  [
    "HS256 with the public key's PEM as secret",
    (up) => up.sign = (claims) => signWithPublicKey(up, claims, "pem"),
    "id_token_alg",
  ],
  [
    "HS256 with the client secret",
    (up) =>
      up.sign = (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode(up.config.clientSecret)),
    "id_token_alg",
  ],
  [
    "HS256 with a symmetric key that it publishes",
    (up) => {
      up.keys.push({ kty: "oct", kid: "oct", k: "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0czE" });
      up.sign = async (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "oct" }).sign(
          await importJWK(up.keys.at(-1)!, "HS256"),
        );
    },
    "id_token_alg",
  ],
  [
    "a key that it does not publish, under the published id",
    async (up) => {
      const { privateKey } = await generateKeyPair("ES256");
      up.sign = (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "key-1" }).sign(privateKey);
    },
    "id_token_signature",
  ],
  [
    "a key in the token's own header",
    async (up) => {
      const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
      const jwk = await exportJWK(publicKey);
      up.sign = (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "ES256", jwk, kid: "key-1" }).sign(privateKey);
    },
    "id_token_signature",
  ],
  [
    "a key id that it never publishes",
    async (up) => {
      const { privateKey } = await generateKeyPair("ES256");
      up.sign = (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "gone" }).sign(privateKey);
    },
    "id_token_key",
  ],
  [
    "no key id with several published keys",
    (up) => {
      const [key] = up.keys as [object];
      up.keys.push({ ...key, kid: "key-2" });
      const { privateKey } = up;
      up.sign = (claims) => new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(privateKey());
    },
    "id_token_key",
  ],
  [
    "a signature with a bit flipped",
    (up) => {
      const sign = up.sign;
      up.sign = async (claims) =>
        (await sign(claims)).replace(/.(?=.{4}$)/, (one) => one === "A" ? "B" : "A");
    },
    "id_token_signature",
  ],
  ["a token that is not a JWT", (up) => up.sign = () => Promise.resolve("a.b"), "id_token_malformed"],
  ["an encrypted token", (up) => up.sign = () => Promise.resolve("a.b.c.d.e"), "id_token_malformed"],
];

/** Other bad responses of a provider, by the check that must refuse each. */
const ANSWER_LIES: readonly (readonly [what: string, lie: Lie, reason: string])[] = [
  ["no ID token", (up) => up.tokenAnswer = { id_token: undefined }, "token_answer"],
  ["an ID token that is an object", (up) => up.tokenAnswer = { id_token: {} }, "token_answer"],
  ["no access token", (up) => up.tokenAnswer = { access_token: undefined }, "token_answer"],
  ["an access token that is a number", (up) => up.tokenAnswer = { access_token: 1 }, "token_answer"],
  ["no token type", (up) => up.tokenAnswer = { token_type: undefined }, "token_answer"],
  ["another token type", (up) => up.tokenAnswer = { token_type: "DPoP" }, "token_answer"],
  ["an error beside tokens", (up) => up.tokenAnswer = { error: "invalid_grant" }, "token_refused"],
  ["an error that is not a string", (up) => up.tokenAnswer = { error: 1 }, "token_refused"],
  ["a list of tokens", (up) => up.instead.set("/token", () => jsonAnswer([])), "token_answer"],
  ["null", (up) => up.instead.set("/token", () => jsonAnswer(null)), "token_answer"],
  [
    "a truncated response",
    (up) => up.instead.set("/token", () => jsonAnswer("x", { status: 500 })),
    "answer_status",
  ],
  [
    "tokens as a web page",
    (up) => up.instead.set("/token", () => new Response("{}", { headers: { "content-type": "text/html" } })),
    "answer_type",
  ],
  [
    "tokens that are not JSON",
    (up) =>
      up.instead.set("/token", () => new Response("{", { headers: { "content-type": "application/json" } })),
    "answer_json",
  ],
  [
    "tokens that are not UTF-8",
    (up) =>
      up.instead.set(
        "/token",
        () => new Response(Uint8Array.of(34, 255, 34), { headers: { "content-type": "application/json" } }),
      ),
    "answer_json",
  ],
  [
    "a redirect",
    (up) => up.instead.set("/token", () => Response.redirect("https://id.example/token", 307)),
    "answer_status",
  ],
  [
    "no connection",
    (up) => up.instead.set("/token", () => Promise.reject(new TypeError("refused"))),
    "unreachable",
  ],
  ["invalid keys", (up) => up.instead.set("/jwks", () => jsonAnswer({ keys: [1] })), "key_set"],
  ["keys without a list", (up) => up.instead.set("/jwks", () => jsonAnswer({ keys: {} })), "key_set"],
  ["too many keys", (up) => up.keys = new Array(101).fill(up.keys[0]), "key_set"],
  [
    "further claims about another user",
    (up) => {
      up.claims = { email: undefined };
      up.instead.set("/userinfo", () => jsonAnswer({ ...PERSON, sub: "person-2" }));
    },
    "userinfo_sub",
  ],
  [
    "further claims about no user",
    (up) => {
      up.claims = { email: undefined };
      up.instead.set("/userinfo", () => jsonAnswer({ email: PERSON.email, email_verified: true }));
    },
    "userinfo_sub",
  ],
];

describe("an invalid response of a provider signs no user in and writes nothing:", () => {
  for (const [what, lie, reason] of [...TOKEN_LIES, ...ANSWER_LIES]) {
    test(`${what}: ${reason}`, async () => {
      await using stage = await createIdentityStage();
      const { app, upstream } = stage;
      await lie(upstream, stage);
      const client = app.client();
      const answer = await visitProvider(client, upstream, "?next=%2Faccount");
      assert.equal(lastReason(app), reason);
      assert.ok([400, 502].includes(answer.status), String(answer.status));
      assert.match(answer.headers.get("content-type")!, /^text\/html/);
      assert.match(answer.text, /Nothing has changed here/);
      assert.match(answer.text, /href="\/sign-in\?next=%2Faccount"/);
      assert.equal(client.cookies.has("service.sign_up"), false);
      for (const table of ["sign_up_ticket", "account", "identity", "identity_request"] as const) {
        assert.deepEqual(await app.db.selectFrom(table).selectAll().execute(), [], table);
      }
    });
  }
});

/** Invalid metadata of a provider, with the check that must refuse each before the browser is redirected. */
const METADATA_LIES: readonly (readonly [what: string, change: Record<string, unknown>, reason: string])[] = [
  ["another issuer", { issuer: "https://other.example" }, "metadata_issuer"],
  ["its issuer with a final slash", { issuer: "https://id.example/" }, "metadata_issuer"],
  ["a template for an issuer", { issuer: "https://id.example/{tenantid}/v2.0" }, "metadata_issuer"],
  ["no issuer", { issuer: undefined }, "metadata_issuer"],
  ["no endpoint for tokens", { token_endpoint: undefined }, "metadata_endpoint"],
  ["an endpoint that is a number", { token_endpoint: 1 }, "metadata_endpoint"],
  ["plain http", { token_endpoint: "http://id.example/token" }, "metadata_endpoint"],
  [
    "a loopback address for another origin",
    { token_endpoint: "http://127.0.0.1:9000/token" },
    "metadata_endpoint",
  ],
  ["a file", { jwks_uri: "file:///etc/passwd" }, "metadata_endpoint"],
  ["data", { jwks_uri: "data:application/json,{}" }, "metadata_endpoint"],
  ["a script", { authorization_endpoint: "javascript:alert(1)" }, "metadata_endpoint"],
  ["a private address", { token_endpoint: "https://10.0.0.7/token" }, "metadata_host"],
  ["the cloud's metadata service", { jwks_uri: "https://169.254.169.254/jwks" }, "metadata_host"],
  ["a loopback address over https", { userinfo_endpoint: "https://[::1]:8443/userinfo" }, "metadata_host"],
  ["an IPv4 address in an IPv6 one", { token_endpoint: "https://[::ffff:192.168.0.1]/t" }, "metadata_host"],
  ["a number for an address", { token_endpoint: "https://2130706433/token" }, "metadata_host"],
  ["credentials in a URL", { userinfo_endpoint: "https://a:b@id.example/" }, "metadata_endpoint"],
  ["a fragment", { authorization_endpoint: "https://id.example/#" }, "metadata_endpoint"],
  ["no authentication method", { token_endpoint_auth_methods_supported: [] }, "metadata_method"],
  [
    "other authentication methods",
    { token_endpoint_auth_methods_supported: ["private_key_jwt"] },
    "metadata_method",
  ],
];

describe("GET /api/auth/identity/:provider does not redirect to a provider whose metadata names", () => {
  for (const [what, change, reason] of METADATA_LIES) {
    test(`${what}: ${reason}`, async () => {
      await using stage = await createIdentityStage();
      Object.assign(stage.upstream.metadata, change);
      const answer = await stage.app.client().get("/api/auth/identity/upstream");
      assert.equal(answer.status, 400);
      assert.equal(lastReason(stage.app), reason);
      assert.deepEqual(await stage.app.db.selectFrom("identity_request").selectAll().execute(), []);
    });
  }

  test("nothing at all: the page says so, other providers and passkeys work, and the metadata is fetched again", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream, other } = stage;
    upstream.instead.set("/.well-known/openid-configuration", () => Promise.reject(new TypeError("down")));
    const client = app.client();
    const answer = await client.get("/api/auth/identity/upstream?next=%2Faccount");
    assert.equal(answer.status, 502);
    assert.equal(lastReason(app), "unreachable");
    assert.ok(app.logged.every((line) => JSON.parse(line).level === "info"), "no fault of the service");
    assert.match(answer.text, /Upstream does not answer correctly/);
    assert.match(answer.text, /href="\/sign-in\?next=%2Faccount"/);
    assert.equal((await visitProvider(client, other)).status, 303);
    assert.equal((await registerPasskey(client)).status, 201);
    upstream.instead.clear();
    assert.equal((await client.get("/api/auth/identity/upstream")).status, 303);
  });
});

test("a provider with one key may omit the kid (OpenID Connect Core section 10.1)", async () => {
  await using stage = await createIdentityStage();
  const { app, upstream } = stage;
  upstream.sign = (claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(upstream.privateKey());
  assert.equal((await visitProvider(app.client(), upstream)).status, 303);
});

describe("a provider whose keys change", () => {
  test("is asked for them again when a token names an unknown one, at most every 10 seconds", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const keySetRequests = (): number => upstream.requests.filter(({ url }) => url.endsWith("/jwks")).length;
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
    assert.equal(keySetRequests(), 1, "kept");
    app.now += 10_000;
    await upstream.rotate("key-2");
    assert.equal((await visitProvider(app.client(), upstream)).status, 303, "rotated in mid-flow");
    assert.equal(keySetRequests(), 2);
    await upstream.rotate("key-3");
    assert.equal((await visitProvider(app.client(), upstream)).status, 400);
    assert.equal(lastReason(app), "id_token_key");
    assert.equal(keySetRequests(), 2, "not asked again at once");
    app.now += 10_000;
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
    app.now += 3_600_000;
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
    assert.equal(keySetRequests(), 4, "and after an hour in any case");
  });

  test("is asked for them again after 10 seconds when its tokens have no kid", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    upstream.sign = (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(upstream.privateKey());
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
    await upstream.rotate("key-2");
    assert.equal((await visitProvider(app.client(), upstream)).status, 400);
    assert.equal(lastReason(app), "id_token_signature");
    app.now += 10_000;
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
  });

  test("keeps its cached keys while it cannot be reached", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const kid = "kept";
    upstream.keys = [{ ...await exportJWK(publicKey), kid }];
    const signBefore = (claims: JWTPayload): Promise<string> =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
    const signAfter = upstream.sign;
    upstream.sign = signBefore;
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
    app.now += 10_000;
    upstream.instead.set("/jwks", () => jsonAnswer({}, { status: 500 }));
    upstream.sign = signAfter;
    assert.equal((await visitProvider(app.client(), upstream)).status, 502);
    upstream.sign = signBefore;
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
  });
});

describe("a provider that", () => {
  test("sends one byte more than a megabyte is not read to the end", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    let pulled = 0;
    let isCancelled = false;
    upstream.instead.set("/token", () => {
      const body = new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(1 << 16).fill((pulled++, 32))),
        cancel: () => void (isCancelled = true),
      });
      return new Response(body, { headers: { "content-type": "application/json" } });
    });
    assert.equal((await visitProvider(app.client(), upstream)).status, 502);
    assert.equal(lastReason(app), "too_large");
    assert.ok(isCancelled && pulled << 16 <= SIZE_LIMIT + (3 << 16), `${pulled} pieces`);
  });

  test("sends exactly a megabyte is read", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream } = stage;
    const padded = JSON.stringify(upstream.metadata).padEnd(SIZE_LIMIT);
    upstream.instead.set(
      "/.well-known/openid-configuration",
      () => new Response(padded, { headers: { "content-type": "application/json" } }),
    );
    assert.equal((await visitProvider(app.client(), upstream)).status, 303);
  });

  test("sends no response, or an incomplete one, times out, with one limit for all requests together", async () => {
    await using stage = await createIdentityStage();
    const { app, upstream, limit } = stage;
    const answer = async (): Promise<Answer> => {
      const client = app.client();
      const location = await beginAt(client, upstream);
      limit.timeLimit = 40;
      const answer = await comeBack(client, upstream, upstream.visit(location));
      limit.timeLimit = NO_PROVIDERS.timeLimit;
      return answer;
    };
    upstream.instead.set(
      "/token",
      ({ signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    assert.equal((await answer()).status, 502);
    assert.equal(lastReason(app), "too_slow");
    upstream.instead.set(
      "/token",
      () =>
        new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }), {
          headers: { "content-type": "application/json" },
        }),
    );
    assert.equal((await answer()).status, 502);
    assert.equal(lastReason(app), "too_slow");
  });
});

describe("a provider that names hosts inside the internal network", () => {
  const inside: Readonly<Record<string, readonly string[]>> = {
    "vault.corp.example": ["10.1.2.3"],
    "both.example": ["93.184.215.14", "fd00::1"],
    "cdn.example": ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
    // The operator configures the issuer, so its own host is trusted.
    "id.example": ["192.168.1.1"],
    "other.example": ["192.168.1.2"],
  };
  const lookup = (host: string): Promise<readonly string[]> => Promise.resolve(inside[host] ?? []);
  const REASONS = { 303: undefined, 400: "metadata_host", 502: "unreachable" };
  const begin = async (stage: IdentityStage, id = "upstream") =>
    (await stage.app.client().get(`/api/auth/identity/${id}`)).status;

  for (
    const [host, status] of [
      ["vault.corp.example", 400],
      ["both.example", 400],
      ["localhost", 400],
      ["localhost.:3000", 400],
      ["a.localhost.", 400],
      ["cdn.example", 303],
      ["id.example", 303],
      ["nowhere.example", 502],
    ] as const
  ) {
    test(`is ${status === 303 ? "asked" : "refused"} at ${host}, and the other provider still works`, async () => {
      await using stage = await createIdentityStage({ lookup });
      stage.upstream.metadata["jwks_uri"] = `https://${host}/jwks`;
      assert.equal(await begin(stage), status);
      assert.equal(lastReason(stage.app), REASONS[status]);
      assert.equal(await begin(stage, "other"), 303);
    });
  }

  test("times out when a name is not resolved", async () => {
    await using stage = await createIdentityStage({ lookup: () => new Promise(() => {}) });
    stage.limit.timeLimit = 40;
    stage.upstream.metadata["jwks_uri"] = "https://slow.example/jwks";
    assert.equal(await begin(stage), 502);
  });

  test("is contacted if its configuration allows it, and only this provider", async () => {
    const now = Date.UTC(2026, 0, 31, 9, 30);
    const allowed = await createUpstream({ now: () => now });
    const other = await createUpstream({ id: "other", issuer: "https://other.example", now: () => now });
    for (const { metadata } of [allowed, other]) {
      metadata["token_endpoint"] = "https://vault.corp.example/token";
    }
    const fetch: Fetch = (url, init) =>
      (url.startsWith(other.config.issuer) ? other : allowed).fetch(url, init);
    const providers = [{ ...allowed.config, network: "private" as const }, other.config];
    await using app = await createTestApp({ identity: { ...NO_PROVIDERS, providers, fetch, lookup } });
    assert.equal((await app.client().get("/api/auth/identity/upstream")).status, 303);
    assert.equal((await app.client().get("/api/auth/identity/other")).status, 400);
  });
});
