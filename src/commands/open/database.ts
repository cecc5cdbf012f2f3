import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { Engine, SealKeyIdsLook } from "../../db/engine.ts";
import {
  openPostgres,
  openPostgresScratch,
  openPostgresToRead,
  readPostgresSealKeyIds,
} from "../../runtime/postgres/open.ts";
import { IN_MEMORY, openSqlite, readSealKeyIds } from "../../runtime/sqlite/open.ts";
import { openSqliteToRead } from "../../runtime/sqlite/read.ts";

// The only module that chooses the database engine.

export type DatabaseLocation = Pick<Config, "databasePath" | "postgres">;

export function sqliteLocation(databasePath: string): DatabaseLocation {
  return { databasePath, postgres: undefined };
}

export function isInMemory({ databasePath, postgres }: DatabaseLocation): boolean {
  return postgres === undefined && databasePath === IN_MEMORY;
}

/** Returns true if this program checks the pages. A server checks its own. */
export function hasOwnPages({ postgres }: DatabaseLocation): boolean {
  return postgres === undefined;
}

/** Creates a missing SQLite file. */
export async function openEngine({ databasePath, postgres }: DatabaseLocation): Promise<Engine> {
  return await (postgres === undefined ? openSqlite(databasePath) : openPostgres(postgres));
}

/** Opens a read-only engine. The database may be in use. */
export async function openEngineToRead({ databasePath, postgres }: DatabaseLocation): Promise<Engine> {
  return postgres === undefined ? openSqliteToRead(databasePath) : await openPostgresToRead(postgres);
}

export async function openScratch({ postgres }: DatabaseLocation): Promise<Engine> {
  return await (postgres === undefined ? openSqlite(IN_MEMORY) : openPostgresScratch(postgres));
}

/** Reads the id of the database's sealing key without changing the database. */
export async function readDatabaseSealKeyIds(
  { databasePath, postgres }: DatabaseLocation,
): Promise<SealKeyIdsLook> {
  return await (postgres === undefined ? readSealKeyIds(databasePath) : readPostgresSealKeyIds(postgres));
}

/** Returns the size of a database file in bytes: 0 if missing, undefined on a server. */
export function sizeOf({ databasePath, postgres }: DatabaseLocation): number | undefined {
  return postgres === undefined ? statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0 : undefined;
}
