import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY, HOUR, MINUTE } from "../../src/lib/time.ts";
import { createMetrics } from "../../src/lib/metrics.ts";
import { claimDue, deliver } from "../../src/mail/delivery.ts";
import { makePushKeyPair } from "../../src/push/keys.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { postForm } from "../support/oauth.ts";
import { createPushBrowser } from "../support/push-service.ts";
import { withTwins } from "../support/twins.ts";
import type { Twins } from "../support/twins.ts";

const LIMIT = { timeout: 60_000 };
const EMAIL = "ada@example.com";
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };

function administer(client: Client, method: string, path: string, body?: object): Promise<Answer> {
  return client.request(method, `/api/admin${path}`, { headers: ADMIN, ...(body && { body }) });
}

/** Reads a list page by page, one element each. Returns the number of elements. */
async function goThrough(client: Client, path: string, name: string, headers = {}): Promise<number> {
  let cursor: string | null = "";
  for (let count = 0;; count++) {
    const query: string = `limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { status, body, text } = await client.get(`${path}?${query}`, { headers });
    assert.equal(status, 200, text);
    if (body[name].length === 0) return count;
    cursor = body.nextCursor;
    if (cursor === null) return count + 1;
  }
}

/** Creates a user who has signed on three days. */
async function signOnThreeDays(
  twins: Twins,
): Promise<{ person: Client; key: { id: string; address: string } }> {
  const person = twins.client();
  const { key } = (await signUp(person, EMAIL)).body;
  for (let day = 1; day <= 3; day++) {
    // In the afternoon, a number of days is rounded up.
    await twins.pass(DAY + 3 * HOUR);
    for (let count = 0; count < day; count++) {
      const signed = await person.post(`/api/keys/${key.id}/sign`, { message: `message ${day} ${count}` });
      assert.equal(signed.status, 200, signed.text);
    }
  }
  return { person, key };
}

/** A push service that gives these statuses in turn to each of two services. Returns what they need to use it. */
async function pushServiceOf(statuses: readonly number[]): Promise<Parameters<typeof withTwins>[1]> {
  const left = statuses.flatMap((status) => [status, status]);
  return {
    pushKeys: { ...await makePushKeyPair(), contact: "mailto:ops@example.com" },
    identity: {
      providers: [],
      lookup: () => Promise.resolve(["93.184.216.34"]),
      fetch: () => Promise.resolve(new Response(null, { status: left.shift()! })),
      timeLimit: 600_000,
    },
  };
}

// Covers what other tests on PostgreSQL do not. Every response, and every row at the end, must equal SQLite's.
describe("a service responds and writes over PostgreSQL as over SQLite", () => {
  test("for names, languages and fifty deleted passkeys", LIMIT, () =>
    withTwins(async ({ client }) => {
      const person = client();
      await signUp(person, EMAIL);
      const [{ id }] = (await person.get("/api/auth/passkeys")).body.passkeys;
      for (const name of ["Büro", "a'b\\c\"d", "Z"]) {
        const body = { name };
        assert.equal((await person.request("PATCH", `/api/auth/passkeys/${id}`, { body })).status, 200);
        assert.equal((await person.request("PATCH", "/api/auth/account", { body })).status, 200);
      }
      for (const language of ["de", "en"]) {
        assert.equal((await postForm(person, "/account/language", { language })).status, 303);
        assert.equal((await person.get("/account")).headers.get("content-language"), language);
      }
      for (let count = 0; count < 51; count++) {
        const other = { ...person, authenticator: createAuthenticator() };
        const added = await registerPasskey(other);
        assert.equal(added.status, 201, added.text);
        const path = `/api/auth/passkeys/${added.body.passkey.id}`;
        assert.equal((await person.request("DELETE", path)).status, 204);
      }
    }));

  test("for keys that are named by their address", LIMIT, () =>
    withTwins(async ({ client }) => {
      const person = client();
      const { key: { address } } = (await signUp(person, EMAIL)).body;
      const terms = { name: "Bot", keys: "all", actions: ["read", "sign"] };
      const { text } = (await person.post("/api/auth/tokens", terms)).body;
      const headers = { authorization: `Bearer ${text}` };
      for (const named of [address, address.toLowerCase(), `0x${"00".repeat(20)}`]) {
        const call = { jsonrpc: "2.0", id: 1, method: "personal_sign", params: ["0x68656c6c6f", named] };
        const { body } = await client().post("/api/rpc", call, { headers });
        assert.equal("result" in body, !/^0x0+$/.test(named), JSON.stringify(body));
      }
    }));

  test(
    "for an account's signatures, by day, by key and page by page",
    LIMIT,
    () =>
      withTwins(async (twins) => {
        const { person, key } = await signOnThreeDays(twins);
        assert.equal((await signIn(person)).status, 200);
        const terms = { name: "Bot", keys: "all", actions: ["sign"] };
        const { text } = (await person.post("/api/auth/tokens", terms)).body;
        const headers = { authorization: `Bearer ${text}` };
        const signed = await twins.client().post(`/api/keys/${key.id}/sign`, { message: "hello" }, {
          headers,
        });
        assert.equal(signed.status, 200, signed.text);
        assert.ok(await goThrough(person, "/api/audit", "events") > 7);
        for (const query of ["", "?kind=signing", `?key=${key.id}`]) {
          assert.equal((await person.get(`/account/audit${query}`)).status, 200);
          assert.equal((await person.get(`/account/audit.csv${query}`)).status, 200);
        }
        assert.match((await person.get("/account/audit")).text, /7 signatures in the last 30 days/);
        for (const order of ["newest", "name", "used"]) {
          assert.equal((await person.get(`/keys?order=${order}`)).status, 200);
        }
        assert.equal((await signIn(person)).status, 200);
        assert.equal((await person.post("/api/auth/account/export")).status, 200);
      }),
  );

  test(
    "for the administrator's lists, page by page, and acts",
    LIMIT,
    () =>
      withTwins(async ({ client, pass }) => {
        const [person, admin] = [client(), client()];
        const { account: { id } } = (await signUp(person, EMAIL)).body;
        for (const name of ["a-b", "a.b", "ab", "a_b"]) {
          await signUp(client(), `${name}@example.com`);
          assert.equal((await administer(admin, "POST", "/invitations", {})).status, 201);
          const uris = { uri: "https://books.example", redirectUris: ["https://books.example/cb"] };
          const made = await administer(admin, "POST", "/oauth/clients", { name, type: "spa", ...uris });
          assert.equal(made.status, 201, made.text);
        }
        assert.equal(await goThrough(admin, "/api/admin/accounts", "accounts", ADMIN), 5);
        assert.equal(await goThrough(admin, "/api/admin/oauth/clients", "clients", ADMIN), 4);
        assert.equal(await goThrough(admin, "/api/admin/invitations", "invitations", ADMIN), 4);
        const found = (await administer(admin, "GET", "/accounts?search=A")).body.accounts;
        assert.deepEqual(
          found.map(({ email }: { email: string }) => email.split("@")[0]),
          ["a-b", "a.b", "a_b", "ab", "ada"],
        );
        const { invitations: [invitation] } = (await administer(admin, "GET", "/invitations")).body;
        assert.equal((await administer(admin, "DELETE", `/invitations/${invitation.id}`)).status, 200);

        assert.equal((await person.post("/api/auth/account/deletion", { confirm: EMAIL })).status, 200);
        assert.equal((await administer(admin, "POST", `/accounts/${id}/disable`)).status, 200);
        await pass(6 * DAY);
        assert.equal((await administer(admin, "POST", `/accounts/${id}/enable`)).status, 200);
        for (const [days, status] of [[6, 200], [2, 404]] as const) {
          await pass(days * DAY);
          assert.equal((await administer(admin, "GET", `/accounts/${id}`)).status, status);
        }
      }),
  );

  test("for a mail that its server refuses", LIMIT, () =>
    withTwins(async ({ client, both }) => {
      assert.equal((await client().post("/api/auth/email-code", { email: EMAIL })).status, 200);
      for (const { db, vault, now } of both) {
        const transport = { send: () => Promise.reject(new Error("Not now")), close: () => {} };
        const random = (length: number) => new Uint8Array(length);
        const services = {
          vault,
          transport,
          random,
          now: () => now,
          metrics: createMetrics(() => 0),
          log: () => {},
        };
        const [row, ...more] = await claimDue(db, { limit: 8, now });
        assert.deepEqual(more, []);
        await deliver(db, services, row!);
        assert.deepEqual(await claimDue(db, { limit: 8, now }), []);
      }
    }));

  test("for keys that sign tokens, until they expire", LIMIT, () =>
    withTwins(async ({ client, pass }) => {
      const counts: number[] = [];
      for (const milliseconds of [0, 90 * DAY, HOUR, 2 * HOUR]) {
        await pass(milliseconds);
        counts.push((await client().get("/api/auth/jwks")).body.keys.length);
      }
      assert.deepEqual(counts, [3, 6, 6, 3]);
    }));

  test(
    "for browsers that are notified of refused signatures",
    LIMIT,
    async () =>
      withTwins(async ({ client, both, pass }) => {
        const deliver = async (): Promise<void> => {
          for (const app of both) await app.deliverPush();
        };
        const person = client();
        const { key } = (await signUp(person, EMAIL)).body;
        const { keys } = await createPushBrowser();
        const path = "/api/auth/push-subscriptions";
        const subscribe = async (): Promise<string> => {
          const made = await person.post(path, { endpoint: "https://push.example/send/one", keys });
          assert.equal(made.status, 201, made.text);
          return made.body.subscription.id;
        };
        await subscribe();
        const terms = { name: "Bot", keys: "all", actions: ["sign"], policy: { version: 1 } };
        const { token, text } = (await person.post("/api/auth/tokens", terms)).body;
        const headers = { authorization: `Bearer ${text}` };
        const refuse = async (): Promise<void> => {
          const refused = await client().post(`/api/keys/${key.id}/sign`, { message: "hello" }, { headers });
          assert.equal(refused.body.code, "policy_denied", refused.text);
        };
        for (let count = 0; count < 3; count++) await refuse();
        await deliver();
        await pass(MINUTE);
        await deliver();
        // The new session of a browser takes its subscription over.
        assert.equal((await signIn(person)).status, 200);
        assert.equal((await person.get(path)).body.subscriptions.length, 1);
        await pass(2 * HOUR);
        await refuse();
        await deliver();
        assert.deepEqual((await person.get(path)).body.subscriptions, []);
        assert.equal((await signIn(person)).status, 200);
        const id = await subscribe();
        assert.equal((await person.request("DELETE", `${path}/${id}`)).status, 204);
        assert.equal((await person.request("DELETE", `/api/auth/tokens/${token.id}`)).status, 204);
      }, await pushServiceOf([503, 201, 404])),
  );
});
