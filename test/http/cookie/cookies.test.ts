import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

/** A host with siblings that is still localhost: its outbox shows the sign-up codes. */
const HTTPS = "https://keys.team.localhost";
const SESSION = "service.session_token";
const COMPANION = "__Host-service.session";

interface Scene extends AsyncDisposable {
  readonly app: TestApp;
  readonly ada: Client;
  /** The attacker's session, whose cookies a sibling sub-domain plants. */
  readonly mallory: Client;
}

async function openScene(origin: string): Promise<Scene> {
  const app = await createTestApp({ origin });
  const [ada, mallory] = [app.client(), app.client()];
  await signUp(ada, "ada@example.com");
  await signUp(mallory, "mallory@example.com");
  return { app, ada, mallory, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const cookieOf = (name: string, value: string): string => `${name}=${value}`;

/** Sends exactly these cookies. */
function ask({ app }: Scene, path: string, cookies: readonly string[]): Promise<Answer> {
  return app.client().get(path, { headers: { cookie: cookies.join("; ") } });
}

async function whoIs(scene: Scene, cookies: readonly string[]): Promise<string | undefined> {
  const { body } = await ask(scene, "/api/auth/session", cookies);
  return body.session === null ? undefined : body.account.email;
}

describe("cookies on https", () => {
  test("all but the session's have a name that no other host can set, and the session's has a companion with one", async () => {
    await using scene = await openScene(HTTPS);
    const names = [...scene.ada.cookies.keys()].toSorted();
    assert.ok(names.includes(COMPANION) && names.includes("__Host-service.device"));
    assert.deepEqual(names.filter((name) => !name.startsWith("__Host-")), [SESSION]);
    const { headers } = await scene.ada.post("/api/auth/sign-out");
    const cleared = headers.getSetCookie().filter((text) => text.includes("Max-Age=0"))
      .map((text) => text.split("=")[0]);
    assert.deepEqual(cleared.toSorted(), [COMPANION, SESSION]);
    assert.ok(!scene.ada.cookies.has(SESSION) && !scene.ada.cookies.has(COMPANION));
  });

  test("a session is accepted with its companion only, so that no user is signed in as another", async () => {
    await using scene = await openScene(HTTPS);
    const session = (client: Client) => cookieOf(SESSION, client.cookies.get(SESSION)!);
    const companion = (client: Client) => cookieOf(COMPANION, client.cookies.get(COMPANION)!);
    const { ada, mallory } = scene;
    assert.equal(await whoIs(scene, [session(ada), companion(ada)]), "ada@example.com");
    assert.equal(await whoIs(scene, [session(mallory), companion(mallory)]), "mallory@example.com");
    assert.equal(await whoIs(scene, [session(mallory)]), undefined, "planted where no user was signed in");
    const likeOurs = `\xa0${companion(mallory)}`;
    assert.equal(
      await whoIs(scene, [session(mallory), likeOurs]),
      undefined,
      "beside a name that only looks ours",
    );
    assert.equal(
      await whoIs(scene, [session(mallory), likeOurs, session(ada), companion(ada)]),
      "ada@example.com",
    );
    assert.equal(await whoIs(scene, [session(mallory), companion(ada)]), undefined, "planted over Ada's");
    assert.equal(await whoIs(scene, [companion(ada)]), undefined);
    for (const cookies of [[session(mallory), session(ada)], [session(ada), session(mallory)]]) {
      assert.equal(await whoIs(scene, [...cookies, companion(ada)]), "ada@example.com", "nor locked out");
    }
    assert.equal(await whoIs(scene, [session(ada), companion(ada), companion(mallory)]), undefined);
  });

  test("a planted session cookie is deleted, on every path and domain, and the real one is kept", async () => {
    await using scene = await openScene(HTTPS);
    const { ada, mallory } = scene;
    const cookies = [
      cookieOf(SESSION, mallory.cookies.get(SESSION)!),
      cookieOf(SESSION, ada.cookies.get(SESSION)!),
      cookieOf(COMPANION, ada.cookies.get(COMPANION)!),
    ];
    const { headers, status } = await ask(scene, "/account/audit", cookies);
    assert.equal(status, 200);
    const cleared = headers.getSetCookie().filter((text) => text.includes("Max-Age=0"));
    for (const text of cleared) assert.match(text, /^service\.session_token=; .*Max-Age=0;.*; Domain=/);
    const places = cleared.map((text) => [/Path=([^;]+)/, /Domain=(.+)$/].map((part) => part.exec(text)![1]));
    for (const domain of ["keys.team.localhost", "team.localhost"]) {
      for (const path of ["/", "/account", "/account/", "/account/audit"]) {
        assert.ok(places.some(([p, d]) => p === path && d === domain), `${path} ${domain}`);
      }
    }
  });

  test("a user signs in despite a planted cookie, and stays signed in", async () => {
    await using scene = await openScene(HTTPS);
    const planted = scene.mallory.cookies.get(SESSION)!;
    scene.ada.cookies.clear();
    scene.ada.cookies.set(SESSION, planted);
    assert.equal((await scene.ada.get("/api/auth/session")).body.session, null);
    await signIn(scene.ada);
    assert.equal((await scene.ada.get("/api/auth/session")).body.account.email, "ada@example.com");
  });
});

describe("cookies on http, which has no prefix", () => {
  test("two session cookies are ignored and deleted, so that the user can sign in", async () => {
    await using scene = await openScene("http://localhost:3000");
    const both = [scene.mallory, scene.ada].map(({ cookies }) => cookieOf(SESSION, cookies.get(SESSION)!));
    for (const path of ["/api/auth/session", "/api/keys", "/keys"]) {
      const { headers, body } = await ask(scene, path, both);
      assert.equal(body?.session ?? null, null);
      const cleared = headers.getSetCookie().filter((text) => text.startsWith(`${SESSION}=;`));
      assert.ok(cleared.includes(`${SESSION}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`), path);
    }
  });

  test("a response sets cookies after it deletes others", async () => {
    await using scene = await openScene("http://localhost:3000");
    const cookie = "service.pre_session=a; service.pre_session=b";
    const options = { headers: { cookie } };
    const { headers } = await scene.app.client().post(
      "/api/auth/passkey/authentication/options",
      undefined,
      options,
    );
    const values = headers.getSetCookie().filter((text) => text.startsWith("service.pre_session="));
    assert.match(values.at(-1)!, /^service\.pre_session=[A-Za-z0-9]{43};/);
    assert.ok(values.length > 1);
  });

  test("one cookie of each name is kept", async () => {
    await using scene = await openScene("http://localhost:3000");
    const { headers } = await scene.ada.get("/api/keys");
    assert.deepEqual(headers.getSetCookie().filter((text) => text.includes("Max-Age=0")), []);
  });
});
