import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { COOLDOWN, usualColumns } from "../../../src/accounts/recovery/recovery-settings.ts";
import {
  readState,
  type RecoveryState,
  requireNoCooldown,
  writeState,
} from "../../../src/accounts/recovery/recovery-state.ts";
import type { Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { NOW, openFixture, problem } from "../fixture.ts";
import { insertPerson } from "../people.ts";

type Change = Partial<Omit<Tables["account_recovery"], "account_id" | "mac" | "revision">>;

async function stage() {
  const fixture = await openFixture();
  const { db, services } = fixture;
  const { account: { id: accountId } } = await insertPerson(fixture, "alice@example.com");
  const read = (handle = db): Promise<RecoveryState> => readState(handle, services, accountId);
  const write = (change: Change) =>
    transaction(db, async (tx) => {
      const state = await readState(tx, services, accountId);
      return await writeState(tx, services, state, {
        act: "choices_changed",
        change,
        subject: null,
        now: NOW,
      });
    });
  const relax = (handle = db): Promise<void> =>
    transaction(handle, (tx) => requireNoCooldown(tx, services, { accountId, now: NOW }));
  const row = () => db.selectFrom("account_recovery").selectAll().executeTakeFirstOrThrow();
  return { ...fixture, accountId, read, write, relax, row };
}

describe("readState()", () => {
  test("returns the default without a row, and what was written", async () => {
    const { accountId, read, write } = await stage();
    assert.deepEqual((await read()).columns, usualColumns(accountId));
    const written = await write({ delay_hours: 48 });
    assert.equal(written.revision, 1);
    assert.deepEqual((await read()).columns, written);
  });

  test("ignores a row that an attacker inserted, and writeState() replaces it", async () => {
    const { db, rejected, accountId, read, write, row } = await stage();
    const forged = { ...usualColumns(accountId), email_alone: 1 as const, mac: new Uint8Array(32) };
    await db.insertInto("account_recovery").values(forged).execute();
    for (const handle of [db, openSecondHandle(db)]) {
      assert.deepEqual((await read(handle)).columns, usualColumns(accountId));
    }
    await write({ delay_hours: 48 });
    assert.deepEqual([(await row()).delay_hours, (await row()).email_alone], [48, 0]);
    assert.equal((await read(openSecondHandle(db))).columns.delay_hours, 48);
    assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["account_recovery"]);
  });
});

describe("requireNoCooldown()", () => {
  test("throws recently_recovered, also after a start", async () => {
    const { db, write, relax } = await stage();
    await relax();
    await write({ cooldown_ends_at: NOW + COOLDOWN, observed_at_cooldown_end: COOLDOWN });
    for (const handle of [db, openSecondHandle(db)]) {
      await assert.rejects(relax(handle), problem("recently_recovered"));
    }
  });

  test("is refused as inconsistent when the row was deleted, edited or restored", async () => {
    const { db, read, write, relax, row } = await stage();
    await write({ delay_hours: 48 });
    const earlier = await row();
    await write({ cooldown_ends_at: NOW + COOLDOWN, observed_at_cooldown_end: COOLDOWN });
    const edited = { ...await row(), cooldown_ends_at: null };
    for (const attack of [earlier, edited, undefined]) {
      await db.deleteFrom("account_recovery").execute();
      if (attack !== undefined) await db.insertInto("account_recovery").values(attack).execute();
      for (const handle of [db, openSecondHandle(db)]) {
        await assert.rejects(relax(handle), isInconsistent);
        await assert.rejects(read(handle), isInconsistent);
      }
    }
  });
});
