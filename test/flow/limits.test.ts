import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { RATE_LIMITS } from "../../src/limits/rate-limit.ts";
import type { RateLimitName } from "../../src/limits/rate-limit.ts";
import { IN_MEMORY, openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "../support/app.ts";
import { newProgram } from "../support/asking.ts";
import type { Program } from "../support/asking.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { watched } from "../support/engine.ts";
import { authorizePath, getCode, pkcePair, postForm, providerOf, registerClient } from "../support/oauth.ts";
import type { Registered } from "../support/oauth.ts";

/** Addresses of the documentation networks (RFC 5737). */
const [ATTACKER, VICTIM] = ["192.0.2.1", "198.51.100.1"] as const;

/** The parties of a request, and what they act on. */
interface Scene {
  readonly app: TestApp;
  /** Signed in from the attacker's network. */
  readonly person: Client;
  readonly keyId: string;
  readonly client: Registered;
}

interface Limited {
  readonly name: RateLimitName;
  /** The status of a request within the limit. */
  readonly granted: number;
  /** Sends a request. `count` makes it differ from the others. */
  readonly ask: (scene: Scene, network: string, count: number) => Promise<Answer>;
  /** The error code beyond the limit. Null on a page, which has none. */
  readonly refusal?: string | null;
}

const ORIGIN_FORM = { "sec-fetch-site": "same-origin" };

function tokenRequest({ app, client }: Scene, network: string, secret: string): Promise<Answer> {
  const authorization = `Basic ${btoa(`${client.clientId}:${secret}`)}`;
  const form = { grant_type: "authorization_code", code: "x", redirect_uri: "https://books.example/cb" };
  const fields = { ...form, code_verifier: "v".repeat(43) };
  return postForm(app.client(network), "/api/auth/oauth2/token", fields, { authorization });
}

/** Every limit of docs/reference/http-api.md that counts over HTTP, with a request that counts towards it. */
const LIMITED: readonly Limited[] = [
  {
    name: "email_code_address",
    granted: 200,
    ask: ({ app }, network) => app.client(network).post("/api/auth/email-code", { email: "eve@example.com" }),
  },
  {
    name: "email_code_network",
    granted: 200,
    ask: ({ app }, network, count) =>
      app.client(network).post("/api/auth/email-code", { email: `eve${count}@example.com` }),
  },
  {
    name: "email_code_global",
    granted: 200,
    ask: ({ app }, _network, count) =>
      app.client(`203.0.113.${count % 250}`).post("/api/auth/email-code", {
        email: `eve${count}@example.com`,
      }),
  },
  {
    name: "email_code_guess",
    granted: 400,
    ask: ({ app }, network, count) =>
      app.client(network).post("/api/auth/email-code/verify", {
        email: `a${count}@example.com`,
        code: "123456",
      }),
  },
  {
    name: "passkey_ceremony",
    granted: 200,
    ask: ({ app }, network) => app.client(network).post("/api/auth/passkey/authentication/options"),
  },
  {
    name: "authorization_request",
    granted: 303,
    ask: ({ app, client }, network) => app.client(network).get(authorizePath(client, pkcePair())),
    refusal: null,
  },
  {
    // Each from another /64 of one /48.
    name: "authorization_request_site",
    granted: 303,
    ask: ({ app, client }, network, count) => {
      const address = network === ATTACKER ? `2001:db8:7:${count.toString(16)}::1` : network;
      return app.client(address).get(authorizePath(client, pkcePair()));
    },
    refusal: null,
  },
  {
    name: "authorization_code",
    granted: 303,
    ask: async ({ person, client }, _network, count) => {
      if (count === 0) await getCode(person, client);
      return await person.get(authorizePath(client, pkcePair()));
    },
    refusal: null,
  },
  {
    name: "client_authentication",
    granted: 401,
    ask: (scene, network) => tokenRequest(scene, network, "wrong"),
    refusal: "temporarily_unavailable",
  },
  {
    name: "token_request",
    granted: 400,
    ask: (scene, network) => tokenRequest(scene, network, scene.client.clientSecret!),
    refusal: "temporarily_unavailable",
  },
  {
    name: "admin_authentication",
    granted: 401,
    ask: ({ app }, network) =>
      app.client(network).get("/api/admin/oauth/clients", { headers: { authorization: "Bearer wrong" } }),
  },
  {
    name: "account_rename",
    granted: 200,
    ask: ({ person }, _network, count) =>
      person.request("PATCH", "/api/auth/account", { body: { name: `Ada ${count}` } }),
  },
  {
    name: "account_export",
    granted: 200,
    ask: async ({ person }) => {
      const answer = await person.post("/api/auth/account/export");
      if (answer.status !== 403) return answer;
      await signIn(person);
      return await person.post("/api/auth/account/export");
    },
  },
  { name: "key_generate", granted: 201, ask: ({ person }) => person.post("/api/keys/generate") },
  {
    name: "sign",
    granted: 200,
    ask: ({ person, keyId }, _network, count) =>
      person.post(`/api/keys/${keyId}/sign`, { message: `message ${count}` }),
  },
  {
    name: "explain",
    granted: 200,
    ask: ({ person, keyId }) => person.post(`/api/keys/${keyId}/explain`, { message: "hello" }),
  },
  { name: "key_quote", granted: 200, ask: ({ person, keyId }) => person.get(`/api/keys/${keyId}/quote`) },
];

async function sceneOf(app: TestApp): Promise<Scene> {
  const provider = providerOf(app);
  const person = app.client();
  const { body } = await signUp(person, "ada@example.com");
  return { app, person, keyId: body.key.id, client: await registerClient(provider) };
}

/** Uses up a limit except for one request. */
async function useUp({ app }: Scene, { name }: Limited): Promise<void> {
  const { limit, windowSeconds } = RATE_LIMITS[name];
  const window = windowSeconds * 1000;
  await app.db.updateTable("rate_limit").set({ full_at: app.now + window - window / limit })
    .where("name", "=", name).execute();
}

function assertRefused({ name, refusal = "rate_limited" }: Limited, answer: Answer): number {
  const { limit, windowSeconds } = RATE_LIMITS[name];
  assert.equal(answer.status, 429, answer.text);
  const wait = answer.headers.get("retry-after")!;
  assert.match(wait, /^[1-9]\d*$/);
  assert.equal(answer.headers.get("ratelimit-policy"), `"${name}";q=${limit};w=${windowSeconds}`);
  assert.equal(answer.headers.get("ratelimit"), `"${name}";r=0;t=${wait}`);
  if (refusal !== null) assert.equal(answer.body.code ?? answer.body.error, refusal);
  return Number(wait);
}

/** The subjects whose limits are hidden, because their state would reveal the activity of others. */
const HIDDEN: readonly string[] = ["target", "recipient", "service"];

/** Verifies that an answer within the limit states how many are left, except for hidden limits. */
function assertLimitHeaders({ name }: Limited, { headers }: Answer, left: number): void {
  const { limit, windowSeconds, per } = RATE_LIMITS[name];
  const fields = (field: string): readonly string[] => (headers.get(field) ?? "").split(", ");
  if (HIDDEN.includes(per)) {
    assert.ok(!headers.get("ratelimit")?.includes(`"${name}"`), name);
    return;
  }
  const wait = Math.ceil(windowSeconds / limit);
  assert.ok(
    fields("ratelimit").includes(`"${name}";r=${left};t=${wait}`),
    `${left}: ${headers.get("ratelimit")}`,
  );
  assert.ok(fields("ratelimit-policy").includes(`"${name}";q=${limit};w=${windowSeconds}`));
}

/** Up to this limit every request is sent. */
const FEW = 30;

describe("each limit of the API holds", () => {
  for (const limited of LIMITED) {
    const { name, granted, ask } = limited;
    const { limit, windowSeconds } = RATE_LIMITS[name];
    test(`${name}: ${limit} at once, then 429 in every process, and 200 again after Retry-After`, {
      timeout: 60_000,
    }, async () => {
      await using app = await createTestApp({ rateLimits: "on" });
      const scene = await sceneOf(app);
      let count = 0;
      const next = (): Promise<Answer> => ask(scene, ATTACKER, count++);
      app.now += 600_000;
      await signIn(scene.person);
      if (limit > FEW) {
        assert.equal((await next()).status, granted);
        await useUp(scene, limited);
        const last = await next();
        assert.equal(last.status, granted);
        assertLimitHeaders(limited, last, 0);
      } else {
        for (let index = 0; index < limit; index++) {
          const answer = await next();
          assert.equal(answer.status, granted, `${index}: ${answer.text}`);
          assertLimitHeaders(limited, answer, limit - 1 - index);
        }
      }
      const wait = assertRefused(limited, await next());
      // Another process on the same database, or the same one after a restart.
      await using second = await createTestApp({ rateLimits: "on", db: app.db });
      second.now = app.now;
      const there = { ...scene, app: second, person: second.client() };
      for (const [cookie, value] of scene.person.cookies) there.person.cookies.set(cookie, value);
      assertRefused(limited, await ask(there, ATTACKER, count++));
      app.now += wait * 1000;
      assert.equal((await next()).status, granted, "when Retry-After has passed");
      app.now += windowSeconds * 1000;
      assert.equal((await next()).status, granted, "after a window");
    });
  }
});

describe("a limit does not lock other people out", () => {
  for (const limited of LIMITED.filter(({ name }) => RATE_LIMITS[name].per === "stranger")) {
    test(`${limited.name} used up by one network does not affect another`, async () => {
      await using app = await createTestApp({ rateLimits: "on" });
      const scene = await sceneOf(app);
      await limited.ask(scene, ATTACKER, 0);
      await useUp(scene, limited);
      await limited.ask(scene, ATTACKER, 0);
      assertRefused(limited, await limited.ask(scene, ATTACKER, 0));
      assert.equal((await limited.ask(scene, VICTIM, 0)).status, limited.granted);
    });
  }

  test("a read-only token that uses up explanations and quotes leaves its owner a quarter of each", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const { person, keyId } = await sceneOf(app);
    const owner = { person, keyId, accountId: "", address: "" };
    const terms = { actions: ["read"], policy: null };
    const readers = [await newProgram(app, owner, terms), await newProgram(app, owner, terms)] as const;
    for (const name of ["explain", "key_quote"] as const) {
      const { limit } = RATE_LIMITS[name];
      const ask = (by: Pick<Program, "get" | "post">): Promise<Answer> =>
        name === "explain"
          ? by.post(`/api/keys/${keyId}/explain`, { message: "hello" })
          : by.get(`/api/keys/${keyId}/quote`);
      const answered = async (by: Pick<Program, "get" | "post">): Promise<number> => {
        const answers = await Promise.all(Array.from({ length: limit }, () => ask(by)));
        return answers.filter(({ status }) => status === 200).length;
      };
      assert.equal(await answered(readers[0]), limit / 2, name);
      assert.equal(await answered(readers[1]), Math.floor(limit / 4), name);
      const owned = { post: person.post, get: (path: string) => person.get(path) };
      assert.equal(await answered(owned), Math.ceil(limit / 4), name);
    }
  });

  test("codes requested from many networks affect neither the owner's code nor a new one", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const owner = app.client();
    const email = "ada@example.com";
    await owner.post("/api/auth/email-code", { email });
    const code = await readCode(owner, email);
    for (let index = 0; index < 100; index++) {
      const { status } = await app.client(`192.0.2.${index}`).post("/api/auth/email-code", { email });
      assert.equal(status, 200);
    }
    assert.equal((await owner.post("/api/auth/email-code/verify", { email, code })).status, 200);
    assert.equal((await owner.post("/api/auth/email-code", { email })).status, 200);
  });

  test("guesses from other browsers and networks do not use up the owner's attempts", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const owner = app.client();
    const email = "ada@example.com";
    await owner.post("/api/auth/email-code", { email });
    const code = await readCode(owner, email);
    for (let index = 0; index < 50; index++) {
      const guesser = app.client(`192.0.2.${index}`);
      assert.equal((await guesser.post("/api/auth/email-code/verify", { email, code })).status, 400);
    }
    assert.equal((await owner.post("/api/auth/email-code/verify", { email, code })).status, 200);
  });

  test("72 wrong codes from many networks do not lock out the browser and network of the newest", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const email = "ada@example.com";
    const verify = (who: Client, code: string): Promise<Answer> =>
      who.post("/api/auth/email-code/verify", { email, code });
    async function request(network: string): Promise<{ who: Client; code: string }> {
      app.now += 1000;
      const who = app.client(network);
      assert.equal((await who.post("/api/auth/email-code", { email })).status, 200);
      return { who, code: await readCode(app.client(), email) };
    }
    for (let index = 0; index < 24; index++) {
      const { who, code } = await request(`${index + 20}.0.2.1`);
      const wrong = code === "111111" ? "222222" : "111111";
      for (let attempt = 0; attempt < 3; attempt++) assert.equal((await verify(who, wrong)).status, 400);
    }
    const { who, code } = await request("203.0.113.7");
    const moved = app.client("198.51.100.7");
    for (const [name, value] of who.cookies) moved.cookies.set(name, value);
    assert.equal((await verify(moved, code)).status, 429, "in another network");
    const other = (Number(code) + 1) % 1_000_000;
    assert.equal((await verify(who, String(other).padStart(6, "0"))).status, 400);
    assert.equal((await verify(who, code)).status, 200);
  });

  test("passkey sign-in works while every e-mail limit is used up (V6.1.1)", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const { person } = await sceneOf(app);
    person.cookies.clear();
    const full_at = app.now + 59_999;
    const names = [
      "email_code_address",
      "email_code_network",
      "email_code_global",
      "email_code_guess",
    ] as const;
    await person.post("/api/auth/email-code/verify", { email: "ada@example.com", code: "000000" });
    await app.db.updateTable("rate_limit").set({ full_at }).where("name", "in", names).execute();
    assert.equal((await person.post("/api/auth/email-code", { email: "ada@example.com" })).status, 429);
    assert.equal((await signIn(person)).status, 200);
  });

  test("wrong secrets that use up a network's limit affect neither a client's secret nor the admin key", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const scene = await sceneOf(app);
    const given = await getCode(scene.person, scene.client);
    for (let index = 0; index < 25; index++) await tokenRequest(scene, "127.0.0.1", "wrong");
    assert.equal((await tokenRequest(scene, "127.0.0.1", "wrong")).status, 429);
    const { clientId, clientSecret } = scene.client;
    const form = { grant_type: "authorization_code", code: given.code, redirect_uri: given.redirectUri };
    const answer = await postForm(
      app.client(),
      "/api/auth/oauth2/token",
      { ...form, code_verifier: given.verifier },
      { ...ORIGIN_FORM, authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    );
    assert.equal(answer.status, 200, answer.text);
    for (let index = 0; index < 11; index++) {
      await app.client().get("/api/admin/oauth/clients", { headers: { authorization: "Bearer wrong" } });
    }
    await registerClient(providerOf(app));
  });
});

