import { ConfigError } from "../config.ts";
import { DatabaseError } from "../db/error.ts";
import { isDamaged } from "../runtime/sqlite-error.ts";
import { TeeStartError } from "../tee/hardware.ts";
import { VaultRefusal } from "../vault/error.ts";

/** A process exits with this when how it was called, the configuration or what it found forbids what was asked. */
export const EXIT_REFUSED = 2;

/** The command will not go on over what it found: nothing was changed. The message says what to do. */
export class StartRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartRefusal";
  }
}

/** The command was called with arguments it does not take. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const REFUSALS = [StartRefusal, UsageError, VaultRefusal, TeeStartError, DatabaseError];

/** What the operating system says of paths that were configured or named. */
const FILE_FAULTS: readonly unknown[] = [
  "EACCES",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOSPC",
  "ENOTDIR",
  "EPERM",
  "EROFS",
];

function isFileFault(error: unknown): error is Error {
  return error instanceof Error && "code" in error && FILE_FAULTS.includes(error.code);
}

/** What SQLite itself said, where it said something. */
function innermost(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** The faults that whoever calls a command can mend, a sentence each; undefined for an error of ours. */
export function refusalsOf(error: unknown): readonly string[] | undefined {
  if (error instanceof ConfigError) return error.faults;
  if (isDamaged(error)) return [`The database is damaged (${innermost(error)}): restore a backup`];
  if (error instanceof Error && REFUSALS.some((kind) => error instanceof kind)) return [error.message];
  return isFileFault(error) ? [`A file or folder cannot be used: ${error.message}`] : undefined;
}
