import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listRoutes } from "../../scripts/route-list.ts";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { authorizePath, pkcePair, postForm, providerOf, registerClient } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";
import { someOf } from "../support/share.ts";

// No SQL statement accepts a text with a NUL. It would cause a 500 with a stack in the log.

const ENDS_SESSION = /sign-out|revoke-all/;

/** Method and path of every route. Those that end the session come last, because no user is signed in after them. */
const ROUTES: readonly (readonly [method: string, path: string])[] = listRoutes().trimEnd().split("\n")
  .map((line) => /^(\S+)\s+(\S+)/.exec(line)!).map(([, method, path]) => [method!, path!] as const)
  .toSorted(([, a], [, b]) => Number(ENDS_SESSION.test(a)) - Number(ENDS_SESSION.test(b)));

/** Every parameter and member that the service reads. */
const NAMES = [
  ..."account action archived blindSigning challenge claims client_id client_secret clientId code".split(" "),
  ..."code_challenge code_verifier cursor decision disabled email error format grant_type".split(" "),
  ..."id_token_hint idTokenSignedResponseAlg identity iss label limit login_hint message name".split(" "),
  ..."next nonce post_logout_redirect_uri postLogoutRedirectUris prompt quote redirect_uri".split(" "),
  ..."redirectUris refresh_token request response response_type scope search state taken token".split(" "),
  ..."token_type_hint type uri withdrawn workload".split(" "),
];

/** Names of values that may be tokens. */
const TOKENS = new Set([
  "access_token",
  "client_assertion",
  "code",
  "id_token_hint",
  "refresh_token",
  "token",
]);

/** Texts to be signed may contain a NUL: they are hashed, and not stored. */
const SIGNED = /\/(?:sign|sign-[a-z-]+|explain)$/;

interface Scene {
  readonly app: TestApp;
  readonly person: Client;
  readonly client: Registered;
}

async function openScene(): Promise<Scene> {
  const app = await createTestApp();
  const person = app.client();
  await signUp(person, "ada@example.com");
  return { app, person, client: await registerClient(providerOf(app)) };
}

/** Returns an unsigned JWT. */
function forgedToken(header: object, claims: object = {}): string {
  const part = (value: object): string => toBase64url(utf8(JSON.stringify(value)));
  return `${part({ alg: "ES256", typ: "at+jwt", ...header })}.${part({ iss: "x", ...claims })}.${
    toBase64url(utf8("x"))
  }`;
}

const NUL_KID = forgedToken({ kid: "a\0" });
const NUL_TOKENS = [NUL_KID, ...["a\0", "x:\0"].map((id) => forgedToken({}, { sub: id, client_id: id }))];

/** Returns other values of a parameter that are read from it, with a NUL in them. */
function othersOf(name: string, text: string): readonly string[] {
  if (TOKENS.has(name)) return NUL_TOKENS;
  // Such an id is the address of a document.
  return name === "client_id" ? [`x:${text}`] : [];
}

/** Returns each name with this text as its value, and with the other values of its kind. */
function parametersWith(text: string): (readonly [name: string, value: string])[] {
  return NAMES.flatMap((name) => [text, ...othersOf(name, text)].map((value) => [name, value] as const));
}

function assertNoFault({ app }: Scene, what: string, answer: Answer): void {
  assert.ok(answer.status < 500, `${what}: ${answer.status}`);
  assert.deepEqual(app.logged.filter((line) => line.includes("request_failed")), [], what);
}

