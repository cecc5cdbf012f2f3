import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PENDING_REQUEST_LIFETIME, REMOVAL_MEMORY } from "../../src/db/retention.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { sweepExpired } from "../../src/db/sweep.ts";
import type { Throttle } from "../../src/db/sweep.ts";
import { utf8 } from "../../src/lib/bytes.ts";
import { NEVER } from "../../src/lib/delivery.ts";
import { DAY, HOUR } from "../../src/lib/time.ts";
import { openTestDatabase } from "../support/database.ts";

const NOW = 1_700_000_000_000;
const unthrottled: Throttle = (batch) => batch();
const mac = new Uint8Array(32);

/** Creates one expiring row for each swept table. `store/state/sweep-owned.test.ts` has the kinds with a state. */
const ROWS: { readonly [T in keyof Tables]?: (id: string, end: number) => Tables[T] } = {
  email_code: (id, end) => ({
    id,
    email: `${id}@example.com`,
    purpose: "sign_up",
    browser_hash: "",
    network: "",
    code_mac: mac,
    attempts: 0,
    created_at: 0,
    expires_at: end,
    mac,
  }),
  sign_up_ticket: (id, end) => ({
    id,
    secret_hash: "",
    account_id: "acc_2",
    email: "",
    name: null,
    issuer: null,
    subject: null,
    created_at: 0,
    expires_at: end,
    invitation_id: null,
    mac,
  }),
  sign_in_ticket: (id, end) => ({
    id,
    secret_hash: "",
    account_id: "acc_1",
    created_at: 0,
    expires_at: end,
    mac,
  }),
  identity_request: (id, end) => ({
    provider: "upstream",
    state_hash: id,
    browser_hash: "",
    return_to: "",
    session_id: null,
    created_at: 0,
    expires_at: end,
    mac,
  }),
  challenge: (id, end) => ({
    kind: "registration",
    challenge: id,
    bound_to: "",
    created_at: 0,
    expires_at: end,
    mac,
  }),
  removed_passkey: (id, end) => ({
    id,
    account_id: "acc_1",
    credential_id: utf8(id),
    public_key: mac,
    algorithm: -7,
    backup_eligible: 0,
    sign_count: 0,
    created_at: end - REMOVAL_MEMORY,
    mac,
  }),
  idempotent_answer: (id, end) => ({
    holder: "acc_1",
    idempotency_key: id,
    account_id: "acc_1",
    request_hash: "",
    answer: "",
    sealed: null,
    created_at: 0,
    expires_at: end,
    mac,
  }),
  authorization_request: (id, end) => ({
    id,
    client_id: "client_1",
    redirect_uri: "",
    scope: "openid",
    state: null,
    nonce: null,
    code_challenge: "",
    prompt: "",
    max_age: null,
    login_hint: null,
    hinted_account_id: null,
    dpop_jkt: null,
    policy: null,
    pushed_request_id: null,
    resource: null,
    claims: null,
    client_document: null,
    browser_hash: null,
    session_id: null,
    created_at: 0,
    expires_at: end,
    mac,
  }),
  pushed_request: (id, end) => ({
    id,
    client_id: "client_1",
    parameters: "[]",
    created_at: 0,
    expires_at: end - PENDING_REQUEST_LIFETIME,
    mac,
  }),
  device_request: (id, end) => ({
    id,
    client_id: "client_1",
    secret_hash: "",
    user_code: id,
    scope: "openid",
    claims: null,
    policy: null,
    resource: null,
    dpop_jkt: null,
    network: "192.0.2.1",
    state: "pending",
    account_id: null,
    grant_id: null,
    created_at: 0,
    expires_at: end - PENDING_REQUEST_LIFETIME,
    polled_at: null,
    poll_interval: 5,
    mac,
  }),
  refresh_token: (id, end) => ({
    id,
    secret_hash: "",
    grant_id: "grant_1",
    parent_id: null,
    successor_id: null,
    created_at: 0,
    expires_at: end,
    spent_at: null,
    answer: null,
    mac,
  }),
  logout_request: (id, end) => ({
    id,
    client_id: null,
    hinted_sid: null,
    redirect_uri: null,
    state: null,
    created_at: 0,
    expires_at: end,
    mac,
  }),
  dpop_proof: (id, end) => ({ expires_at: end, id: utf8(id) }),
  logout_notice: (id, end) => ({
    id,
    client_id: "client_1",
    subject: "acc_1",
    sid: null,
    created_at: 0,
    expires_at: end,
    attempts: 0,
    next_attempt_at: 0,
    mac,
  }),
  outbox: (id, end) => ({ id, sealed: mac, created_at: 0, expires_at: end, attempts: 0, next_attempt_at: 0 }),
  rate_limit: (id, end) => ({ name: "sign", subject: id, full_at: end }),
};

