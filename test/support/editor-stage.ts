import { setImmediate as nextEvent } from "node:timers/promises";
import { closeDatabase, connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { createTestApp } from "./app.ts";
import type { TestApp } from "./app.ts";
import { signUp } from "./client.ts";
import type { Client } from "./client.ts";
import { openSeveral } from "./lent-postgres.ts";
import { isOnPostgres } from "./postgres.ts";
import { temporaryFolder } from "./temporary.ts";

/** Two processes on one database. The owner uses the first, so the second has not cached what the owner ended. */
export interface Stage {
  readonly app: TestApp;
  readonly db: Db;
  readonly owner: Client;
  readonly keyPath: string;
  readonly other: TestApp;
  /** Creates a client of the second process with the cookies and passkeys of a client of the first. */
  elsewhere(client: Client): Client;
  /** Runs `act`, then restores the tables' rows from before it. */
  undo<T>(tables: readonly (keyof Tables)[], act: () => Promise<T>): Promise<T>;
  /** Deletes the tables' rows while `act` runs. */
  hide<T>(tables: readonly (keyof Tables)[], act: () => Promise<T>): Promise<T>;
}

async function openLent(): Promise<readonly [Db, Db]> {
  const [one, other] = await openSeveral(2);
  return [connectDatabase(one!), connectDatabase(other!)];
}

async function openFile(path: string): Promise<readonly [Db, Db]> {
  const open = async () => await openDatabase(await openSqlite(path));
  return [await open(), await open()];
}

export async function onStage(job: (stage: Stage) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const [db, otherDb] = isOnPostgres ? await openLent() : await openFile(`${folder.path}/holdfast.db`);
  const [app, other] = [await createTestApp({ db }), await createTestApp({ db: otherDb })];
  const owner = app.client();
  const { body } = await signUp(owner, "alice@example.com");
  const stage: Stage = {
    app,
    db,
    owner,
    keyPath: `/api/keys/${body.key.id}`,
    other,
    elsewhere({ authenticator, cookies }) {
      const client = { ...other.client(), authenticator };
      for (const [name, value] of cookies) client.cookies.set(name, value);
      return client;
    },
    async undo(tables, act) {
      const copies = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
      const result = await act();
      for (const [index, table] of tables.entries()) {
        for (const row of copies[index]!) await restoreRow(db, table, row);
      }
      return result;
    },
    async hide(tables, act) {
      return await stage.undo(tables, async () => {
        for (const table of tables) await db.deleteFrom(table).execute();
        await nextEvent();
        return await act();
      });
    },
  };
  try {
    await job(stage);
  } finally {
    for (const each of [db, otherDb]) await closeDatabase(each);
  }
}

const KEYS: Partial<Record<keyof Tables, readonly string[]>> = {
  challenge: ["kind", "challenge"],
  code_use: ["address_id"],
  consent: ["account_id", "client_id", "redirect_target"],
  owner_state: ["owner"],
  policy_use: ["holder_id"],
};

export async function restoreRow(db: Db, table: keyof Tables, row: object): Promise<void> {
  const key = KEYS[table] ?? ["id"];
  await db.insertInto(table).values(row as never)
    .onConflict((conflict) => conflict.columns(key as never).doUpdateSet(row as never)).execute();
  await nextEvent();
}