describe("limits cannot be bypassed and use bounded space", () => {
  test("other spellings of a path answer 404 (T151)", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const code = "/api/auth/email-code";
    for (const path of [`/${code}`, `${code}/`, code.toUpperCase(), "/api/auth/em%61il-code", `${code}%20`]) {
      assert.equal((await app.client().post(path, { email: "a@example.com" })).status, 404, path);
    }
  });

  test("addresses that differ only in case share a limit", async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    const ask = async (email: string) =>
      (await app.client(ATTACKER).post("/api/auth/email-code", { email })).status;
    const spellings = [
      "eve@example.com",
      "EVE@example.com",
      "eve@EXAMPLE.com",
      "Eve@Example.Com",
      "eVe@example.com",
    ];
    for (const email of spellings) assert.equal(await ask(email), 200);
    assert.equal(await ask("evE@example.com"), 429);
  });

  test("networks share 65,536 subjects", { timeout: 60_000 }, async () => {
    await using app = await createTestApp({ rateLimits: "on" });
    for (let index = 0; index < 300; index++) {
      await app.client(`2001:db8:${index.toString(16)}::1`).post("/api/auth/passkey/authentication/options");
    }
    const rows = await app.db.selectFrom("rate_limit").select("subject").execute();
    assert.ok(rows.length <= 300 && rows.length > 280, "networks have different subjects");
    for (const { subject } of rows) assert.match(subject, /^[0-9a-f]{4}$/);
  });
});

