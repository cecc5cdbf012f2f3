import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { CHALLENGE_LIFETIME } from "../../src/broker/challenge.ts";
import { dropLogTriggers } from "../support/audit.ts";
import { verifyRows } from "../../src/store/verify-rows.ts";
import {
  ask,
  auditOf,
  challengeOf,
  createBrokerStage,
  postTo,
  release,
  requestOf,
} from "../support/broker.ts";
import type { BrokerStage } from "../support/broker.ts";
import { QUOTE_NOW } from "../support/quote-pki.ts";
import { openSecondHandle } from "../support/state.ts";

const TIMEOUT = { timeout: 30_000 };

async function onStage(job: (stage: BrokerStage) => Promise<void>): Promise<void> {
  const stage = await createBrokerStage();
  try {
    await job(stage);
  } finally {
    await stage.db.destroy();
  }
}

/** Asserts that the release is refused for this reason. */
async function assertReason(
  stage: BrokerStage,
  request: { readonly claims: string; readonly quote: string },
  reason: string,
): Promise<void> {
  const { status, body } = await release(stage, request);
  assert.equal(status, 403, JSON.stringify(body));
  assert.equal((await auditOf(stage)).at(-1)!.detail["reason"], reason);
}

/** Changes to a pending nonce's row that would extend what it allows. */
const NONCE_EDITS: readonly (readonly [name: string, edit: (stage: BrokerStage) => Promise<unknown>])[] = [
  ["expiry", ({ db }) => db.updateTable("release_challenge").set({ expires_at: QUOTE_NOW * 2 }).execute()],
  ["creation", ({ db }) => db.updateTable("release_challenge").set({ created_at: QUOTE_NOW + 1 }).execute()],
  ["MAC", ({ db }) => db.updateTable("release_challenge").set({ mac: new Uint8Array(32) }).execute()],
];

describe("a row of release_challenge", TIMEOUT, () => {
  for (const [name, edit] of NONCE_EDITS) {
    test(`whose ${name} an attacker edited counts as absent`, () =>
      onStage(async (stage) => {
        const request = await requestOf(stage);
        await edit(stage);
        await assertReason(stage, request, "challenge_absent");
        assert.deepEqual(stage.rejected.map(({ kind }) => kind), ["release_challenge"]);
      }));
  }

  test("that was moved to another workload counts as absent", () =>
    onStage(async (stage) => {
      const nonce = await challengeOf(stage, "other");
      await stage.db.updateTable("release_challenge").set({ workload: "holdfast" }).execute();
      await assertReason(stage, await requestOf(stage, { nonce }), "challenge_absent");
    }));

  test("that an attacker inserted counts as absent", () =>
    onStage(async (stage) => {
      const nonce = "C".repeat(42) + "A";
      const row = { nonce, workload: "holdfast", created_at: QUOTE_NOW, expires_at: QUOTE_NOW + 1000 };
      await stage.db.insertInto("release_challenge").values({ ...row, mac: new Uint8Array(32) }).execute();
      await assertReason(stage, await requestOf(stage, { nonce }), "challenge_absent");
    }));

  test("that was restored after its use releases nothing while the broker runs", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      const [row] = await stage.db.selectFrom("release_challenge").selectAll().execute();
      assert.equal((await release(stage, request)).status, 200);
      await stage.db.insertInto("release_challenge").values(row!).execute();
      await assertReason(stage, request, "challenge_absent");
      await stage.db.insertInto("release_challenge").values(row!).execute();
      const stolen = await requestOf(stage);
      await assertReason(stage, { claims: request.claims, quote: stolen.quote }, "challenge_absent");
      assert.deepEqual([...new Set(stage.rejected.map(({ kind }) => kind))], ["release_challenge"]);
    }));

  test("serves only the guest that requested it, until it expires", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      const stolen = await requestOf(stage);
      await assertReason(stage, { claims: request.claims, quote: stolen.quote }, "verification_failed");
      const late = await requestOf(stage);
      stage.now += CHALLENGE_LIFETIME;
      await assertReason(stage, late, "challenge_expired");
    }));
});

