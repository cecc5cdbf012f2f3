import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyStates } from "../../../src/audit/verify-states.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { findRow } from "../../../src/store/read.ts";
import { CLIENT, SERVICE } from "../../../src/store/state/kinds.ts";
import { moveClients } from "../../../src/store/state/move-clients.ts";
import { insertRow, removeRow } from "../../../src/store/write.ts";
import { openTestDatabase } from "../../support/database.ts";
import type { Row } from "../../support/lying-database.ts";
import { joinClients } from "../../support/older-clients.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { createTestAuthority, createTestVault } from "../../support/vault.ts";
import { samplesOf } from "../sample.ts";
import { hide, put } from "./stage.ts";

const vault = createTestVault();
const authority = createTestAuthority(vault);

interface Stage {
  readonly db: Db;
  readonly clients: readonly Row[];
}

/** Opens a database of an older version: its clients belong to the service's state. */
async function openOlder(): Promise<Stage> {
  const db = await openTestDatabase();
  const samples = await samplesOf(db, "client");
  const clients = [1, 2].map((number) => samples.sealed(number));
  for (const row of clients) await put(db, "client", row);
  await joinClients({ db, vault });
  return { db, clients };
}

async function find({ db }: Stage, row: Row | undefined): Promise<unknown> {
  return await findRow(openSecondHandle(db), authority, "client", "byId", { id: row!["id"] as string });
}

async function faultsIn({ db }: Stage): Promise<readonly unknown[]> {
  return (await verifyStates(openSecondHandle(db), vault)).faults;
}

test("moveClients() gives each client a state of its own, once", async () => {
  const stage = await openOlder();
  const { db, clients: [first, second] } = stage;
  assert.deepEqual([await find(stage, first), await faultsIn(stage)], [undefined, []]);
  await moveClients(openSecondHandle(db), authority);
  for (const row of stage.clients) assert.deepEqual(await find(stage, row), row);
  assert.deepEqual(await faultsIn(stage), []);
  const entries = await db.selectFrom("audit_event").select("seq").execute();
  for (const each of [db, openSecondHandle(db)]) await moveClients(each, authority);
  assert.equal((await db.selectFrom("audit_event").select("seq").execute()).length, entries.length);
  await hide(db, "client", first!);
  await assert.rejects(find(stage, first), isInconsistent);
  assert.deepEqual(await find(stage, second), second);
  assert.deepEqual(await faultsIn(stage), [{ owner: `${CLIENT}${String(first!["id"])}`, kind: "client" }]);
});

test("moveClients() goes on in a process that changes the service and the clients", async () => {
  const stage = await openOlder();
  const { db, clients: [first, second] } = stage;
  const webhook = (await samplesOf(db, "webhook")).plain(1);
  await insertRow(db, authority, "webhook", webhook as never);
  await moveClients(db, authority);
  await transaction(db, (tx) => removeRow(tx, authority, "client", first as never));
  const added = await insertRow(db, authority, "client", (await samplesOf(db, "client")).plain(3) as never);
  assert.deepEqual([await find(stage, first), await find(stage, second)], [undefined, second]);
  assert.deepEqual(await find(stage, added as never), added);
  assert.deepEqual(await faultsIn(stage), []);
  // A deleted client that is put back is refused, and not moved again.
  await put(db, "client", first!);
  await moveClients(openSecondHandle(db), authority);
  await assert.rejects(find(stage, first), isInconsistent);
});

test("moveClients() moves the clients after a hidden one is back, beside one that was registered since", async () => {
  const stage = await openOlder();
  const { db, clients: [first, second] } = stage;
  await hide(db, "client", first!);
  await assert.rejects(moveClients(openSecondHandle(db), authority), isInconsistent);
  const samples = await samplesOf(db, "client");
  const added = await insertRow(db, authority, "client", samples.plain(3) as never) as unknown as Row;
  await put(db, "client", first!);
  await moveClients(openSecondHandle(db), authority);
  for (const row of [first, second, added]) assert.deepEqual(await find(stage, row), row);
  assert.deepEqual(await faultsIn(stage), []);
});

for (
  const [what, attack] of Object.entries({
    "is hidden": async ({ db, clients }: Stage) => await hide(db, "client", clients[0]!),
    "was added": async ({ db }: Stage) => await put(db, "client", (await samplesOf(db, "client")).sealed(3)),
    "is of another copy": async ({ db, clients }: Stage) => {
      const { mac: _, ...row } = clients[0] as Row & { mac: unknown };
      await put(db, "client", (await samplesOf(db, "client")).sealed(0, { ...row, name: "Other" }));
    },
  })
) {
  test(`moveClients() changes nothing if a client ${what}`, async () => {
    const stage = await openOlder();
    await attack(stage);
    await assert.rejects(moveClients(openSecondHandle(stage.db), authority), isInconsistent);
    for (const row of stage.clients) assert.equal(await find(stage, row), undefined);
    assert.deepEqual(await faultsIn(stage), [{ owner: SERVICE, kind: "client" }]);
  });
}
