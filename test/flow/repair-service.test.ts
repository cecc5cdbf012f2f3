import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { appendAudit } from "../../src/audit/log.ts";
import { createRowAuthority } from "../../src/audit/row-authority.ts";
import { verifyStates } from "../../src/audit/verify-states.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { repairService, SERVICE_REPAIRS } from "../../src/recovery/repair-service.ts";
import type { ServiceRepair } from "../../src/recovery/repair-service.ts";
import { keyOf } from "../../src/store/lookups.ts";
import { CLIENT, ownerOf, SERVICE, type ServiceKind } from "../../src/store/state/kinds.ts";
import { findRow } from "../../src/store/read.ts";
import { sweepOwned } from "../../src/store/state/sweep-owned.ts";
import { insertRow, removeRow } from "../../src/store/write.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { dropLogTriggers } from "../support/audit.ts";
import { openTestSqlite } from "../support/database.ts";
import type { Row } from "../support/lying-database.ts";
import { DAY } from "../../src/lib/time.ts";
import { joinClients } from "../support/older-clients.ts";
import { isInconsistent, openSecondHandle } from "../support/state.ts";
import { samplesOf } from "../store/sample.ts";
import { hide, put } from "../store/state/stage.ts";

const KINDS = Object.keys(SERVICE_REPAIRS) as ServiceKind[];

interface Stage extends Pick<TestApp, "vault" | "now"> {
  readonly app: TestApp;
  readonly db: Db;
  /** Two rows of each kind, as they are stored. */
  readonly rows: ReadonlyMap<ServiceKind, readonly Row[]>;
}

async function setStage(): Promise<Stage> {
  const db = await openTestSqlite();
  // The rows of a kind stand without those that they refer to.
  await sql`pragma foreign_keys = off`.execute(db);
  const app = await createTestApp({ db });
  const { vault, now } = app;
  const authority = createRowAuthority(vault, () => now);
  const rows = new Map<ServiceKind, readonly Row[]>();
  for (const kind of KINDS) {
    const samples = await samplesOf(db, kind);
    const stored: Row[] = [];
    for (const number of [60, 61]) {
      await transaction(db, async (tx) => {
        const row = await insertRow(
          tx,
          authority,
          kind,
          samples.plain(number, kind === "client" ? { disabled: 0 } : {}) as never,
        );
        stored.push(row as unknown as Row);
        const event = { event: "client_registered", accountId: null, detail: { type: "native" } } as const;
        const subject = String(samples.plain(number)["id"]);
        if (kind === "client") await appendAudit(tx, vault, now, { ...event, subject });
      });
    }
    rows.set(kind, stored);
  }
  return { app, db, vault, now, rows };
}

async function repair({ db, vault, now }: Stage, owner: string, isDry = false): Promise<ServiceRepair> {
  const found = await repairService(openSecondHandle(db), vault, { owner, now, isDry, onPage: () => {} });
  if (typeof found === "string") assert.fail(found);
  return found;
}

async function storedRows({ db }: Stage, kind: ServiceKind): Promise<readonly Row[]> {
  const key = sql.join(keyOf(kind).map((column) => sql.ref(column)));
  return (await sql<Row>`select * from ${sql.table(kind)} order by ${key}`.execute(db)).rows;
}

function isSame(kind: ServiceKind, one: Row, other: Row): boolean {
  return keyOf(kind).every((column) => one[column] === other[column]);
}

const ATTACKS = {
  "missing": ({ db }, kind, row) => hide(db, kind, row),
  "there again after its end": async ({ db, vault, now }, kind, row) => {
    const [stored] = (await sql<Row>`select * from ${sql.table(kind)}`.execute(db)).rows
      .filter((each) => isSame(kind, each, row));
    await removeRow(db, createRowAuthority(vault, () => now), kind, row as never);
    await put(db, kind, stored!);
  },
} as const satisfies Readonly<Record<string, (stage: Stage, kind: ServiceKind, row: Row) => Promise<void>>>;

