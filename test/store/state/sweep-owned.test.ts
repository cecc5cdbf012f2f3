import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Samples } from "../sample.ts";
import { verifyStates } from "../../../src/audit/verify-states.ts";
import {
  DEVICE_LIFETIME,
  ENDED_INVITATION_MEMORY,
  ENDED_TOKEN_MEMORY,
  LONGEST_SESSION_IDLE,
  SIGNING_REQUEST_MEMORY,
} from "../../../src/db/retention.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import type { Throttle } from "../../../src/db/sweep.ts";
import { DAY } from "../../../src/lib/time.ts";
import { sweepOwned } from "../../../src/store/state/sweep-owned.ts";
import { insertRow } from "../../../src/store/write.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import { proveAddress } from "../../support/client.ts";
import { onStage } from "../../support/editor-stage.ts";
import type { Row } from "../../support/lying-database.ts";
import { openSecondHandle } from "../../support/state.ts";
import { createTestVault } from "../../support/vault.ts";
import { hide, ownedStage, put } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

const NOW = 1_700_000_000_000;
const YEAR = 366 * 24 * 60 * 60 * 1000;
const unthrottled: Throttle = (batch) => batch();
const vault = createTestVault();

/** The swept kinds, and the time from the column's instant to the deletion. */
const SWEEPS: readonly (readonly [kind: AuthorityKind, column: string, after: number])[] = [
  ["invitation", "expires_at", ENDED_INVITATION_MEMORY],
  ["admin_session", "expires_at", 0],
  ["session", "expires_at", 0],
  ["session", "last_seen_at", LONGEST_SESSION_IDLE],
  ["account_device", "last_seen_at", DEVICE_LIFETIME],
  ["push_subscription", "expires_at", 0],
  ["api_token", "expires_at", ENDED_TOKEN_MEMORY],
  ["policy_use", "expires_at", ENDED_TOKEN_MEMORY],
  ["email_change", "expires_at", 0],
  ["authorization_grant", "expires_at", 0],
  ["signing_request", "expires_at", SIGNING_REQUEST_MEMORY],
];

interface SweepStage extends OwnedStage {
  /** Inserts a row that can be deleted at that instant, of the owner or another one. */
  readonly add: (number: number, end: number, owner?: string) => Promise<Row>;
  /** Returns the numbers of the rows that are left. */
  readonly left: () => Promise<readonly number[]>;
}

/** Returns the columns that tell a row's number: its time, if it has one. Otherwise its key does. */
function mark({ columns }: Samples, number: number): Row {
  return columns.includes("created_at") ? { created_at: number } : {};
}

function numberOf(row: Row): number {
  return Number(row["created_at"] ?? String(row["holder_id"]).split(" ").at(-1));
}

/** Opens a database without rows of the kind. */
async function stageOf(kind: AuthorityKind, column: string, after: number): Promise<SweepStage> {
  const stage = await ownedStage(kind);
  const { db, authority, samples } = stage;
  await sweepOwned(db, authority, NOW, unthrottled);
  assert.equal(await count(db, kind), 0);
  const far = Object.fromEntries(
    ["expires_at", "last_seen_at"].filter((name) => samples.columns.includes(name)).map((
      name,
    ) => [name, NOW + YEAR]),
  );
  return Object.assign(stage, {
    add: async (number: number, end: number, owner = "acc_1") => {
      const of = samples.columns.includes("account_id") ? { account_id: owner } : {};
      const row = samples.plain(number, { ...far, ...of, ...mark(samples, number), [column]: end - after });
      return await insertRow(db, authority, kind, row as never) as unknown as Row;
    },
    left: async () => {
      const rows = await db.selectFrom(kind).selectAll().execute() as readonly Row[];
      return rows.map(numberOf).sort((one, other) => one - other);
    },
  });
}

async function count(db: Db, kind: AuthorityKind): Promise<number> {
  return (await db.selectFrom(kind).select("mac").execute()).length;
}

