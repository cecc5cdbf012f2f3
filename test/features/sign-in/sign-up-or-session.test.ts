import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTestApp } from "../../support/app.ts";
import type { TestApp } from "../../support/app.ts";
import { proveAddress, registerPasskey, signUp } from "../../support/client.ts";
import type { Answer, Client } from "../../support/client.ts";

const PRESENT = "ada@example.com";
const NEW = "grace@example.com";

/** Returns a browser that is signed in and then verified another address. */
async function createBoth(app: TestApp): Promise<Client> {
  const first = app.client();
  await signUp(first, PRESENT);
  app.now += 1000;
  // Uses another authenticator, because the first one has a passkey of the account already.
  const client = app.client();
  for (const [name, value] of first.cookies) client.cookies.set(name, value);
  assert.equal(await proveAddress(client, NEW), "register_passkey");
  return client;
}

function optionsFor(client: Client, account?: string): Promise<Answer> {
  return client.post("/api/auth/passkey/registration/options", account === undefined ? {} : { account });
}

/** Returns the address of the signed-in account, and its number of passkeys. */
async function presentState(client: Client): Promise<readonly [string, number]> {
  const { account } = (await client.get("/api/auth/session")).body;
  return [account.email, (await client.get("/api/auth/passkeys")).body.passkeys.length];
}

async function countAccounts({ db }: TestApp): Promise<number> {
  return (await db.selectFrom("account").selectAll().execute()).length;
}

describe("POST /api/auth/passkey/registration, signed in and with a sign-up ticket", () => {
  for (const account of [undefined, "present"]) {
    test(`adds the passkey to the present account when ${account ?? "nothing"} is requested`, async () => {
      await using app = await createTestApp();
      const client = await createBoth(app);
      const added = await registerPasskey(client, account);
      assert.equal(added.status, 201, added.text);
      assert.equal(added.body.passkey.name, "Passkey 2");
      assert.deepEqual(await presentState(client), [PRESENT, 2]);
      assert.equal(await countAccounts(app), 1);
    });
  }

  test("creates the new account on request, and adds nothing to the present one", async () => {
    await using app = await createTestApp();
    const client = await createBoth(app);
    const before = new Map(client.cookies);
    const made = await registerPasskey(client, "new");
    assert.equal(made.status, 201, made.text);
    assert.equal(made.body.account.email, NEW);
    assert.deepEqual(await presentState(client), [NEW, 1]);
    assert.equal(await countAccounts(app), 2);
    client.cookies.set("service.session_token", before.get("service.session_token")!);
    assert.equal((await client.get("/api/auth/session")).body.session, null);
  });

  for (const [began, finished] of [["new", "present"], ["present", "new"]] as const) {
    test(`refuses a response for the ${finished} account to options for the ${began} one`, async () => {
      await using app = await createTestApp();
      const client = await createBoth(app);
      const { body } = await optionsFor(client, began);
      const response = await client.authenticator.register(body, { origin: client.origin });
      const answer = await client.post("/api/auth/passkey/registration", { response, account: finished });
      assert.equal(answer.body.code, "invalid_passkey_registration");
      assert.deepEqual(await presentState(client), [PRESENT, 1]);
      assert.equal(await countAccounts(app), 1);
    });
  }
});

describe("POST /api/auth/passkey/registration/options", () => {
  test("are for a new account by default without a session", async () => {
    await using app = await createTestApp();
    const client = app.client();
    await proveAddress(client, NEW);
    assert.equal((await registerPasskey(client)).body.account.email, NEW);
  });

  test("refuses an account that the browser is not authorised for", async () => {
    await using app = await createTestApp();
    const signedIn = app.client();
    await signUp(signedIn, PRESENT);
    assert.equal((await optionsFor(signedIn, "new")).body.code, "authentication_required");
    const newcomer = app.client();
    await proveAddress(newcomer, NEW);
    assert.equal((await optionsFor(newcomer, "present")).body.code, "authentication_required");
    assert.equal((await optionsFor(app.client())).body.code, "authentication_required");
  });

  test("refuses an unknown value of `account`", async () => {
    await using app = await createTestApp();
    const client = await createBoth(app);
    for (const account of ["", "NEW", "__proto__", null, 1, {}]) {
      const answer = await client.post("/api/auth/passkey/registration/options", { account });
      assert.equal(answer.status, 400, JSON.stringify(account));
      assert.deepEqual(answer.body.errors.map(({ path }: { path: string }) => path), ["/account"]);
    }
  });
});
