import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { hashSecret } from "../../src/accounts/session/bearer-secret.ts";
import type { Tables } from "../../src/db/schema/schema.ts";
import { registerPasskey, signIn, signUp } from "../support/client.ts";
import { dropMemory } from "../support/inconsistent.ts";
import type { Client } from "../support/client.ts";
import { beginAt, comeBack, createIdentityStage, visitProvider } from "../support/identity.ts";
import type { IdentityStage } from "../support/identity.ts";

/**
 * An operator with write access to the database also has an identity at the provider. The victim's account was created
 * with that provider. Each edit tries to make the service take the operator for the victim.
 */
interface Stage extends IdentityStage {
  readonly victim: Client;
  readonly operator: Client;
  readonly victimId: string;
}

async function setStage(): Promise<Stage> {
  const stage = await createIdentityStage();
  const victim = stage.app.client("127.0.0.1");
  await visitProvider(victim, stage.upstream);
  const { body } = await registerPasskey(victim);
  stage.upstream.claims = { sub: "operator", email: "op@example.com", name: "Op" };
  return { ...stage, victim, operator: stage.app.client("127.0.0.2"), victimId: body.account.id };
}

async function edit({ app }: Stage, statement: string): Promise<void> {
  const { numAffectedRows } = await sql.raw(statement).execute(app.db);
  assert.notEqual(numAffectedRows, 0n, `the edit changes something: ${statement}`);
  dropMemory(app.db);
}

async function insert(stage: Stage, table: keyof Tables, values: Record<string, unknown>): Promise<void> {
  await stage.app.db.insertInto(table).values(values as never).execute();
}

async function row(stage: Stage, table: "identity" | "identity_request" | "sign_in_ticket") {
  return await stage.app.db.selectFrom(table).selectAll().executeTakeFirstOrThrow();
}

/** Verifies that a sign-in with the operator's identity does not lead to the victim's account. */
async function assertNotVictim({ operator, upstream, victimId }: Stage): Promise<void> {
  const answer = await visitProvider(operator, upstream);
  assert.notEqual(answer.headers.get("location"), "/sign-in?identity=upstream");
  const options = await operator.post("/api/auth/passkey/authentication/options", {});
  assert.deepEqual(options.body.allowCredentials, [], "the victim's passkeys are not told");
  const { body } = await registerPasskey(operator);
  assert.notEqual(body.account?.id, victimId);
  assert.notEqual((await operator.get("/api/auth/session")).body.account?.id, victimId);
}

/** Verifies that the provider's callback with this query fails. */
async function assertRefused({ operator, upstream, app }: Stage, query: URLSearchParams): Promise<void> {
  const answer = await comeBack(operator, upstream, query);
  assert.equal(answer.status, 400);
  assert.equal(operator.cookies.has("service.sign_up"), false);
  assert.deepEqual(await app.db.selectFrom("sign_up_ticket").selectAll().execute(), []);
}

