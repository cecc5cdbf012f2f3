import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import process from "node:process";
import pg from "pg";
import { openDatabase } from "../../src/db/database.ts";
import type { Engine } from "../../src/db/engine.ts";
import { MIGRATION_NAMES } from "../../src/db/migrations/migrations.ts";
import { readPostgresAddress } from "../../src/lib/postgres-address.ts";
import type { PostgresAddress } from "../../src/lib/postgres-address.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";

/** The URL of the database `postgres` on the server that the gate started for its tests. */
const SERVER = process.env["TEST_POSTGRES_URL"];

/** True if the tests of this run use PostgreSQL. */
export const isOnPostgres = SERVER !== undefined;

/** The template of test databases: copying it is faster than running the migrations. */
const TEMPLATE = `holdfast_template_${MIGRATION_NAMES.length}`;
/** The number of the advisory lock for making the template. */
const MAKING = 5_417;

export function postgresUrl(database: string): string {
  if (SERVER === undefined) throw new Error("There is no PostgreSQL server: run by `npm test`");
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

export function postgresAt(database: string): PostgresAddress {
  return readPostgresAddress(postgresUrl(database), { password: undefined, passwordFile: undefined });
}

let administrator: Promise<pg.Client> | undefined;
let underWay = 0;

/**
 * Connects as superuser to the database `postgres`. The connection is reused, because making one takes longer than its
 * statements.
 */
async function connectAdministrator(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgresUrl("postgres") });
  client.on("error", () => administrator = undefined);
  await client.connect();
  return client;
}

/** Runs statements in the database `postgres`. The idle connection does not keep the process alive. */
async function administrate(statements: readonly string[]): Promise<pg.QueryResult> {
  const client = await (administrator ??= connectAdministrator());
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  underWay++;
  stream.ref();
  try {
    return await runAll(client, statements);
  } finally {
    underWay--;
    if (underWay === 0) stream.unref();
  }
}

async function runAll(client: pg.Client, statements: readonly string[]): Promise<pg.QueryResult> {
  let result: pg.QueryResult | undefined;
  for (const statement of statements) result = await client.query(statement);
  return result!;
}

/** Runs statements on the tests' server, each by itself, as its superuser. */
export async function onServer(database: string, ...statements: readonly string[]): Promise<pg.QueryResult> {
  if (database === "postgres") return await administrate(statements);
  const client = new pg.Client({ connectionString: postgresUrl(database) });
  await client.connect();
  try {
    return await runAll(client, statements);
  } finally {
    await client.end();
  }
}

/** A superuser's session on a database of the tests' server. */
export interface PostgresSession {
  query(statement: string): Promise<void>;
  /** Ends the session and its locks. */
  end(): Promise<void>;
}

export async function openPostgresSession(
  database: string,
  ...statements: readonly string[]
): Promise<PostgresSession> {
  const client = new pg.Client({ connectionString: postgresUrl(database) });
  await client.connect();
  await runAll(client, statements);
  return {
    query: async (statement) => void await client.query(statement),
    end: () => client.end(),
  };
}

/** Waits until a session of a database waits for a lock. */
export async function untilOneWaits(database: string): Promise<void> {
  for (;;) {
    const { rowCount } = await onServer(
      "postgres",
      `select from pg_stat_activity where datname = '${database}' and wait_event_type = 'Lock'`,
    );
    if (rowCount! > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

let template: Promise<void> | undefined;

/** Makes the template, unless another process has. */
async function makeTemplate(): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl("postgres") });
  await client.connect();
  try {
    await client.query(`select pg_advisory_lock(${MAKING})`);
    const { rowCount } = await client.query(
      `select from pg_database where datname = '${TEMPLATE}' and datistemplate`,
    );
    if (rowCount! > 0) return;
    await client.query(`drop database if exists ${TEMPLATE}`);
    await client.query(`create database ${TEMPLATE}`);
    await (await openDatabase(await openPostgres(postgresAt(TEMPLATE)))).destroy();
    await client.query(`alter database ${TEMPLATE} is_template true`);
  } finally {
    await client.end();
  }
}

/** The content of a new database: the schema, or nothing. */
type Beginning = "migrated" | "empty";

async function createDatabase(name: string, beginning: Beginning): Promise<void> {
  if (beginning === "migrated") await (template ??= makeTemplate());
  const source = beginning === "migrated" ? TEMPLATE : "template0";
  await onServer("postgres", `create database ${name} template ${source} strategy file_copy`);
}

/** Creates a database of the tests' server. Returns its name. */
export async function createPostgresDatabase(beginning: Beginning = "migrated"): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await createDatabase(name, beginning);
  return name;
}

function nameFor(path: string): string {
  return `path_${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
}

/** Returns the URL of the database for a path, the same in every process of a test. Creates it at the first call. */
export async function postgresUrlFor(path: string, beginning: Beginning = "migrated"): Promise<string> {
  const name = nameFor(path);
  const { rowCount } = await onServer("postgres", `select from pg_database where datname = '${name}'`);
  if (rowCount === 0) await createDatabase(name, beginning);
  return postgresUrl(name);
}

/** Empties the database for a path, because on a server no file can be replaced. */
export async function emptyDatabaseFor(path: string): Promise<void> {
  if (!isOnPostgres) return;
  await dropPostgresDatabase(nameFor(path));
  await createDatabase(nameFor(path), "empty");
}

/** Opens an engine at a path: a file, or on PostgreSQL the database for the path. */
export async function openAt(path: string): Promise<Engine> {
  if (!isOnPostgres) return await openSqlite(path);
  const address = { password: undefined, passwordFile: undefined };
  return await openPostgres(readPostgresAddress(await postgresUrlFor(path), address));
}

export async function dropPostgresDatabase(name: string): Promise<void> {
  await onServer("postgres", `drop database if exists ${name} with (force)`);
}
