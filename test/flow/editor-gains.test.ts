import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { closeDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { ADMIN_KEY, createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { REQUESTS } from "../support/asking.ts";
import { registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Client } from "../support/client.ts";
import { askForConsent, getTokens, pkcePair, postForm } from "../support/oauth.ts";
import { providerOf, registerClient, userinfo } from "../support/oauth.ts";
import { openAt } from "../support/postgres.ts";
import { stepUp } from "../support/recovery.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Two processes on one database. The owner uses the first, so the second has not cached what the owner ended. */
interface Stage {
  readonly app: TestApp;
  readonly db: Db;
  readonly owner: Client;
  readonly keyPath: string;
  readonly other: TestApp;
  /** Creates a client of the second process with the cookies and passkeys of a client of the first. */
  elsewhere(client: Client): Client;
  /** Runs `act`, then restores the tables' rows from before it. */
  undo<T>(tables: readonly (keyof Tables)[], act: () => Promise<T>): Promise<T>;
}

async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const open = async () => await openDatabase(await openAt(`${folder.path}/holdfast.db`));
  const [db, otherDb] = [await open(), await open()];
  const [app, other] = [await createTestApp({ db }), await createTestApp({ db: otherDb })];
  const owner = app.client();
  const { body } = await signUp(owner, "alice@example.com");
  const stage: Stage = {
    app,
    db,
    owner,
    keyPath: `/api/keys/${body.key.id}`,
    other,
    elsewhere({ authenticator, cookies }) {
      const client = { ...other.client(), authenticator };
      for (const [name, value] of cookies) client.cookies.set(name, value);
      return client;
    },
    async undo(tables, act) {
      const copies = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
      const result = await act();
      for (const [index, table] of tables.entries()) {
        for (const row of copies[index]!) await restoreRow(db, table, row);
      }
      return result;
    },
  };
  try {
    await job(stage);
  } finally {
    for (const each of [db, otherDb]) await closeDatabase(each);
  }
}

async function restoreRow(db: Db, table: keyof Tables, row: object): Promise<void> {
  const key = table === "policy_use" ? "holder_id" : "id";
  await db.insertInto(table).values(row as never)
    .onConflict((conflict) => conflict.column(key as never).doUpdateSet(row as never)).execute();
}

/** Creates an API token. Returns its id and header. */
async function makeToken(
  owner: Client,
  terms: object = {},
): Promise<{ id: string; headers: { authorization: string } }> {
  const made = await owner.post("/api/auth/tokens", {
    name: "CI",
    keys: "all",
    actions: ["read", "sign"],
    ...terms,
  });
  assert.equal(made.status, 201, made.text);
  return { id: made.body.token.id, headers: { authorization: `Bearer ${made.body.text}` } };
}

const POLICY = { version: 1, messages: "any", perDay: 1 };
const HELLO = { message: "hello" };

/** The gains after a start, or at another process. docs/why/database.md lists them. */
const AFTER_A_START: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "a session that was signed out": async ({ owner, elsewhere, undo }) => {
    const thief = elsewhere(owner);
    await undo(["session"], () => owner.post("/api/auth/sign-out"));
    assert.equal((await thief.get("/api/keys")).status, 200);
  },
  "a token that was revoked": async ({ owner, other, undo }) => {
    const { id, headers } = await makeToken(owner);
    await undo(["api_token"], () => owner.request("DELETE", `/api/auth/tokens/${id}`));
    assert.equal((await other.client().get("/api/keys", { headers })).status, 200);
  },
  "a token from before it was narrowed": async ({ owner, other, keyPath, undo }) => {
    const { id, headers } = await makeToken(owner);
    const narrowed = await undo(
      ["api_token"],
      () => owner.request("PATCH", `/api/auth/tokens/${id}`, { body: { actions: ["read"] } }),
    );
    assert.equal(narrowed.status, 200, narrowed.text);
    assert.equal((await other.client().post(`${keyPath}/sign`, HELLO, { headers })).status, 200);
  },
  "the used-up count of a policy": async ({ owner, other, keyPath, undo }) => {
    const { headers } = await makeToken(owner, { policy: POLICY });
    const client = other.client();
    await undo(["policy_use"], () => owner.post(`${keyPath}/sign`, HELLO, { headers }));
    assert.equal((await client.post(`${keyPath}/sign`, HELLO, { headers })).status, 200);
    assert.equal((await client.post(`${keyPath}/sign`, { message: "again" }, { headers })).status, 403);
  },
  "access that was withdrawn": async ({ app, owner, other, undo }) => {
    const application = await registerClient(providerOf(app));
    const tokens = await getTokens(providerOf(app), owner, application);
    await undo(
      ["authorization_grant"],
      () => postForm(owner, "/account/withdraw", { clientId: application.clientId }),
    );
    assert.equal((await userinfo(providerOf(other), tokens.access_token)).status, 200);
  },
  "a passkey that was removed": async ({ app, owner, elsewhere, undo }) => {
    const lost = elsewhere({ ...owner, cookies: new Map() });
    const { id } = (await owner.get("/api/auth/passkeys")).body.passkeys[0];
    const kept = { ...owner, authenticator: app.client().authenticator };
    assert.equal((await registerPasskey(kept, "present")).status, 201);
    await undo(["passkey"], () => owner.request("DELETE", `/api/auth/passkeys/${id}`));
    assert.equal((await signIn(lost)).status, 200);
  },
  "a key from before it was archived": async ({ owner, elsewhere, keyPath, undo }) => {
    await undo(["ethereum_key"], () => owner.post(`${keyPath}/archive`));
    assert.equal((await elsewhere(owner).post(`${keyPath}/sign`, HELLO)).status, 200);
  },
  "a step-up that was used": async ({ app, owner, other, elsewhere, undo }) => {
    app.now = other.now = app.now + 11 * 60_000;
    await stepUp(owner, "export_account");
    await undo(["session"], () => owner.post("/api/auth/account/export"));
    const again = await elsewhere(owner).post("/api/auth/account/export");
    assert.equal(again.status, 200, again.text);
  },
  "a signature request that was declined": async ({ owner, elsewhere, keyPath, undo }) => {
    const { headers } = await makeToken(owner, { policy: { version: 1, raw: "ask" } });
    const pending = await owner.post(`${keyPath}/sign`, { message: "0x00", format: "raw" }, { headers });
    const path = `${REQUESTS}/${pending.body.request.id}`;
    const declined = await undo(["signing_request"], () => owner.post(`${path}/decline`));
    assert.equal(declined.status, 200, declined.text);
    assert.equal((await elsewhere(owner).get(path)).body.request.status, "pending");
  },
};

