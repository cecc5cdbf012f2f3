import { DatabaseError, type DatabaseErrorCode } from "../../db/error.ts";
import { RefusalError } from "../../lib/error.ts";

type Meaning = readonly [DatabaseErrorCode, message: string];

const UNREACHABLE: Meaning = ["unreachable", "Cannot use database: its server does not answer"];
const REFUSED: Meaning = ["login_refused", "Cannot use database: its server refuses the login"];
const BUSY: Meaning = ["busy", "Cannot use database: another client held a lock too long"];
const DAMAGED: Meaning = ["damaged", "Cannot use database: it is damaged"];
const READ_ONLY: Meaning = ["read_only", "Cannot write to database: its server is read-only"];
const FULL: Meaning = ["disk_full", "Cannot write to database: the disk is full"];
const CROWDED: Meaning = ["unreachable", "Cannot use database: its server accepts no more connections"];
const FORBIDDEN: Meaning = [
  "forbidden",
  "Cannot use database: its role lacks a right that the service needs",
];
const TIMED_OUT: Meaning = [
  "connection_timeout",
  "Cannot use database: a transaction held its connection too long",
];
const CONFLICT: Meaning = ["conflict", "Cannot use database: others changed the same rows at the same time"];

/** SQLSTATE codes, and classes of two characters, that concern the whole database (PostgreSQL, appendix A). */
const STATES: Readonly<Record<string, Meaning>> = {
  "08": UNREACHABLE,
  "28": REFUSED,
  "3D": ["login_refused", "Cannot use database: its server has no database of that name"],
  "25006": READ_ONLY,
  "25P03": TIMED_OUT,
  "25P04": TIMED_OUT,
  "40001": CONFLICT,
  "40P01": CONFLICT,
  "42501": FORBIDDEN,
  "53100": FULL,
  "53200": ["unreachable", "Cannot use database: its server is out of memory"],
  "53300": CROWDED,
  "53400": ["busy", "Cannot use database: a limit that is set on its server was reached"],
  "55P03": BUSY,
  "57014": ["busy", "Cannot use database: a statement took too long"],
  "57P01": UNREACHABLE,
  "57P02": UNREACHABLE,
  "57P03": UNREACHABLE,
  "57P05": UNREACHABLE,
  "58": ["read_failed", "Cannot use database: the disk of its server failed"],
  XX001: DAMAGED,
  XX002: DAMAGED,
};

/** Connection errors of the operating system and the driver, whose errors have no code. */
const BROKEN =
  /^(?:Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Client was closed|Client is closed|getaddrinfo|connect |read |write |This socket|socket )/i;
/** The driver's error if the server requires a password and none is configured. */
const NO_PASSWORD = /^SASL: .*password must be/;
const UNTRUSTED =
  /certificate|self.signed|SSL connection|TLS|wrong version number|unable to verify|hostname\/IP/i;

/** Returns the server's SQLSTATE, or undefined if the error is not from the server. */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof severity === "string" && typeof code === "string" ? code : undefined;
}

/** Returns true if the server reported the error, itself or as the cause of a `DatabaseError`. */
export function isFromServer(error: unknown): boolean {
  return stateOf(error instanceof DatabaseError ? error.cause : error) !== undefined;
}

/** Codes after which the server closes the connection. Needed because the reported severity is translated. */
const FATAL_STATES = /^(?:08|28|3D|53300|25P0[34]|57P0[1-5])/;

/** Returns true if the connection must not be used again: the error is not from the server, or is fatal. */
export function isConnectionBroken(error: unknown): boolean {
  if (error instanceof DatabaseError && error.code === "commit_unknown") return true;
  const cause = error instanceof DatabaseError ? error.cause : error;
  const state = stateOf(cause);
  if (state === undefined) return meaningOf(cause) !== undefined;
  return FATAL_STATES.test(state) || isFatal(cause);
}

/** Returns true if the error only reports an earlier failed statement, whose error has the cause. */
export function isAfterFault(error: unknown): boolean {
  return stateOf(error) === "25P02";
}

/** Returns true if the transaction can be run again. */
export function isConflict(error: unknown): boolean {
  return explainPostgres(error)?.code === "conflict";
}

export function isWorthWaiting(error: unknown): boolean {
  return explainPostgres(error)?.code === "unreachable";
}

/** Maps an error that concerns the whole database. Returns undefined for any other. */
export function explainPostgres(error: unknown): DatabaseError | undefined {
  if (error instanceof DatabaseError) return error;
  const [code, message] = meaningOf(error) ?? [];
  return code === undefined ? undefined : new DatabaseError(code, message!, { cause: error });
}

/** The server's functions that extend a file. Only some of the system's errors have an own SQLSTATE. */
const GROWING = /^md(?:zero)?extend$/;

/** The server's function that admits a role to a database. Its codes mean something else elsewhere. */
const ADMITTING = "CheckMyDatabase";

function isFatal(error: unknown): boolean {
  const { severity } = error as { readonly severity?: unknown };
  return severity === "FATAL" || severity === "PANIC";
}

function meaningOf(error: unknown): Meaning | undefined {
  const state = stateOf(error);
  if (state === "XX000" && GROWING.test(String((error as { routine?: unknown }).routine))) return FULL;
  if (state !== undefined) {
    if ((error as { routine?: unknown }).routine === ADMITTING) return REFUSED;
    return STATES[state] ?? STATES[state.slice(0, 2)] ?? (isFatal(error) ? UNREACHABLE : undefined);
  }
  // A job's refusal is not a database error, even if its message or members look like one.
  if (!(error instanceof Error) || error instanceof RefusalError) return undefined;
  if (UNTRUSTED.test(error.message)) {
    return ["login_refused", "Cannot use database: the connection to its server cannot be trusted"];
  }
  if (NO_PASSWORD.test(error.message)) {
    return ["login_refused", "Cannot use database: its server asks for a password, and none is given"];
  }
  const { code, errors } = error as { readonly code?: unknown; readonly errors?: unknown };
  const isOfSystem = typeof code === "string" && /^E(?!RR_)[A-Z_]+$/.test(code);
  return isOfSystem || Array.isArray(errors) || BROKEN.test(error.message) ? UNREACHABLE : undefined;
}
