import { ConfigError } from "../../config/config.ts";
import { DatabaseError } from "../../db/error.ts";
import { isDamaged } from "../../runtime/sqlite/error.ts";
import { TeeStartError } from "../../tee/hardware.ts";
import { VaultRefusal } from "../../vault/error.ts";

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

const REFUSALS = [StartRefusal, UsageError, VaultRefusal, TeeStartError];

/** What the operating system says of paths that were configured or named. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: "this user has no right to it",
  EEXIST: "there is something else of that name",
  EISDIR: "it is a folder",
  ELOOP: "there are too many symbolic links on the way",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "it is not there, or the folder that it would be in is not",
  ENOSPC: "the disk is full",
  ENOTDIR: "something on the way to it is no folder",
  EPERM: "this user has no right to it",
  EROFS: "the disk can only be read",
};

/** The fault of a path in words; undefined for another error. One runtime leaves out which path it was, sometimes. */
function fileFaultOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, dest } = error as {
    readonly code?: unknown;
    readonly path?: unknown;
    readonly dest?: unknown;
  };
  const words = typeof code === "string" && Object.hasOwn(FILE_FAULTS, code) ? FILE_FAULTS[code] : undefined;
  if (words === undefined) return undefined;
  const named = [path, dest].filter((one) => typeof one === "string").join(" or ");
  return `${named === "" ? "A file or folder" : named} cannot be used: ${words} (${code})`;
}

/** What SQLite itself said, where it said something. */
function innermost(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** With what the database's server said of it, which names the right, the limit or the table. */
function withServersWords({ message, cause }: DatabaseError): string {
  const isServers = cause instanceof Error && "severity" in cause && cause.message !== "";
  return isServers && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

/** The faults that whoever calls a command can mend, a sentence each; undefined for an error of ours. */
export function refusalsOf(error: unknown): readonly string[] | undefined {
  if (error instanceof ConfigError) return error.faults;
  if (isDamaged(error)) return [`The database is damaged (${innermost(error)}): restore a backup`];
  if (error instanceof DatabaseError) return [withServersWords(error)];
  if (error instanceof Error && REFUSALS.some((kind) => error instanceof kind)) return [error.message];
  const fileFault = fileFaultOf(error);
  return fileFault === undefined ? undefined : [fileFault];
}
