import { ConfigError } from "../../config/config.ts";
import { DatabaseError } from "../../db/error.ts";
import { isDamaged } from "../../runtime/sqlite/error.ts";
import { TeeStartError } from "../../tee/hardware.ts";
import { VaultRefusal } from "../../vault/error.ts";

/** The exit code if arguments, configuration or the state found forbid the request. */
export const EXIT_REFUSED = 2;

/** A refusal of a command because of the state it found. Nothing was changed. The message says what to do. */
export class StartRefusal extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartRefusal";
  }
}

export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const REFUSALS = [StartRefusal, UsageError, VaultRefusal, TeeStartError];

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: "this user may not access it",
  EEXIST: "something else has that name",
  EISDIR: "it is a folder",
  ELOOP: "there are too many symbolic links on the way",
  ENAMETOOLONG: "its name is too long",
  ENOENT: "it does not exist, or its folder does not",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is not a folder",
  EPERM: "this user may not access it",
  EROFS: "the disk is read-only",
};

/** Describes the fault of a path. Returns undefined for any other error. One runtime sometimes omits the path. */
function fileFaultOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, dest } = error as {
    readonly code?: unknown;
    readonly path?: unknown;
    readonly dest?: unknown;
  };
  const fault = typeof code === "string" && Object.hasOwn(FILE_FAULTS, code) ? FILE_FAULTS[code] : undefined;
  if (fault === undefined) return undefined;
  const named = [path, dest].filter((one) => typeof one === "string").join(" or ");
  return `${named === "" ? "A file or folder" : named} cannot be used: ${fault} (${code})`;
}

function innermostMessage(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

/** Adds the database server's message, which names the right, limit or table. */
function withServerMessage({ message, cause }: DatabaseError): string {
  const isServers = cause instanceof Error && "severity" in cause && cause.message !== "";
  return isServers && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}

/** Returns the faults that the operator can fix, a sentence each. Returns undefined for a bug of the program. */
export function refusalsOf(error: unknown): readonly string[] | undefined {
  if (error instanceof ConfigError) return error.faults;
  if (isDamaged(error)) return [`The database is damaged (${innermostMessage(error)}): restore a backup`];
  if (error instanceof DatabaseError) return [withServerMessage(error)];
  if (error instanceof Error && REFUSALS.some((kind) => error instanceof kind)) return [error.message];
  const fileFault = fileFaultOf(error);
  return fileFault === undefined ? undefined : [fileFault];
}