/** Starts another process on the stage's database. It has no rows in memory. */
async function restart({ db }: BrokerStage): Promise<BrokerStage> {
  return await createBrokerStage({}, { db: openSecondHandle(db) });
}

/** Asserts that this process releases the key that it has in memory, and that one that starts releases none. */
async function assertKnownOnly(stage: BrokerStage, key: Uint8Array): Promise<void> {
  assert.deepEqual(await ask(stage), key);
  const started = await restart(stage);
  const { status, body } = await release(started, await requestOf(started));
  assert.deepEqual([status, body.code], [503, "inconsistent_store"]);
}

describe("a row of release_key", TIMEOUT, () => {
  test("that was deleted is not created again", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      await stage.db.deleteFrom("release_key").execute();
      await assertKnownOnly(stage, key);
      assert.deepEqual(await stage.db.selectFrom("release_key").selectAll().execute(), []);
    }));

  test("that was deleted together with its state is not created again", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      await stage.db.deleteFrom("release_key").execute();
      await stage.db.deleteFrom("owner_state").execute();
      await assertKnownOnly(stage, key);
      assert.deepEqual(await stage.db.selectFrom("release_key").selectAll().execute(), []);
    }));

  test("that was deleted together with its state and log is replaced by another key after a start", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      await stage.db.deleteFrom("release_key").execute();
      await stage.db.deleteFrom("owner_state").execute();
      await dropLogTriggers(stage.db);
      await stage.db.deleteFrom("audit_event").execute();
      await assert.rejects(ask(stage), /The audit log was changed/);
      assert.deepEqual(await stage.db.selectFrom("release_key").selectAll().execute(), []);
      assert.notDeepEqual(await ask(await restart(stage)), key);
    }));

  test("that was copied to another workload is refused, and not replaced", () =>
    onStage(async (stage) => {
      await ask(stage);
      const [row] = await stage.db.selectFrom("release_key").selectAll().execute();
      await stage.db.insertInto("release_key").values({ ...row!, workload: "other" }).execute();
      for (const each of [stage, await restart(stage)]) {
        const nonce = await challengeOf(each, "other");
        await assertReason(each, await requestOf(each, { nonce, workload: "other" }), "key_lost");
        // The first has all authentic rows in memory.
        const rejected = each === stage ? [] : ["release_key"];
        assert.deepEqual([...new Set(each.rejected.map(({ kind }) => kind))], rejected);
      }
      assert.equal((await stage.db.selectFrom("release_key").selectAll().execute()).length, 2);
    }));

  test("of one workload is not released to another that a view shows it for", () =>
    onStage(async (stage) => {
      await ask(stage);
      await sql`alter table release_key rename to keys`.execute(stage.db);
      // The view returns one name for WHERE, another for SELECT.
      await sql`create view release_key as
        select case abs(random() % 2) when 0 then 'other' else workload end as workload,
        sealed, created_at, mac from keys`.execute(stage.db);
      const shown = sql<{ workload: string }>`select workload from release_key where workload = 'other'`;
      let lied = 0;
      for (let count = 0; count < 40; count++) {
        const { rows } = await shown.execute(stage.db);
        if (rows[0]?.workload === "holdfast") lied++;
        const nonce = await challengeOf(stage, "other");
        const { status, body } = await release(stage, await requestOf(stage, { nonce, workload: "other" }));
        assert.notEqual(status, 200, JSON.stringify(body));
      }
      assert.ok(lied > 0, "The view lied");
    }));

  for (const column of ["sealed", "created_at", "mac"] as const) {
    test(`whose ${column} an attacker edited is refused`, () =>
      onStage(async (stage) => {
        const key = await ask(stage);
        const edited = column === "created_at" ? { created_at: 1 } : { [column]: new Uint8Array(32) };
        await stage.db.updateTable("release_key").set(edited).execute();
        await assertKnownOnly(stage, key);
        const counts = await verifyRows(stage.db, stage.vault);
        assert.equal(counts.find(({ kind }) => kind === "release_key")?.forged, 1);
      }));
  }

  test("releases the key again when it is restored", () =>
    onStage(async (stage) => {
      const key = await ask(stage);
      const [row] = await stage.db.selectFrom("release_key").selectAll().execute();
      await stage.db.deleteFrom("release_key").execute();
      await stage.db.insertInto("release_key").values(row!).execute();
      for (const each of [stage, await restart(stage)]) assert.deepEqual(await ask(each), key);
    }));
});

