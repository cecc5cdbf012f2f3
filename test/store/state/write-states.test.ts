import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { appendAudit } from "../../../src/audit/log.ts";
import { createGroupCommit } from "../../../src/db/group-commit.ts";
import type { Db, Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { primaryLookup } from "../../../src/store/lookups.ts";
import { selectOne } from "../../../src/store/queries.ts";
import { findRow, listRows } from "../../../src/store/read.ts";
import { stateTagsOf } from "../../../src/store/state/state-tags.ts";
import { SERVICE } from "../../../src/store/state/kinds.ts";
import { consumeRow, insertRow, removeRow, replaceRow } from "../../../src/store/write.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { createTestVault } from "../../support/vault.ts";
import type { Row } from "../../support/lying-database.ts";
import { changeOf, hide, OWNED_KINDS, ownedStage } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

const identity = (number: number, owner = "account_id 0") => ({
  id: `identity_${number}`,
  issuer: "https://id.example",
  subject: `subject ${number}`,
  account_id: owner,
  created_at: number,
});

async function statesIn(db: Db): Promise<readonly Tables["owner_state"][]> {
  return await db.selectFrom("owner_state").selectAll().orderBy("owner").execute();
}

async function logOf(db: Db): Promise<readonly Tables["audit_event"][]> {
  return await db.selectFrom("audit_event").selectAll().orderBy("seq").execute();
}

/** Returns the ids of the owner's identities, as this handle and a new process read them. */
async function idsIn({ db, authority, owner }: OwnedStage): Promise<readonly string[]> {
  const [known, read] = await Promise.all(
    [db, openSecondHandle(db)].map(async (each) =>
      (await listRows(each, authority, "identity", "ofAccount", { account_id: owner })).map(({ id }) => id)
    ),
  );
  assert.deepEqual(known, read);
  return known!;
}

/** Opens a database with two identities of an owner. */
async function stageOf(): Promise<OwnedStage> {
  const stage = await ownedStage("identity");
  for (const row of stage.rows) {
    await transaction(stage.db, (tx) => removeRow(tx, stage.authority, "identity", row as never));
  }
  for (const number of [1, 2]) await insertRow(stage.db, stage.authority, "identity", identity(number));
  return stage;
}

const BOTH = ["identity_1", "identity_2"];

describe("a transaction that changes rows with a state", () => {
  test("names the owner's new state in its last entry, and the service's in one of its own", async () => {
    const { db, authority, owner } = await stageOf();
    const before = (await logOf(db)).length;
    await transaction(db, async (tx) => {
      const record = (accountId: string, subject: string) =>
        appendAudit(tx, vault, AT + 5, { event: "signed_out", accountId, subject, detail: {} });
      await record(owner, "first");
      await insertRow(tx, authority, "identity", identity(3));
      await record(owner, "last");
      await record("acc_unchanged", "other");
      await insertRow(tx, authority, "release_key", {
        workload: "w",
        sealed: new Uint8Array(),
        created_at: 1,
      });
      assert.equal((await logOf(tx)).length, before);
    });
    const states = new Map((await statesIn(db)).map((row) => [row.owner, row.mac.subarray(0, 12)]));
    const added = (await logOf(db)).slice(before).map(({ event, at, account_id, subject, state }) => ({
      event,
      at,
      account_id,
      subject,
      state,
    }));
    const at = AT + 5;
    assert.deepEqual(added, [
      { event: "signed_out", at, account_id: owner, subject: "first", state: null },
      { event: "signed_out", at, account_id: owner, subject: "last", state: states.get(owner)! },
      { event: "signed_out", at, account_id: "acc_unchanged", subject: "other", state: null },
      { event: "state_changed", at, account_id: null, subject: null, state: states.get(SERVICE)! },
    ]);
    assert.deepEqual(stateTagsOf(db).table.find(owner), states.get(owner));
    assert.deepEqual(stateTagsOf(db).table.find(SERVICE), states.get(SERVICE));
  });

  for (const memory of ["with", "without"]) {
    test(`sees its own changes, and others see them after the commit, ${memory} rows in memory`, async () => {
      const stage = await stageOf();
      const { db, authority, owner } = stage;
      const handle = memory === "with" ? db : openSecondHandle(db);
      await transaction(handle, async (tx) => {
        const ids = async () =>
          (await listRows(tx, authority, "identity", "ofAccount", { account_id: owner })).map(({ id }) => id);
        const third = await insertRow(tx, authority, "identity", identity(3));
        assert.deepEqual(await ids(), [...BOTH, "identity_3"]);
        const moved = await replaceRow(tx, authority, "identity", third, { created_at: 0 });
        assert.deepEqual(await ids(), ["identity_3", ...BOTH]);
        assert.deepEqual(await consumeRow(tx, authority, "identity", "byId", { id: "identity_1" }), {
          ...identity(1),
          mac: vault.mac("identity", identity(1)),
        });
        await removeRow(tx, authority, "identity", moved);
        assert.deepEqual(await ids(), ["identity_2"]);
        await insertRow(tx, authority, "identity", identity(1));
        assert.deepEqual(await ids(), BOTH);
      });
      assert.deepEqual(await idsIn(stage), BOTH);
    });
  }

  test("leaves states, log and memory as they were if it is rolled back", async () => {
    const stage = await stageOf();
    const { db, authority } = stage;
    const before = [await statesIn(db), await logOf(db)];
    await assert.rejects(
      transaction(db, async (tx) => {
        await insertRow(tx, authority, "identity", identity(3));
        await consumeRow(tx, authority, "identity", "byId", { id: "identity_1" });
        throw new Error("It was rolled back");
      }),
      /It was rolled back/,
    );
    assert.deepEqual([await statesIn(db), await logOf(db)], before);
    assert.deepEqual(await idsIn(stage), BOTH);
  });

  test("leaves no change of a job that was rolled back to a savepoint", async () => {
    const stage = await stageOf();
    const { db, authority, owner } = stage;
    const [{ version }] = await db.selectFrom("owner_state").select("version").where("owner", "=", owner)
      .execute() as [{ version: number }];
    const { run } = createGroupCommit(db);
    const jobs = await Promise.allSettled([
      run((tx) => insertRow(tx, authority, "identity", identity(3))),
      run(async (tx) => {
        await insertRow(tx, authority, "identity", identity(4));
        await consumeRow(tx, authority, "identity", "byId", { id: "identity_1" });
        await insertRow(tx, authority, "identity", identity(9, "acc_other"));
        throw new Error("It was rolled back to a savepoint");
      }),
      run((tx) => consumeRow(tx, authority, "identity", "byId", { id: "identity_2" })),
    ]);
    assert.deepEqual(jobs.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    assert.deepEqual(await idsIn(stage), ["identity_1", "identity_3"]);
    const states = await statesIn(db);
    assert.ok(states.every((state) => state.owner !== "acc_other"));
    assert.ok(states.find((state) => state.owner === owner)!.version <= version + 2);
  });

  test("is rolled back with conflict if another transaction changed the state after it was read", async () => {
    const stage = await stageOf();
    const { db, authority, owner } = stage;
    await assert.rejects(
      transaction(db, async (tx) => {
        await listRows(tx, authority, "identity", "ofAccount", { account_id: owner });
        await insertRow(tx, authority, "identity", identity(3));
        await tx.updateTable("owner_state").set({ version: 99, mac: new Uint8Array(32) })
          .where("owner", "=", owner).execute();
      }),
      { code: "conflict" },
    );
    assert.deepEqual(await idsIn(stage), BOTH);
  });

  test("is rolled back with conflict if another transaction made the first state", async () => {
    const { db, authority } = await stageOf();
    await assert.rejects(
      transaction(db, async (tx) => {
        await listRows(tx, authority, "identity", "ofAccount", { account_id: "acc_new" });
        await insertRow(tx, authority, "identity", identity(9, "acc_new"));
        const state = { owner: "acc_new", version: 1, sets: new Uint8Array(), mac: new Uint8Array(32) };
        await tx.insertInto("owner_state").values(state).execute();
      }),
      { code: "conflict" },
    );
    assert.deepEqual(await listRows(db, authority, "identity", "ofAccount", { account_id: "acc_new" }), []);
  });

  test("is refused if the state is not the newest, and changes nothing", async () => {
    const stage = await stageOf();
    const { db, authority, owner } = stage;
    const before = (await statesIn(db)).find((state) => state.owner === owner)!;
    await insertRow(db, authority, "identity", identity(3));
    await db.updateTable("owner_state").set(before).where("owner", "=", owner).execute();
    const log = await logOf(db);
    for (const handle of [db, openSecondHandle(db)]) {
      await assert.rejects(insertRow(handle, authority, "identity", identity(4)), isInconsistent);
      await assert.rejects(
        consumeRow(handle, authority, "identity", "byId", { id: "identity_1" }),
        isInconsistent,
      );
    }
    assert.deepEqual(await logOf(db), log);
    assert.equal(
      (await db.selectFrom("identity").select("id").where("account_id", "=", owner).execute()).length,
      3,
    );
  });
});

describe("a row inserted in place of one that was hidden", () => {
  for (const kind of OWNED_KINDS) {
    test(`is refused for ${kind}, and by a new process when it is read`, async () => {
      const stage = await ownedStage(kind);
      const { db, authority, rows: [row] } = stage;
      const { mac: _, ...inPlace } = { ...row!, ...changeOf(stage, row!) } as Row & { mac: unknown };
      const find = (handle: Db) => findRow(handle, authority, kind, primaryLookup(kind), row as never);
      await hide(db, kind, row!);
      await assert.rejects(insertRow(db, authority, kind, inPlace as never), isInconsistent);
      assert.equal((await selectOne(kind, primaryLookup(kind))(db, row!)).length, 0);
      const another = openSecondHandle(db);
      await insertRow(another, authority, kind, inPlace as never);
      for (const handle of [db, another]) await assert.rejects(find(handle), isInconsistent);
    });
  }
});

/** Triggers that keep a state from being written as it should. */
const TRIGGERS: Readonly<Record<string, { readonly sql: string; readonly owner: string }>> = {
  "ignores the update": {
    sql: "create trigger lie before update on owner_state begin select raise(ignore); end",
    owner: "account_id 0",
  },
  "ignores the insertion": {
    sql: "create trigger lie before insert on owner_state begin select raise(ignore); end",
    owner: "acc_new",
  },
};

/** Triggers that change a state after it was written. */
const LATER: Readonly<Record<string, string>> = {
  "deletes the state": "delete from owner_state where owner = new.owner",
  "changes the version": "update owner_state set version = version + 1 where owner = new.owner",
  "changes the sets": "update owner_state set sets = zeroblob(length(sets)) where owner = new.owner",
  "restores the older state":
    "update owner_state set version = old.version, sets = old.sets, mac = old.mac where owner = new.owner",
};

describe("a database with a trigger that", () => {
  for (const [title, { sql: trigger, owner }] of Object.entries(TRIGGERS)) {
    test(`${title} of a state has the transaction rolled back with not_written`, async () => {
      const stage = await stageOf();
      const { db, authority } = stage;
      const log = await logOf(db);
      await sql.raw(trigger).execute(db);
      const insert = () => insertRow(db, authority, "identity", identity(3, owner));
      await assert.rejects(insert(), { code: "not_written" });
      assert.deepEqual(await logOf(db), log);
      await sql`drop trigger lie`.execute(db);
      assert.deepEqual(await idsIn(stage), BOTH);
      await insert();
      assert.deepEqual(
        (await listRows(db, authority, "identity", "ofAccount", { account_id: owner })).at(-1)!.id,
        "identity_3",
      );
    });
  }

  for (const [title, change] of Object.entries(LATER)) {
    test(`${title} after it was written is noticed by the next read`, async () => {
      const { db, authority, owner } = await stageOf();
      const trigger =
        `create trigger lie after update on owner_state when new.mac <> old.mac begin ${change}; end`;
      await sql.raw(trigger).execute(db);
      await insertRow(db, authority, "identity", identity(3));
      for (const handle of [db, openSecondHandle(db)]) {
        await assert.rejects(
          listRows(handle, authority, "identity", "ofAccount", { account_id: owner }),
          isInconsistent,
        );
      }
    });
  }
});
