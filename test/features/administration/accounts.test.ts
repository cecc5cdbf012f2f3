import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { closeDatabase, openDatabase } from "../../../src/db/database.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { ADMIN_KEY, createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { signIn, signUp } from "../../support/client.ts";
import type { Answer, Client, RequestOptions } from "../../support/client.ts";
import { inFolder } from "../../support/folder.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { callAs, isActive, providerOf } from "../../support/oauth.ts";
import { getTokens, refresh, register, userinfo } from "../authorization/story.ts";

const ACCOUNTS = "/api/admin/accounts";

function ask(app: TestApp, method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  return app.client().request(method, ACCOUNTS + path, { headers, ...options });
}

interface Person {
  readonly client: Client;
  readonly id: string;
  readonly keyId: string;
  sign(): Promise<Answer>;
}

async function newPerson(app: TestApp, email: string): Promise<Person> {
  const client = app.client();
  const { body } = await signUp(client, email);
  const keyId = body.key.id as string;
  const sign = () => client.post(`/api/keys/${keyId}/sign`, { message: "hello" });
  return { client, id: body.account.id, keyId, sign };
}

/** Returns a function that signs with a token of the account. */
async function program(app: TestApp, { client, keyId }: Person): Promise<() => Promise<Answer>> {
  const made = await client.post("/api/auth/tokens", { name: "Bot", keys: "all", actions: ["sign"] });
  const headers = { authorization: `Bearer ${made.body.text}` };
  return () => app.client().post(`/api/keys/${keyId}/sign`, { message: "hello" }, { headers });
}

const status = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

async function eventsOf({ client }: Person): Promise<string[]> {
  return (await client.get("/api/audit")).body.events.map(({ event }: { event: string }) => event);
}

describe("GET /api/admin/accounts", () => {
  test("lists all accounts, oldest first, page by page, and without their keys", async () => {
    await using app = await createTestApp();
    const ids: string[] = [];
    for (const name of ["ada", "bob", "cleo"]) {
      ids.push((await newPerson(app, `${name}@example.com`)).id);
      app.now += 1;
    }
    const first = await ask(app, "GET", "?limit=2");
    assert.deepEqual(first.body.accounts.map(({ id }: { id: string }) => id), ids.slice(0, 2));
    assert.deepEqual(Object.keys(first.body.accounts[0]), ["id", "email", "name", "createdAt", "disabledAt"]);
    const second = await ask(app, "GET", `?limit=2&cursor=${first.body.nextCursor}`);
    assert.deepEqual(second.body.accounts.map(({ id }: { id: string }) => id), ids.slice(2));
    assert.equal(second.body.nextCursor, null);
    assert.equal(await status(ask(app, "GET", "?cursor=eA")), 400);
    const nul = btoa("a\0b").replaceAll("=", "");
    assert.equal(await status(ask(app, "GET", `?search=a&cursor=${nul}`)), 400);
  });

  test("finds accounts by id and by a prefix of their addresses", async () => {
    await using app = await createTestApp();
    const { id } = await newPerson(app, "ada@example.com");
    await newPerson(app, "ada@example.org");
    await newPerson(app, "adam@example.com");
    await newPerson(app, "bob@example.com");
    const found = async (search: string, more = ""): Promise<string[]> => {
      const { body } = await ask(app, "GET", `?search=${encodeURIComponent(search)}${more}`);
      return body.accounts.map(({ email }: { email: string }) => email);
    };
    assert.deepEqual(await found("ada@"), ["ada@example.com", "ada@example.org"]);
    assert.deepEqual(await found("Ada@Example.com"), ["ada@example.com"]);
    assert.deepEqual(await found(id), ["ada@example.com"]);
    assert.deepEqual(await found("account_" + "0".repeat(26)), []);
    assert.deepEqual(await found("%"), []);
    assert.deepEqual(await found("example.com"), []);
    const page = await ask(app, "GET", "?search=ad&limit=2");
    assert.deepEqual(await found("ad", `&limit=2&cursor=${page.body.nextCursor}`), ["adam@example.com"]);
    for (const wrong of ["", "x".repeat(255)]) {
      assert.equal(await status(ask(app, "GET", `?search=${wrong}`)), 400);
    }
  });

  test("does not use an account that was edited in the database", async () => {
    await using app = await createTestApp();
    const { id } = await newPerson(app, "ada@example.com");
    await app.db.updateTable("account").set({ email: "eve@example.com" }).execute();
    assert.deepEqual((await ask(app, "GET", "")).body.accounts, []);
    assert.deepEqual((await ask(app, "GET", "?search=eve@example.com")).body.accounts, []);
    assert.equal((await ask(app, "GET", `/${id}`)).body.account.email, "ada@example.com", "from memory");
    dropMemory(app.db);
    assert.deepEqual((await ask(app, "GET", "")).body.accounts, []);
    assertInconsistent(await ask(app, "GET", `/${id}`));
  });
});

