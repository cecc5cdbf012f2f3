/** The reason why a database cannot be used. */
export type DatabaseErrorCode =
  | "newer_schema"
  | "older_schema"
  /** An unreleased build wrote it. */
  | "unreleased_schema"
  | "foreign_key_violation"
  | "damaged"
  /** A disk read failed. The next one may succeed. */
  | "read_failed"
  /** A disk write failed, so that the content of the disk is unknown. */
  | "disk_failed"
  /** The last write found no space. The next one may succeed. */
  | "disk_full"
  /** Another program changed tables, indexes, triggers or views since this process verified them. */
  | "schema_changed"
  /** A check of all pages and indexes that ran beside the service found faults, or did not finish. */
  | "pages_damaged"
  /** The database files are no longer those that this process has open. */
  | "files_replaced"
  | "busy"
  /** Two transactions conflicted, and the database rolled this one back. */
  | "conflict"
  /** The audit log was altered, or does not accept an entry. */
  | "log_cut"
  | "connection_timeout"
  /** The server does not answer, or accepts no more connections at present. */
  | "unreachable"
  /** The server refuses the login, or the connection cannot be trusted. */
  | "login_refused"
  /** The server denies the role this operation. */
  | "forbidden"
  | "read_only"
  /** The connection broke during a commit. It is unknown if the transaction was committed. */
  | "commit_unknown"
  /** Rows of an account, or of the service, are missing, older, or another copy's. */
  | "inconsistent"
  /** The database returned an authentic row, but not the one that was queried. */
  | "wrong_row"
  /** The database did not write the row, or wrote another. */
  | "not_written";

/** A fault of the database as a whole, never caused by a client's input. */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseError";
    this.code = code;
  }
}

const notBegun = new WeakSet<object>();

/** Records that an error kept a transaction from beginning. Returns the error. */
export function markNotBegun<E extends object>(error: E): E {
  notBegun.add(error);
  return error;
}

/** Returns true if a transaction with this error could not begin, so that the next one would wait as long. */
export function hasNotBegun(error: unknown): boolean {
  return typeof error === "object" && error !== null && notBegun.has(error);
}

/** Throws the error again, except one of rows that do not add up. For a job that goes on with other accounts. */
export function passInconsistent(error: unknown): undefined {
  if (!(error instanceof DatabaseError) || error.code !== "inconsistent") throw error;
}
