import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import process from "node:process";
import pg from "pg";
import { openDatabase } from "../../src/db/database.ts";
import type { CompiledQuery } from "kysely";
import type { Engine, Run } from "../../src/db/engine.ts";
import { SCHEMA } from "../../src/db/dialect/postgres.ts";
import { MIGRATION_NAMES } from "../../src/db/migrate.ts";
import { readPostgresAddress } from "../../src/lib/postgres-address.ts";
import type { PostgresAddress } from "../../src/lib/postgres-address.ts";
import { asPostgres } from "./postgres-operator.ts";
import { isOfService } from "./who-asks.ts";
import { openPool, toPostgresValue } from "../../src/runtime/postgres/connection.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";

/** Where the server is that the gate started for its tests on PostgreSQL: a URL of its database `postgres`. */
const SERVER = process.env["TEST_POSTGRES_URL"];

/** Whether the databases of this run are PostgreSQL's. */
export const isOnPostgres = SERVER !== undefined;

/** What every database of a test begins as: the migrations take longer than to copy what they made. */
const TEMPLATE = `holdfast_template_${MIGRATION_NAMES.length}`;
/** Of the lock of whoever makes it. */
const MAKING = 5_417;

/** The URL of a database of the tests' server. */
export function postgresUrl(database: string): string {
  if (SERVER === undefined) throw new Error("There is no PostgreSQL server: run by `npm test`");
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

/** The address of a database of the tests' server. */
export function postgresAt(database: string): PostgresAddress {
  return readPostgresAddress(postgresUrl(database), { password: undefined, passwordFile: undefined });
}

let administrator: Promise<pg.Client> | undefined;
let underWay = 0;

/** The superuser's connection to the database `postgres`, which lasts: to make one takes longer than what it is told. */
async function connectAdministrator(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgresUrl("postgres") });
  client.on("error", () => administrator = undefined);
  await client.connect();
  return client;
}

/** Runs statements in the database `postgres`; its connection keeps nobody from ending while it has nothing to do. */
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

/** Somebody's session on a database of the tests' server, as its superuser. */
export interface PostgresSession {
  /** Runs a statement. */
  say(statement: string): Promise<void>;
  /** Ends it, and with it what it holds. */
  end(): Promise<void>;
}

/** A session that has run these statements. */
export async function openPostgresSession(
  database: string,
  ...statements: readonly string[]
): Promise<PostgresSession> {
  const client = new pg.Client({ connectionString: postgresUrl(database) });
  await client.connect();
  await runAll(client, statements);
  return {
    say: async (statement) => void await client.query(statement),
    end: () => client.end(),
  };
}

/** Waits until a session of a database waits for somebody's lock. */
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

/** What a new database holds: the schema, or nothing. */
type Beginning = "migrated" | "empty";

/** Makes a database of the tests' server. */
async function createDatabase(name: string, beginning: Beginning): Promise<void> {
  if (beginning === "migrated") await (template ??= makeTemplate());
  const source = beginning === "migrated" ? TEMPLATE : "template0";
  await onServer("postgres", `create database ${name} template ${source} strategy file_copy`);
}

/** A new database of the tests' server; its name. */
export async function createPostgresDatabase(beginning: Beginning = "migrated"): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await createDatabase(name, beginning);
  return name;
}

function nameFor(path: string): string {
  return `path_${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
}

/**
 * The URL of the database that stands for what lies at a path, to every process of a test; made when it is first asked
 * for.
 */
export async function postgresUrlFor(path: string, beginning: Beginning = "migrated"): Promise<string> {
  const name = nameFor(path);
  const { rowCount } = await onServer("postgres", `select from pg_database where datname = '${name}'`);
  if (rowCount === 0) await createDatabase(name, beginning);
  return postgresUrl(name);
}

/** Empties the database that stands for what lies at a path: over a server nothing is put in the place of another. */
export async function emptyDatabaseFor(path: string): Promise<void> {
  if (!isOnPostgres) return;
  await dropPostgresDatabase(nameFor(path));
  await createDatabase(nameFor(path), "empty");
}

/** An engine over what lies at a path: a file, or on PostgreSQL the database that stands for it. */
export async function openAt(path: string): Promise<Engine> {
  if (!isOnPostgres) return await openSqlite(path);
  const address = { password: undefined, passwordFile: undefined };
  return await openPostgres(readPostgresAddress(await postgresUrlFor(path), address));
}

/** Ends a database of the tests' server, whoever uses it. */
export async function dropPostgresDatabase(name: string): Promise<void> {
  await onServer("postgres", `drop database if exists ${name} with (force)`);
}

/**
 * An engine over a new database, which is gone when it is closed. What a test says in plain SQL, without the schema's
 * name, is said by the operator: on a connection of his own that looks names up in the schema. What the service says so
 * fails, as it does in service.
 */
export async function openTestPostgres(beginning: Beginning = "migrated"): Promise<Engine> {
  const name = await createPostgresDatabase(beginning);
  const address = postgresAt(name);
  const engine = await openPostgres(address);
  const operator = await openPool(address, { use: "work", most: 1, setUp: ["set search_path = holdfast"] });
  const run: Run = async <R>(query: CompiledQuery) => {
    if (query.query.kind !== "RawNode" || query.sql.includes(`"${SCHEMA}"`) || isOfService()) {
      return await engine.run<R>(query);
    }
    const [first, ...more] = asPostgres(query.sql);
    const { rows, rowCount } = await operator.query(first!, query.parameters.map(toPostgresValue));
    for (const statement of more) await operator.query(statement);
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  };
  return {
    ...engine,
    run,
    close: async () => {
      await operator.end();
      await engine.close();
      await dropPostgresDatabase(name);
    },
  };
}
