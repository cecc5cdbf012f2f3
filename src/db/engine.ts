import type { CompiledQuery, QueryResult } from "kysely";
import type { Health } from "./health.ts";
import type { Language } from "./dialect.ts";

/**
 * Runs a compiled query: its rows and, of one that returns none, how many it changed. What a database as a whole cannot
 * do now is a `DatabaseError`; anything else is what the engine threw.
 */
export type Run = <R>(query: CompiledQuery) => Promise<QueryResult<R>>;

/** A job in a transaction: all that it asks, it asks with the `run` that it is given. */
export type Job<T> = (run: Run) => Promise<T>;

/** What a transaction keeps to, so that those of others may go on beside it: it writes no rows but these subjects'. */
export interface Scope {
  /** Ids of accounts, and names of single rows that are no account's. */
  readonly subjects: readonly string[];
}

/** A thing of a schema as the engine keeps it. Of a file that somebody edited, each text may be anything. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The table that it belongs to. */
  readonly table: string;
  /** The statement that makes it; null for the indexes that an engine makes by itself. */
  readonly sql: string | null;
}

/** A whole schema as the engine keeps it. */
export interface StoredSchema {
  readonly objects: readonly SchemaObject[];
  /** Names of migrations; none where their table is not there, or is no table. */
  readonly migrations: readonly string[];
}

/**
 * The id of the sealing key that a database needs, as read before anything is opened for writing. `absent`: the database
 * does not exist or is empty. `foreign`: it is not a database of this service, or its seed was deleted. `edited`: its seed
 * names no key.
 */
export type SealKeyIdLook = "absent" | "foreign" | "edited" | { readonly sealKeyId: string };

/**
 * A database engine: all that the service asks of one. kysely builds the SQL and knows its types; every statement comes
 * by here. An engine owns whose turn it is and how long somebody waits, for its connection and for other processes.
 */
export interface Engine {
  /** How SQL is built for it. */
  readonly language: Language;
  /** Runs one statement by itself, outside of any transaction; one that writes is a transaction of its own. */
  readonly run: Run;
  /**
   * Runs the job in a transaction with the write lock, alone on the database; commits when the job fulfils and rolls
   * back when it rejects. Fulfils only when what the job wrote is on the disk. Statements beyond the job are refused. The
   * job may be run again, where another process undid it before it was committed: outside of the database it does nothing
   * that must not be done twice.
   *
   * With a scope it need not be alone: transactions with other subjects may go on beside it, in other processes, and none
   * without a scope. What belongs to no subject it writes only once it has the pen.
   */
  transaction<T>(job: Job<T>, scope?: Scope): Promise<T>;
  /** Waits until a transaction with a scope is alone with what belongs to no subject, until its end. Its last lock. */
  takePen(run: Run): Promise<void>;
  /** Whether statements that a transaction asks for at once go to the database together: their way is what takes time. */
  readonly isFarAway: boolean;
  /**
   * As `transaction`, for what rebuilds tables: rows may refer to rows that are not there until the job is over, and
   * to take the place of a table changes no other. Throws `foreign_key_violation`, rolled back, when they still do then.
   */
  migration<T>(job: Job<T>): Promise<T>;
  /**
   * Remembers the schema as it is. From then on, when it was changed by anybody but `migration`, the next transaction
   * and every later one throws `DatabaseError` `schema_changed`: what was proven of it holds no longer. Over a server
   * it is the first one a second later at the latest: to look takes it as long as a transaction.
   */
  watchSchema(): Promise<void>;
  /** Every table, index, trigger and view, and the names in the table of migrations, all at one moment. */
  readSchema(migrations: string): Promise<StoredSchema>;
  /** What is wrong with the database's pages, indexes and references; empty when nothing is. Reads it whole. */
  findDamage(): Promise<string[]>;
  /**
   * Moves what was committed from the log, where commits go first, to where it stays. For quiet moments: it holds up
   * whoever wants the connection. Does nothing where another process reads what is to be moved.
   */
  checkpoint(): Promise<void>;
  /**
   * Throws `DatabaseError` while the database cannot be read or written. Where the last write found no space it writes
   * a page, once a second at most, to see whether there is some now.
   */
  check(): Promise<void>;
  readonly health: Pick<Health, "fault" | "watch">;
  /** Ends the connections. Nothing is run any more. */
  close(): Promise<void>;
}
