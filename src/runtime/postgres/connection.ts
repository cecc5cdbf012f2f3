import { isIP } from "node:net";
import type { ClientConfig, Pool, PoolConfig } from "pg";
import { DatabaseError } from "../../db/error.ts";
import type { PostgresAddress } from "../../lib/postgres-address.ts";
import { readCertificates } from "../plain-file.ts";
import { passwordOf, readNamed } from "./password.ts";

/** Milliseconds to establish a connection. */
const CONNECT_LIMIT = 5000;
/** Milliseconds for a statement, enforced by the server. */
export const STATEMENT_LIMIT = 10_000;
/** Milliseconds for a statement if the server stops responding. */
const ANSWER_LIMIT = STATEMENT_LIMIT + 2000;
/** Milliseconds that a statement waits for a lock. */
export const LOCK_LIMIT = 5000;
/** Milliseconds after which the server ends an idle transaction, because it blocks the others. */
const IDLE_LIMIT = 10_000;

export type Use =
  /** Statements of requests. */
  | "serve"
  /** Work that grows with the database. */
  | "work";

/**
 * The settings of every session, independent of the defaults of server, database and role. Names resolve in
 * `pg_catalog` only. A row hidden by a policy is an error. Text is read and printed alike. A commit is on the disk.
 */
const SETTINGS: Readonly<Record<string, string | number>> = {
  search_path: "pg_catalog, pg_temp",
  row_security: "off",
  standard_conforming_strings: "on",
  transform_null_equals: "off",
  backslash_quote: "safe_encoding",
  bytea_output: "hex",
  quote_all_identifiers: "off",
  synchronous_commit: "on",
  default_transaction_isolation: "read committed",
  default_transaction_deferrable: "off",
  default_table_access_method: "heap",
  default_tablespace: "",
  temp_tablespaces: "",
  jit: "off",
  lock_timeout: LOCK_LIMIT,
  idle_in_transaction_session_timeout: IDLE_LIMIT,
  idle_session_timeout: 0,
};

/** A setting that exists since version 17. */
const NO_TRANSACTION_LIMIT = `select case when current_setting('server_version_num')::integer >= 170000
  then set_config('transaction_timeout', '0', false) end`;

const LIMITS: Readonly<Record<Use, string>> = {
  serve: `set statement_timeout = ${STATEMENT_LIMIT}`,
  work: "set statement_timeout = 0",
};

const SETTING_STATEMENTS = Object.entries(SETTINGS).map(([name, value]) =>
  name === "search_path" ? `set search_path = ${value}` : `set ${name} = '${value}'`
);

/** Object identifiers of the types that are not returned as text (`pg_type`). */
const BOOL = 16;
const BYTEA = 17;
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23, 26]);
const FLOATS: ReadonlySet<number> = new Set([700, 701]);

/** Throws `DatabaseError` `damaged` if the number is not a safe integer: the service stores none. */
function readInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new DatabaseError("damaged", "Cannot read database: it contains a number that is not a safe integer");
}

/** Values are as on every engine: text, safe integers, bytes or null. Only a boolean differs from SQLite's 1 or 0. */
function parserOf(oid: number): (text: string) => unknown {
  if (INTEGERS.has(oid)) return readInteger;
  if (oid === BYTEA) return (text) => Uint8Array.fromHex(text.slice(2));
  if (oid === BOOL) return (text) => text === "t";
  if (FLOATS.has(oid)) return Number;
  return (text) => text;
}

/** Throws for other types, which the driver would convert to JSON or an array. */
export function toPostgresValue(value: unknown): string | number | bigint | Uint8Array | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") {
    if (value.includes("\0")) throw new TypeError("Cannot bind parameter: text with a NUL character");
    return value;
  }
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Uint8Array) return value;
  throw new TypeError("Cannot bind parameter: not null, text, number, boolean or bytes");
}

function tlsOf({ tls, authoritiesFile, host }: PostgresAddress): NonNullable<ClientConfig["ssl"]> {
  if (tls === "disable") return false;
  const ca = authoritiesFile === undefined
    ? {}
    : { ca: readNamed("sslrootcert", authoritiesFile, readCertificates) };
  // Name that the certificate must have. An IP address is no server name, and without `host` the driver would check
  // for `localhost`.
  const name = isIP(host) === 0 ? { servername: host } : { host };
  return { ...ca, ...name, rejectUnauthorized: tls === "verify-full" };
}

function configOf(address: PostgresAddress, use: Use): ClientConfig & { readonly query_timeout: number } {
  const { host, port, user, database, applicationName } = address;
  const password = passwordOf(address) ?? "";
  return {
    host,
    port,
    user,
    database,
    // A function: for an empty password the driver would look elsewhere.
    password: () => password,
    ssl: tlsOf(address),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_LIMIT,
    // The maximum means no limit: undefined would be the driver's default.
    query_timeout: use === "serve" ? ANSWER_LIMIT : 0x7fff_ffff,
    keepAlive: true,
    // Sends concurrent statements at once; the server answers them in order.
    pipeline: true,
    types: { getTypeParser: parserOf as never },
  };
}

export type Ask = (text: string) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/**
 * Throws `DatabaseError` if the server is a replica. A primary may be demoted after it was checked, but ends all
 * connections first. On a replica, rows that were since revoked would still be valid.
 */
async function refuseReplica(ask: Ask): Promise<void> {
  const { rows: [server] } = await ask("select pg_is_in_recovery() as follows");
  if (server!["follows"] !== true) return;
  throw new DatabaseError("read_only", "Cannot use database: its server is a standby of another one");
}

/**
 * Opens a pool that connects on demand and sets each connection up before its first use. The only place that loads
 * the driver, so that SQLite users do without it.
 */
export async function openPool(
  address: PostgresAddress,
  { use, most, setUp = [] }: { readonly use: Use; readonly most: number; readonly setUp?: readonly string[] },
): Promise<Pool> {
  const { default: pg } = await import("pg");
  const settings = [...SETTING_STATEMENTS, NO_TRANSACTION_LIMIT, LIMITS[use], ...setUp].join("; ");
  const config: PoolConfig = {
    ...configOf(address, use),
    max: most,
    idleTimeoutMillis: use === "serve" ? 0 : 10_000,
    onConnect: async (client) => {
      await client.query(settings);
      await refuseReplica((text) => client.query(text));
    },
  };
  const pool = new pg.Pool(config);
  // Ignores the loss of an idle connection: the pool opens another.
  pool.on("error", () => {});
  return pool;
}