describe("no text with a NUL reaches a statement", () => {
  test("in a path or a query, at any route", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    for (const [method, path] of ROUTES) {
      const target = path.replaceAll(/:[A-Za-z]+/g, "a%00b");
      const queries = parametersWith("a%00b").map(([name, value]) => `?${name}=${value}`);
      for (const query of ["", ...someOf(queries)]) {
        const headers = { "sec-fetch-site": "same-origin" };
        const answer = await scene.person.request(method, target + query, { headers });
        assertNoFault(scene, `${method} ${target}${query}`, answer);
      }
    }
  });

  test("in a form, at any route", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    const { clientId, clientSecret } = scene.client;
    for (const [, path] of ROUTES.filter(([method]) => method === "POST")) {
      const authorization = path.includes("userinfo")
        ? `Bearer ${NUL_KID}`
        : `Basic ${btoa(`${clientId}:${clientSecret}`)}`;
      const headers = { "sec-fetch-site": "same-origin", authorization };
      for (const [name, value] of someOf(parametersWith("\0"))) {
        const answer = await postForm(scene.person, path, { token: "x", [name]: value }, headers);
        assertNoFault(scene, `POST ${path} ${name}`, answer);
      }
    }
  });

  test("in a JSON body, whose texts and names are checked first", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    const routes = ROUTES.filter(([method, path]) =>
      ["POST", "PATCH", "PUT"].includes(method) && path.startsWith("/api/") && !path.includes("/oauth2/")
    );
    let refusals = 0;
    for (const [method, path] of routes) {
      const target = path.replaceAll(/:[A-Za-z]+/g, "x");
      for (const [body, at] of [[{ a: [1, { b: "\0" }] }, "/a/1/b"], [{ "a\0": 1 }, ""]] as const) {
        const headers = path.startsWith("/api/admin/") ? { authorization: `Bearer ${ADMIN_KEY}` } : {};
        const answer = await scene.person.request(method, target, { body, headers });
        assertNoFault(scene, `${method} ${path}`, answer);
        if (SIGNED.test(path) || ["authentication_required", "not_found"].includes(answer.body.code)) {
          continue;
        }
        refusals++;
        assert.deepEqual(answer.body.errors, [{ path: at, message: "NUL character" }], path);
      }
    }
    assert.ok(refusals > 25, `${refusals}`);
  });

  test("in the key id of an unsigned token, wherever tokens are accepted", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    const { clientId, clientSecret } = scene.client;
    const basic = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const bearer = { authorization: `Bearer ${NUL_KID}` };
    const answers = [
      await scene.person.get("/api/auth/oauth2/userinfo", { headers: bearer }),
      await postForm(scene.person, "/api/auth/oauth2/userinfo", { access_token: NUL_KID }, {}),
      await postForm(scene.person, "/api/auth/oauth2/introspect", { token: NUL_KID }, basic),
      await postForm(scene.person, "/api/auth/oauth2/revoke", { token: NUL_KID }, basic),
      await scene.person.get(`/api/auth/oauth2/end-session?id_token_hint=${NUL_KID}`),
    ];
    assert.deepEqual(answers.map(({ status }) => status), [401, 401, 200, 200, 303]);
    for (const answer of answers) assertNoFault(scene, "token", answer);
  });

  test("in the subject or the client of an unsigned token, wherever tokens are accepted", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    for (const token of NUL_TOKENS) {
      const headers = { authorization: `Bearer ${token}` };
      const answers = [
        await scene.person.get("/api/auth/oauth2/userinfo", { headers }),
        await scene.app.client().get("/api/keys", { headers }),
        ...await Promise.all(
          ["token", "revoke", "introspect", "par", "device_authorization"].map((path) =>
            postForm(scene.person, `/api/auth/oauth2/${path}`, {
              client_assertion: token,
              client_assertion_type: type,
              grant_type: "client_credentials",
            }, {})
          ),
        ),
      ];
      for (const answer of answers) {
        assertNoFault(scene, token, answer);
        assert.ok([400, 401].includes(answer.status), `${answer.status}`);
      }
    }
  });

  test("in the client_id of HTTP Basic", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    for (const clientId of ["a%00", "x%3A%00"]) {
      const authorization = `Basic ${btoa(`${clientId}:secret`)}`;
      const form = { grant_type: "refresh_token", refresh_token: "x" };
      const answer = await postForm(scene.person, "/api/auth/oauth2/token", form, { authorization });
      assertNoFault(scene, clientId, answer);
      assert.equal(answer.body.error, "invalid_client", JSON.stringify(answer.body));
    }
  });

  test("in the subject that a claims parameter requires", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    const claims = JSON.stringify({ id_token: { sub: { value: "a\0" } } });
    const path = authorizePath(scene.client, await pkcePair(), { claims });
    for (const client of [scene.person, scene.app.client()]) {
      const answer = await client.get(path);
      assertNoFault(scene, "claims", answer);
      assert.match(answer.headers.get("location")!, /error=invalid_request/);
    }
  });

  test("in a query of the administrator's lists", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    assert.equal((await postForm(scene.person, "/admin/enter", { key: ADMIN_KEY, next: "" })).status, 303);
    const cursor = toBase64url(utf8("a\0b"));
    const queries = [["", 200], ["search=a%00b", 200], [`search=a&cursor=${cursor}`, 400]] as const;
    for (const [query, status] of queries) {
      const answer = await scene.person.get(`/admin/accounts?${query}`);
      assertNoFault(scene, query, answer);
      assert.equal(answer.status, status, query);
    }
  });

  test("and withdrawing an unknown application is an error", async () => {
    const scene = await openScene();
    await using _app = scene.app;
    for (const clientId of ["\0", `${scene.client.clientId}\0`]) {
      assert.equal((await postForm(scene.person, "/account/withdraw", { clientId })).status, 400);
    }
    const { clientId } = scene.client;
    assert.equal((await postForm(scene.person, "/account/withdraw", { clientId })).status, 303);
  });
});

test("a text to be signed may contain a NUL", async () => {
  const { app, person } = await openScene();
  await using _app = app;
  const { keys: [key] } = (await person.get("/api/keys")).body;
  for (const action of ["sign", "explain"]) {
    assert.equal((await person.post(`/api/keys/${key.id}/${action}`, { message: "a\0b" })).status, 200);
  }
});
