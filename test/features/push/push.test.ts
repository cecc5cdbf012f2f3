import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeDatabase } from "../../../src/db/database.ts";
import type { FetchInit } from "../../../src/lib/outgoing.ts";
import { HOUR, MINUTE } from "../../../src/lib/time.ts";
import { makePushKeyPair } from "../../../src/push/keys.ts";
import { requireBrowserSubscription } from "../../../src/push/subscription.ts";
import { MOST_WAITING } from "../../../src/push/fan-out.ts";
import { ADMIN_KEY, createTestApp, type TestApp, type TestAppOptions } from "../../support/app.ts";
import { ask, newOwner, newProgram, type Owner } from "../../support/asking.ts";
import { type Answer, type Client, createClient, signIn, signUp } from "../../support/client.ts";
import { openTestDatabase } from "../../support/database.ts";
import { dropMemory } from "../../support/inconsistent.ts";
import { postForm } from "../../support/oauth.ts";
import { createPushBrowser, type PushBrowser, verifyVapid } from "../../support/push-service.ts";
import { begin, finish, makeCodes, pass } from "../../support/recovery.ts";
import { createTestVault } from "../../support/vault.ts";

const SUBSCRIPTIONS = "/api/auth/push-subscriptions";
const ENDPOINT = "https://push.example/send/one";
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };
const PUSH_KEYS = { ...await makePushKeyPair(), contact: "mailto:ops@example.com" };

interface PushService {
  readonly requests: { readonly url: string; readonly init: FetchInit }[];
  /** The status of the next responses. */
  status: number;
  /** The addresses of every host. */
  addresses: readonly string[];
}

interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly service: PushService;
  readonly owner: Owner;
  readonly browser: PushBrowser;
  /** Sends what is due, and returns the messages that the browser decrypts. */
  received(): Promise<readonly { readonly kind: string; readonly [member: string]: unknown }[]>;
}

