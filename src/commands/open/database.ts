import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import type { Engine, SealKeyIdLook } from "../../db/engine.ts";
import {
  openPostgres,
  openPostgresScratch,
  openPostgresToRead,
  readPostgresSealKeyId,
} from "../../runtime/postgres/open.ts";
import { IN_MEMORY, openSqlite, readSealKeyId } from "../../runtime/sqlite/open.ts";
import { openSqliteToRead } from "../../runtime/sqlite/read.ts";

// Which engine runs is decided here and nowhere else.

/** Where a database is. */
export type DatabasePlace = Pick<Config, "databasePath" | "postgres">;

/** The place of a file. */
export function fileAt(databasePath: string): DatabasePlace {
  return { databasePath, postgres: undefined };
}

/** Whether it is a database that ends with this process. */
export function isInMemory({ databasePath, postgres }: DatabasePlace): boolean {
  return postgres === undefined && databasePath === IN_MEMORY;
}

/** An engine over a database, which is made where it is a file that is not there. */
export async function openEngine({ databasePath, postgres }: DatabasePlace): Promise<Engine> {
  return await (postgres === undefined ? openSqlite(databasePath) : openPostgres(postgres));
}

/** An engine that can only read a database, which may be serving. */
export async function openEngineToRead({ databasePath, postgres }: DatabasePlace): Promise<Engine> {
  return postgres === undefined ? openSqliteToRead(databasePath) : await openPostgresToRead(postgres);
}

/** An empty database of the same kind that nobody else sees. */
export async function openScratch({ postgres }: DatabasePlace): Promise<Engine> {
  return await (postgres === undefined ? openSqlite(IN_MEMORY) : openPostgresScratch(postgres));
}

/** The id of the sealing key that a database needs, read without changing anything of it. */
export async function lookAtSeal({ databasePath, postgres }: DatabasePlace): Promise<SealKeyIdLook> {
  return await (postgres === undefined ? readSealKeyId(databasePath) : readPostgresSealKeyId(postgres));
}

/** How large a database's file is, in bytes; 0 where there is none, undefined where it is no file. */
export function sizeOf({ databasePath, postgres }: DatabasePlace): number | undefined {
  return postgres === undefined ? statSync(databasePath, { throwIfNoEntry: false })?.size ?? 0 : undefined;
}
