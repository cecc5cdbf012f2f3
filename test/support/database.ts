import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Engine } from "../../src/db/engine.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { type BunDatabase, bunEngine } from "../../src/runtime/sqlite/bun.ts";
import { nodeEngine } from "../../src/runtime/sqlite/deno.ts";
import { IN_MEMORY } from "../../src/runtime/sqlite/open.ts";
import { type ForeignKeys, openReusedSqlite } from "./reused-sqlite.ts";
import { getSharedFixture } from "./shared-fixture.ts";
import { openTestPostgres } from "./lent-postgres.ts";
import { isOnPostgres } from "./postgres.ts";

const ON_BUN = process.versions["bun"] !== undefined;

interface BunSqlite {
  readonly Database: {
    new (path: string): BunDatabase & { run(sql: string): unknown; serialize(): Uint8Array };
    deserialize(image: Uint8Array): BunDatabase;
  };
}

/** Not a literal at the import, because Deno's type check would resolve it. */
const BUN_SQLITE: string = "bun:sqlite";

/**
 * Bytes of a page in tests: each test copies all pages, and most of them have less than this. The copy and its memory
 * took a fifth of the time of short tests with pages of 4 KiB.
 */
const PAGE_SIZE = "pragma page_size = 1024";

/** The bytes of a migrated database file. Made once, because the migrations take longer than many tests. */
let migrated: Promise<Uint8Array> | undefined;

async function migrateOnce(): Promise<Uint8Array> {
  if (ON_BUN) {
    const raw = new (await bunSqlite()).Database(IN_MEMORY);
    raw.run(PAGE_SIZE);
    return await imageAfter(await bunEngine(raw, IN_MEMORY), () => raw.serialize());
  }
  const raw = new DatabaseSync(IN_MEMORY);
  raw.exec(PAGE_SIZE);
  return await imageAfter(await nodeEngine(raw, IN_MEMORY), () => raw.serialize());
}

async function imageAfter(engine: Engine, serialize: () => Uint8Array): Promise<Uint8Array> {
  const db = await openDatabase(engine);
  const image = serialize();
  await db.destroy();
  return image;
}

async function bunSqlite(): Promise<BunSqlite> {
  return await import(BUN_SQLITE) as BunSqlite;
}

/** Opens an engine over a database in memory with the content of the image. */
async function engineOf(image: Uint8Array, foreignKeys: ForeignKeys): Promise<Engine> {
  if (ON_BUN) {
    const { Database } = await bunSqlite();
    const { database, begin } = openReusedSqlite(() => Database.deserialize(image), foreignKeys);
    const engine = await bunEngine(database, IN_MEMORY);
    begin();
    return engine;
  }
  const raw = new DatabaseSync(IN_MEMORY);
  raw.deserialize(image);
  const engine = await nodeEngine(raw, IN_MEMORY);
  raw.exec(`pragma foreign_keys = ${foreignKeys}`);
  return engine;
}

/**
 * Opens a new, migrated database on the runtime of the test: in memory, or on the tests' PostgreSQL server. `around`
 * may wrap its engine.
 */
export async function openTestDatabase(around = (engine: Engine): Engine => engine): Promise<Db> {
  return isOnPostgres ? connectDatabase(around(await openTestPostgres())) : await openTestSqlite(around);
}

/** Opens a new, migrated SQLite database in memory, also when the tests run on PostgreSQL. */
export async function openTestSqlite(
  around = (engine: Engine): Engine => engine,
  foreignKeys: ForeignKeys = "on",
): Promise<Db> {
  migrated ??= getSharedFixture(ON_BUN ? "bun" : "deno", migrateOnce);
  return connectDatabase(around(await engineOf(await migrated, foreignKeys)));
}