describe("disabling an account", () => {
  test("ends its sessions, and refuses its tokens and grants until it is enabled", async () => {
    await using app = await createTestApp();
    const ada = await newPerson(app, "ada@example.com");
    const bob = await newPerson(app, "bob@example.com");
    const books = await register(app);
    const tokens = await getTokens(app, ada.client, books);
    const sign = await program(app, ada);
    const signForBob = await program(app, bob);
    assert.equal(await status(sign()), 200);

    const answer = await ask(app, "POST", `/${ada.id}/disable`);
    assert.equal(answer.body.account.disabledAt, new Date(app.now).toISOString());
    assert.equal(await status(ada.sign()), 401);
    assert.equal(await status(sign()), 401);
    assert.equal(await status(userinfo(app, tokens.access_token)), 401);
    assert.equal((await refresh(app, books, tokens.refresh_token)).body.error, "invalid_grant");
    const refused = await signIn(ada.client);
    assert.deepEqual([refused.status, refused.body.code], [403, "account_disabled"]);
    assert.equal(await status(ada.client.get("/api/keys")), 401);
    // Another account is not affected.
    assert.deepEqual([await status(bob.sign()), await status(signForBob())], [200, 200]);

    const enabled = await ask(app, "POST", `/${ada.id}/enable`);
    assert.equal(enabled.body.account.disabledAt, null);
    assert.equal(await status(ada.sign()), 401, "the session that ended stays ended");
    assert.equal(await status(signIn(ada.client)), 200);
    assert.deepEqual(
      [await status(ada.sign()), await status(sign())],
      [200, 200],
      "its keys are unchanged",
    );
    assert.equal(await status(refresh(app, books, tokens.refresh_token)), 200);
    const events = await eventsOf(ada);
    for (const event of ["account_disabled", "account_enabled", "sign_in_refused"]) {
      assert.ok(events.includes(event), event);
    }
    assert.ok(!(await eventsOf(bob)).includes("account_disabled"));
  });

  test("makes introspection report its tokens as inactive, and lets the application revoke its grant by either token", async () => {
    await using app = await createTestApp();
    const ada = await newPerson(app, "ada@example.com");
    const books = await register(app);
    for (const kind of ["access_token", "refresh_token"] as const) {
      const tokens = await getTokens(app, ada.client, books);
      const areActive = async () => [
        await isActive(providerOf(app), books, tokens.access_token),
        await isActive(providerOf(app), books, tokens.refresh_token),
      ];
      assert.deepEqual(await areActive(), [true, true]);
      await ask(app, "POST", `/${ada.id}/disable`);
      assert.deepEqual(await areActive(), [false, false]);
      await ask(app, "POST", `/${ada.id}/enable`);
      assert.deepEqual(await areActive(), [true, true]);
      await ask(app, "POST", `/${ada.id}/disable`);
      const path = "/api/auth/oauth2/revoke";
      assert.equal(await status(callAs(providerOf(app), books, path, { token: tokens[kind] })), 200);
      await ask(app, "POST", `/${ada.id}/enable`);
      assert.deepEqual(await areActive(), [false, false], kind);
      assert.equal(await status(refresh(app, books, tokens.refresh_token)), 400);
      assert.equal(await status(signIn(ada.client)), 200);
    }
  });

  test("is shown only after the passkey was verified, and does nothing the second time", async () => {
    await using app = await createTestApp();
    const ada = await newPerson(app, "ada@example.com");
    for (let round = 0; round < 2; round++) {
      assert.equal(await status(ask(app, "POST", `/${ada.id}/disable`)), 200);
    }
    const options = await ada.client.post("/api/auth/passkey/authentication/options", {});
    const response = await ada.client.authenticator.authenticate(options.body, { origin: ada.client.origin });
    const forged = { ...response, response: { ...response.response, signature: "AAAA" } };
    const { body } = await ada.client.post("/api/auth/passkey/authentication", { response: forged });
    assert.equal(body.code, "invalid_passkey");
    const entries = await app.db.selectFrom("audit_event").select("event")
      .where("event", "=", "account_disabled").execute();
    assert.equal(entries.length, 1);
  });

  test("in one process applies to the next request in another", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "holdfast.db");
      const [here, there] = [
        await openDatabase(await openSqlite(path)),
        await openDatabase(await openSqlite(path)),
      ];
      const first = await createTestApp({ db: here });
      const second = await createTestApp({ db: there });
      const ada = await newPerson(second, "ada@example.com");
      const sign = await program(second, ada);
      assert.deepEqual([await status(ada.sign()), await status(sign())], [200, 200]);
      // All reads before the event loop's next event see one time. Another process never runs as close.
      const act = async (what: string) => {
        assert.equal(await status(ask(first, "POST", `/${ada.id}/${what}`)), 200);
        await new Promise((resolve) => setTimeout(resolve));
      };
      await act("disable");
      assert.deepEqual([await status(ada.sign()), await status(sign())], [401, 401]);
      await act("enable");
      assert.equal(await status(sign()), 200);
      await closeDatabase(here);
      await closeDatabase(there);
    });
  });

  test("is not undone by a restored row", async () => {
    await using app = await createTestApp();
    const ada = await newPerson(app, "ada@example.com");
    const sign = await program(app, ada);
    const rowOf = () => app.db.selectFrom("account").selectAll().executeTakeFirstOrThrow();
    const before = await rowOf();
    await ask(app, "POST", `/${ada.id}/disable`);
    const disabled = await rowOf();
    await app.db.updateTable("account").set(before).execute();
    assert.equal(await status(sign()), 401);
    await app.db.updateTable("account").set(disabled).execute();
    await app.db.updateTable("account").set({ disabled_at: null }).execute();
    assert.equal(await status(sign()), 401, "nor by an edited one");
    await app.db.updateTable("account").set(disabled).execute();
    await ask(app, "POST", `/${ada.id}/enable`);
    assert.equal(await status(sign()), 200);
  });
});