describe("an attacker with database access gains, by restoring a row after a start", () => {
  for (const [what, attempt] of Object.entries(AFTER_A_START)) test(what, () => onStage(attempt));
});

describe("an attacker with database access gains, while the process runs", () => {
  test("a session that was hidden while its owner ended all others", async () => {
    await onStage(async ({ app, db, owner }) => {
      const hidden = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
      const browser = { ...app.client(), authenticator: owner.authenticator };
      assert.equal((await signIn(browser)).status, 200);
      await db.deleteFrom("session").where("id", "=", hidden.id).execute();
      const ended = await browser.post("/api/auth/sessions/revoke-others");
      assert.ok(ended.status < 300, ended.text);
      await restoreRow(db, "session", hidden);
      assert.equal((await owner.get("/api/keys")).status, 200);
    });
  });

  test("a session that was invalidated while its owner signed out", async () => {
    await onStage(async ({ db, owner, elsewhere }) => {
      const thief = elsewhere(owner);
      const valid = await db.selectFrom("session").selectAll().executeTakeFirstOrThrow();
      await db.updateTable("session").set({ mac: new Uint8Array(32) }).execute();
      const answer = await owner.post("/api/auth/sign-out");
      assert.ok(answer.status < 300, answer.text);
      await restoreRow(db, "session", valid);
      assert.equal((await thief.get("/api/keys")).status, 200);
    });
  });

  test("the settings of a key whose row was deleted", async () => {
    await onStage(async ({ db, owner, keyPath }) => {
      const { address } = (await owner.get(keyPath)).body.key;
      await owner.request("PATCH", keyPath, { body: { blindSigning: "deny" } });
      await db.deleteFrom("ethereum_key").execute();
      const { key } = (await owner.post("/api/keys/generate")).body;
      assert.deepEqual([key.address, key.blindSigning], [address, "allow"]);
    });
  });

  test("the settings of an application from before they were changed", async () => {
    await onStage(async ({ app, owner, undo }) => {
      const application = await registerClient(providerOf(app));
      const headers = { authorization: `Bearer ${ADMIN_KEY}` };
      const path = `/api/admin/oauth/clients/${application.clientId}`;
      const disabled = await undo(
        ["client"],
        () => app.client().request("PATCH", path, { headers, body: { disabled: true } }),
      );
      assert.equal(disabled.status, 200, disabled.text);
      await askForConsent(owner, application, pkcePair());
    });
  });
});