const ATTACKS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "the victim's identity with the operator's subject": async (stage) => {
    await edit(stage, "update identity set subject = 'operator'");
    const answer = await visitProvider(stage.operator, stage.upstream);
    assert.equal(answer.status, 503, answer.text);
  },
  "a second identity of the victim's account": async (stage) => {
    const own = await row(stage, "identity");
    await insert(stage, "identity", { ...own, id: "identity_forged", subject: "operator" });
    const answer = await visitProvider(stage.operator, stage.upstream);
    assert.equal(answer.headers.get("location"), "/sign-up?identity=upstream");
  },
  "the operator's identitymoved to the victim's account": async (stage) => {
    await visitProvider(stage.operator, stage.upstream);
    await registerPasskey(stage.operator);
    stage.operator.cookies.clear();
    await edit(stage, `update identity set account_id = '${stage.victimId}' where subject = 'operator'`);
    const answer = await visitProvider(stage.operator, stage.upstream);
    assert.equal(answer.headers.get("location"), "/sign-in?taken=upstream");
  },
  "the victim's identity under another issuer": async (stage) => {
    await edit(stage, "update identity set issuer = 'https://other.example'");
    stage.other.claims = { sub: "person-1", email: "x@example.com" };
    const answer = await visitProvider(stage.operator, stage.other);
    assert.equal(answer.status, 503, answer.text);
  },
  "an earlier creation time of an identity": async (stage) => {
    await edit(stage, "update identity set created_at = created_at - 1");
    stage.upstream.claims = {};
    const answer = await visitProvider(stage.victim, stage.upstream);
    assert.equal(answer.status, 503, answer.text);
  },
  "a sign-up ticket with another subject": async (stage) => {
    await visitProvider(stage.operator, stage.upstream);
    await edit(stage, "update sign_up_ticket set subject = 'ceo'");
    assert.equal((await stage.operator.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "a sign-up ticket with another issuer": async (stage) => {
    await visitProvider(stage.operator, stage.upstream);
    await edit(stage, "update sign_up_ticket set issuer = 'https://other.example'");
    assert.equal((await stage.operator.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "a sign-up ticket with its identity removed": async (stage) => {
    await visitProvider(stage.operator, stage.upstream);
    await edit(stage, "update sign_up_ticket set subject = null, issuer = null");
    assert.equal((await stage.operator.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "a sign-up ticket with an address that the provider has not verified": async (stage) => {
    stage.upstream.claims = { ...stage.upstream.claims, email_verified: false };
    await visitProvider(stage.operator, stage.upstream);
    await edit(stage, "update sign_up_ticket set email = 'ceo@example.com'");
    assert.equal((await stage.operator.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "a sign-up ticket with another name": async (stage) => {
    await visitProvider(stage.operator, stage.upstream);
    await edit(stage, "update sign_up_ticket set name = 'The Bank'");
    assert.equal((await stage.operator.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "a sign-in ticket of the operator's for the victim's account": async (stage) => {
    await visitProvider(stage.operator, stage.upstream);
    await registerPasskey(stage.operator);
    stage.operator.cookies.clear();
    await visitProvider(stage.operator, stage.upstream);
    await edit(stage, `update sign_in_ticket set account_id = '${stage.victimId}'`);
    const options = await stage.operator.post("/api/auth/passkey/authentication/options", {});
    assert.deepEqual(options.body.allowCredentials, []);
    assert.notEqual((await signIn(stage.operator)).body.account?.id, stage.victimId);
  },
  "a new sign-in ticket with a token that the operator knows": async (stage) => {
    stage.upstream.claims = {};
    await visitProvider(stage.victim, stage.upstream);
    const ticket = await row(stage, "sign_in_ticket");
    const [id, secret] = [`signin_${"0".repeat(26)}`, "A".repeat(43)];
    await insert(stage, "sign_in_ticket", { ...ticket, id, secret_hash: hashSecret(secret) });
    stage.operator.cookies.set("service.sign_in", `${id}.${secret}`);
    const options = await stage.operator.post("/api/auth/passkey/authentication/options", {});
    assert.deepEqual(options.body.allowCredentials, []);
  },
  "an expired sign-in ticket with a later expiry": async (stage) => {
    stage.upstream.claims = {};
    await visitProvider(stage.victim, stage.upstream);
    stage.app.now += 16 * 60_000;
    await edit(stage, `update sign_in_ticket set expires_at = ${stage.app.now + 1_000_000}`);
    const options = await stage.victim.post("/api/auth/passkey/authentication/options", {});
    assert.deepEqual(options.body.allowCredentials, []);
  },
  "the victim's request to the provider, moved to the operator's browser": async (stage) => {
    const query = stage.upstream.visit(await beginAt(stage.victim, stage.upstream));
    await beginAt(stage.operator, stage.upstream);
    const hash = hashSecret(stage.operator.cookies.get("service.pre_session")!);
    await edit(stage, `update identity_request set browser_hash = '${hash}'`);
    await assertRefused(stage, query);
  },
  "a request to one provider, changed into one to the other": async (stage) => {
    const query = stage.other.visit(await beginAt(stage.operator, stage.other));
    await edit(stage, "update identity_request set provider = 'upstream'");
    await assertRefused(stage, query);
  },
  "a request with a state that the operator chose": async (stage) => {
    await beginAt(stage.operator, stage.upstream);
    const state = "A".repeat(43);
    await edit(stage, `update identity_request set state_hash = '${hashSecret(state)}'`);
    await assertRefused(stage, new URLSearchParams({ state, code: "code-1" }));
  },
  "a request with another return address": async (stage) => {
    const query = stage.upstream.visit(await beginAt(stage.operator, stage.upstream));
    await edit(stage, "update identity_request set return_to = 'next=%2Faccount'");
    await assertRefused(stage, query);
  },
  "an expired request with a later expiry": async (stage) => {
    const query = stage.upstream.visit(await beginAt(stage.operator, stage.upstream));
    stage.app.now += 11 * 60_000;
    await edit(stage, `update identity_request set expires_at = ${stage.app.now + 1_000_000}`);
    await assertRefused(stage, query);
  },
  "the victim's account without its e-mail address": async (stage) => {
    await edit(stage, `update account set email = null where id = '${stage.victimId}'`);
    stage.upstream.claims = { sub: "operator", email: "ada@example.com" };
    await assertNotVictim(stage);
  },
};

describe("an operator with full write access to the database gains nothing with", () => {
  for (const [what, attack] of Object.entries(ATTACKS)) {
    test(what, async () => {
      const stage = await setStage();
      await attack(stage);
      await stage[Symbol.asyncDispose]();
    });
  }

  test("no edit: both sign in to their own accounts", async () => {
    const stage = await setStage();
    await visitProvider(stage.operator, stage.upstream);
    assert.equal((await registerPasskey(stage.operator)).status, 201);
    await signUp(stage.app.client(), "third@example.com");
    stage.upstream.claims = {};
    stage.victim.cookies.clear();
    await visitProvider(stage.victim, stage.upstream);
    assert.equal((await signIn(stage.victim)).body.account.id, stage.victimId);
    assert.ok(!stage.app.logged.some((line) => line.includes("row_rejected")));
    await stage[Symbol.asyncDispose]();
  });
});