async function openWithAccount(): Promise<Db> {
  const db = await openTestDatabase();
  await db.insertInto("account").values({
    id: "acc_1",
    email: null,
    name: null,
    language: "en",
    created_at: 0,
    mac,
  })
    .execute();
  await db.insertInto("passkey").values({
    id: "psk_1",
    account_id: "acc_1",
    credential_id: mac,
    public_key: mac,
    algorithm: -7,
    aaguid: "",
    backup_eligible: 0,
    backed_up: 0,
    sign_count: 0,
    name: "",
    transports: "[]",
    created_at: 0,
    last_used_at: null,
    mac,
  }).execute();
  await db.insertInto("client").values({
    id: "client_1",
    name: "",
    uri: "",
    type: "spa",
    redirect_uris: "[]",
    post_logout_redirect_uris: "[]",
    id_token_alg: "ES256",
    secret_hash: null,
    disabled: 0,
    created_at: 0,
    updated_at: 0,
    key_scopes: null,
    dpop_bound: null,
    mac,
  }).execute();
  return db;
}

async function count(db: Db, table: keyof Tables): Promise<number> {
  return (await db.selectFrom(table).selectAll().execute()).length;
}

describe("sweepExpired()", () => {
  for (const [table, row] of Object.entries(ROWS) as [keyof Tables, (id: string, end: number) => never][]) {
    test(`deletes expired rows of ${table} only`, async () => {
      const db = await openWithAccount();
      const ends = [["long", 0], ["just", NOW], ["soon", NOW + 1]] as const;
      for (const [id, end] of ends) await db.insertInto(table).values(row(id, end)).execute();
      assert.equal(await sweepExpired(db, NOW, unthrottled), 2);
      assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [row("soon", NOW + 1)]);
      assert.equal(await count(db, "account"), 1);
      assert.equal(await count(db, "passkey"), 1);
      await db.destroy();
    });
  }

  test("leaves refresh tokens until they expire", async () => {
    const db = await openWithAccount();
    await db.insertInto("refresh_token").values(ROWS.refresh_token!("token", NOW + 9)).execute();
    assert.equal(await sweepExpired(db, NOW + 8, unthrottled), 0);
    assert.equal(await count(db, "refresh_token"), 1);
    assert.equal(await sweepExpired(db, NOW + 9, unthrottled), 1);
    assert.equal(await count(db, "refresh_token"), 0);
    await db.destroy();
  });

  test("erases the answer that contains a refresh token of ten seconds ago", async () => {
    const db = await openWithAccount();
    const token = { ...ROWS.refresh_token!("new", NOW + 1), answer: mac };
    const issued = [["ten", NOW - 10_000], ["nine", NOW - 9999]] as const;
    for (const [id, created_at] of issued) {
      await db.insertInto("refresh_token").values({ ...token, id, created_at }).execute();
    }
    assert.equal(await sweepExpired(db, NOW, unthrottled), 0);
    const kept = await db.selectFrom("refresh_token").select("id").where("answer", "is not", null).execute();
    assert.deepEqual(kept, [{ id: "nine" }]);
    await db.destroy();
  });

  for (const queue of ["outbox", "logout_notice"] as const) {
    test(`makes rows of ${queue} due that were scheduled before the clock was set back`, async () => {
      const db = await openWithAccount();
      const row = ROWS[queue] as (id: string, end: number) => Tables["outbox"] & Tables["logout_notice"];
      const tries = [["due", NOW - 1], ["put off", NOW + 2 * HOUR], ["lost", NOW + 2 * HOUR + 1]] as const;
      for (const [id, next_attempt_at] of tries) {
        await db.insertInto(queue).values({ ...row(id, NOW + 9 * HOUR), next_attempt_at }).execute();
      }
      assert.equal(await sweepExpired(db, NOW, unthrottled), 0);
      const left = await db.selectFrom(queue).select(["id", "next_attempt_at"]).orderBy("id").execute();
      assert.deepEqual(left, [
        { id: "due", next_attempt_at: NOW - 1 },
        { id: "lost", next_attempt_at: NOW },
        { id: "put off", next_attempt_at: NOW + 2 * HOUR },
      ]);
      await db.destroy();
    });
  }

  const delivery = (id: string, change: object) => ({
    id,
    webhook_id: "webhook_1",
    body: "{}",
    created_at: NOW - DAY,
    state: "waiting" as const,
    expires_at: NOW + 1,
    attempts: 3,
    next_attempt_at: NOW,
    result: null,
    settled_at: null,
    mac,
    ...change,
  });

  async function sweepDeliveries(rows: Readonly<Record<string, object>>) {
    const db = await openTestDatabase();
    await db.insertInto("webhook").values({
      id: "webhook_1",
      subject: null,
      url: "",
      events: "",
      signature: "hmac",
      created_at: 0,
      mac,
    }).execute();
    for (const [id, change] of Object.entries(rows)) {
      await db.insertInto("webhook_delivery").values(delivery(id, change)).execute();
    }
    await sweepExpired(db, NOW, unthrottled);
    const left = await db.selectFrom("webhook_delivery").select(["id", "state", "next_attempt_at"])
      .orderBy("id").execute();
    await db.destroy();
    return left;
  }

  test("makes deliveries due that were scheduled before the clock was set back, and no settled one", async () => {
    const left = await sweepDeliveries({
      delivered: { state: "delivered", next_attempt_at: NEVER },
      lost: { next_attempt_at: NOW + 2 * HOUR + 1 },
      "put off": { next_attempt_at: NOW + 2 * HOUR },
    });
    assert.deepEqual(left, [
      { id: "delivered", state: "delivered", next_attempt_at: NEVER },
      { id: "lost", state: "waiting", next_attempt_at: NOW },
      { id: "put off", state: "waiting", next_attempt_at: NOW + 2 * HOUR },
    ]);
  });

  test("gives up deliveries that expired between two attempts", async () => {
    const left = await sweepDeliveries({
      due: {},
      expired: { expires_at: NOW },
      "in flight": { expires_at: NOW, next_attempt_at: NOW + 1 },
    });
    assert.deepEqual(left, [
      { id: "due", state: "waiting", next_attempt_at: NOW },
      { id: "expired", state: "failed", next_attempt_at: NEVER },
      { id: "in flight", state: "waiting", next_attempt_at: NOW + 1 },
    ]);
  });

  test("deletes all expired rows, and erases all answers, in small batches", async () => {
    const db = await openWithAccount();
    const challenges = Array.from({ length: 220 }, (_, index) => ROWS.challenge!(`c${index}`, NOW - 1));
    await db.insertInto("challenge").values(challenges).execute();
    const token = { ...ROWS.refresh_token!("new", NOW + 1), answer: mac, created_at: 0 };
    const tokens = Array.from({ length: 120 }, (_, index) => ({ ...token, id: `t${index}` }));
    await db.insertInto("refresh_token").values(tokens).execute();
    const left = async (): Promise<number> => {
      const { n } = await db.selectFrom("refresh_token").where("answer", "is not", null)
        .select(({ fn }) => fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
      return n + await count(db, "challenge");
    };
    const batches: number[] = [];
    const swept = await sweepExpired(db, NOW, async (batch) => {
      const before = await left();
      const result = await batch();
      batches.push(before - await left());
      return result;
    });
    assert.equal(swept, 220);
    assert.equal(await left(), 0);
    assert.deepEqual(batches.filter((size) => size > 0), [50, 50, 50, 50, 20, 50, 50, 20]);
    await db.destroy();
  });
});
