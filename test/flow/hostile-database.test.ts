import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Tables } from "../../src/db/schema/schema.ts";
import { hashSecret } from "../../src/accounts/session/bearer-secret.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { createAuthenticator } from "../support/authenticator.ts";
import { proveAddress, readCode, registerPasskey, signIn, signUp } from "../support/client.ts";
import type { Answer, Client } from "../support/client.ts";
import { assertInconsistent, dropMemory, isInconsistent } from "../support/inconsistent.ts";

/**
 * An operator with write access to the database, who also owns an account, tries with each edit to become the victim or
 * to use the victim's key. Each attempt must fail.
 */
interface Stage {
  readonly app: TestApp;
  readonly victim: Client;
  readonly operator: Client;
  readonly victimKeyId: string;
  readonly operatorKeyId: string;
  readonly victimId: string;
  readonly operatorId: string;
}

async function setStage(): Promise<Stage & AsyncDisposable> {
  const app = await createTestApp();
  const victim = app.client("127.0.0.1");
  const operator = app.client("127.0.0.2");
  const [victims, operators] = [
    await signUp(victim, "victim@example.com"),
    await signUp(operator, "op@example.com"),
  ];
  return {
    app,
    victim,
    operator,
    victimKeyId: victims.body.key.id,
    operatorKeyId: operators.body.key.id,
    victimId: victims.body.account.id,
    operatorId: operators.body.account.id,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

async function row<T extends keyof Tables>(
  stage: Stage,
  table: T,
  where: string,
): Promise<Record<string, unknown>> {
  const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)} where ${
    sql.raw(where)
  }`.execute(
    stage.app.db,
  );
  assert.equal(rows.length, 1, `one row of ${table} where ${where}`);
  return { ...rows[0] };
}

async function edit(stage: Stage, statement: string): Promise<void> {
  const { numAffectedRows } = await sql.raw(statement).execute(stage.app.db);
  assert.notEqual(numAffectedRows, 0n, `the edit changes something: ${statement}`);
  dropMemory(stage.app.db);
}

async function insert(stage: Stage, table: keyof Tables, values: Record<string, unknown>): Promise<void> {
  await stage.app.db.insertInto(table).values(values as never).execute();
  dropMemory(stage.app.db);
}

async function assertNotVictim(stage: Stage): Promise<void> {
  const session = await stage.operator.get("/api/auth/session");
  assert.notEqual(session.body.account?.id, stage.victimId);
  await assertCannotSign(stage, stage.victimKeyId);
}

async function assertCannotSign({ operator }: Stage, keyId: string): Promise<void> {
  for (const path of ["sign", "explain"]) {
    const answer = await operator.post(`/api/keys/${keyId}/${path}`, { message: "pay the operator" });
    const isRefused = answer.status === 401 || answer.status === 404 || isInconsistent(answer);
    assert.ok(isRefused, `${path}: ${answer.status} ${answer.text}`);
    assert.equal(answer.body.signature, undefined);
  }
}

/** Each edit, and what the operator tries with it. */
const ATTACKS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  "a passkey of the operator's, given to the victim": async (stage) => {
    await edit(
      stage,
      `update passkey set account_id = '${stage.victimId}' where account_id = '${stage.operatorId}'`,
    );
    assertRefused(await signIn(stage.operator));
    await assertNotVictim(stage);
  },
  "a passkey of the operator's, copied into the victim's account": async (stage) => {
    const passkey = await row(stage, "passkey", `account_id = '${stage.operatorId}'`);
    await edit(stage, `delete from passkey where account_id = '${stage.operatorId}'`);
    await insert(stage, "passkey", { ...passkey, id: "passkey_forged", account_id: stage.victimId });
    assertRefused(await signIn(stage.operator));
    await assertNotVictim(stage);
  },
  "the victim's passkey with the operator's public key and credential id": async (stage) => {
    const own = await row(stage, "passkey", `account_id = '${stage.operatorId}'`);
    await edit(stage, `delete from passkey where account_id = '${stage.operatorId}'`);
    await stage.app.db.updateTable("passkey").set({
      public_key: own.public_key as Uint8Array,
      credential_id: own.credential_id as Uint8Array,
    }).where("account_id", "=", stage.victimId).execute();
    assertRefused(await signIn(stage.operator));
    await assertNotVictim(stage);
  },
  "an account row under the operator's passkey that says it is the victim's": async (stage) => {
    await edit(stage, `update account set email = 'gone@example.com' where id = '${stage.victimId}'`);
    await edit(stage, `update account set email = 'victim@example.com' where id = '${stage.operatorId}'`);
    await assertNotVictim(stage);
    assertRefused(await signIn(stage.operator));
  },
  "a session of the operator's, given to the victim": async (stage) => {
    await edit(
      stage,
      `update session set account_id = '${stage.victimId}' where account_id = '${stage.operatorId}'`,
    );
    await assertNotVictim(stage);
  },
  "a session of the victim's with a token the operator knows": async (stage) => {
    const { id } = await row(stage, "session", `account_id = '${stage.victimId}'`);
    const secret = "A".repeat(43);
    await edit(stage, `update session set secret_hash = '${hashSecret(secret)}' where id = '${id}'`);
    stage.operator.cookies.set("service.session_token", `${id}.${secret}`);
    await assertNotVictim(stage);
  },
  "a new session for the victim": async (stage) => {
    const session = await row(stage, "session", `account_id = '${stage.victimId}'`);
    const id = `session_${"0".repeat(26)}`;
    const secret = "B".repeat(43);
    await insert(stage, "session", { ...session, id, secret_hash: hashSecret(secret) });
    stage.operator.cookies.set("service.session_token", `${id}.${secret}`);
    await assertNotVictim(stage);
  },
  "an expired session with a later expiry": async (stage) => {
    stage.app.now += 31 * 24 * 3_600_000;
    await edit(
      stage,
      `update session set expires_at = ${stage.app.now + 1_000_000}, last_seen_at = ${stage.app.now}`,
    );
    assertInconsistent(await stage.operator.get("/api/keys"));
    assertInconsistent(await stage.victim.get("/api/keys"));
  },
  "an old session with a recent sign-in": async (stage) => {
    const { operator, operatorKeyId } = stage;
    await operator.request("PATCH", `/api/keys/${operatorKeyId}`, { body: { blindSigning: "deny" } });
    stage.app.now += 11 * 60_000;
    await edit(stage, `update session set authenticated_at = ${stage.app.now}`);
    const answer = await operator.request("PATCH", `/api/keys/${operatorKeyId}`, {
      body: { blindSigning: "allow" },
    });
    assertInconsistent(answer);
  },
  "a key of the victim's, given to the operator": async (stage) => {
    await edit(
      stage,
      `update ethereum_key set account_id = '${stage.operatorId}', key_index = 9 where id = '${stage.victimKeyId}'`,
    );
    await assertCannotSign(stage, stage.victimKeyId);
  },
  "the victim's key row copied into the operator's account": async (stage) => {
    const key = await row(stage, "ethereum_key", `id = '${stage.victimKeyId}'`);
    await insert(stage, "ethereum_key", {
      ...key,
      id: "key_forged",
      account_id: stage.operatorId,
      key_index: 7,
    });
    await assertCannotSign(stage, "key_forged");
  },
  "the two keys' rows with their ids swapped": async (stage) => {
    await edit(stage, `update ethereum_key set id = 'key_swap' where id = '${stage.victimKeyId}'`);
    await edit(
      stage,
      `update ethereum_key set id = '${stage.victimKeyId}' where id = '${stage.operatorKeyId}'`,
    );
    await assertCannotSign(stage, stage.victimKeyId);
  },
  "another index in a key": async (stage) => {
    await edit(stage, `update ethereum_key set key_index = 5 where id = '${stage.operatorKeyId}'`);
    await assertCannotSign(stage, stage.operatorKeyId);
  },
  "a key's blind-signing setting loosened": async (stage) => {
    const { operator, operatorKeyId } = stage;
    await operator.request("PATCH", `/api/keys/${operatorKeyId}`, { body: { blindSigning: "deny" } });
    await edit(stage, `update ethereum_key set blind_signing = 'allow' where id = '${operatorKeyId}'`);
    await assertCannotSign(stage, operatorKeyId);
  },
  "an archived key made active": async (stage) => {
    const { operator, operatorKeyId } = stage;
    await operator.post(`/api/keys/${operatorKeyId}/archive`);
    await edit(stage, `update ethereum_key set archived_at = null where id = '${operatorKeyId}'`);
    await assertCannotSign(stage, operatorKeyId);
  },
  "a policy removed from a key": async (stage) => {
    const { operator, operatorKeyId } = stage;
    const body = { policy: { version: 1, locked: true } };
    assert.equal((await operator.request("PUT", `/api/keys/${operatorKeyId}/policy`, { body })).status, 200);
    await edit(stage, `update ethereum_key set policy = null, revision = null where id = '${operatorKeyId}'`);
    await assertCannotSign(stage, operatorKeyId);
  },
  "the policy of another key put on a locked one": async (stage) => {
    const { operator, operatorKeyId } = stage;
    const { id } = (await operator.post("/api/keys/generate", {})).body.key;
    const put = (keyId: string, policy: unknown) =>
      operator.request("PUT", `/api/keys/${keyId}/policy`, { body: { policy } });
    assert.equal((await put(operatorKeyId, { version: 1, locked: true })).status, 200);
    assert.equal((await put(id, { version: 1, messages: { text: "allow" } })).status, 200);
    await edit(
      stage,
      `update ethereum_key set policy = (select policy from ethereum_key where id = '${id}'),
        mac = (select mac from ethereum_key where id = '${id}') where id = '${operatorKeyId}'`,
    );
    await assertCannotSign(stage, operatorKeyId);
  },
  "the victim's account removed and its address proven by the operator": async (stage) => {
    await edit(stage, `update account set email = null where id = '${stage.victimId}'`);
    const client = stage.app.client("127.0.0.9");
    stage.app.now += 1;
    assert.equal(await proveAddress(client, "victim@example.com"), "register_passkey");
    const answer = await registerPasskey(client);
    assert.notEqual(answer.body.account?.id, stage.victimId);
    assert.equal((await client.post(`/api/keys/${stage.victimKeyId}/sign`, { message: "x" })).status, 404);
  },
  "a sign-up ticket for the victim's account": async (stage) => {
    const client = stage.app.client("127.0.0.9");
    await proveAddress(client, "third@example.com");
    await edit(stage, `update sign_up_ticket set account_id = '${stage.victimId}'`);
    assert.equal((await client.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "a sign-up ticket for another address": async (stage) => {
    const client = stage.app.client("127.0.0.9");
    await proveAddress(client, "third@example.com");
    await edit(stage, `update sign_up_ticket set email = 'ceo@example.com'`);
    assert.equal((await client.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "an expired sign-up ticket with a later expiry": async (stage) => {
    const client = stage.app.client("127.0.0.9");
    await proveAddress(client, "third@example.com");
    stage.app.now += 16 * 60_000;
    await edit(stage, `update sign_up_ticket set expires_at = ${stage.app.now + 1_000_000}`);
    assert.equal((await client.post("/api/auth/passkey/registration/options", {})).status, 401);
  },
  "an e-mail code for another address": async (stage) => {
    const client = stage.app.client("127.0.0.9");
    await client.post("/api/auth/email-code", { email: "third@example.com" });
    const code = await readCode(client, "third@example.com");
    await edit(stage, `update email_code set email = 'ceo@example.com'`);
    const answer = await client.post("/api/auth/email-code/verify", { email: "ceo@example.com", code });
    assert.equal(answer.body.code, "invalid_code");
  },
  "an expired e-mail code with a later expiry": async (stage) => {
    const client = stage.app.client("127.0.0.9");
    await client.post("/api/auth/email-code", { email: "third@example.com" });
    const code = await readCode(client, "third@example.com");
    stage.app.now += 6 * 60_000;
    await edit(stage, `update email_code set expires_at = ${stage.app.now + 1_000_000}`);
    const answer = await client.post("/api/auth/email-code/verify", { email: "third@example.com", code });
    assert.equal(answer.body.code, "invalid_code");
  },
  "another code's hash in an e-mail code": async (stage) => {
    const client = stage.app.client("127.0.0.9");
    await client.post("/api/auth/email-code", { email: "op@example.com" });
    const code = await readCode(client, "op@example.com");
    const own = await row(stage, "email_code", "email = 'op@example.com'");
    await client.post("/api/auth/email-code", { email: "ceo@example.com" });
    await stage.app.db.updateTable("email_code").set({
      code_mac: own.code_mac as Uint8Array,
      mac: own.mac as Uint8Array,
    }).where("email", "=", "ceo@example.com").execute();
    const answer = await client.post("/api/auth/email-code/verify", { email: "ceo@example.com", code });
    assert.equal(answer.body.code, "invalid_code");
  },
  "an authentication challenge of the operator's choice": async (stage) => {
    const options = await stage.operator.post("/api/auth/passkey/authentication/options", {});
    const challenge = "A".repeat(43);
    await edit(stage, `update challenge set challenge = '${challenge}' where kind = 'authentication'`);
    const response = await stage.operator.authenticator.authenticate({ ...options.body, challenge }, {
      origin: stage.operator.origin,
    });
    assertRefused(await stage.operator.post("/api/auth/passkey/authentication", { response }));
  },
  "a registration challenge turned into one for authentication": async (stage) => {
    const { operator } = stage;
    const options = await operator.post("/api/auth/passkey/registration/options", {});
    await operator.post("/api/auth/passkey/authentication/options", {});
    const { bound_to } = await row(stage, "challenge", "kind = 'authentication'");
    await edit(stage, `delete from challenge where kind = 'authentication'`);
    await edit(stage, `update challenge set kind = 'authentication', bound_to = '${bound_to}'`);
    const { challenge, rp } = options.body;
    const request = { challenge, rpId: rp.id, timeout: 1, userVerification: "required" } as const;
    const response = await operator.authenticator.authenticate(
      { ...request, allowCredentials: [] } as never,
      {
        origin: operator.origin,
      },
    );
    assertRefused(await operator.post("/api/auth/passkey/authentication", { response }));
  },
  "an expired challenge with a later expiry": async (stage) => {
    const { operator } = stage;
    const options = await operator.post("/api/auth/passkey/authentication/options", {});
    stage.app.now += 6 * 60_000;
    await edit(stage, `update challenge set expires_at = ${stage.app.now + 1_000_000}`);
    const response = await operator.authenticator.authenticate(options.body, { origin: operator.origin });
    assertRefused(await operator.post("/api/auth/passkey/authentication", { response }));
  },
  "a step-up written into an old session": async (stage) => {
    const { operator } = stage;
    stage.app.now += 11 * 60_000;
    await edit(stage, `update session set step_up_action = 'add_passkey', stepped_up_at = ${stage.app.now}`);
    assertInconsistent(await operator.post("/api/auth/passkey/registration/options"));
  },
  "a used step-up restored in a session that is still used": async (stage) => {
    const { operator } = stage;
    const stepped = await stepUpFor(operator, "add_passkey");
    assert.equal(stepped.status, 200);
    const { id } = (await operator.get("/api/auth/session")).body.session;
    const before = await row(stage, "session", `id = '${id}'`);
    stage.app.now += 10 * 60_000;
    assert.equal((await stepUpFor(operator, `loosen_key:${stage.operatorKeyId}`)).status, 200);
    await stage.app.db.updateTable("session").set({
      step_up_action: before.step_up_action as string,
      stepped_up_at: stage.app.now,
    }).where("id", "=", id as string).execute();
    assertInconsistent(await operator.post("/api/auth/passkey/registration/options"));
  },
  "a step-up challenge for another action": async (stage) => {
    const { operator, operatorKeyId } = stage;
    const options = await operator.post("/api/auth/step-up/options", { action: "add_passkey" });
    const action = `loosen_key:${operatorKeyId}`;
    await edit(stage, `update challenge set bound_to = replace(bound_to, '/add_passkey', '/${action}')`);
    const response = await operator.authenticator.authenticate(options.body, { origin: operator.origin });
    assertRefused(await operator.post("/api/auth/step-up", { action, response }));
  },
  "a step-up challenge turned into one for sign-in": async (stage) => {
    const { operator } = stage;
    const options = await operator.post("/api/auth/step-up/options", { action: "add_passkey" });
    await operator.post("/api/auth/passkey/authentication/options", {});
    const { bound_to } = await row(stage, "challenge", "kind = 'authentication'");
    await edit(stage, `delete from challenge where kind = 'authentication'`);
    await edit(stage, `update challenge set kind = 'authentication', bound_to = '${bound_to}'`);
    const response = await operator.authenticator.authenticate(options.body, { origin: operator.origin });
    assertRefused(await operator.post("/api/auth/passkey/authentication", { response }));
  },
  "a session's device and network made to look like the victim's own": async (stage) => {
    await edit(stage, `update session set device = 'Firefox on Linux', network = '203.0.113.9'`);
    assertInconsistent(await stage.operator.get("/api/auth/sessions"));
    assertInconsistent(await stage.victim.get("/api/auth/sessions"));
  },
  "a passkey put beside the victim's, so that the victim may delete the last one": async (stage) => {
    const { victim } = stage;
    const passkey = await row(stage, "passkey", `account_id = '${stage.victimId}'`);
    const credential_id = crypto.getRandomValues(new Uint8Array(32));
    await insert(stage, "passkey", { ...passkey, id: "passkey_forged", credential_id });
    const { passkeys } = (await victim.get("/api/auth/passkeys")).body;
    assert.equal(passkeys.length, 1);
    const answer = await victim.request("DELETE", `/api/auth/passkeys/${passkey.id}`);
    assert.equal(answer.body.code, "last_passkey");
  },
  "a removed passkey restored from the record of its removal": async (stage) => {
    const { operator } = stage;
    const kept = await registerPasskey({ ...operator, authenticator: createAuthenticator() });
    assert.equal(kept.status, 201);
    const removed = await row(
      stage,
      "passkey",
      `id <> '${kept.body.passkey.id}' and account_id = '${stage.operatorId}'`,
    );
    assert.equal((await operator.request("DELETE", `/api/auth/passkeys/${removed.id}`)).status, 204);
    const record = await row(stage, "removed_passkey", `id = '${removed.id}'`);
    await insert(stage, "passkey", { ...removed, account_id: stage.victimId, mac: record.mac });
    assertRefused(await signIn(operator));
    await assertNotVictim(stage);
  },
  "the operator's browser recorded as a known browser of the victim": async (stage) => {
    const { app, victim } = stage;
    const own = await row(stage, "account_device", `account_id = '${stage.operatorId}'`);
    await insert(stage, "account_device", { ...own, id: "device_forged", account_id: stage.victimId });
    const elsewhere = { ...app.client("127.0.0.8"), authenticator: victim.authenticator };
    elsewhere.cookies.set("service.device", stage.operator.cookies.get("service.device")!);
    assert.equal((await signIn(elsewhere)).status, 200);
    const { body } = await victim.get("/dev/outbox", { headers: { accept: "application/json" } });
    assert.ok(
      body.messages.some(({ to, text }: { to: string; text: string }) =>
        to === "victim@example.com" && text.includes("127.0.0.8")
      ),
      "the victim is notified",
    );
  },
  "a stored answer of an Idempotency-Key that names another key": async (stage) => {
    const headers = { "idempotency-key": "one" };
    const first = await stage.operator.post("/api/keys/generate", {}, { headers });
    await edit(
      stage,
      `update idempotent_answer set answer = replace(answer, '"address":"0x', '"address":"0X')`,
    );
    const again = await stage.operator.post("/api/keys/generate", {}, { headers });
    assert.notEqual(again.body.key.id, first.body.key.id);
    assert.match(again.body.key.address, /^0x/);
  },
};

/** Steps up for an action with the client's own passkey. */
async function stepUpFor(client: Client, action: string): Promise<Answer> {
  const options = await client.post("/api/auth/step-up/options", { action });
  const response = await client.authenticator.authenticate(options.body, { origin: client.origin });
  return await client.post("/api/auth/step-up", { action, response });
}

function assertRefused(answer: Answer): void {
  if (isInconsistent(answer)) return;
  assert.equal(answer.status, 401, answer.text);
  assert.equal(answer.body.code, "invalid_passkey");
}

describe("an operator with full write access to the database gains nothing with", () => {
  for (const [edit, attack] of Object.entries(ATTACKS)) {
    test(edit, async () => {
      await using stage = await setStage();
      await attack(stage);
    });
  }
});

test("an edited row is logged and recorded in the audit log, once", async () => {
  await using stage = await setStage();
  await edit(stage, `update ethereum_key set label = 'Savings' where id = '${stage.victimKeyId}'`);
  for (let round = 0; round < 3; round++) await stage.victim.get(`/api/keys/${stage.victimKeyId}`);
  assertInconsistent(await stage.victim.post("/api/keys/generate"));
  const recorded = await row(stage, "audit_event", "event = 'row_rejected'");
  assert.equal(recorded.subject, stage.victimKeyId);
  assert.ok(
    stage.app.logged.some((line) => line.includes("row_rejected") && line.includes(stage.victimKeyId)),
  );
});
