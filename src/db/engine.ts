import type { CompiledQuery, QueryResult } from "kysely";
import type { Health } from "./health.ts";
import type { Language } from "./dialect.ts";

/**
 * Runs a compiled query. Returns its rows or, without any, the number of changed rows. Throws `DatabaseError` for a
 * fault of the whole database, and the engine's own error otherwise.
 */
export type Run = <R>(query: CompiledQuery) => Promise<QueryResult<R>>;

/**
 * A job in a transaction. It must use only the `run` that it receives. It may fulfil before its last statements are
 * answered: the commit is sent behind them, and the transaction commits only if none of them fails.
 */
export type Job<T> = (run: Run) => Promise<T>;

/** The subjects that a transaction may write, so that others may run concurrently. */
export interface Scope {
  /** Account ids, and names of single rows that belong to no account. */
  readonly subjects: readonly string[];
}

/** A schema object as the engine stores it. In a manipulated file, each text may be anything. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** The statement that creates it; null for indexes that the engine creates itself. */
  readonly sql: string | null;
}

export interface StoredSchema {
  readonly objects: readonly SchemaObject[];
  /** Names of applied migrations; empty if their table is missing or is not a table. */
  readonly migrations: readonly string[];
}

/**
 * The ids of the sealing keys that open a database, by its slots, oldest first. Read before the database is opened for
 * writing. `absent`: the database does not exist or is empty. `foreign`: it is not a database of this service, or its
 * seed was deleted. `edited`: no slot names a key.
 */
export type SealKeyIdsLook = "absent" | "foreign" | "edited" | { readonly sealKeyIds: readonly string[] };

/** The tables of the sealed seed: of databases with slots, and of those from before slots. */
const SEED_TABLES = ["seal_slot", "sealed_seed"] as const;

/** Returns the table that has the sealed seed, `absent` without tables, or `foreign` for another program's. */
export function seedTableOf(tables: readonly unknown[]): (typeof SEED_TABLES)[number] | "absent" | "foreign" {
  // Kysely creates its own tables before the transaction of the migrations.
  if (tables.every((name) => String(name).startsWith("kysely_"))) return "absent";
  const isOurs = ["account", "audit_event"].every((name) => tables.includes(name));
  return isOurs ? SEED_TABLES.find((name) => tables.includes(name)) ?? "foreign" : "foreign";
}

/** Returns the ids that are 64 hexadecimal digits, because operators see them printed. */
export function toSealKeyIds(ids: readonly unknown[]): SealKeyIdsLook {
  const valid = ids.filter((id): id is string => typeof id === "string" && /^[0-9a-f]{64}$/.test(id));
  return valid.length === 0 ? "edited" : { sealKeyIds: [...new Set(valid)] };
}

/**
 * A database engine. kysely builds the SQL and provides the types; every statement is executed here. The engine owns
 * the locking and the time limits, for its own connections and towards other processes.
 */
export interface Engine {
  readonly language: Language;
  /** Runs one statement outside any transaction. A statement that writes is a transaction of its own. */
  readonly run: Run;
  /**
   * Runs the job in a transaction with the write lock and exclusive access. Commits when the job fulfils, and rolls
   * back when it rejects. Fulfils only once the data is on disk. Refuses statements after the job's end. The job may
   * run again if another process caused a rollback before the commit. It must therefore have no side effects outside
   * the database that may not happen twice. With a scope, transactions with other subjects may run concurrently, in
   * other processes too, but none without a scope. Before it writes a row of no subject, the job must call
   * `lockAuditLog`. An engine over a server sends the job's first reads together with the begin, and gives their rows
   * to the job only if the transaction has begun. Otherwise rejects with an error for which `hasNotBegun` returns true.
   */
  transaction<T>(job: Job<T>, scope?: Scope): Promise<T>;
  /** Takes the lock on rows of no subject until the end of a transaction with a scope. Must be the last lock taken. */
  lockAuditLog(run: Run): Promise<void>;
  /**
   * Returns a number that differs after a transaction of another connection, or undefined if only a statement tells. In
   * a transaction it does not move.
   */
  dataVersion?(): number;
  /** True if the engine sends statements of a transaction together, because the round trip dominates their cost. */
  readonly isRemote: boolean;
  /**
   * Runs a job that rebuilds tables, like `transaction`. Foreign keys may be violated until the job ends, and
   * replacing a table does not change others. Rolls back and throws `foreign_key_violation` if violations remain.
   */
  migration<T>(job: Job<T>): Promise<T>;
  /**
   * Records the schema. After any change except by `migration`, every later transaction throws `DatabaseError`
   * `schema_changed`, because what was verified no longer holds. Over a server the change is noticed within a second:
   * a check takes as long as a transaction.
   */
  watchSchema(): Promise<void>;
  /** Reads every table, index, trigger and view, and the names in the migration table, in one snapshot. */
  readSchema(migrations: string): Promise<StoredSchema>;
  /** Reads only the names in the migration table. */
  readMigrations(migrations: string): Promise<readonly string[]>;
  /** Returns faults in the database's pages, indexes and references; empty if sound. Reads the whole database. */
  findDamage(): Promise<string[]>;
  /**
   * Moves committed data from the write-ahead log to the database file. Blocks the connection, so call it in quiet
   * moments. Does nothing while another process reads what would be moved.
   */
  checkpoint(): Promise<void>;
  /**
   * Throws `DatabaseError` while the database cannot be read or written. After a full disk it writes a test page, at
   * most once a second, to detect free space.
   */
  check(): Promise<void>;
  readonly health: Pick<Health, "fault" | "watch" | "report">;
  /** Closes the connections. No statement can run afterwards. */
  close(): Promise<void>;
}