/** Opens a database that counts its statements; `take` returns the count and resets it. */
async function openCountedDatabase(): Promise<{ readonly db: Db; readonly take: () => number }> {
  let count = 0;
  const db = await openDatabase(watched(await openSqlite(IN_MEMORY), () => count++));
  const take = (): number => {
    const taken = count;
    count = 0;
    return taken;
  };
  return { db, take };
}

describe("known and unknown addresses look alike", () => {
  test("the same answers, headers, cookies, mails and numbers of SQL statements (V6.3.8)", async () => {
    const { db, take } = await openCountedDatabase();
    await using app = await createTestApp({ rateLimits: "on", db });
    await signUp(app.client(), "known@example.com");
    // For a day after the use of a code, its address has a row, which takes a statement less or more.
    app.now += 48 * 3_600_000;
    await app.maintain();
    const shape = ({ status, headers, body }: Answer) => ({
      status,
      headers: [...headers].map(([name]) => name).sort(),
      cookies: headers.getSetCookie().map((cookie) => cookie.replace(/=[A-Za-z0-9]{43};/, "=…;")),
      body: { ...body, requestId: undefined, challenge: undefined },
      length: headers.get("content-length"),
      statements: take(),
    });
    const look = async (email: string) => {
      const client = app.client();
      const mailsBefore = await countMails(app.db);
      take();
      const requested = shape(await client.post("/api/auth/email-code", { email }));
      const wrong = shape(await client.post("/api/auth/email-code/verify", { email, code: "000000" }));
      const elsewhere = shape(
        await app.client().post("/api/auth/email-code/verify", { email, code: "000000" }),
      );
      const options = shape(await client.post("/api/auth/passkey/authentication/options"));
      return { mails: await countMails(app.db) - mailsBefore, requested, wrong, elsewhere, options };
    };
    const known = await look("known@example.com");
    assert.deepEqual(await look("other@example.com"), known);
    assert.deepEqual([known.mails, known.requested.status, known.wrong.status], [1, 200, 400]);
    assert.ok(known.requested.statements >= 4 && known.wrong.statements >= 2);
    await db.destroy();
  });
});

async function countMails(db: Db): Promise<number> {
  const { mails } = await db.selectFrom("outbox").select(({ fn }) => fn.countAll().as("mails"))
    .executeTakeFirstOrThrow();
  return Number(mails);
}
