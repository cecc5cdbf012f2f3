import { lookup } from "node:dns/promises";
import process from "node:process";
import type { Config } from "../../config/config.ts";
import { DatabaseError } from "../../db/error.ts";
import { isMendedByRestart } from "../../db/health.ts";
import { checkDatabase, checkpoint, watchHealth } from "../../db/integrity-check.ts";
import type { Db } from "../../db/schema/schema.ts";
import { isInNetwork, parseIpAddress } from "../../lib/ip-address.ts";
import type { Log } from "../../lib/log.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import { serve, type ServeOptions } from "../../runtime/serve.ts";
import type { Handler, Server } from "../../runtime/server.ts";
import { onShutdownSignal } from "../../runtime/shutdown-signal.ts";
import type { Vault } from "../../vault/vault.ts";
import { StartRefusal } from "./refusal.ts";

// Shared by the processes that listen: the service and a release broker.

const MAINTENANCE_INTERVAL = MINUTE;

const THIS_MACHINE = /^(?:127\.[\d.]+|::1|localhost)$/;

/** Milliseconds for which proxies learn that their kept connections are closing. */
const DRAIN_DELAY = SECOND;

/** Returns true if only this machine can connect, from an address of `TRUSTED_PROXIES`. */
export function isBehindProxy({ host, trustedProxies }: Pick<Config, "host" | "trustedProxies">): boolean {
  const address = parseIpAddress(host);
  return address !== undefined && THIS_MACHINE.test(host) &&
    trustedProxies.some((network) => isInNetwork(address, network));
}

/** Throws `StartRefusal` if the address cannot be used. */
export async function listen(
  config: Config,
  handler: Handler,
  { isPortShared }: Required<Pick<ServeOptions, "isPortShared">> = { isPortShared: false },
): Promise<Server> {
  try {
    const drainDelay = config.trustedProxies.length > 0 ? DRAIN_DELAY : 0;
    const { host: hostname, port } = config;
    const options = { hostname, port, handler, isPortShared, drainDelay };
    return await serve({ ...options, isBehindProxy: isBehindProxy(config) });
  } catch (cause) {
    throw await listenRefusal(config, cause);
  }
}

/** Returns a refusal that says what to set if the address cannot be used. Returns any other error unchanged. */
export async function listenRefusal(
  { host, port }: Pick<Config, "host" | "port">,
  cause: unknown,
): Promise<unknown> {
  const { code } = cause as { code?: unknown };
  if (code === "EADDRINUSE") {
    // One runtime also reports it for a name without an address.
    const isKnown = await lookup(host).then(() => true, () => false);
    const fault = isKnown ? `PORT ${port} is in use by another program` : `HOST ${host} has no address`;
    return new StartRefusal(fault, { cause });
  }
  if (code === "EACCES") {
    return new StartRefusal(`PORT ${port} needs rights that this user does not have`, { cause });
  }
  return typeof code === "string"
    ? new StartRefusal(`HOST ${host} is not an address of this machine (${code})`, { cause })
    : cause;
}

/** Returns why the database cannot serve now, for `/readyz`. */
export async function databaseReasons(db: Db): Promise<readonly string[]> {
  try {
    await checkDatabase(db);
    return [];
  } catch (error) {
    return [error instanceof DatabaseError ? error.message : "the database does not answer"];
  }
}

/** Milliseconds for pending responses, and for `/readyz` to report the fault. */
const FAULT_EXIT_DELAY = SECOND;

/** The exit code if only a restart can fix the fault. */
const EXIT_RESTART = 3;

export type OnStop = (finish: () => void) => unknown;

/**
 * Ends the process once. Exits 0 on the first SIGTERM, SIGINT or SIGHUP (or as `onStop` requests), and 3 if the
 * database's disk failed or its files were replaced. Logs the begin and end of each database fault once, not for
 * every request.
 */
export function exitOnSignalOrFault(
  db: Db,
  log: Log,
  finish: () => Promise<void>,
  onStop: OnStop = onShutdownSignal,
): void {
  let isEnding = false;
  const end = (exitCode: number): void => {
    if (isEnding) return;
    isEnding = true;
    // A file that fails to close must not block the exit.
    void finish().catch((error: unknown) => log("error", "shutdown_failed", { error: String(error) }))
      .then(() => process.exit(exitCode));
  };
  onStop(() => end(0));
  watchHealth(db, (fault) => {
    if (fault === undefined) return log("info", "database_recovered", {});
    log("error", "database_fault", {
      code: fault.code,
      message: fault.message,
      cause: fault.cause === undefined ? null : String(fault.cause),
    });
    if (isMendedByRestart(fault)) setTimeout(() => end(EXIT_RESTART), FAULT_EXIT_DELAY);
  });
}

export interface Maintenance {
  /** Starts no further job, and does not report failures caused by the closed database. */
  stop(): void;
}

/** Milliseconds after which the first client was answered. */
const WARM_UP = SECOND / 2;

/** Builds noble's table of the base point, which takes as long as many signatures. */
export function warmUp(vault: Vault): void {
  setTimeout(() => vault.ethereumPublicKey("warm-up", 0), WARM_UP);
}

/** Keyed by names for the log. */
export type MaintenanceJobs = Readonly<Record<string, () => Promise<void>>>;

/** Runs the jobs one after another, then merges the database's log. A failed job does not stop the others. */
export function startMaintenance(db: Db, maintenanceJobs: MaintenanceJobs, log: Log): Maintenance {
  const jobs = Object.entries({ ...maintenanceJobs, checkpoint: () => checkpoint(db) });
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

/** Adds address and port unless it listens on loopback only, so that an open port is visible. */
export function listeningLine(baseUrl: string, host: string, port: number): string {
  const where = THIS_MACHINE.test(host) ? "" : ` (port ${port} of address ${host})`;
  return `listening on ${baseUrl}${where}\n`;
}

export function startMessage(baseUrl: string, codes: "sent" | "outbox"): string {
  const where = codes === "sent"
    ? ""
    : `  No mail is sent: codes appear here and at ${baseUrl}/dev/outbox.\n`;
  return `\n  Open ${baseUrl} and create an account.\n${where}` +
    "  Development: the TEE is simulated. Anyone with access to this machine can read the keys.\n\n";
}
