import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { DatabaseError } from "../../../src/db/error.ts";
import type { Db, Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { findRow, listRows } from "../../../src/store/read.ts";
import { readStoredRows, rebuildState } from "../../../src/store/state/rebuild-state.ts";
import { insertRow } from "../../../src/store/write.ts";
import { openTestDatabase } from "../../support/database.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { createTestAuthority } from "../../support/vault.ts";

const authority = createTestAuthority();
const OWNER = "acc_1";
const NOW = Date.UTC(2026, 0, 31);

async function insertIdentity(db: Db, id: string): Promise<void> {
  const identity = { id, issuer: "https://id.example", subject: id, account_id: OWNER, created_at: 1 };
  await insertRow(db, authority, "identity", identity);
}

async function openStage(): Promise<Db> {
  const db = await openTestDatabase();
  const account = {
    id: OWNER,
    email: "a@example.com",
    email_proved_by: null,
    name: null,
    language: "en",
  } as const;
  await insertRow(db, authority, "account", {
    ...account,
    created_at: 1,
    disabled_at: null,
    revision: null,
    updated_at: null,
  });
  for (const id of ["one", "two"]) await insertIdentity(db, id);
  return db;
}

async function stateOf(db: Db): Promise<Tables["owner_state"]> {
  return await db.selectFrom("owner_state").selectAll().where("owner", "=", OWNER).executeTakeFirstOrThrow();
}

/** Rebuilds the state with the stored account and identities. */
async function rebuild(db: Db, now = NOW): Promise<void> {
  await transaction(db, async (tx) => {
    const account = await readStoredRows(tx, authority, "account", OWNER);
    const identity = await readStoredRows(tx, authority, "identity", OWNER);
    const rows = new Map([["account", account.authentic], ["identity", identity.authentic]] as const);
    await rebuildState(tx, authority, { owner: OWNER, now }, rows);
  });
}

describe("rebuildState()", () => {
  test("makes the given rows add up, in this process and another, and deletes all others", async () => {
    const db = await openStage();
    await db.deleteFrom("identity").where("id", "=", "one").execute();
    await db.updateTable("identity").set({ subject: "forged" }).where("id", "=", "two").execute();
    const other = openSecondHandle(db);
    const list = (each: Db) => listRows(each, authority, "identity", "ofAccount", { account_id: OWNER });
    await assert.rejects(list(other), isInconsistent);
    assert.equal((await readStoredRows(db, authority, "identity", OWNER)).forged, 1);
    await rebuild(db);
    for (const each of [db, other]) {
      assert.deepEqual(await list(each), []);
      assert.equal(
        (await findRow(each, authority, "account", "byId", { id: OWNER }))?.email,
        "a@example.com",
      );
    }
    assert.equal((await db.selectFrom("identity").select("id").execute()).length, 0);
    await insertIdentity(db, "three");
    assert.equal((await list(openSecondHandle(db))).length, 1);
  });

  test("takes a version that the owner never had, also over an older state", async () => {
    const db = await openStage();
    const before = await stateOf(db);
    await insertIdentity(db, "three");
    await db.updateTable("owner_state").set(before).where("owner", "=", OWNER).execute();
    await rebuild(openSecondHandle(db));
    assert.equal(Number((await stateOf(db)).version), NOW);
    await rebuild(openSecondHandle(db), NOW - 1_000);
    assert.equal(Number((await stateOf(db)).version), NOW + 1);
    await db.updateTable("owner_state").set({ version: 2 ** 50 }).where("owner", "=", OWNER).execute();
    await rebuild(openSecondHandle(db), NOW + 1_000);
    assert.equal(Number((await stateOf(db)).version), NOW + 1_000, "a forged version does not count");
  });

  test("fails if a trigger keeps the state as it was", async () => {
    const db = await openStage();
    const before = await stateOf(db);
    await sql`create trigger t before delete on owner_state begin select raise(ignore); end`.execute(db);
    const isUnwritten = (error: unknown): boolean =>
      error instanceof DatabaseError && ["not_written", "schema_changed"].includes(error.code);
    await assert.rejects(rebuild(openSecondHandle(db)), isUnwritten);
    assert.deepEqual(await stateOf(db), before);
  });
});