describe("repairService()", () => {
  for (const kind of KINDS) {
    for (const [what, attack] of Object.entries(ATTACKS)) {
      test(`${kind}: ${SERVICE_REPAIRS[kind]} if a row is ${what}`, async () => {
        const stage = await setStage();
        const [attacked, sound] = stage.rows.get(kind)! as [Row, Row];
        const owner = ownerOf(kind, attacked)!;
        await attack(stage, kind, attacked);
        const before = await Promise.all(KINDS.map((each) => storedRows(stage, each)));
        const shown = await repair(stage, owner, true);
        assert.deepEqual(shown.kinds.filter(({ addsUp }) => !addsUp).map((each) => each.kind), [kind]);
        assert.deepEqual(await repair(stage, owner), shown, "the dry run changed nothing");
        const after = new Map(
          await Promise.all(KINDS.map(async (each) => [each, await storedRows(stage, each)] as const)),
        );
        for (const [index, each] of KINDS.entries()) {
          if (each !== kind) assert.deepEqual(after.get(each), before[index], each);
        }
        const left = after.get(kind)!;
        if (SERVICE_REPAIRS[kind] === "refused") {
          assert.deepEqual(shown.refused, [kind]);
          assert.deepEqual(left, before[KINDS.indexOf(kind)]);
          return;
        }
        assert.deepEqual(shown.refused, []);
        const { db, vault, now } = stage;
        const [repaired] = left.filter((row) => isSame(kind, row, attacked));
        const others = left.filter((row) => !isSame(kind, row, attacked));
        if (SERVICE_REPAIRS[kind] === "removed") assert.deepEqual(left, []);
        else assert.deepEqual(others.map(({ mac }) => mac), [sound["mac"]], "the rows of other owners stay");
        if (SERVICE_REPAIRS[kind] === "disabled") {
          assert.equal(repaired?.["disabled"], what === "missing" ? undefined : 1);
        } else if (SERVICE_REPAIRS[kind] === "used_up") {
          assert.deepEqual([repaired?.["used_at"], repaired?.["tried_until"]], [now, now + DAY]);
        }
        assert.deepEqual((await verifyStates(openSecondHandle(db), vault)).faults, []);
        const request = { owner, now, isDry: false, onPage: () => {} };
        assert.equal(await repairService(openSecondHandle(db), vault, request), "sound");
        const [entry] = await db.selectFrom("audit_event").select(["subject", "detail"])
          .where("event", "=", "service_repaired").execute();
        assert.deepEqual(JSON.parse(entry!.detail), { kinds: kind });
        assert.equal(entry!.subject, owner === SERVICE ? null : owner.replace(CLIENT, ""));
      });
    }
  }

  test("ends the consents of a client that is missing, and the account adds up", async () => {
    const stage = await setStage();
    const { app, db, vault, now, rows } = stage;
    const { body } = await signUp(app.client(), "alice@example.com");
    const [client] = rows.get("client")!;
    const consent = (await samplesOf(db, "consent")).plain(1, {
      account_id: body.account.id,
      client_id: client!["id"],
    });
    await insertRow(db, createRowAuthority(vault, () => now), "consent", consent as never);
    await hide(db, "client", client!);
    await repair(stage, ownerOf("client", client!)!);
    assert.deepEqual(await db.selectFrom("consent").select("client_id").execute(), []);
    assert.deepEqual((await verifyStates(openSecondHandle(db), vault)).faults, []);
  });

  test("drops a client that was edited, and refuses one that the log does not know", async () => {
    const stage = await setStage();
    const { db, vault, now } = stage;
    const [edited, sound] = stage.rows.get("client")!;
    const id = edited!["id"] as string;
    await db.updateTable("client").set({ redirect_uris: "[]" }).where("id", "=", id).execute();
    const foreign = (await samplesOf(db, "client")).sealed(70);
    await put(db, "client", foreign);
    await repair(stage, CLIENT + id);
    const left = (await storedRows(stage, "client")).map((row) => row["id"]);
    assert.deepEqual(left, [sound!["id"], foreign["id"]].toSorted());
    const request = { owner: ownerOf("client", foreign)!, now, isDry: false, onPage: () => {} };
    assert.equal(await repairService(openSecondHandle(db), vault, request), "unknown");
  });

  test("gives the clients of an older version states of their own, disabled if they do not add up", async () => {
    for (const isAttacked of [false, true]) {
      const stage = await setStage();
      const { db } = stage;
      const clients = stage.rows.get("client")!;
      await joinClients(stage);
      const since = (await samplesOf(db, "client")).plain(62, { disabled: 0 });
      await insertRow(db, createRowAuthority(stage.vault, () => stage.now), "client", since as never);
      if (isAttacked) await hide(db, "client", clients[0]!);
      const [webhook] = stage.rows.get("webhook")!;
      await hide(db, "webhook", webhook!);
      await repair(stage, SERVICE);
      const left = (await storedRows(stage, "client")).map((row) => [row["id"], row["disabled"]]);
      const moved = isAttacked ? [[clients[1]!["id"], 1]] : clients.map(({ id }) => [id, 0]);
      assert.deepEqual(left, [...moved, [since["id"], 0]]);
      assert.deepEqual((await verifyStates(openSecondHandle(db), stage.vault)).faults, []);
    }
  });

  test("gives an address a state again whose forgotten one is put back", async () => {
    const stage = await setStage();
    const { db, vault, now } = stage;
    const [use] = stage.rows.get("code_use")!;
    const owner = ownerOf("code_use", use!)!;
    const [state] = await db.selectFrom("owner_state").selectAll().where("owner", "=", owner).execute();
    const authority = createRowAuthority(vault, () => now);
    await sweepOwned(db, authority, Number.MAX_SAFE_INTEGER, (batch) => batch());
    await db.insertInto("owner_state").values(state!).execute();
    const found = (handle: Db): Promise<unknown> =>
      findRow(handle, authority, "code_use", "byAddress", { address_id: owner });
    await assert.rejects(found(openSecondHandle(db)), isInconsistent);
    await repair(stage, owner);
    assert.ok(await found(openSecondHandle(db)));
    assert.deepEqual((await verifyStates(openSecondHandle(db), vault)).faults, []);
  });

  test("refuses a service that adds up, and a log with a fault", async () => {
    const stage = await setStage();
    const { db, vault, now } = stage;
    const request = { owner: SERVICE, now, isDry: false, onPage: () => {} };
    assert.equal(await repairService(openSecondHandle(db), vault, request), "sound");
    await dropLogTriggers(db);
    await db.deleteFrom("audit_checkpoint").execute();
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", 2).execute();
    assert.equal(await repairService(openSecondHandle(db), vault, request), "log_fault");
  });
});
