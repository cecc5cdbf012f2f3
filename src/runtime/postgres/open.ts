import { setTimeout as wait } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { type Engine, type SealKeyIdsLook, seedTableOf, toSealKeyIds } from "../../db/engine.ts";
import { DatabaseError } from "../../db/error.ts";
import type { Language } from "../../db/dialect.ts";
import { createPostgresLanguage, SCHEMA } from "../../db/dialect/postgres.ts";
import { type PostgresAddress, showAddress } from "../../lib/postgres-address.ts";
import { type Ask, openPool } from "./connection.ts";
import { createPostgresEngine, type PostgresMeans } from "./engine.ts";
import { explainPostgres, isWorthWaiting } from "./error.ts";

/** Milliseconds that a start waits for an unreachable server. */
const CONNECT_TIMEOUT = 30_000;

const PAUSE = 500;

/** Milliseconds between two checks that the schema is unchanged. */
const SCHEMA_PAUSE = 1000;

export interface PostgresOptions {
  /** Milliseconds to wait for an unreachable server. */
  readonly connectTimeout?: number;
  /** Milliseconds between two checks that the schema is unchanged. */
  readonly schemaPause?: number;
}

/** One for each address: the schema check caches under it what it created on that server. */
const LANGUAGES = new WeakMap<PostgresAddress, Language>();

function languageOf(address: PostgresAddress): Language {
  const language = LANGUAGES.get(address) ?? createPostgresLanguage();
  LANGUAGES.set(address, language);
  return language;
}

/** Opens an engine over PostgreSQL 14 or newer. The database may be empty. Connects on first use. */
export async function openPostgres(
  address: PostgresAddress,
  { schemaPause = SCHEMA_PAUSE }: PostgresOptions = {},
): Promise<Engine> {
  return createPostgresEngine({
    ...await poolsOf(address),
    language: languageOf(address),
    schema: SCHEMA,
    access: "write",
    schemaPause,
  });
}

export async function openPostgresToRead(address: PostgresAddress): Promise<Engine> {
  return createPostgresEngine({
    ...await poolsOf(address),
    language: languageOf(address),
    schema: SCHEMA,
    access: "read",
    schemaPause: 0,
  });
}

/** Opens pools of sessions in which nothing can be written except in a transaction that begins as `read write`. */
async function poolsOf(
  address: PostgresAddress,
): Promise<Pick<PostgresMeans, "readers" | "writer" | "worker">> {
  const setUp = ["set default_transaction_read_only = on"];
  return {
    readers: await openPool(address, { use: "serve", most: address.readers, setUp }),
    writer: await openPool(address, { use: "serve", most: 1, setUp }),
    worker: await openPool(address, { use: "work", most: 1, setUp }),
  };
}

/** Opens the temporary schema of one connection. Works for a role that may not create tables. */
export async function openPostgresScratch(address: PostgresAddress): Promise<Engine> {
  const only = await openPool(address, { use: "work", most: 1 });
  return createPostgresEngine({
    readers: only,
    writer: only,
    worker: only,
    language: createPostgresLanguage("pg_temp"),
    schema: "pg_temp",
    access: "scratch",
    schemaPause: 0,
  });
}

/**
 * Reads the id of the sealing key without writing, as `readSealKeyIds` does for a file. Waits half a minute for an
 * unreachable server. Throws `DatabaseError` if the login is refused, the server is too old or a replica, or a pooler
 * shares sessions.
 */
export async function readPostgresSealKeyIds(
  address: PostgresAddress,
  { connectTimeout = CONNECT_TIMEOUT }: PostgresOptions = {},
): Promise<SealKeyIdsLook> {
  const pool = await openPool(address, { use: "serve", most: 2 });
  const deadline = performance.now() + connectTimeout;
  try {
    for (;;) {
      try {
        await checkSessions(pool);
        return await lookAtTables((text) => pool.query(text));
      } catch (error) {
        if (!isWorthWaiting(error) || performance.now() + PAUSE > deadline) throw refusal(address, error);
      }
      await wait(PAUSE);
    }
  } finally {
    await pool.end();
  }
}

/** Adds the address and the cause to a database error. Neither contains a password. */
function refusal(address: PostgresAddress, error: unknown): unknown {
  const fault = explainPostgres(error);
  if (fault === undefined) return error;
  const serverMessage = fault.cause instanceof Error
    ? ` (${fault.cause.message || String((fault.cause as { code?: unknown }).code)})`
    : "";
  return new DatabaseError(fault.code, `${fault.message}: ${showAddress(address)}${serverMessage}`, {
    cause: fault.cause,
  });
}

const OLDEST = 140_000;

async function lookAtTables(ask: Ask): Promise<SealKeyIdsLook> {
  const { rows: [server] } = await ask(
    "select current_setting('server_version_num')::integer as version, current_setting('server_encoding') as encoding",
  );
  if (Number(server!["version"]) < OLDEST) {
    throw new DatabaseError("login_refused", "Cannot use database: its server is older than PostgreSQL 14");
  }
  if (server!["encoding"] !== "UTF8") {
    throw new DatabaseError("login_refused", "Cannot use database: its encoding is not UTF8");
  }
  const { rows } = await ask(
    `select relname from pg_class where relnamespace = to_regnamespace('${SCHEMA}') and relkind = 'r'`,
  );
  const tables = rows.map(({ relname }) => String(relname));
  const table = seedTableOf(tables);
  if (table === "absent" || table === "foreign") return table;
  const { rows: ids } = await ask(
    `select seal_key_id from only ${SCHEMA}.${table} order by created_at, id`,
  );
  if (ids.length > 0) return toSealKeyIds(ids.map((row) => row["seal_key_id"]));
  const { rows: used } = await ask(
    `select 1 from only ${SCHEMA}.account union all select 1 from only ${SCHEMA}.audit_event limit 1`,
  );
  return used.length === 0 ? "absent" : "foreign";
}

async function backendOf(client: PoolClient): Promise<unknown> {
  const { rows: [row] } = await client.query("select pg_backend_pid() as backend");
  return row.backend;
}

/**
 * Throws if a pooler gives each transaction or statement another connection. Session settings such as `search_path`
 * and time-outs would be lost between two statements, and apply to other clients. Two open sessions never share a
 * backend, and each keeps its own.
 *
 * Does not detect a pooler whose other clients reorder the idle connections between the three queries so that each
 * answer looks right.
 */
export async function checkSessions(pool: Pick<Pool, "connect">): Promise<void> {
  const one = await pool.connect();
  try {
    const other = await pool.connect();
    try {
      const [first, second, again] = [await backendOf(one), await backendOf(other), await backendOf(other)];
      if (first !== second && second === again) return;
    } finally {
      other.release();
    }
  } finally {
    one.release();
  }
  throw new DatabaseError(
    "login_refused",
    "Cannot use database: a connection pooler shares sessions (PgBouncer's pool_mode must be session)",
  );
}