/** Returns the owners and kinds that do not add up, as a new process reads them. */
async function faultsIn(db: Db): Promise<readonly unknown[]> {
  const { faults, missing } = await verifyStates(openSecondHandle(db), vault);
  assert.equal(missing, 0);
  return faults;
}

for (const [kind, column, after] of SWEEPS) {
  describe(`sweepOwned() of ${kind} by ${column}`, () => {
    test("deletes what has ended and nothing else, and the states add up", async () => {
      const { db, authority, add, left } = await stageOf(kind, column, after);
      for (const [index, end] of [0, NOW - 1, NOW, NOW + 1, NOW + 2].entries()) await add(index, end);
      for (const [index, end] of [NOW, NOW + 1].entries()) await add(10 + index, end, "acc_2");
      assert.equal(await sweepOwned(openSecondHandle(db), authority, NOW, unthrottled), 4);
      assert.deepEqual(await left(), [3, 4, 11]);
      assert.deepEqual(await faultsIn(db), []);
      assert.equal(await sweepOwned(db, authority, NOW, unthrottled), 0);
      assert.deepEqual(authority.rejected, []);
    });

    test("deletes a row that the service did not write", async () => {
      const { db, authority, samples, add, left } = await stageOf(kind, column, after);
      await add(1, NOW + 1);
      const forged = { ...samples.sealed(2), ...mark(samples, 2), [column]: NOW - after - 1 };
      await put(db, kind, forged);
      assert.equal(await sweepOwned(openSecondHandle(db), authority, NOW, unthrottled), 1);
      assert.deepEqual(await left(), [1]);
      assert.deepEqual(await faultsIn(db), []);
    });

    test("works in batches of 50, each run by the throttle", async () => {
      const { db, authority, add } = await stageOf(kind, column, after);
      for (let number = 0; number < 120; number++) await add(number, NOW - number, `acc_${number % 3}`);
      const batches: number[] = [];
      const swept = await sweepOwned(openSecondHandle(db), authority, NOW, async (batch) => {
        const before = await count(db, kind);
        const result = await batch();
        batches.push(before - await count(db, kind));
        return result;
      });
      assert.equal(swept, 120);
      assert.deepEqual(batches, [50, 50, 20]);
      assert.deepEqual(await faultsIn(db), []);
    });
  });
}

for (
  const [kind, column, after] of SWEEPS.filter(([kind]) => !["invitation", "admin_session"].includes(kind))
) {
  test(`sweepOwned() of ${kind} by ${column} leaves an owner whose rows do not add up, and goes on`, async () => {
    const { db, authority, add, left } = await stageOf(kind, column, after);
    // More than a batch of them come first.
    for (let number = 0; number < 60; number++) await add(number, NOW - 1000 + number, "acc_wrong");
    for (let number = 100; number < 160; number++) await add(number, NOW - 160 + number - 100, "acc_right");
    await hide(db, kind, await add(99, NOW + 1, "acc_wrong"));
    assert.equal(await sweepOwned(openSecondHandle(db), authority, NOW, unthrottled), 60);
    assert.deepEqual(await left(), Array.from({ length: 60 }, (_, index) => index));
    assert.deepEqual(await faultsIn(db), [{ owner: "acc_wrong", kind }]);
    assert.ok(authority.inconsistent.every(({ owner }) => owner === "acc_wrong"));
  });
}

for (const sweeper of ["app", "other"] as const) {
  test(`an address has codes again at each process after "${sweeper}" swept its state`, () =>
    onStage(async (stage) => {
      const { app, other } = stage;
      const email = "frank@example.com";
      await proveAddress(other.client(), email);
      app.now = other.now = app.now + 2 * DAY;
      await stage[sweeper].maintain();
      // Its state has the same version as before.
      await proveAddress(app.client(), email);
      await proveAddress(other.client(), email);
    }));
}