test("POST /api/admin/accounts/:id/sessions/revoke-all ends only that account's sessions", async () => {
  await using app = await createTestApp();
  const ada = await newPerson(app, "ada@example.com");
  const bob = await newPerson(app, "bob@example.com");
  const sign = await program(app, ada);
  const path = `/${ada.id}/sessions/revoke-all`;
  assert.deepEqual((await ask(app, "POST", path)).body, { ended: 1 });
  assert.deepEqual((await ask(app, "POST", path)).body, { ended: 0 });
  assert.deepEqual([await status(ada.sign()), await status(bob.sign()), await status(sign())], [
    401,
    200,
    200,
  ]);
  assert.equal(await status(signIn(ada.client)), 200);
  assert.ok((await eventsOf(ada)).includes("sessions_ended_for"));
});

test("every route of accounts needs the admin key, and answers 404 for an unknown account", async () => {
  await using app = await createTestApp();
  const ada = await newPerson(app, "ada@example.com");
  const routes = [["GET", ""], ["POST", "/disable"], ["POST", "/enable"], [
    "POST",
    "/sessions/revoke-all",
  ]] as const;
  for (const [method, act] of routes) {
    for (const id of ["x", "account_" + "0".repeat(26)]) {
      assert.equal(await status(ask(app, method, `/${id}${act}`)), 404, act);
    }
    for (const headers of [{}, { authorization: "Bearer wrong" }]) {
      assert.equal(await status(ask(app, method, `/${ada.id}${act}`, { headers })), 401, act);
      // A session of an account is not an admin key.
      assert.equal(await status(ada.client.request(method, `${ACCOUNTS}/${ada.id}${act}`, { headers })), 401);
    }
  }
  assert.equal(await status(ask(app, "GET", "", { headers: {} })), 401);
  assert.equal(await status(ada.sign()), 200);
});
