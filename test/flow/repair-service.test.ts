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
import type { ServiceKind } from "../../src/store/state/kinds.ts";
import { insertRow, removeRow } from "../../src/store/write.ts";
import { createTestApp } from "../support/app.ts";
import type { TestApp } from "../support/app.ts";
import { signUp } from "../support/client.ts";
import { dropLogTriggers } from "../support/audit.ts";
import { openTestSqlite } from "../support/database.ts";
import type { Row } from "../support/lying-database.ts";
import { openSecondHandle } from "../support/state.ts";
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

async function repair({ db, vault, now }: Stage, isDry = false): Promise<ServiceRepair> {
  const found = await repairService(openSecondHandle(db), vault, { now, isDry, onPage: () => {} });
  if (typeof found === "string") assert.fail(found);
  return found;
}

async function storedRows({ db }: Stage, kind: ServiceKind): Promise<readonly Row[]> {
  const key = sql.join(keyOf(kind).map((column) => sql.ref(column)));
  return (await sql<Row>`select * from ${sql.table(kind)} order by ${key}`.execute(db)).rows;
}

const ATTACKS = {
  "missing": ({ db }, kind, row) => hide(db, kind, row),
  "there again after its end": async ({ db, vault, now }, kind, row) => {
    const [stored] = (await sql<Row>`select * from ${sql.table(kind)}`.execute(db)).rows
      .filter((each) => keyOf(kind).every((column) => each[column] === row[column]));
    await removeRow(db, createRowAuthority(vault, () => now), kind, row as never);
    await put(db, kind, stored!);
  },
} as const satisfies Readonly<Record<string, (stage: Stage, kind: ServiceKind, row: Row) => Promise<void>>>;

describe("repairService()", () => {
  for (const kind of KINDS) {
    for (const [what, attack] of Object.entries(ATTACKS)) {
      test(`${kind}: ${SERVICE_REPAIRS[kind]} if a row is ${what}`, async () => {
        const stage = await setStage();
        await attack(stage, kind, stage.rows.get(kind)![0]!);
        const before = await Promise.all(KINDS.map((each) => storedRows(stage, each)));
        const shown = await repair(stage, true);
        assert.deepEqual(shown.kinds.filter(({ addsUp }) => !addsUp).map((each) => each.kind), [kind]);
        assert.deepEqual(await repair(stage), shown, "the dry run changed nothing");
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
        assert.equal(
          left.length,
          SERVICE_REPAIRS[kind] === "removed" ? 0 : before[KINDS.indexOf(kind)]!.length,
        );
        if (SERVICE_REPAIRS[kind] === "disabled") assert.ok(left.every(({ disabled }) => disabled === 1));
        const { db, vault, now } = stage;
        assert.deepEqual((await verifyStates(openSecondHandle(db), vault)).faults, []);
        const request = { now, isDry: false, onPage: () => {} };
        assert.equal(await repairService(openSecondHandle(db), vault, request), "sound");
        const [entry] = await db.selectFrom("audit_event").select("detail")
          .where("event", "=", "service_repaired").execute();
        assert.deepEqual(JSON.parse(entry!.detail), { kinds: kind });
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
    await repair(stage);
    assert.deepEqual(await db.selectFrom("consent").select("client_id").execute(), []);
    assert.deepEqual((await verifyStates(openSecondHandle(db), vault)).faults, []);
  });

  test("drops a client that was edited, or that the log does not know", async () => {
    const stage = await setStage();
    const [edited] = stage.rows.get("client")!;
    await stage.db.updateTable("client").set({ redirect_uris: "[]" }).where(
      "id",
      "=",
      edited!["id"] as string,
    )
      .execute();
    const foreign = (await samplesOf(stage.db, "client")).plain(70);
    const mac = stage.vault.mac("client", foreign as never);
    await put(stage.db, "client", { ...foreign, mac });
    await repair(stage);
    const left = (await storedRows(stage, "client")).map(({ id }) => id);
    assert.deepEqual(left, [stage.rows.get("client")![1]!["id"]]);
  });

  test("refuses a service that adds up, and a log with a fault", async () => {
    const stage = await setStage();
    const { db, vault, now } = stage;
    const request = { now, isDry: false, onPage: () => {} };
    assert.equal(await repairService(openSecondHandle(db), vault, request), "sound");
    await dropLogTriggers(db);
    await db.deleteFrom("audit_checkpoint").execute();
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", 2).execute();
    assert.equal(await repairService(openSecondHandle(db), vault, request), "log_fault");
  });
});
