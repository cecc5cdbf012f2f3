import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { begin, DAY, finish, HOUR, makeCodes, pass } from "../support/recovery.ts";

const ALICE = "alice@example.com";
const DELAYED = { version: 1, messages: { text: "allow" }, delayHours: 24 };
const WIDER = { version: 1, messages: { text: "allow" }, raw: "allow", delayHours: 24 };

/** An account with keys with and without a policy, an API token and recovery codes. */
interface Stage extends AsyncDisposable {
  readonly app: TestApp;
  readonly alice: Client;
  readonly keyId: string;
  readonly plainId: string;
  readonly archivedId: string;
  readonly token: string;
  readonly codes: readonly string[];
}

async function setStage(policy: unknown = DELAYED): Promise<Stage> {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  const keyId = (await signUp(alice, ALICE)).body.key.id;
  const [plainId, archivedId] = [await newKey(alice), await newKey(alice)];
  await alice.request("PATCH", `/api/keys/${plainId}`, { body: { blindSigning: "deny" } });
  await alice.post(`/api/keys/${archivedId}/archive`, {});
  assert.equal((await alice.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } })).status, 200);
  const terms = { name: "bot", keys: "all", actions: ["read", "sign"] };
  const token = (await alice.post("/api/auth/tokens", terms)).body.text;
  const codes = await makeCodes(alice);
  const dispose = () => app[Symbol.asyncDispose]();
  return { app, alice, keyId, plainId, archivedId, token, codes, [Symbol.asyncDispose]: dispose };
}

async function newKey(client: Client): Promise<string> {
  return (await client.post("/api/keys/generate", {})).body.key.id;
}

/** Recovers the account in a new browser and signs in there. */
async function recover({ app, codes }: Stage, wait = 72 * HOUR): Promise<Client> {
  const other = app.client("127.0.0.9");
  assert.equal((await begin(other, ALICE, codes[0])).status, 201);
  await pass(app, wait);
  const done = await finish(other, ALICE);
  assert.equal(done.status, 201, done.text);
  return other;
}

/** Every act that loosens a protection, or locks it. */
const LOOSENINGS: Readonly<Record<string, (stage: Stage, client: Client) => Promise<Answer>>> = {
  "a looser policy": ({ keyId }, client) =>
    client.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy: WIDER } }),
  "removing a policy": ({ keyId }, client) => client.request("DELETE", `/api/keys/${keyId}/policy`),
  "locking a policy": ({ plainId }, client) =>
    client.request("PUT", `/api/keys/${plainId}/policy`, { body: { policy: { ...DELAYED, locked: true } } }),
  "looser blind signing": ({ plainId }, client) =>
    client.request("PATCH", `/api/keys/${plainId}`, { body: { blindSigning: "allow" } }),
  "unarchiving a key": ({ archivedId }, client) => client.post(`/api/keys/${archivedId}/unarchive`, {}),
  "a token": (_stage, client) =>
    client.post("/api/auth/tokens", { name: "mine", keys: "all", actions: ["sign"] }),
  "a shorter delay": (_stage, client) =>
    client.request("PATCH", "/api/auth/way-back", { body: { delayHours: 24 } }),
  "a longer delay": (_stage, client) =>
    client.request("PATCH", "/api/auth/way-back", { body: { delayHours: 720 } }),
  "e-mail alone": (_stage, client) =>
    client.request("PATCH", "/api/auth/way-back", { body: { emailAlone: true } }),
  "new recovery codes": (_stage, client) => client.post("/api/auth/way-back/codes", {}),
};

