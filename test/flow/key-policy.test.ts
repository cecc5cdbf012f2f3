import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatDateTime } from "../../src/lib/date-time.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";

const HOUR = 3_600_000;
const MINUTE = 60_000;

/** Allows text messages and raw bytes. */
const WIDE = { version: 1, messages: { text: "allow" }, raw: "allow", delayHours: 24 };
/** Allows text messages only. */
const NARROW = { version: 1, messages: { text: "allow" }, delayHours: 24 };

interface Stage {
  readonly app: TestApp;
  readonly alice: Client;
  readonly keyId: string;
  readonly path: string;
}

async function setStage(): Promise<Stage & AsyncDisposable> {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  const keyId = (await signUp(alice, "alice@example.com")).body.key.id;
  const path = `/api/keys/${keyId}/policy`;
  return { app, alice, keyId, path, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

function put(client: Client, path: string, policy: unknown): Promise<Answer> {
  return client.request("PUT", path, { body: { policy } });
}

async function stepUp(client: Client, action: string): Promise<void> {
  const options = await client.post("/api/auth/step-up/options", { action });
  const response = await client.authenticator.authenticate(options.body, { origin: ORIGIN });
  assert.equal((await client.post("/api/auth/step-up", { action, response })).status, 200);
}

/** Returns 200 if raw bytes are signed, 403 if the policy denies them. */
async function signRaw(client: Client, keyId: string): Promise<number> {
  const answer = await client.post(`/api/keys/${keyId}/sign`, { message: "0x00", format: "raw" });
  if (answer.status !== 200) assert.equal(answer.body.code, "policy_denied", answer.text);
  return answer.status;
}

async function mails(client: Client): Promise<readonly { subject: string; text: string }[]> {
  const { body } = await client.get("/dev/outbox", { headers: { accept: "application/json" } });
  return body.messages.filter(({ subject }: { subject: string }) => subject.includes("policy"));
}

async function subjects(client: Client): Promise<readonly string[]> {
  return (await mails(client)).map(({ subject }) => subject).reverse();
}

async function acts(client: Client): Promise<readonly string[]> {
  const { events } = (await client.get("/api/audit")).body;
  return events.filter(({ event }: { event: string }) => event === "key_policy_changed")
    .map(({ detail }: { detail: { act: string } }) => detail.act).reverse();
}

describe("the policy of a key", () => {
  test("is null at first, applies as soon as it is set, and binds the owner too", async () => {
    await using stage = await setStage();
    const { alice, keyId, path } = stage;
    const none = { policy: null, hash: null, words: null, change: null };
    assert.deepEqual((await alice.get(path)).body, none);
    assert.equal(await signRaw(alice, keyId), 200);
    const set = await put(alice, path, NARROW);
    assert.equal(set.status, 200, set.text);
    assert.equal(set.body.change, null);
    assert.match(set.body.hash, /^0x[0-9a-f]{64}$/);
    assert.ok(set.body.words.length > 0);
    assert.deepEqual((await alice.get(path)).body, set.body);
    assert.equal(await signRaw(alice, keyId), 403);
    assert.equal((await alice.post(`/api/keys/${keyId}/sign`, { message: "hello" })).status, 200);
    assert.deepEqual(await subjects(alice), ["A key's policy was set"]);
    assert.deepEqual(await acts(alice), ["tightened"]);
  });

  test("belongs to one key: other keys, of the same and another account, sign as before", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    const other = (await alice.post("/api/keys/generate", {})).body.key.id;
    const bob = app.client("127.0.0.2");
    const bobs = (await signUp(bob, "bob@example.com")).body.key.id;
    assert.equal((await put(alice, path, NARROW)).status, 200);
    assert.deepEqual([await signRaw(alice, keyId), await signRaw(alice, other)], [403, 200]);
    assert.equal(await signRaw(bob, bobs), 200);
    for (const [method, body] of [["GET"], ["PUT", { policy: NARROW }], ["DELETE"]] as const) {
      const answer = await bob.request(method, path, body === undefined ? {} : { body });
      assert.equal(answer.status, 404, `${method}: ${answer.text}`);
    }
    assert.equal((await bob.request("DELETE", `${path}/change`)).status, 404);
    assert.equal((await bob.get(`/api/keys/${bobs}/policy`)).body.policy, null);
    assert.deepEqual(await acts(bob), []);
  });

  test("cannot be reached with a token", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    const terms = { name: "bot", keys: [keyId], actions: ["read", "sign"] };
    const { text } = (await alice.post("/api/auth/tokens", terms)).body;
    const program = app.client("127.0.0.3");
    const headers = { authorization: `Bearer ${text}` };
    for (const method of ["GET", "PUT", "DELETE"]) {
      const options = method === "PUT" ? { headers, body: { policy: NARROW } } : { headers };
      assert.equal((await program.request(method, path, options)).status, 401, method);
    }
    assert.equal((await program.request("DELETE", `${path}/change`, { headers })).status, 401);
    // The policy applies to the token all the same.
    assert.equal((await put(alice, path, NARROW)).status, 200);
    const raw = { message: "0x00", format: "raw" };
    assert.equal((await program.post(`/api/keys/${keyId}/sign`, raw, { headers })).status, 403);
  });

  test("is tightened in a session of any age, but under a lock or a delay only with a passkey", async () => {
    for (const hard of [{ delayHours: 0 }, { delayHours: 1 }, { delayHours: 0, locked: true }]) {
      await using stage = await setStage();
      const { app, alice, keyId, path } = stage;
      assert.equal((await put(alice, path, { ...WIDE, ...hard })).status, 200);
      app.now += 11 * MINUTE;
      const tightened = await put(alice, path, { ...NARROW, ...hard });
      if (hard.delayHours === 0 && hard.locked === undefined) {
        assert.equal(tightened.status, 200, tightened.text);
        continue;
      }
      assert.deepEqual([tightened.status, tightened.body.code], [403, "fresh_session_required"]);
      await stepUp(alice, `change_policy:${keyId}`);
      assert.equal((await put(alice, path, { ...NARROW, ...hard })).status, 200);
    }
  });

  test("is loosened only with a passkey", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    assert.equal((await put(alice, path, WIDE)).status, 200);
    assert.equal((await put(alice, path, NARROW)).status, 200);
    app.now += 11 * MINUTE;
    const refused = await put(alice, path, WIDE);
    assert.deepEqual([refused.status, refused.body.code], [403, "fresh_session_required"]);
    assert.equal((await alice.request("DELETE", path)).body.code, "fresh_session_required");
    // A step-up for another action or another key does not count.
    const other = (await alice.post("/api/keys/generate", {})).body.key.id;
    for (const action of [`loosen_key:${keyId}`, `change_policy:${other}`]) {
      await stepUp(alice, action);
      assert.equal((await put(alice, path, WIDE)).body.code, "fresh_session_required");
    }
    await stepUp(alice, `change_policy:${keyId}`);
    assert.equal((await put(alice, path, WIDE)).status, 202);
    // A step-up is used up.
    assert.equal((await put(alice, path, { ...WIDE, digest: "allow" })).status, 403);
    assert.deepEqual(await acts(alice), ["tightened", "tightened", "asked"]);
  });

  test("a looser one waits for its delay, with a mail at once and one when it takes effect", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    await put(alice, path, NARROW);
    const requested = await put(alice, path, WIDE);
    assert.equal(requested.status, 202, requested.text);
    const at = new Date(app.now + 24 * HOUR).toISOString();
    assert.deepEqual([requested.body.policy.raw, requested.body.change.policy.raw], ["deny", "allow"]);
    assert.equal(requested.body.change.takesEffectAt, at);
    // Other mails were sent at the same time.
    const mail = (await mails(alice)).find(({ text }) => text.includes(formatDateTime("en", Date.parse(at))));
    assert.ok(mail?.text.includes(`${ORIGIN}/keys/${keyId}#policy`), String(mail?.text));
    app.now += 24 * HOUR - 1;
    await app.maintain();
    assert.equal(await signRaw(alice, keyId), 403);
    app.now += 1;
    // It applies before `maintain` records it.
    assert.equal(await signRaw(alice, keyId), 200);
    assert.deepEqual((await alice.get(path)).body.change, null);
    await app.maintain();
    await app.maintain();
    assert.deepEqual(await subjects(alice), ["A looser policy of a key took effect"]);
    assert.deepEqual(await acts(alice), ["tightened", "asked", "took_effect"]);
    assert.equal((await alice.get(path)).body.policy.raw, "allow");
  });

  test("without a delay is loosened or removed at once", async () => {
    await using stage = await setStage();
    const { alice, keyId, path } = stage;
    await put(alice, path, { ...NARROW, delayHours: 0 });
    assert.equal((await put(alice, path, { ...WIDE, delayHours: 0 })).status, 200);
    assert.equal(await signRaw(alice, keyId), 200);
    const removed = await alice.request("DELETE", path);
    assert.deepEqual([removed.status, removed.body.policy], [200, null]);
    assert.equal((await alice.request("DELETE", path)).status, 200);
    assert.deepEqual(await acts(alice), ["tightened", "loosened", "loosened"]);
  });

  test("a change can be cancelled, also from the page without a script, until it takes effect", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    await put(alice, path, NARROW);
    await put(alice, path, WIDE);
    // A session of any age may cancel.
    app.now += 11 * MINUTE;
    const cancelled = await alice.request("DELETE", `${path}/change`);
    assert.deepEqual([cancelled.status, cancelled.body.change], [200, null]);
    assert.equal((await alice.request("DELETE", `${path}/change`)).status, 404);
    app.now += 25 * HOUR;
    await app.maintain();
    assert.equal(await signRaw(alice, keyId), 403);

    await stepUp(alice, `change_policy:${keyId}`);
    assert.equal((await put(alice, path, WIDE)).status, 202);
    const page = await alice.get(`/keys/${keyId}`);
    assert.ok(page.text.includes(`action="/keys/${keyId}/policy/cancel"`));
    const form = {
      headers: { "content-type": "application/x-www-form-urlencoded", origin: ORIGIN },
      text: "",
    };
    const sent = await alice.request("POST", `/keys/${keyId}/policy/cancel`, form);
    assert.deepEqual([sent.status, sent.headers.get("location")], [303, `/keys/${keyId}#policy`]);
    assert.equal((await alice.get(path)).body.change, null);

    await stepUp(alice, `change_policy:${keyId}`);
    assert.equal((await put(alice, path, WIDE)).status, 202);
    app.now += 24 * HOUR;
    assert.equal((await alice.request("DELETE", `${path}/change`)).status, 404);
    assert.equal(await signRaw(alice, keyId), 200);
    const expected = ["tightened", "asked", "cancelled", "asked", "cancelled", "asked", "took_effect"];
    assert.deepEqual(await acts(alice), expected);
  });

  test("a newer change replaces the pending one, and its delay starts again", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    await put(alice, path, NARROW);
    await put(alice, path, WIDE);
    app.now += 23 * HOUR;
    await stepUp(alice, `change_policy:${keyId}`);
    const newer = await put(alice, path, { ...WIDE, digest: "allow" });
    assert.equal(newer.body.change.takesEffectAt, new Date(app.now + 24 * HOUR).toISOString());
    app.now += 2 * HOUR;
    await app.maintain();
    assert.equal(await signRaw(alice, keyId), 403);
    app.now += 22 * HOUR;
    assert.equal(await signRaw(alice, keyId), 200);
    assert.equal((await alice.get(path)).body.policy.digest, "allow");
  });

  const LOOSER: Readonly<Record<string, (client: Client, path: string) => Promise<Answer>>> = {
    "a looser policy": (client, path) => put(client, path, WIDE),
    "the removal": (client, path) => client.request("DELETE", path),
  };
  for (const [what, askFor] of Object.entries(LOOSER)) {
    test(`requesting ${what} again while it is pending changes no time and adds no entry or mail`, async () => {
      await using stage = await setStage();
      const { app, alice, path } = stage;
      await put(alice, path, NARROW);
      const first = await askFor(alice, path);
      const recorded = [await acts(alice), await subjects(alice)];
      app.now += 5 * MINUTE;
      const again = await askFor(alice, path);
      assert.deepEqual([again.status, again.body], [202, first.body]);
      assert.deepEqual([await acts(alice), await subjects(alice)], recorded);
      app.now += 24 * HOUR - 5 * MINUTE;
      assert.equal((await alice.get(path)).body.change, null);
    });
  }

  test("tightening cancels a pending change, and so does setting the current policy", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    const policies = [{ version: 1, delayHours: 24 }, NARROW];
    for (const [index, tighter] of policies.entries()) {
      const { id } = (await alice.post("/api/keys/generate", {})).body.key;
      const own = `/api/keys/${id}/policy`;
      await put(alice, own, NARROW);
      assert.equal((await put(alice, own, WIDE)).status, 202);
      const answer = await put(alice, own, tighter);
      assert.deepEqual([answer.status, answer.body.change], [200, null], `${index}`);
    }
    await put(alice, path, NARROW);
    const before = (await acts(alice)).length;
    assert.equal((await put(alice, path, NARROW)).status, 200);
    assert.equal((await acts(alice)).length, before, "no entry for an equal policy");
    app.now += 48 * HOUR;
    assert.equal(await signRaw(alice, keyId), 403);
  });

  test("a change waits for the delay of the policy in force, and so does a shorter delay", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    await put(alice, path, { ...NARROW, delayHours: 48 });
    const shorter = await put(alice, path, { ...NARROW, delayHours: 1 });
    assert.equal(shorter.status, 202);
    assert.equal(shorter.body.change.takesEffectAt, new Date(app.now + 48 * HOUR).toISOString());
    app.now += 48 * HOUR;
    await stepUp(alice, `change_policy:${keyId}`);
    const wider = await put(alice, path, WIDE);
    assert.equal(wider.body.change.takesEffectAt, new Date(app.now + HOUR).toISOString());
  });

  test("a lock and a longer delay need a passkey, because the owner cannot simply undo them", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    app.now += 11 * MINUTE;
    for (const policy of [{ ...NARROW, delayHours: 24 }, { ...NARROW, delayHours: 0, locked: true }]) {
      assert.equal((await put(alice, path, policy)).body.code, "fresh_session_required");
    }
    assert.equal((await put(alice, path, { ...NARROW, delayHours: 0 })).status, 200);
    await stepUp(alice, `change_policy:${keyId}`);
    assert.equal((await put(alice, path, { ...NARROW, delayHours: 0, locked: true })).status, 200);
  });

  test("a locked one can be tightened, but never loosened, unlocked, removed or given a shorter delay", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    const locked = { ...WIDE, delayHours: 1, locked: true };
    assert.equal((await put(alice, path, locked)).status, 200);
    const attempts = [
      { ...locked, digest: "allow" },
      { ...locked, locked: false },
      { ...locked, delayHours: 0 },
      { ...NARROW, delayHours: 1 },
    ];
    for (const policy of attempts) {
      const answer = await put(alice, path, policy);
      assert.deepEqual([answer.status, answer.body.code], [409, "policy_locked"], JSON.stringify(policy));
    }
    assert.equal((await alice.request("DELETE", path)).body.code, "policy_locked");
    app.now += 100 * HOUR;
    await app.maintain();
    const view = (await alice.get(path)).body;
    assert.deepEqual([view.policy.locked, view.policy.delayHours, view.change], [true, 1, null]);
    await stepUp(alice, `change_policy:${keyId}`);
    assert.equal((await put(alice, path, { ...NARROW, delayHours: 1, locked: true })).status, 200);
    assert.equal(await signRaw(alice, keyId), 403);
    for (const action of ["archive", "unarchive"]) {
      assert.equal((await alice.post(`/api/keys/${keyId}/${action}`)).status, 200);
    }
    assert.deepEqual(await acts(alice), ["tightened", "tightened"]);
  });

  test("an invalid one is refused with a JSON pointer, and changes nothing", async () => {
    await using stage = await setStage();
    const { alice, path } = stage;
    for (
      const [policy, pointer] of [
        [{ version: 1, delayHours: 169 }, "/policy/delayHours"],
        [{ version: 2 }, "/policy/version"],
        [{ version: 1, locked: "yes" }, "/policy/locked"],
        ["none", "/policy"],
      ] as const
    ) {
      const answer = await put(alice, path, policy);
      assert.deepEqual([answer.status, answer.body.errors?.[0].path], [400, pointer], answer.text);
    }
    assert.equal((await alice.get(path)).body.policy, null);
  });

  test("counts the signatures of all users of the key, and of no other key", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    const other = (await alice.post("/api/keys/generate", {})).body.key.id;
    const terms = { name: "bot", keys: "all", actions: ["sign"] };
    const { text } = (await alice.post("/api/auth/tokens", terms)).body;
    const headers = { authorization: `Bearer ${text}` };
    const sign = async (id: string, options = {}): Promise<number> =>
      (await app.client("127.0.0.3").post(`/api/keys/${id}/sign`, { message: "x" }, options)).status;
    const mine = async (id: string): Promise<number> =>
      (await alice.post(`/api/keys/${id}/sign`, { message: "x" })).status;
    for (const id of [keyId, other]) {
      assert.equal((await put(alice, `/api/keys/${id}/policy`, { ...NARROW, perDay: 2 })).status, 200);
    }
    assert.deepEqual([await mine(keyId), await sign(keyId, { headers }), await mine(keyId)], [200, 200, 403]);
    assert.equal(await sign(keyId, { headers }), 403);
    // Tightening does not reset the count.
    assert.equal((await put(alice, path, { ...NARROW, perDay: 1 })).status, 200);
    assert.deepEqual([await mine(keyId), await mine(other)], [403, 200]);
  });

  test("with a budget signs repeatedly what does not use the budget", async () => {
    await using stage = await setStage();
    const { app, alice, keyId, path } = stage;
    assert.equal((await put(alice, path, { ...WIDE, budgets: { usdc: { perDay: "100" } } })).status, 200);
    for (let time = 0; time < 3; time++) assert.equal(await signRaw(alice, keyId), 200);
    assert.deepEqual(app.logged.filter((line) => line.includes("row_rejected")), []);
  });

  test("and blindSigning must both allow, and loosening one does not loosen the other", async () => {
    await using stage = await setStage();
    const { alice, keyId, path } = stage;
    const key = `/api/keys/${keyId}`;
    await alice.request("PATCH", key, { body: { blindSigning: "deny" } });
    await put(alice, path, { ...WIDE, locked: true });
    const answer = await alice.post(`${key}/sign`, { message: "0x00", format: "raw" });
    assert.equal(answer.body.code, "blind_signing_denied");
    assert.equal((await alice.request("PATCH", key, { body: { blindSigning: "allow" } })).status, 200);
    assert.equal(await signRaw(alice, keyId), 200);
    assert.equal((await put(alice, path, { ...NARROW, locked: true })).status, 200);
    assert.equal(await signRaw(alice, keyId), 403);
  });
});
