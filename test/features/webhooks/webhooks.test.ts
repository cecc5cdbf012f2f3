import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { ADMIN_KEY, createTestApp, NO_PROVIDERS, type TestAppOptions } from "../../support/app.ts";
import { type Answer, type Client, signUp } from "../../support/client.ts";
import { heldLookup } from "../../support/identity.ts";
import { postForm } from "../../support/oauth.ts";
import { stepUp } from "../../support/recovery.ts";
import type { FetchInit } from "../../../src/lib/outgoing.ts";
import { DAY, HOUR, MINUTE } from "../../../src/lib/time.ts";

const URL_OF_RECEIVER = "https://hooks.example/in";
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };

interface Receiver {
  readonly requests: { readonly url: string; readonly init: FetchInit }[];
  /** The status of the next responses. */
  status: number;
  /** The addresses of every host. */
  addresses: readonly string[];
}

async function openStage(options: TestAppOptions = {}) {
  const receiver: Receiver = { requests: [], status: 204, addresses: ["93.184.216.34"] };
  const app = await createTestApp({
    ...options,
    identity: {
      providers: [],
      lookup: () => Promise.resolve(receiver.addresses),
      fetch: (url, init) => {
        receiver.requests.push({ url, init });
        return Promise.resolve(new Response(null, { status: receiver.status }));
      },
      timeLimit: 600_000,
    },
  });
  const ada = app.client();
  const { body } = await signUp(ada, "ada@example.com");
  return {
    app,
    ada,
    receiver,
    accountId: body.account.id as string,
    keyId: body.key.id as string,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

function add(client: Client, change: object = {}): Promise<Answer> {
  const body = { url: URL_OF_RECEIVER, events: ["message_signed"], signature: "hmac", ...change };
  return client.post("/api/auth/webhooks", body);
}

async function added(client: Client, change: object = {}) {
  const answer = await add(client, change);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function deliveriesOf(client: Client, id: string) {
  const answer = await client.get(`/api/auth/webhooks/${id}/deliveries`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.deliveries;
}

/** Verifies a delivery as its stock receiver does, whose clock is that of the machine. */
function verify(secret: string, { init }: Receiver["requests"][number], now: number): unknown {
  const clock = Date.now;
  Date.now = () => now;
  try {
    return new Webhook(secret).verify(init.body!, { ...init.headers });
  } finally {
    Date.now = clock;
  }
}

describe("a webhook of a user", () => {
  test("gets what the standardwebhooks package verifies, and names the account", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, accountId, keyId } = stage;
    const { webhook, secret } = await added(ada);
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.equal(webhook.publicKey, null);
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    assert.equal(receiver.requests.length, 1);
    const [request] = receiver.requests;
    assert.equal(request!.url, URL_OF_RECEIVER);
    const payload = verify(secret, request!, app.now) as { type: string; timestamp: string; data: object };
    assert.equal(payload.type, "message_signed");
    assert.equal(payload.timestamp, new Date(app.now).toISOString());
    assert.deepEqual(Object.keys(payload), ["type", "timestamp", "data"]);
    assert.partialDeepStrictEqual(payload.data, { accountId, subject: keyId, format: "personal_sign" });
    const [delivery] = await deliveriesOf(ada, webhook.id);
    assert.partialDeepStrictEqual(delivery, { state: "delivered", attempts: 1, result: "status 204" });
    assert.equal(request!.init.headers["webhook-id"], delivery.id);
    const forged = { ...request!, init: { ...request!.init, body: "{}" } };
    assert.throws(() => verify(secret, forged, app.now), /No matching signature/);
  });

  test("signs with Ed25519 where it says so", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, keyId } = stage;
    const { webhook, secret } = await added(ada, { signature: "ed25519" });
    assert.equal(secret, null);
    const raw = Uint8Array.fromBase64(/^whpk_(.+)$/.exec(webhook.publicKey)![1]!);
    const key = await crypto.subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    const { headers, body } = receiver.requests[0]!.init;
    const signature = Uint8Array.fromBase64(/^v1a,(.+)$/.exec(headers["webhook-signature"]!)![1]!);
    const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
    assert.ok(await crypto.subtle.verify("Ed25519", key, signature, new TextEncoder().encode(content)));
    assert.equal((await ada.get("/api/auth/webhooks")).body.webhooks[0].publicKey, webhook.publicKey);
    assert.ok((await ada.get("/developer/webhooks")).text.includes(webhook.publicKey));
  });

  test("is retried with the same id and a new timestamp, first within an hour, for a day", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, keyId } = stage;
    const { webhook, secret } = await added(ada);
    receiver.status = 503;
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    const [first] = receiver.requests;
    const begun = app.now;
    for (let waited = 0; waited < 25; waited++) {
      const [delivery] = await deliveriesOf(ada, webhook.id);
      if (delivery.state !== "waiting") break;
      assert.equal(delivery.result, "status 503");
      const next = Date.parse(delivery.nextAttemptAt);
      assert.ok(next > app.now && next - app.now <= 1.25 * HOUR, delivery.nextAttemptAt);
      app.now = next;
      // The session would end.
      if (waited === 3) receiver.requests.splice(0, receiver.requests.length - 1);
      await app.deliverWebhooks();
    }
    assert.ok(app.now - begun < 25 * HOUR);
    const last = receiver.requests.at(-1)!;
    assert.equal(last.init.headers["webhook-id"], first!.init.headers["webhook-id"]);
    assert.notEqual(last.init.headers["webhook-timestamp"], first!.init.headers["webhook-timestamp"]);
    assert.equal(last.init.body, first!.init.body);
    verify(secret, last, app.now);
  });

  test("is given up after a day, or at once by 410, and sent again on request", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, keyId } = stage;
    const { webhook } = await added(ada);
    receiver.status = 410;
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    const [gone] = await deliveriesOf(ada, webhook.id);
    assert.partialDeepStrictEqual(gone, {
      state: "failed",
      attempts: 1,
      result: "status 410",
      nextAttemptAt: null,
    });
    receiver.status = 200;
    const again = await ada.post(`/api/auth/webhooks/deliveries/${gone.id}/send-again`);
    assert.partialDeepStrictEqual(again.body.delivery, { id: gone.id, state: "waiting" });
    await app.deliverWebhooks();
    assert.partialDeepStrictEqual((await deliveriesOf(ada, webhook.id))[0], {
      id: gone.id,
      state: "delivered",
    });
    const ids = receiver.requests.map(({ init }) => init.headers["webhook-id"]);
    assert.deepEqual(ids, [gone.id, gone.id]);
  });

  test("gets requests, refusals, passkeys, tokens and recovery, and none of another account", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, keyId } = stage;
    const events = [
      "signing_refused",
      "token_created",
      "token_revoked",
      "recovery_changed",
      "webhook_added",
    ];
    await added(ada, { events });
    const settings = { name: "Bot", keys: "all", actions: ["sign"], policy: { version: 1 } };
    const { body: { token, text } } = await ada.post("/api/auth/tokens", settings);
    const headers = { authorization: `Bearer ${text}` };
    const refused = await app.client().post(`/api/keys/${keyId}/sign`, { message: "hello" }, { headers });
    assert.equal(refused.body.code, "policy_denied");
    await ada.request("DELETE", `/api/auth/tokens/${token.id}`);
    await ada.post("/api/auth/way-back/codes");
    const bob = app.client();
    await signUp(bob, "bob@example.com");
    await bob.post("/api/auth/tokens", { name: "Bot", keys: "all", actions: ["read"] });
    await app.deliverWebhooks();
    const sent = receiver.requests.map(({ init }) => JSON.parse(init.body!));
    assert.deepEqual(new Set(sent.map(({ type }) => type)), new Set(events));
    assert.deepEqual([...new Set(sent.map(({ data }) => data.accountId))], [stage.accountId]);
    assert.equal(sent.find(({ type }) => type === "signing_refused").data.subject, token.id);
  });

  test("can be listed and deleted by its owner alone, and gets nothing afterwards", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, keyId } = stage;
    const { webhook } = await added(ada);
    receiver.status = 503;
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    const [delivery] = await deliveriesOf(ada, webhook.id);
    const bob = app.client();
    await signUp(bob, "bob@example.com");
    assert.deepEqual((await bob.get("/api/auth/webhooks")).body.webhooks, []);
    for (
      const answer of [
        await bob.get(`/api/auth/webhooks/${webhook.id}/deliveries`),
        await bob.post(`/api/auth/webhooks/deliveries/${delivery.id}/send-again`),
        await bob.request("DELETE", `/api/auth/webhooks/${webhook.id}`),
        await bob.get(`/api/admin/webhooks/${webhook.id}/deliveries`, { headers: ADMIN }),
        await bob.request("DELETE", `/api/admin/webhooks/${webhook.id}`, { headers: ADMIN }),
      ]
    ) assert.equal(answer.status, 404, answer.text);
    assert.equal((await ada.request("DELETE", `/api/auth/webhooks/${webhook.id}`)).status, 204);
    app.now += HOUR;
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    assert.equal(receiver.requests.length, 1);
    const events = (await ada.get("/api/audit")).body.events.map(({ event }: { event: string }) => event);
    assert.ok(events.includes("webhook_added") && events.includes("webhook_removed"));
  });

  test("ends with its account, and needs a fresh sign-in", async () => {
    await using stage = await openStage();
    const { app, ada } = stage;
    await added(ada);
    assert.equal((await ada.post("/api/auth/account/deletion", { confirm: "ada@example.com" })).status, 200);
    app.now += 40 * DAY;
    await app.maintain();
    assert.deepEqual(await app.db.selectFrom("webhook").selectAll().execute(), []);
    assert.equal((await app.client().get("/api/auth/webhooks")).status, 401);
    const bob = app.client();
    await signUp(bob, "bob@example.com");
    app.now += 11 * MINUTE;
    assert.equal((await add(bob)).body.code, "fresh_session_required");
    await stepUp(bob, "add_webhook");
    assert.equal((await add(bob)).status, 201);
    assert.equal((await add(bob)).body.code, "fresh_session_required");
  });

  test("is not added by a session that ends during the lookup of its host", async () => {
    const { lookup, asked, answer } = heldLookup();
    await using app = await createTestApp({ identity: { ...NO_PROVIDERS, lookup } });
    const ada = app.client();
    await signUp(ada, "ada@example.com");
    const adding = add(ada);
    await asked;
    assert.equal((await ada.post("/api/auth/sessions/revoke-all")).status, 200);
    answer();
    assert.equal((await adding).body.code, "authentication_required");
    assert.deepEqual(await app.db.selectFrom("webhook").selectAll().execute(), []);
  });

  test("gets nothing while its account is disabled", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, accountId, keyId } = stage;
    await added(ada);
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    const change = (act: string) =>
      app.client().post(`/api/admin/accounts/${accountId}/${act}`, {}, { headers: ADMIN });
    assert.equal((await change("disable")).status, 200);
    await app.deliverWebhooks();
    assert.equal(receiver.requests.length, 0);
    const columns = ["state", "result"] as const;
    const waiting = await app.db.selectFrom("webhook_delivery").select(columns).execute();
    assert.deepEqual(waiting, [{ state: "waiting", result: "its account is disabled" }]);
    assert.equal((await change("enable")).status, 200);
    app.now += MINUTE;
    await app.deliverWebhooks();
    assert.equal(receiver.requests.length, 1);
  });

  test("is limited to ten, of known events, each once", async () => {
    await using stage = await openStage();
    const { ada } = stage;
    for (const events of [[], ["signed"], ["message_signed", "message_signed"], "message_signed"]) {
      assert.equal((await add(ada, { events })).status, 400);
    }
    for (const signature of ["v1", undefined]) assert.equal((await add(ada, { signature })).status, 400);
    for (let count = 0; count < 10; count++) await added(ada);
    assert.deepEqual([(await add(ada)).status, (await add(ada)).body.code], [409, "too_many_webhooks"]);
  });
});

