import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { isAdministrator } from "../../src/accounts/admin-session.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { readCode, registerPasskey, signIn, signUp } from "../support/client.ts";
import { dropMemory } from "../support/inconsistent.ts";
import type { Client } from "../support/client.ts";
import { createIdentityStage, visitProvider } from "../support/identity.ts";
import type { IdentityStage } from "../support/identity.ts";
import { postForm } from "../support/oauth.ts";
import { mailsTo } from "../support/own-account.ts";
import { PERSON } from "../support/upstream.ts";

const OTHER = "other@example.org";

function createStage(): Promise<IdentityStage> {
  return createIdentityStage({ environment: { ADMIN_ACCOUNTS: PERSON.email } });
}

/** Creates an account whose address the provider says is verified. */
async function signUpAtProvider({ app, upstream }: IdentityStage): Promise<Client> {
  const client = app.client();
  await visitProvider(client, upstream);
  assert.equal((await registerPasskey(client)).body.account.email, PERSON.email);
  return client;
}

async function change(app: TestApp, client: Client, email: string): Promise<void> {
  app.now += 1000;
  await client.post("/api/auth/account/email/code", { email });
  const body = { email, code: await readCode(client, email) };
  assert.equal((await client.post("/api/auth/account/email", body)).status, 200);
}

/** Reverts the change of address with the link that went to the provider's address, and signs in. */
async function revert(app: TestApp, client: Client): Promise<void> {
  const [mail] = await mailsTo(client, PERSON.email);
  const token = new URL(/http\S+\/take-back\S+/.exec(mail!.text)![0]).searchParams.get("token")!;
  assert.equal((await postForm(app.client(), "/take-back", { token })).status, 303);
  assert.equal((await signIn(client)).body.account.email, PERSON.email);
}

async function assertEntrance(client: Client, status: 303 | 404): Promise<void> {
  assert.equal((await postForm(client, "/admin/enter/passkey", { next: "/admin/accounts" })).status, status);
  const { text } = await client.get("/account/settings");
  assert.equal(text.includes('href="/admin/applications"'), status === 303);
}

describe("an address in ADMIN_ACCOUNTS", () => {
  test("makes no second administrator when the first one's account is hidden", async () => {
    for (const bindsBy of ["maintenance", "entrance"] as const) {
      await using app = await createTestApp({ environment: { ADMIN_ACCOUNTS: OTHER } });
      const [first, attacker] = [app.client(), app.client()];
      await signUp(first, OTHER);
      if (bindsBy === "maintenance") await app.maintain();
      else await assertEntrance(first, 303);
      // The address is free for the database.
      await sql`pragma foreign_keys = off`.execute(app.db);
      const hidden = await app.db.deleteFrom("account").returningAll().executeTakeFirstOrThrow();
      dropMemory(app.db);
      await signUp(attacker, OTHER);
      const entered = await postForm(attacker, "/admin/enter/passkey", { next: "/admin/accounts" });
      assert.equal(entered.status, 503, entered.text);
      await app.db.updateTable("account").set({ email: null }).execute();
      await app.db.insertInto("account").values(hidden).execute();
      dropMemory(app.db);
      await assertEntrance(first, 303);
    }
  });

  test("makes an administrator of the next account after the first one was deleted or has another address", async () => {
    await using app = await createTestApp({ environment: { ADMIN_ACCOUNTS: OTHER } });
    const [first, second] = [app.client(), app.client()];
    await signUp(first, OTHER);
    await assertEntrance(first, 303);
    await change(app, first, "first@example.org");
    app.now += 8 * 24 * 3_600_000;
    await app.maintain();
    await signUp(second, OTHER);
    await assertEntrance(second, 303);
    await signIn(first);
    await assertEntrance(first, 404);
  });

  test("makes no administrator by the word of an identity provider", async () => {
    await using stage = await createStage();
    const client = await signUpAtProvider(stage);
    await assertEntrance(client, 404);
    const [row] = await stage.app.db.selectFrom("account").select("email_proved_by").execute();
    assert.equal(row!.email_proved_by, "provider");
  });

  test("makes none when its mailbox reverts a change of an account that a provider verified", async () => {
    await using stage = await createStage();
    const client = await signUpAtProvider(stage);
    await change(stage.app, client, OTHER);
    await revert(stage.app, client);
    await assertEntrance(client, 404);
  });

  test("makes one by a code of this service, also for an account that a provider verified before", async () => {
    await using stage = await createStage();
    const client = await signUpAtProvider(stage);
    await change(stage.app, client, OTHER);
    await assertEntrance(client, 404);
    await change(stage.app, client, PERSON.email);
    await assertEntrance(client, 303);
  });

  test("makes one again when a change of it is reverted", async () => {
    await using stage = await createStage();
    const client = stage.app.client();
    await signUp(client, PERSON.email);
    await change(stage.app, client, OTHER);
    await revert(stage.app, client);
    await assertEntrance(client, 303);
  });

  test("makes none where the database was edited", async () => {
    await using stage = await createStage();
    const client = await signUpAtProvider(stage);
    await stage.app.db.updateTable("account").set({ email_proved_by: "code" }).execute();
    dropMemory(stage.app.db);
    const answer = await postForm(client, "/admin/enter/passkey", { next: "/admin/accounts" });
    assert.equal(answer.status, 503, answer.text);
  });

  test("is not needed by an account that ADMIN_ACCOUNTS names by id", () => {
    const account = {
      id: "account_1",
      email: PERSON.email,
      emailProvedBy: "provider",
      name: null,
      language: "en",
      createdAt: 0,
      updatedAt: 0,
    } as const;
    const administration = { adminKeyHash: new Uint8Array(32) };
    assert.ok(isAdministrator(account, { ...administration, adminAccounts: ["account_1"] }));
    assert.ok(!isAdministrator(account, { ...administration, adminAccounts: [PERSON.email] }));
  });
});
