/** Why a database cannot be used. */
export type DatabaseErrorCode =
  | "newer_schema"
  | "older_schema"
  /** A build before the first release wrote it. */
  | "unreleased_schema"
  | "foreign_key_violation"
  | "damaged"
  /** The disk failed while something was read, and may not the next time. */
  | "read_failed"
  /** The disk failed while something was written, so that nobody knows what is on it. */
  | "disk_failed"
  /** The last write found no space; the next one may. */
  | "disk_full"
  /** Somebody changed its tables, indexes, triggers or views since this process looked at them. */
  | "schema_changed"
  /** Its files are no longer those that this process has open. */
  | "files_replaced"
  | "busy"
  /** Two transactions met, and the database undid this one. */
  | "conflict"
  /** The audit log is not as it was, or does not take what is to be recorded. */
  | "log_cut"
  | "connection_timeout"
  /** Its server does not answer, or takes nobody more just now. */
  | "unreachable"
  /** Its server does not let this program in, or the connection cannot be trusted. */
  | "login_refused"
  /** Its server does not let the role do what was asked. */
  | "forbidden"
  /** Its server only lets it be read: it follows another one. */
  | "read_only"
  /** The connection broke within a commit: what was to be written is there whole, or not at all, and nobody knows. */
  | "commit_unknown"
  /** It answered with a row of ours that is not the one that was asked for. */
  | "wrong_row"
  /** It did not write what it was told to, or wrote something else. */
  | "not_written";

/** The database as a whole is in no state to serve: never the other side's mistake. */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseError";
    this.code = code;
  }
}