describe("the page of a user's webhooks", () => {
  test("shows the latest deliveries, sends one again and deletes a webhook, without a script", async () => {
    await using stage = await openStage();
    const { app, ada, receiver, keyId } = stage;
    const { webhook, secret } = await added(ada);
    receiver.status = 410;
    await ada.post(`/api/keys/${keyId}/sign`, { message: "hello" });
    await app.deliverWebhooks();
    const page = await ada.get("/developer/webhooks");
    assert.equal(page.status, 200);
    for (
      const text of [URL_OF_RECEIVER, "message_signed", "failed", "status 410", "1 attempt", "Send again"]
    ) {
      assert.ok(page.text.includes(text), text);
    }
    assert.ok(!page.text.includes(secret));
    const action = /action="([^"]+send-again)"/.exec(page.text)![1]!;
    receiver.status = 200;
    const bob = app.client();
    await signUp(bob, "bob@example.com");
    assert.equal((await postForm(bob, action, {})).status, 404);
    assert.equal((await postForm(ada, action, {}, { "sec-fetch-site": "cross-site" })).status, 403);
    assert.equal((await postForm(ada, action, {})).headers.get("location"), "/developer/webhooks");
    await app.deliverWebhooks();
    assert.equal((await deliveriesOf(ada, webhook.id))[0].state, "delivered");
    const removal = /action="([^"]+\/delete)"/.exec(page.text)![1]!;
    assert.equal((await postForm(bob, removal, {})).status, 404);
    assert.equal((await postForm(ada, removal, {})).status, 303);
    assert.match((await ada.get("/developer/webhooks")).text, /There is no webhook/);
    assert.match((await app.client().get("/developer/webhooks")).headers.get("location")!, /^\/sign-in/);
    assert.notEqual((await ada.get("/admin/webhooks")).status, 200);
  });
});

