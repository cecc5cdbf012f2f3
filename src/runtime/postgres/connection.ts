import { isIP } from "node:net";
import type { ClientConfig, Pool, PoolConfig } from "pg";
import { DatabaseError } from "../../db/error.ts";
import type { PostgresAddress } from "../../lib/postgres-address.ts";
import { readCertificates } from "../plain-file.ts";
import { passwordOf, readNamed } from "./password.ts";

/** Milliseconds for a connection to be there. */
const CONNECT_LIMIT = 5000;
/** Milliseconds for one statement, where it is the server that stops it. */
export const STATEMENT_LIMIT = 10_000;
/** The same where the server says nothing any more. */
const ANSWER_LIMIT = STATEMENT_LIMIT + 2000;
/** Milliseconds that a statement waits for somebody's lock. */
export const LOCK_LIMIT = 5000;
/** Milliseconds after which the server ends a transaction in which nothing is asked: it holds everybody up. */
const IDLE_LIMIT = 10_000;

/** What a connection is for. */
export type Use =
  /** Statements of requests. */
  | "serve"
  /** What takes as long as the database is large. */
  | "work";

/**
 * What every session is, whatever the server, the database and the role have for settings: names are looked up in
 * `pg_catalog` alone, rows that a policy would leave out are an error, text is read and shown alike, and a commit is on
 * the disk.
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

/** A setting that servers have since version 17. */
const NO_TRANSACTION_LIMIT = `select case when current_setting('server_version_num')::integer >= 170000
  then set_config('transaction_timeout', '0', false) end`;

const LIMITS: Readonly<Record<Use, string>> = {
  serve: `set statement_timeout = ${STATEMENT_LIMIT}`,
  work: "set statement_timeout = 0",
};

const SETTING_STATEMENTS = Object.entries(SETTINGS).map(([name, value]) =>
  name === "search_path" ? `set search_path = ${value}` : `set ${name} = '${value}'`
);

/** Object identifiers of the types that are no text to us (`pg_type`). */
const BOOL = 16;
const BYTEA = 17;
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23, 26]);
const FLOATS: ReadonlySet<number> = new Set([700, 701]);

/** Throws `DatabaseError` `damaged` for a number that JavaScript does not have: no time or count of ours is one. */
function readInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number)) return number;
  throw new DatabaseError("damaged", "Cannot read database: it holds a number that is no safe integer");
}

/** A value as every engine gives it: text, a safe integer, bytes or null; a truth as 1 or 0 would be is a boolean. */
function parserOf(oid: number): (text: string) => unknown {
  if (INTEGERS.has(oid)) return readInteger;
  if (oid === BYTEA) return (text) => Uint8Array.fromHex(text.slice(2));
  if (oid === BOOL) return (text) => text === "t";
  if (FLOATS.has(oid)) return Number;
  return (text) => text;
}

/** A parameter as every engine takes it. Anything else is refused: the driver would make JSON or a list of it. */
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
  // Whom the certificate is to name: an address is no server name, and `localhost` would be looked for instead.
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
    // From a function: in place of an empty one the driver would look for another by itself.
    password: () => password,
    ssl: tlsOf(address),
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_LIMIT,
    // No limit is a very long one: none would be the driver's own.
    query_timeout: use === "serve" ? ANSWER_LIMIT : 0x7fff_ffff,
    keepAlive: true,
    // What is asked for at once is sent at once, and answered in that order.
    pipeline: true,
    types: { getTypeParser: parserOf as never },
  };
}

/** The rows of a statement. */
export type Ask = (text: string) => Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;

/**
 * Throws `DatabaseError` where a server follows another one. One that was let write a moment ago may come to do so, and
 * ends all connections before: what was revoked since would still count there.
 */
async function refuseReplica(ask: Ask): Promise<void> {
  const { rows: [server] } = await ask("select pg_is_in_recovery() as follows");
  if (server!["follows"] !== true) return;
  throw new DatabaseError("read_only", "Cannot use database: its server only follows another one");
}

/**
 * Connections to a database, opened when they are needed and kept. Every one of them is set up before it is used. The
 * driver is loaded here and nowhere else: whoever uses SQLite does without it.
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
  // Of a connection that breaks while nobody uses it nobody need hear: the next one is opened.
  pool.on("error", () => {});
  return pool;
}