describe("the broker's limits", TIMEOUT, () => {
  async function onLimitedStage(job: (stage: BrokerStage) => Promise<void>): Promise<void> {
    const stage = await createBrokerStage({}, { limits: "on" });
    try {
      await job(stage);
    } finally {
      await stage.db.destroy();
    }
  }

  test("issue 30 nonces a minute to a network, including refused names, and record none beyond", () =>
    onLimitedStage(async (stage) => {
      for (let count = 0; count < 30; count++) {
        const workload = count < 15 ? "holdfast" : "stranger";
        assert.notEqual((await postTo(stage, "/v1/seal/challenge", { workload })).status, 429);
      }
      const { status, body } = await postTo(stage, "/v1/seal/challenge", { workload: "holdfast" });
      assert.equal(status, 429);
      assert.equal(body.code, "rate_limited");
      assert.equal((await auditOf(stage)).length, 15);
      stage.now += 60_000;
      await challengeOf(stage);
    }));

  test("allow a network 30 requests for a release a minute, granted or not", () =>
    onLimitedStage(async (stage) => {
      const value = { claims: "{}", quote: "AAAA" };
      for (let count = 0; count < 30; count++) {
        assert.equal((await postTo(stage, "/v1/seal/release", value)).status, 403);
      }
      assert.equal((await postTo(stage, "/v1/seal/release", value)).status, 429);
    }));
});

describe("the broker's routes", TIMEOUT, () => {
  test("refuse unknown members, wrong types and large bodies", () =>
    onStage(async (stage) => {
      const { claims, quote } = await requestOf(stage);
      const bad: readonly (readonly [path: string, value: unknown, status: number])[] = [
        ["/v1/seal/challenge", {}, 400],
        ["/v1/seal/challenge", { workload: 1 }, 400],
        ["/v1/seal/challenge", { workload: "holdfast", more: 1 }, 400],
        ["/v1/seal/challenge", { workload: "w".repeat(65) }, 400],
        ["/v1/seal/release", { claims }, 400],
        ["/v1/seal/release", { claims, quote, eventLog: "[]" }, 400],
        ["/v1/seal/release", { claims, quote: "%%%" }, 400],
        // Case-insensitive matching takes these two for an s and a k.
        ["/v1/seal/release", { claims, quote: "\u017fAAA" }, 400],
        ["/v1/seal/release", { claims, quote: "\u212aAAA" }, 400],
        ["/v1/seal/release", { claims: "c".repeat(1025), quote }, 400],
        ["/v1/seal/release", { claims, quote: "A".repeat(70_000) }, 413],
        ["/v1/seal/keys", {}, 404],
        ["/api/keys", {}, 404],
      ];
      for (const [path, value, status] of bad) {
        assert.equal(
          (await postTo(stage, path, value)).status,
          status,
          `${path} ${JSON.stringify(value).slice(0, 60)}`,
        );
      }
      assert.equal((await release(stage, { claims, quote })).status, 200);
    }));

  test("answer 503 and release nothing if the allow-list is invalid", () =>
    onStage(async (stage) => {
      const request = await requestOf(stage);
      stage.allowList = { workloads: { holdfast: {} } };
      assert.equal((await release(stage, request)).status >= 500, true);
      assert.deepEqual(await auditOf(stage), []);
      const { rows } = await sql`select nonce from release_challenge`.execute(stage.db);
      assert.equal(rows.length, 1, "the nonce is not lost by it");
    }));
});