describe("the administrator's webhook", () => {
  test("gets the events of all accounts", async () => {
    await using stage = await openStage();
    const { app, receiver } = stage;
    const post = (path: string, body?: object) => app.client().post(path, body, { headers: ADMIN });
    const settings = {
      url: URL_OF_RECEIVER,
      events: ["account_created", "passkey_added"],
      signature: "hmac",
    };
    const { body, status, text } = await post("/api/admin/webhooks", settings);
    assert.equal(status, 201, text);
    const bob = app.client();
    const { account } = (await signUp(bob, "bob@example.com")).body;
    await app.deliverWebhooks();
    const sent = receiver.requests.map((request) =>
      verify(body.secret, request, app.now) as { data: object }
    );
    const accounts = sent.map(({ data }) => (data as { accountId: string }).accountId);
    assert.deepEqual(accounts, [account.id, account.id]);
    const path = `/api/admin/webhooks/${body.webhook.id}`;
    const { deliveries } = (await app.client().get(`${path}/deliveries`, { headers: ADMIN })).body;
    assert.equal(deliveries.length, 2);
    assert.equal((await post(`/api/admin/webhooks/deliveries/${deliveries[0].id}/send-again`)).status, 200);
    assert.equal((await app.client().get("/api/admin/webhooks", { headers: ADMIN })).body.webhooks.length, 1);
    assert.equal((await app.client().request("DELETE", path, { headers: ADMIN })).status, 204);
    assert.equal((await app.client().get("/api/admin/webhooks")).status, 401);
  });
});