describe("after a recovery", () => {
  for (const [name, loosen] of Object.entries(LOOSENINGS)) {
    test(`${name} is refused for seven days, and then allowed`, async () => {
      await using stage = await setStage();
      const other = await recover(stage);
      const first = await loosen(stage, other);
      assert.deepEqual([first.status, first.body.code], [403, "recently_recovered"], first.text);
      await pass(stage.app, 7 * DAY - 12 * HOUR);
      const options = await other.post("/api/auth/passkey/authentication/options", {});
      const response = await other.authenticator.authenticate(options.body, { origin: other.origin });
      assert.equal((await other.post("/api/auth/passkey/authentication", { response })).status, 200);
      assert.equal((await loosen(stage, other)).body.code, "recently_recovered", "on the last day");
      await pass(stage.app, 12 * HOUR);
      const again = await other.post("/api/auth/passkey/authentication/options", {});
      const answer = await other.authenticator.authenticate(again.body, { origin: other.origin });
      assert.equal((await other.post("/api/auth/passkey/authentication", { response: answer })).status, 200);
      const last = await loosen(stage, other);
      assert.ok(last.status < 300, last.text);
    });
  }

  test("keys sign as before, and tighter policies and a second passkey can be added", async () => {
    await using stage = await setStage();
    const { keyId, plainId } = stage;
    const other = await recover(stage);
    assert.equal((await other.post(`/api/keys/${keyId}/sign`, { message: "hello" })).status, 200);
    const raw = await other.post(`/api/keys/${keyId}/sign`, { message: "0x00", format: "raw" });
    assert.equal(raw.body.code, "policy_denied");
    const tighter = { version: 1, messages: { text: "allow" }, delayHours: 0 };
    const set = await other.request("PUT", `/api/keys/${plainId}/policy`, { body: { policy: tighter } });
    assert.equal(set.status, 200, set.text);
    const options = await other.post("/api/auth/passkey/registration/options", {});
    const key = stage.app.client("127.0.0.9").authenticator;
    const response = await key.register(options.body, { origin: other.origin });
    assert.equal((await other.post("/api/auth/passkey/registration", { response })).status, 201);
  });

  test("a locked policy is unchanged", async () => {
    await using stage = await setStage({ ...DELAYED, delayHours: 0, locked: true });
    const { keyId } = stage;
    const before = (await stage.alice.get(`/api/keys/${keyId}/policy`)).body;
    const other = await recover(stage);
    assert.deepEqual((await other.get(`/api/keys/${keyId}/policy`)).body, before);
    const removed = await other.request("DELETE", `/api/keys/${keyId}/policy`);
    assert.equal(removed.body.code, "policy_locked");
  });

  test("a pending looser policy is cancelled; one that took effect before stays", async () => {
    for (const [hours, isCancelled] of [[96, true], [24, false]] as const) {
      await using stage = await setStage({ ...DELAYED, delayHours: hours });
      const { app, alice, keyId, codes } = stage;
      const other = app.client("127.0.0.9");
      await begin(other, ALICE, codes[0]);
      const policy = { ...WIDER, delayHours: hours };
      const requested = await alice.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } });
      assert.equal(requested.status, 202, requested.text);
      await pass(app, 72 * HOUR);
      assert.equal((await finish(other, ALICE)).status, 201);
      const { policy: now, change } = (await other.get(`/api/keys/${keyId}/policy`)).body;
      assert.equal(change, null);
      assert.equal(now.raw === "allow", !isCancelled, `${hours} hours`);
    }
  });

  test("API tokens are revoked at once, and other accounts' tokens still work", async () => {
    await using stage = await setStage();
    const { app, token } = stage;
    const bob = app.client("127.0.0.2");
    await signUp(bob, "bob@example.com");
    const bobs =
      (await bob.post("/api/auth/tokens", { name: "bot", keys: "all", actions: ["read"] })).body.text;
    const ask = (text: string) =>
      app.client("127.0.0.3").get("/api/keys", { headers: { authorization: `Bearer ${text}` } });
    assert.equal((await ask(token)).status, 200);
    await recover(stage);
    assert.equal((await ask(token)).status, 401);
    assert.equal((await ask(bobs)).status, 200);
    const made = await bob.post("/api/auth/tokens", { name: "two", keys: "all", actions: ["read"] });
    assert.equal(made.status === 201 || made.body.code === "fresh_session_required", true, made.text);
  });
});
