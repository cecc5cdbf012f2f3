import { DatabaseError } from "../../db/error.ts";
import type { DatabaseErrorCode } from "../../db/error.ts";
import { RefusalError } from "../../lib/error.ts";

type Meaning = readonly [DatabaseErrorCode, message: string];

const UNREACHABLE: Meaning = ["unreachable", "Cannot use database: its server does not answer"];
const REFUSED: Meaning = ["login_refused", "Cannot use database: its server refuses the login"];
const BUSY: Meaning = ["busy", "Cannot use database: somebody else held a lock too long"];
const DAMAGED: Meaning = ["damaged", "Cannot use database: it is damaged"];
const READ_ONLY: Meaning = ["read_only", "Cannot write to database: its server only lets it be read"];
const FULL: Meaning = ["disk_full", "Cannot write to database: the disk is full"];
const CROWDED: Meaning = ["unreachable", "Cannot use database: its server takes no more connections"];
const FORBIDDEN: Meaning = [
  "forbidden",
  "Cannot use database: its role lacks a right that the service needs",
];
const TIMED_OUT: Meaning = [
  "connection_timeout",
  "Cannot use database: a transaction held its connection too long",
];
const CONFLICT: Meaning = ["conflict", "Cannot use database: others changed the same rows meanwhile"];

/** What each SQLSTATE that speaks of the database as a whole is to us (PostgreSQL, appendix A), by code or by class. */
const STATES: Readonly<Record<string, Meaning>> = {
  "08": UNREACHABLE,
  "28": REFUSED,
  "3D": ["login_refused", "Cannot use database: its server has none of that name"],
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

/** What the operating system and the driver say of a connection: the latter has no codes. */
const BROKEN =
  /^(?:Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Client was closed|Client is closed|getaddrinfo|connect |read |write |This socket|socket )/i;
/** The driver's, where the server wants one and there is none. */
const NO_PASSWORD = /^SASL: .*password must be/;
const UNTRUSTED =
  /certificate|self.signed|SSL connection|TLS|wrong version number|unable to verify|hostname\/IP/i;

/** The server's own code of an error; undefined where it was not the server that spoke. */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  return typeof severity === "string" && typeof code === "string" ? code : undefined;
}

/** What a server says last, in whatever language it says that it is: of an error's severity we are told its translation. */
const LAST_WORDS = /^(?:08|28|3D|53300|25P0[34]|57P0[1-5])/;

/** Whether an error says that its connection is not to be used again: the server did not speak, or for the last time. */
export function isConnectionBroken(error: unknown): boolean {
  if (error instanceof DatabaseError && error.code === "commit_unknown") return true;
  const cause = error instanceof DatabaseError ? error.cause : error;
  const state = stateOf(cause);
  if (state === undefined) return meaningOf(cause) !== undefined;
  return LAST_WORDS.test(state) || isFatal(cause);
}

/** Whether a server only says that an earlier statement of the transaction failed: what was wrong, it said then. */
export function isAfterFault(error: unknown): boolean {
  return stateOf(error) === "25P02";
}

/** Whether two transactions met and the server undid one of them: it would do what it had to if it were run again. */
export function isConflict(error: unknown): boolean {
  return explainPostgres(error)?.code === "conflict";
}

/** Whether the server may answer if it is asked a little later. */
export function isWorthWaiting(error: unknown): boolean {
  return explainPostgres(error)?.code === "unreachable";
}

/** What the server or the way to it said, where it speaks of the database as a whole: of anything else undefined. */
export function explainPostgres(error: unknown): DatabaseError | undefined {
  if (error instanceof DatabaseError) return error;
  const [code, message] = meaningOf(error) ?? [];
  return code === undefined ? undefined : new DatabaseError(code, message!, { cause: error });
}

/** The server's functions by which a table gets longer: only for some of a system's reasons why not it has a code. */
const GROWING = /^md(?:zero)?extend$/;

/** The server's function that lets a role into a database, or does not: its codes stand for other things elsewhere. */
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
  // What a job refuses is no word of the database, whatever its message and its members are called.
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