describe("in production a webhook's URL", () => {
  const production = {
    origin: "https://wallet.example",
    environment: { BASE_URL: "https://wallet.example" },
  };

  test("must be https and public, as written and as resolved", async () => {
    await using stage = await openStage();
    const receiver = stage.receiver;
    await using app = await createTestApp({
      ...production,
      identity: {
        providers: [],
        fetch: () => Promise.reject(new Error("no")),
        lookup: () => Promise.resolve(receiver.addresses),
        timeLimit: 600_000,
      },
    });
    const post = (url: string) =>
      app.client().post("/api/admin/webhooks", { url, events: ["passkey_added"], signature: "hmac" }, {
        headers: ADMIN,
      });
    for (
      const url of [
        "http://hooks.example/",
        "https://localhost/",
        "https://127.0.0.1/",
        "https://10.0.0.7/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://[fe80::1]/",
        "https://[::ffff:10.0.0.7]/",
        "https://user:secret@hooks.example/",
        "https://hooks.example/#part",
        "ftp://hooks.example/",
        "hooks.example",
        "https://hooks.exam\tple/",
        "https://hooks.example/\u202Eni",
        `https://hooks.example/${"a".repeat(2048)}`,
      ]
    ) {
      const { status, body } = await post(url);
      assert.deepEqual([status, body.errors?.[0].path], [400, "/url"], url);
    }
    for (
      const addresses of [["10.0.0.7"], ["93.184.216.34", "127.0.0.1"], ["169.254.1.1"], ["fe80::1"], []]
    ) {
      receiver.addresses = addresses;
      assert.equal((await post(URL_OF_RECEIVER)).status, 400, addresses.join());
    }
    receiver.addresses = ["93.184.216.34"];
    assert.equal((await post(URL_OF_RECEIVER)).status, 201);
  });

  test("is resolved and checked again when a delivery is sent", async () => {
    const requests: string[] = [];
    let addresses = ["93.184.216.34"];
    await using app = await createTestApp({
      ...production,
      identity: {
        providers: [],
        fetch: (url) => {
          requests.push(url);
          return Promise.resolve(new Response());
        },
        lookup: () => Promise.resolve(addresses),
        timeLimit: 600_000,
      },
    });
    const admin = (method: string, path: string, body?: object) =>
      app.client().request(method, `/api/admin/${path}`, { headers: ADMIN, body });
    const settings = { url: URL_OF_RECEIVER, events: ["webhook_added"], signature: "hmac" };
    const { body: { webhook } } = await admin("POST", "webhooks", settings);
    addresses = ["10.0.0.7"];
    await app.deliverWebhooks();
    assert.deepEqual(requests, []);
    const { deliveries } = (await admin("GET", `webhooks/${webhook.id}/deliveries`)).body;
    assert.partialDeepStrictEqual(deliveries, [{ state: "waiting", result: "its host is not allowed" }]);
  });
});