async function openStage(options: TestAppOptions = {}): Promise<Stage> {
  const service: PushService = { requests: [], status: 201, addresses: ["93.184.216.34"] };
  const app = await createTestApp({
    pushKeys: PUSH_KEYS,
    ...options,
    identity: {
      providers: [],
      lookup: () => Promise.resolve(service.addresses),
      fetch: (url, init) => {
        service.requests.push({ url, init });
        return Promise.resolve(new Response(null, { status: service.status }));
      },
      timeLimit: 600_000,
    },
  });
  const browser = await createPushBrowser();
  return {
    app,
    service,
    owner: await newOwner(app),
    browser,
    received: async () => {
      await app.deliverPush();
      const sent = service.requests.splice(0);
      const texts = sent.map(({ init }) => browser.decrypt(init.bytes!));
      return (await Promise.all(texts)).map((text) => JSON.parse(text));
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

function subscribe(client: Client, { keys }: PushBrowser, change: object = {}): Promise<Answer> {
  return client.post(SUBSCRIPTIONS, { endpoint: ENDPOINT, keys, ...change });
}

async function subscribed({ owner: { person }, browser }: Stage): Promise<string> {
  const answer = await subscribe(person, browser);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.subscription.id;
}

async function listed(client: Client): Promise<readonly Record<string, unknown>[]> {
  const answer = await client.get(SUBSCRIPTIONS);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.subscriptions;
}

/** Signs in to the same account in another browser, whose authenticator has the same passkeys. */
async function secondBrowser({ app, owner: { person } }: Stage): Promise<Client> {
  const client = createClient(person.origin, (request) => app.app(request, { clientAddress: "127.0.0.5" }));
  const second = { ...client, authenticator: person.authenticator };
  assert.equal((await signIn(second)).status, 200);
  return second;
}

async function countRows(app: TestApp): Promise<number> {
  return (await app.db.selectFrom("push_subscription").select("id").execute()).length;
}

describe("a notified browser", () => {
  test("is sent who asks for a signature, and never what for", async () => {
    await using stage = await openStage();
    const { app, service, owner } = stage;
    await subscribed(stage);
    const program = await newProgram(app, owner);
    const id = await ask(program, owner.keyId);
    await app.deliverPush();
    const [{ url, init }] = service.requests as [PushService["requests"][number]];
    assert.equal(url, ENDPOINT);
    assert.equal(init.method, "POST");
    const { sub } = await verifyVapid(url, init, PUSH_KEYS.publicKey);
    assert.equal(sub, PUSH_KEYS.contact);
    const headers = new Headers(init.headers);
    assert.equal(headers.get("urgency"), "high");
    const ttl = Number(headers.get("ttl"));
    assert.ok(ttl > 0 && ttl <= HOUR / 1000, "no longer than the request waits");
    const [message] = await stage.received();
    assert.deepEqual(message, {
      kind: "signature_asked",
      program: "Payroll",
      requestId: id,
      title: "Signature requested",
      text: "Payroll asks for a signature.",
    });
  });

  test("is sent a sign-in in another browser, and not its own", async () => {
    await using stage = await openStage();
    const { owner: { person } } = stage;
    await subscribed(stage);
    await secondBrowser(stage);
    const messages = await stage.received();
    assert.deepEqual(messages.map(({ kind, program }) => [kind, program]), [["signed_in", null]]);
    // The new session of this browser takes the subscription over.
    assert.equal((await signIn(person)).status, 200);
    assert.deepEqual(await stage.received(), []);
    assert.deepEqual((await listed(person)).map(({ current }) => current), [true]);
    await secondBrowser(stage);
    assert.equal((await stage.received()).length, 1);
  });

  test("is sent the first refusal of an hour, in the language of the account", async () => {
    await using stage = await openStage();
    const { app, owner } = stage;
    const { person, keyId } = owner;
    await subscribed(stage);
    assert.equal((await postForm(person, "/account/language", { language: "de" })).status, 303);
    const program = await newProgram(app, owner, { policy: { version: 1 } });
    for (let count = 0; count < 3; count++) {
      const refused = await program.post(`/api/keys/${keyId}/sign`, { message: "hello" });
      assert.equal(refused.body.code, "policy_denied");
    }
    const [message, ...rest] = await stage.received();
    assert.deepEqual(rest, []);
    assert.partialDeepStrictEqual(message, {
      kind: "signing_refused",
      program: "Payroll",
      requestId: null,
      title: "Signatur verweigert",
    });
    app.now += 2 * HOUR;
    await app.maintain();
    assert.deepEqual(await stage.received(), [], "nothing about the record at the end of the hour");
  });

  test("is sent nothing of a request that ended before, nor of the owner's own", async () => {
    await using stage = await openStage();
    const { app, owner, service } = stage;
    await subscribed(stage);
    const program = await newProgram(app, owner);
    const id = await ask(program, owner.keyId);
    assert.equal((await owner.person.post(`/api/signing-requests/${id}/decline`, {})).status, 200);
    await ask(program, owner.keyId);
    app.now += HOUR;
    assert.deepEqual(await stage.received(), []);
    assert.equal(service.requests.length, 0);
  });

  test("is sent a message again after a failure, and again no later than it matters", async () => {
    await using stage = await openStage();
    const { app, owner, service } = stage;
    await subscribed(stage);
    service.status = 503;
    await ask(await newProgram(app, owner), owner.keyId);
    assert.equal((await stage.received()).length, 1);
    assert.equal((await stage.received()).length, 0, "not at once");
    app.now += MINUTE;
    service.status = 201;
    assert.equal((await stage.received()).length, 1);
    app.now += MINUTE;
    assert.equal((await stage.received()).length, 0, "delivered");
    service.status = 429;
    await ask(await newProgram(app, owner), owner.keyId);
    for (let waited = 0; waited < 30; waited++) {
      await stage.received();
      app.now += 5 * MINUTE;
    }
    service.status = 201;
    assert.deepEqual(await stage.received(), [], "the request has expired");
    const outcomes = app.logged.filter((line) => line.includes('"event":"push_given_up"'));
    assert.equal(outcomes.length, 1);
  });

  for (const status of [404, 410]) {
    test(`is forgotten if its push service says ${status}`, async () => {
      await using stage = await openStage();
      const { app, owner, service } = stage;
      await subscribed(stage);
      const program = await newProgram(app, owner);
      await ask(program, owner.keyId);
      service.status = status;
      await app.deliverPush();
      assert.deepEqual(await listed(owner.person), []);
      assert.equal(await countRows(app), 0);
    });
  }

  test("is sent a message once if its push service refuses it or answers with a redirect", async () => {
    for (const status of [400, 403, 413, 302]) {
      await using stage = await openStage();
      const { app, owner, service } = stage;
      await subscribed(stage);
      service.status = status;
      await ask(await newProgram(app, owner), owner.keyId);
      assert.equal((await stage.received()).length, 1);
      app.now += 10 * MINUTE;
      assert.equal((await stage.received()).length, 0);
      assert.equal((await listed(owner.person)).length, 1);
    }
  });

  test("has at most 20 messages waiting", async () => {
    await using stage = await openStage();
    const { app, service } = stage;
    await subscribed(stage);
    service.status = 503;
    for (let count = 0; count < MOST_WAITING + 5; count++) await secondBrowser(stage);
    await app.deliverPush();
    const waiting = await app.db.selectFrom("push_delivery").select("id").execute();
    assert.equal(waiting.length, MOST_WAITING);
  });

  test("is in the export of the account, and its changes in the activity", async () => {
    await using stage = await openStage();
    const { owner: { person } } = stage;
    const id = await subscribed(stage);
    assert.equal((await person.request("DELETE", `${SUBSCRIPTIONS}/${id}`)).status, 204);
    const { events } = (await person.get("/api/audit")).body;
    assert.deepEqual(
      events.slice(0, 2).map(({ event, subject }: Record<string, string>) => [event, subject]),
      [["push_removed", id], ["push_added", id]],
    );
    assert.deepEqual(await listed(person), []);
  });
});

describe("a push subscription", () => {
  test("needs the keys of RFC 8291 and an https URL", async () => {
    await using stage = await openStage();
    const { owner: { person }, browser } = stage;
    const { p256dh, auth } = browser.keys;
    const bad: readonly (readonly [change: object, path: string])[] = [
      [{ endpoint: "http://push.example/x" }, "/endpoint"],
      [{ endpoint: "http://localhost/x" }, "/endpoint"],
      [{ endpoint: "https://user:pass@push.example/x" }, "/endpoint"],
      [{ endpoint: `https://push.example/${"x".repeat(2048)}` }, "/endpoint"],
      [{ endpoint: "ftp://push.example/x" }, "/endpoint"],
      [{ endpoint: "" }, "/endpoint"],
      [{ keys: { auth, p256dh: p256dh.slice(1) } }, "/keys/p256dh"],
      [{ keys: { auth, p256dh: `B${"A".repeat(86)}` } }, "/keys/p256dh"],
      [{ keys: { auth, p256dh: "" } }, "/keys/p256dh"],
      [{ keys: { p256dh, auth: `${auth}AA` } }, "/keys/auth"],
      [{ keys: { p256dh, auth: "" } }, "/keys/auth"],
      [{ keys: { p256dh } }, "/keys/auth"],
      [{ extra: 1 }, "/extra"],
    ];
    for (const [change, path] of bad) {
      const refused = await subscribe(person, browser, change);
      assert.equal(refused.status, 400, JSON.stringify(change));
      assert.deepEqual(refused.body.errors.map((fault: { path: string }) => fault.path), [path]);
    }
    assert.deepEqual(await listed(person), []);
  });

  test("is refused in production if its host is private, as written or as resolved", async () => {
    const { keys } = await createPushBrowser();
    const hostile: readonly (readonly [endpoint: string, addresses: readonly string[]])[] = [
      ...["localhost", "127.0.0.1", "[::1]", "169.254.169.254", "10.0.0.1", "[::ffff:10.0.0.7]"].map((host) =>
        [`https://${host}/x`, ["93.184.216.34"]] as const
      ),
      [ENDPOINT, ["10.0.0.1"]],
      [ENDPOINT, ["93.184.216.34", "127.0.0.1"]],
      [ENDPOINT, []],
    ];
    for (const [endpoint, addresses] of hostile) {
      const outgoing = { lookup: () => Promise.resolve(addresses), timeLimit: 600_000 };
      await assert.rejects(requireBrowserSubscription({ endpoint, keys }, "public", outgoing), {
        code: "invalid_request",
      });
    }
  });

  test("is not sent to in production once its host is private", async () => {
    const db = await openTestDatabase();
    const vault = createTestVault();
    await using stage = await openStage({ db, vault });
    const { app, owner, service } = stage;
    await subscribed(stage);
    await ask(await newProgram(app, owner), owner.keyId);
    await using production = await createTestApp({
      db,
      vault,
      pushKeys: PUSH_KEYS,
      origin: "https://id.example",
      environment: { BASE_URL: "https://id.example" },
      identity: {
        providers: [],
        lookup: () => Promise.resolve(["127.0.0.1"]),
        fetch: () => assert.fail("It was sent"),
        timeLimit: 600_000,
      },
    });
    await production.deliverPush();
    assert.ok(production.logged.some((line) => line.includes("its host is not allowed")));
    assert.deepEqual(service.requests, []);
    await closeDatabase(db);
  });

  test("needs a session, and belongs to it", async () => {
    await using stage = await openStage();
    const { app, owner: { person }, browser } = stage;
    const id = await subscribed(stage);
    const other = await createPushBrowser();
    const again = await subscribe(person, other);
    assert.equal(again.status, 201);
    assert.deepEqual((await listed(person)).map((one) => one["id"]), [again.body.subscription.id]);
    const bob = app.client();
    await signUp(bob, "bob@example.com");
    assert.deepEqual(await listed(bob), []);
    for (const one of [id, again.body.subscription.id]) {
      assert.equal((await bob.request("DELETE", `${SUBSCRIPTIONS}/${one}`)).status, 404);
    }
    const stranger = app.client();
    assert.equal((await stranger.get(SUBSCRIPTIONS)).status, 401);
    assert.equal((await subscribe(stranger, browser)).status, 401);
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    const body = { endpoint: ENDPOINT, keys: browser.keys };
    assert.equal((await person.post(SUBSCRIPTIONS, body, { headers: foreign })).status, 403);
  });

  test("is limited in the number of attempts", async () => {
    await using stage = await openStage({ rateLimits: "on" });
    const { owner: { person }, browser } = stage;
    for (let count = 0; count < 20; count++) assert.equal((await subscribe(person, browser)).status, 201);
    assert.equal((await subscribe(person, browser)).status, 429);
  });

  const ENDS: readonly (readonly [what: string, end: (stage: Stage) => Promise<unknown>])[] = [
    ["a sign-out", ({ owner: { person } }) => person.post("/api/auth/sign-out")],
    ["a sign-out everywhere", ({ owner: { person } }) => person.post("/api/auth/sessions/revoke-all")],
    ["the end of the session in another browser", async (stage) => {
      const second = await secondBrowser(stage);
      const { sessions } = (await second.get("/api/auth/sessions")).body;
      const first = sessions.find(({ current }: { current: boolean }) => !current);
      await second.request("DELETE", `/api/auth/sessions/${first.id}`);
    }],
    ["the end of all other sessions", async (stage) => {
      await (await secondBrowser(stage)).post("/api/auth/sessions/revoke-others");
    }],
    ["a sign-in to another account in the browser", async ({ app, owner: { person } }) => {
      const bob = app.client();
      await signUp(bob, "bob@example.com");
      await signIn(Object.assign(person, { authenticator: bob.authenticator }));
    }],
    [
      "the disabling of the account",
      ({ app, owner: { accountId } }) =>
        app.client().post(`/api/admin/accounts/${accountId}/disable`, {}, { headers: ADMIN }),
    ],
    ["a recovery", async ({ app, owner: { person } }) => {
      const [code] = await makeCodes(person);
      const recovered = app.client("127.0.0.9");
      assert.equal((await begin(recovered, "ada@example.com", code)).status, 201);
      await pass(app, 72 * HOUR);
      assert.equal((await finish(recovered, "ada@example.com")).status, 201);
    }],
  ];
  for (const [what, end] of ENDS) {
    test(`ends with ${what}`, async () => {
      await using stage = await openStage();
      const { app, owner, service } = stage;
      const program = await newProgram(app, owner);
      await subscribed(stage);
      await ask(program, owner.keyId);
      await end(stage);
      assert.equal(await countRows(app), 0);
      await app.deliverPush();
      assert.deepEqual(service.requests, []);
    });
  }

  test("ends with the time of the session, also without use", async () => {
    await using stage = await openStage();
    const { app, owner, service } = stage;
    await subscribed(stage);
    const program = await newProgram(app, owner);
    app.now += 8 * 24 * HOUR;
    await ask(program, owner.keyId);
    await app.deliverPush();
    assert.deepEqual(service.requests, []);
    assert.equal(await countRows(app), 0);
  });

  test("is not believed if an editor of the database adds or changes one", async () => {
    await using stage = await openStage();
    const { app, owner, service } = stage;
    const id = await subscribed(stage);
    const row = await app.db.selectFrom("push_subscription").selectAll().executeTakeFirstOrThrow();
    await ask(await newProgram(app, owner), owner.keyId);
    await app.db.updateTable("push_subscription").set({ endpoint: "https://evil.example/" })
      .where("id", "=", id).execute();
    dropMemory(app.db);
    await app.deliverPush();
    assert.deepEqual(service.requests, []);
    await app.db.updateTable("push_subscription").set({ endpoint: row.endpoint }).execute();
    const forged = { ...row, id: "push_forged", session_id: "session_other" };
    await app.db.insertInto("push_subscription").values(forged).execute();
    dropMemory(app.db);
    await ask(await newProgram(app, owner), owner.keyId);
    await app.deliverPush();
    assert.deepEqual(service.requests.filter(({ url }) => url !== ENDPOINT), []);
  });
});

describe("a service without keys for push messages", () => {
  test("has no public key, and adds no subscription", async () => {
    await using app = await createTestApp();
    const { person } = await newOwner(app);
    assert.deepEqual((await person.get(SUBSCRIPTIONS)).body, { publicKey: null, subscriptions: [] });
    assert.equal((await subscribe(person, await createPushBrowser())).status, 404);
    assert.ok(!(await person.get("/account")).text.includes("/account/notifications"));
    const page = await person.get("/account/notifications");
    assert.ok(page.text.includes("sends no notifications") && !page.text.includes('id="notify"'));
  });
});

describe("the installed pages", () => {
  test("are described by a manifest that names no account, with the logo of the service", async () => {
    await using app = await createTestApp({ environment: { SERVICE_NAME: "Acme Keys" } });
    const answer = await app.client().get("/manifest.webmanifest");
    assert.equal(answer.headers.get("content-type"), "application/manifest+json");
    const manifest = JSON.parse(answer.text);
    assert.partialDeepStrictEqual(manifest, { name: "Acme Keys", start_url: "/", display: "standalone" });
    const [icon] = manifest.icons;
    assert.equal((await app.client().get(icon.src)).headers.get("content-type"), icon.type);
    const page = await app.client().get("/sign-in");
    assert.ok(page.text.includes('<link rel="manifest" href="/manifest.webmanifest">'));
    assert.match(page.headers.get("content-security-policy")!, /manifest-src 'self'/);
  });

  test("have a worker at the root that is checked at each load, and may load nothing", async () => {
    await using app = await createTestApp();
    const { headers, text } = await app.client().get("/service-worker.js");
    assert.equal(headers.get("content-type"), "text/javascript; charset=utf-8");
    assert.equal(headers.get("cache-control"), "no-cache");
    assert.match(headers.get("content-security-policy")!, /default-src 'none'/);
    assert.doesNotMatch(text, /"fetch"|caches|importScripts/);
  });

  test("register it on one page only", async () => {
    await using stage = await openStage();
    const { owner: { person } } = stage;
    const policyOf = async (path: string) => (await person.get(path)).headers.get("content-security-policy")!;
    assert.match(await policyOf("/account/notifications"), /trusted-types service-worker;/);
    assert.match(await policyOf("/account"), /trusted-types 'none';/);
    assert.ok((await person.get("/account")).text.includes('href="/account/notifications"'));
    await subscribed(stage);
    const page = await person.get("/account/notifications");
    assert.ok(page.text.includes("This browser") && !page.text.includes('id="notify"'));
  });
});
