import { dirname, resolve } from "node:path";
import { ConfigError } from "../../config/config.ts";
import { DatabaseError, passInconsistent } from "../../db/error.ts";
import { DeclaredEntries, type DeclaredEntry } from "../../features/applications/schema.ts";
import { readInput } from "../../http/request/input.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { parseJson } from "../../lib/json.ts";
import type { Log } from "../../lib/log.ts";
import type { Instant } from "../../lib/time.ts";
import { AUTHENTICATION_METHODS } from "../../oauth/client/client.ts";
import {
  checkClientMetadata,
  checkKeyAccess,
  checkLogoutMetadata,
} from "../../oauth/client/client-metadata.ts";
import type { LogoutHosts } from "../../oauth/client/logout-uri.ts";
import {
  applyDeclaredClients,
  DeclarationError,
  type DeclaredClient,
} from "../../oauth/client/declared-clients.ts";
import { createRowAuthority } from "../../audit/row-authority.ts";
import { moveClients } from "../../store/state/move-clients.ts";
import { type Note, readSecret, readStart, toStandardError } from "../files/secret-files.ts";
import type { OpenedVault } from "./vault.ts";

/** Enough for thousands of clients. */
const MOST_BYTES = 8 * 1024 * 1024;

/** At least 32 characters that can be sent in a header. */
const SECRET = /^[!-~]{32,}$/;

function faultsIn(check: () => unknown, prefix: string): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return error.errors?.map(({ path, message }) => `${prefix}${path}: ${message}`) ??
      [`${prefix}: ${error.message}`];
  }
}

/** Parses the file. Throws `ConfigError`. */
function readEntries(path: string): readonly DeclaredEntry[] {
  let entries: readonly DeclaredEntry[] = [];
  const faults = faultsIn(() => {
    entries = readInput(DeclaredEntries, parseJson(readText(path)));
  }, "");
  if (faults.length > 0) refuse(faults.map((fault) => fault.replace(/^: /, "")));
  return entries;
}

function readText(path: string): string {
  try {
    const { bytes } = readStart(path, MOST_BYTES);
    if (bytes.length <= MOST_BYTES) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const isFileFault = typeof code === "string" && /^E[A-Z]+$/.test(code);
    return refuse([isFileFault ? `the file cannot be read (${code})` : "the file is no text in UTF-8"]);
  }
  return refuse(["the file is too large"]);
}

function refuse(faults: readonly string[]): never {
  throw new ConfigError(faults.map((fault) => `CLIENTS_FILE: ${fault}`));
}

/** Reads the secret of an entry. Returns undefined for clients without one, and after adding a fault. */
function secretOf(
  { type, clientSecretFile, tokenEndpointAuthMethod: method }: DeclaredEntry,
  { folder, place, faults, note }: {
    readonly folder: string;
    readonly place: string;
    readonly faults: string[];
    readonly note: Note;
  },
): string | undefined {
  const hasSecret = (method ?? AUTHENTICATION_METHODS[type][0]) === "client_secret_basic";
  const member = `${place}/clientSecretFile`;
  if (!hasSecret || clientSecretFile === undefined) {
    if (!hasSecret && clientSecretFile !== undefined) faults.push(`${member}: this client has no secret`);
    if (hasSecret && clientSecretFile === undefined) faults.push(`${member}: Missing member`);
    return undefined;
  }
  const found = readSecret(
    member,
    resolve(folder, clientSecretFile),
    (line) => note(`CLIENTS_FILE: ${line}`),
  );
  if ("fault" in found) faults.push(found.fault);
  else if (!SECRET.test(found.text)) {
    faults.push(`${member} names a file without 32 characters or more of printable ASCII without spaces`);
  } else return found.text;
  return undefined;
}

/**
 * Reads the clients that a file declares. Throws `ConfigError` with a line for each fault. Faults are what the API
 * would refuse, unknown members, duplicate ids, and secrets that are missing, too short or unreadable. Paths of
 * secrets are relative to the file's folder. Only notes that others may read a secret, as for every secret's file.
 */
export function readClientsFile(
  path: string,
  logoutHosts: LogoutHosts,
  note: Note = toStandardError,
): readonly DeclaredClient[] {
  const faults: string[] = [];
  const entries = readEntries(path);
  const declared = entries.map((entry, index): DeclaredClient => {
    const place = `/${index}`;
    const { clientId, clientSecretFile: _, disabled = false, ...metadata } = entry;
    if (entries.findIndex((other) => other.clientId === clientId) < index) {
      faults.push(`${place}/clientId: Expected each client once`);
    }
    faults.push(
      ...faultsIn(() => checkClientMetadata(metadata, metadata.type, logoutHosts), place),
      ...faultsIn(() => checkKeyAccess(metadata, metadata.type), place),
      ...faultsIn(() => checkLogoutMetadata(metadata), place),
    );
    const clientSecret = secretOf(entry, { folder: dirname(path), place, faults, note });
    return { clientId, metadata, disabled, clientSecret };
  });
  if (faults.length > 0) refuse(faults);
  return declared;
}

/** Updates the clients of a database to match the file. Throws `ConfigError` without changing anything. */
export type ApplyClients = (
  openedVault: OpenedVault,
  context: { readonly now: Instant; readonly random: RandomBytes; readonly log: Log },
) => Promise<void>;

/** Lets a start go on if the rows of the clients do not add up, or the log has a fault. */
function passLogFault(error: unknown): void {
  if (!(error instanceof DatabaseError) || error.code !== "log_cut") passInconsistent(error);
}

/** Reads the file with `readClientsFile`, if there is one, and returns a function that applies it. */
export function declareClients(path: string | undefined, logoutHosts: LogoutHosts): ApplyClients {
  const declared = path === undefined ? undefined : readClientsFile(path, logoutHosts);
  return async ({ db, vault }, { log, ...context }) => {
    const authority = createRowAuthority(vault, Date.now, {
      onRejected: (kind) => log("error", "row_rejected", { kind }),
      onInconsistent: (owner, kind) => log("error", "inconsistent_store", { owner, kind }),
    });
    await moveClients(db, authority).catch(passLogFault);
    try {
      await applyDeclaredClients(db, { vault, authority, logoutHosts }, declared, context);
    } catch (error) {
      if (error instanceof DeclarationError) refuse(error.faults);
      throw error;
    }
  };
}

/** Like `declareClients`, but leaves the clients as they are if the file is faulty: a restart must not depend on it. */
export function declareClientsIfSound(path: string | undefined, logoutHosts: LogoutHosts): ApplyClients {
  try {
    const apply = declareClients(path, logoutHosts);
    return (openedVault, context) => apply(openedVault, context).catch(passConfigError);
  } catch (error) {
    passConfigError(error);
    return () => Promise.resolve();
  }
}

function passConfigError(error: unknown): void {
  if (!(error instanceof ConfigError)) throw error;
}
