import { lookup } from "node:dns/promises";
import process from "node:process";
import type { Config } from "../../config/config.ts";
import { DatabaseError } from "../../db/error.ts";
import { isMendedByRestart } from "../../db/health.ts";
import { checkDatabase, checkpoint, watchHealth } from "../../db/integrity-check.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Log } from "../../lib/log.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import { serve } from "../../runtime/serve.ts";
import type { ServeOptions } from "../../runtime/serve.ts";
import type { Handler, Server } from "../../runtime/server.ts";
import { onShutdownSignal } from "../../runtime/shutdown-signal.ts";
import type { Vault } from "../../vault/vault.ts";
import { StartRefusal } from "./refusal.ts";

// What every process that listens has in common: the service and a release broker.

const MAINTENANCE_INTERVAL = MINUTE;

/** Milliseconds in which proxies hear that the connections that they keep end. */
const FAREWELL = SECOND;

/**
 * Listens where the configuration says, alone or as one of several processes. Throws `StartRefusal` with what to set
 * where that cannot be.
 */
export async function listen(
  config: Config,
  handler: Handler,
  { isPortShared }: Required<Pick<ServeOptions, "isPortShared">> = { isPortShared: false },
): Promise<Server> {
  try {
    const farewell = config.trustedProxies.length > 0 ? FAREWELL : 0;
    return await serve({ hostname: config.host, port: config.port, handler, isPortShared, farewell });
  } catch (cause) {
    throw await listenRefusal(config, cause);
  }
}

/** Why the address cannot be listened on, in words that say what to set; an error of ours as it is. */
export async function listenRefusal(
  { host, port }: Pick<Config, "host" | "port">,
  cause: unknown,
): Promise<unknown> {
  const { code } = cause as { code?: unknown };
  if (code === "EADDRINUSE") {
    // One runtime says so of a name that stands for no address, too.
    const isKnown = await lookup(host).then(() => true, () => false);
    const fault = isKnown
      ? `PORT ${port} is in use by another program`
      : `HOST ${host} stands for no address`;
    return new StartRefusal(fault, { cause });
  }
  if (code === "EACCES") {
    return new StartRefusal(`PORT ${port} needs more rights than this user has`, { cause });
  }
  return typeof code === "string"
    ? new StartRefusal(`HOST ${host} is no address of this machine (${code})`, { cause })
    : cause;
}

/** Why the database cannot serve now, for `/readyz`; empty when it can. */
export async function databaseReasons(db: Db): Promise<readonly string[]> {
  try {
    await checkDatabase(db);
    return [];
  } catch (error) {
    return [error instanceof DatabaseError ? error.message : "the database does not answer"];
  }
}

/** Milliseconds in which answers that are on their way go out, and `/readyz` says what is wrong. */
const LAST_WORDS = SECOND;

/** A process that ends with this has to be started again: nothing else mends what it met. */
const EXIT_RESTART = 3;

/** Who says that a process is to finish, and is told how. */
export type Finishing = (finish: () => void) => unknown;

/**
 * Ends the process once: with 0 at the first SIGTERM, SIGINT or SIGHUP (or what `whenAsked` says), with 3 when the
 * database's disk failed or its files were replaced. Each fault of the database, and its end, is logged once and not
 * with every request.
 */
export function endWhenDue(
  db: Db,
  log: Log,
  finish: () => Promise<void>,
  whenAsked: Finishing = onShutdownSignal,
): void {
  let isEnding = false;
  const end = (exitCode: number): void => {
    if (isEnding) return;
    isEnding = true;
    // A file that cannot be closed must not keep the process.
    void finish().catch((error: unknown) => log("error", "shutdown_failed", { error: String(error) }))
      .then(() => process.exit(exitCode));
  };
  whenAsked(() => end(0));
  watchHealth(db, (fault) => {
    if (fault === undefined) return log("info", "database_recovered", {});
    log("error", "database_fault", {
      code: fault.code,
      message: fault.message,
      cause: fault.cause === undefined ? null : String(fault.cause),
    });
    if (isMendedByRestart(fault)) setTimeout(() => end(EXIT_RESTART), LAST_WORDS);
  });
}

/** What a process does for its database beside its requests. */
export interface Maintenance {
  /** From then on nothing begins, and what breaks off because the database is closed is no failure. */
  stop(): void;
}

/** Milliseconds after which a start is over, and who waited for it has an answer. */
const WARM_UP = SECOND / 2;

/** Has the first multiplication made, which builds noble's table of the base point and takes as long as many signatures. */
export function warmUp(vault: Vault): void {
  setTimeout(() => vault.ethereumPublicKey("warm-up", 0), WARM_UP);
}

/** What is done every minute or so, by names for the log. */
export type Upkeep = Readonly<Record<string, () => Promise<void>>>;

/**
 * At once, beside the first requests, and then every minute, one after another; one that fails keeps none of the others
 * from being done. Each time the database's log is merged afterwards.
 */
export function startMaintenance(db: Db, upkeep: Upkeep, log: Log): Maintenance {
  const jobs = Object.entries({ ...upkeep, checkpoint: () => checkpoint(db) });
  let isRunning = false;
  let isStopped = false;
  const run = async (): Promise<void> => {
    // A backlog may take longer than a minute.
    if (isRunning) return;
    isRunning = true;
    for (const [job, run] of jobs) {
      if (isStopped) return;
      await run().catch((error: unknown) => {
        if (!isStopped) log("error", "maintenance_failed", { job, error: String(error) });
      });
    }
    isRunning = false;
  };
  void run();
  const timer = setInterval(() => void run(), MAINTENANCE_INTERVAL);
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
    },
  };
}

const THIS_MACHINE = /^(?:127\.[\d.]+|::1|localhost)$/;

/**
 * The line that says where a server is found, and where it listens when that is more than this machine: a port that is
 * open to a whole network should be seen to be.
 */
export function listeningLine(baseUrl: string, host: string, port: number): string {
  const where = THIS_MACHINE.test(host) ? "" : ` (port ${port} of address ${host})`;
  return `listening on ${baseUrl}${where}\n`;
}

/**
 * What somebody who has just started it in development on a terminal does next: what to open, where codes appear, and
 * what it is not fit for. `codes`: whether mails go to their addresses or to the terminal and the outbox.
 */
export function firstWords(baseUrl: string, codes: "sent" | "outbox"): string {
  const where = codes === "sent"
    ? ""
    : `  No mail is sent: codes appear here and at ${baseUrl}/dev/outbox.\n`;
  return `\n  Open ${baseUrl} and make an account.\n${where}` +
    "  Development: the TEE is simulated. Whoever runs this machine can read the keys.\n\n";
}
