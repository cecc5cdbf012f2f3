import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Tables } from "../../src/db/schema/schema.ts";
import { createTestApp, ORIGIN } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { assertInconsistent, dropMemory } from "../support/inconsistent.ts";
import {
  askForConsent,
  decide,
  exchange,
  getCode,
  getTokens,
  pkcePair,
  postForm,
  providerOf,
  refresh,
  registerClient,
  userinfo,
} from "../support/oauth.ts";

/** An attacker with database access restores rows, with their valid MACs, after they were used or deleted. */
interface Stage {
  readonly app: TestApp;
  readonly alice: Client;
  /** Runs `act`, then restores the tables' rows from before it. */
  undo<T>(tables: readonly (keyof Tables)[], act: () => Promise<T>): Promise<T>;
}

async function setStage(): Promise<Stage & AsyncDisposable> {
  const app = await createTestApp();
  const alice = app.client("127.0.0.1");
  await signUp(alice, "alice@example.com");
  const undo: Stage["undo"] = async (tables, act) => {
    const copies = await Promise.all(tables.map((table) => app.db.selectFrom(table).selectAll().execute()));
    const result = await act();
    await sql`pragma foreign_keys = off`.execute(app.db);
    for (const [index, table] of tables.entries()) {
      await sql`delete from ${sql.table(table)}`.execute(app.db);
      for (const row of copies[index]!) await app.db.insertInto(table).values(row as never).execute();
    }
    await sql`pragma foreign_keys = on`.execute(app.db);
    dropMemory(app.db);
    return result;
  };
  return { app, alice, undo, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function stepUp(client: Client, action: string): Promise<Answer> {
  const options = await client.post("/api/auth/step-up/options", { action });
  const response = await client.authenticator.authenticate(options.body, { origin: ORIGIN });
  return await client.post("/api/auth/step-up", { action, response });
}

/** Creates a browser with a copy of the cookies. */
function copyOf(app: TestApp, client: Client): Client {
  const copy = app.client("127.0.0.1");
  for (const [name, value] of client.cookies) copy.cookies.set(name, value);
  return copy;
}

const ATTEMPTS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "a session that was signed out": async ({ app, alice, undo }) => {
    const thief = copyOf(app, alice);
    assert.equal((await thief.get("/api/keys")).status, 200);
    await undo(["session"], () => alice.post("/api/auth/sign-out"));
    assertInconsistent(await thief.get("/api/keys"));
  },
  "sessions that were all ended": async ({ app, alice, undo }) => {
    await signIn(alice);
    const thief = copyOf(app, alice);
    await undo(["session", "account_device"], () => alice.post("/api/auth/sessions/revoke-all"));
    assertInconsistent(await thief.get("/api/keys"));
  },
  "the token that a session had before a step-up": async ({ app, alice, undo }) => {
    const thief = copyOf(app, alice);
    const stepped = await undo(["session"], () => stepUp(alice, "add_passkey"));
    assert.equal(stepped.status, 200);
    assertInconsistent(await thief.get("/api/keys"));
  },
  "a step-up that was used": async ({ app, alice, undo }) => {
    app.now += 11 * 60_000;
    assert.equal((await stepUp(alice, "add_passkey")).status, 200);
    const another = app.client("127.0.0.9");
    const own = alice.authenticator;
    Object.assign(alice, { authenticator: another.authenticator });
    const added = await undo(["session"], () => registerPasskey(alice, "present"));
    Object.assign(alice, { authenticator: own });
    assert.equal(added.status, 201, added.text);
    assertInconsistent(await alice.post("/api/auth/passkey/registration/options"));
  },
  "a challenge that was answered": async ({ app, alice, undo }) => {
    const { body } = await alice.post("/api/auth/passkey/authentication/options", {});
    const response = await alice.authenticator.authenticate(body, { origin: ORIGIN });
    const thief = copyOf(app, alice);
    const answer = (client: Client) => client.post("/api/auth/passkey/authentication", { response });
    assert.equal((await undo(["challenge"], () => answer(alice))).status, 200);
    // The signature counter is not authenticated.
    await app.db.updateTable("passkey").set({ sign_count: 0 }).execute();
    const again = await answer(thief);
    assert.deepEqual([again.status, again.body.code], [401, "invalid_passkey"]);
  },
  "a passkey that was removed": async ({ app, alice, undo }) => {
    const lost = app.client("127.0.0.9");
    Object.assign(lost, { authenticator: alice.authenticator });
    const { id } = (await alice.get("/api/auth/passkeys")).body.passkeys[0];
    Object.assign(alice, { authenticator: app.client().authenticator });
    assert.equal((await registerPasskey(alice, "present")).status, 201);
    const removed = await undo(["passkey"], () => alice.request("DELETE", `/api/auth/passkeys/${id}`));
    assert.ok(removed.status < 300, removed.text);
    assertInconsistent(await signIn(lost));
  },
  "a key as it was before it was archived": async ({ app, alice, undo }) => {
    const [{ id }] = (await alice.get("/api/keys")).body.keys;
    const archived = await undo(["ethereum_key"], () => alice.post(`/api/keys/${id}/archive`));
    assert.equal(archived.status, 200, archived.text);
    assertInconsistent(await alice.post(`/api/keys/${id}/sign`, { message: "x" }));
    assert.equal(app.logged.some((line) => line.includes("ethereum_key")), true);
  },
  "a key's setting from before it was tightened": async ({ alice, undo }) => {
    const [{ id }] = (await alice.get("/api/keys")).body.keys;
    const path = `/api/keys/${id}`;
    // The values repeat, but the row's revision does not.
    for (const blindSigning of ["guard", "allow"]) {
      assert.equal((await alice.request("PATCH", path, { body: { blindSigning } })).status, 200);
    }
    const body = { blindSigning: "deny" };
    const tightened = await undo(["ethereum_key"], () => alice.request("PATCH", path, { body }));
    assert.equal(tightened.status, 200, tightened.text);
    const signed = await alice.post(`${path}/sign`, { message: "0x00", format: "raw" });
    assertInconsistent(signed);
  },
  "a code that was redeemed": async ({ app, alice, undo }) => {
    const provider = providerOf(app);
    const application = await registerClient(provider);
    const given = await getCode(alice, application);
    const tables = ["authorization_grant", "refresh_token"] as const;
    const tokens = await undo(tables, () => exchange(provider, application, given));
    assert.equal(tokens.status, 200, tokens.text);
    assertInconsistent(await exchange(provider, application, given));
  },
  "a refresh token that was spent": async ({ app, alice, undo }) => {
    const provider = providerOf(app);
    const application = await registerClient(provider);
    const { refresh_token: token } = await getTokens(provider, alice, application);
    assert.equal(
      (await undo(["refresh_token"], () => refresh(provider, application, token))).status,
      200,
    );
    assertInconsistent(await refresh(provider, application, token));
  },
  "access that was withdrawn": async ({ app, alice, undo }) => {
    const provider = providerOf(app);
    const application = await registerClient(provider);
    const tokens = await getTokens(provider, alice, application);
    assert.equal((await userinfo(provider, tokens.access_token)).status, 200);
    const tables = ["authorization_grant", "consent", "refresh_token"] as const;
    const withdrawn = await undo(
      tables,
      () => postForm(alice, "/account/withdraw", { clientId: application.clientId }),
    );
    assert.ok(withdrawn.status < 400, withdrawn.text);
    assertInconsistent(await userinfo(provider, tokens.access_token));
    assertInconsistent(await refresh(provider, application, tokens.refresh_token));
  },
  "a request that was decided": async ({ app, alice, undo }) => {
    const application = await registerClient(providerOf(app));
    const request = await askForConsent(alice, application, pkcePair());
    await undo(["authorization_request"], () => decide(alice, request, "deny"));
    const again = await decide(alice, request);
    assert.equal(again.headers.get("location")?.includes("code=") ?? false, false);
  },
};

describe("a row restored while the process runs has no effect:", () => {
  for (const [what, attempt] of Object.entries(ATTEMPTS)) {
    test(what, async () => {
      await using stage = await setStage();
      await attempt(stage);
      const isReported = stage.app.logged.some((line) => /row_rejected|inconsistent_store/.test(line));
      assert.ok(isReported, "the log reports it");
    });
  }
});
