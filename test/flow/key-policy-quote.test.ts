import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { canonicalPolicy } from "../../src/policy/canonical.ts";
import type { KeyPolicy } from "../../src/policy/policy.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";

const HOUR = 3_600_000;
const WIDE = { version: 1, messages: { text: "allow" }, raw: "allow", delayHours: 24 };
const NARROW = { version: 1, messages: { text: "allow" }, delayHours: 24 };

interface Stage {
  readonly app: TestApp;
  readonly alice: Client;
  readonly keys: readonly [string, string];
}

async function setStage(): Promise<Stage & AsyncDisposable> {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  const first = (await signUp(alice, "alice@example.com")).body.key.id;
  const second = (await alice.post("/api/keys/generate", {})).body.key.id;
  return { app, alice, keys: [first, second], [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function put(client: Client, keyId: string, policy: unknown): Promise<void> {
  const answer = await client.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } });
  assert.ok(answer.status < 300, answer.text);
}

/** Requests a quote. Returns the answer with its claims parsed. */
async function quote(client: Client, keyId: string) {
  const { status, body, text } = await client.get(`/api/keys/${keyId}/quote`);
  assert.equal(status, 200, text);
  return { ...body, claims: JSON.parse(body.claims) };
}

/** Computes the hash of a policy as docs/why/attestation.md describes. */
function hashOf(policy: KeyPolicy): string {
  return `0x${createHash("sha256").update(canonicalPolicy(policy)).digest("hex")}`;
}

describe("the claims of a key's quote", () => {
  test("contain the hash of this key's policy, which is in the answer", async () => {
    await using stage = await setStage();
    const { alice, keys: [one, other] } = stage;
    await put(alice, one, WIDE);
    await put(alice, other, { ...NARROW, locked: true, delayHours: 0 });
    const [ofOne, ofOther] = [await quote(alice, one), await quote(alice, other)];
    const { hash, ...rest } = ofOne.claims.policy;
    assert.deepEqual(rest, { locked: false, delayHours: 24, change: null });
    assert.equal(hash, hashOf(ofOne.policy));
    assert.equal(ofOne.policy.raw, "allow");
    assert.equal(hash, (await alice.get(`/api/keys/${one}/policy`)).body.hash);
    const locked = { hash: hashOf(ofOther.policy), locked: true, delayHours: 0, change: null };
    assert.deepEqual(ofOther.claims.policy, locked);
    assert.notEqual(ofOther.claims.policyEntry.seq, ofOne.claims.policyEntry.seq);
  });

  test("are null without a policy, and name the log entry of a removal", async () => {
    await using stage = await setStage();
    const { alice, keys: [keyId] } = stage;
    const free = await quote(alice, keyId);
    assert.deepEqual([free.policy, free.policyChange, free.claims.policy, free.claims.policyEntry], [
      null,
      null,
      null,
      null,
    ]);
    await put(alice, keyId, { ...NARROW, delayHours: 0 });
    const { seq } = (await quote(alice, keyId)).claims.policyEntry;
    await alice.request("DELETE", `/api/keys/${keyId}/policy`);
    const again = (await quote(alice, keyId)).claims;
    assert.equal(again.policy, null);
    assert.ok(again.policyEntry.seq > seq);
  });

  test("contain a pending change and its time, until it is cancelled or takes effect", async () => {
    await using stage = await setStage();
    const { app, alice, keys: [keyId] } = stage;
    await put(alice, keyId, NARROW);
    await put(alice, keyId, WIDE);
    const at = new Date(app.now + 24 * HOUR).toISOString();
    const waiting = await quote(alice, keyId);
    assert.equal(waiting.policyChange.takesEffectAt, at);
    const hash = hashOf(waiting.policyChange.policy);
    assert.deepEqual(waiting.claims.policy.change, { hash, takesEffectAt: at });
    assert.equal(waiting.claims.policy.hash, hashOf(waiting.policy));
    app.now += 24 * HOUR;
    const counts = await quote(alice, keyId);
    assert.deepEqual([counts.claims.policy.hash, counts.claims.policy.change], [hash, null]);

    const { body: { change } } = await alice.get(`/api/keys/${keyId}/policy`);
    assert.equal(change, null);
    assert.equal((await signIn(alice)).status, 200);
    await put(alice, keyId, NARROW);
    assert.equal((await alice.request("DELETE", `/api/keys/${keyId}/policy`)).status, 202);
    const removal = await quote(alice, keyId);
    assert.deepEqual([removal.policyChange.policy, removal.claims.policy.change.hash], [null, null]);
    await alice.request("DELETE", `/api/keys/${keyId}/policy/change`);
    assert.equal((await quote(alice, keyId)).claims.policy.change, null);
  });

  test("name the log entry that the owner sees", async () => {
    await using stage = await setStage();
    const { alice, keys: [keyId] } = stage;
    await put(alice, keyId, NARROW);
    const { events } = (await alice.get("/api/audit")).body;
    const entry = events.find(({ event }: { event: string }) => event === "key_policy_changed");
    const { claims } = await quote(alice, keyId);
    assert.equal(claims.policyEntry.seq, entry.seq);
    assert.equal(entry.subject, keyId);
    assert.match(claims.policyEntry.hash, /^0x[0-9a-f]{64}$/);
  });
});
