import { createBrokerApp } from "../broker-app.ts";
import { verifyLogFromCheckpoint } from "../audit/log-scrubber.ts";
import { type Config, type Environment, readConfig } from "../config/config.ts";
import { closeDatabase } from "../db/database.ts";
import { createGroupCommit } from "../db/group-commit.ts";
import { sweepExpired } from "../db/sweep.ts";
import { toBase64url } from "../lib/bytes.ts";
import type { Log } from "../lib/log.ts";
import { createMetrics } from "../lib/metrics.ts";
import { createRateLimiter, UNLIMITED } from "../limits/rate-limit.ts";
import type { App } from "../http/boundary.ts";
import { readArguments } from "./process/arguments.ts";
import { runThrottled } from "./process/throttled.ts";
import { createFileReaders, getBrokerFiles, refuseBadFiles, unreadyFiles } from "./files/broker-files.ts";
import type { BrokerFiles } from "./files/broker-files.ts";
import { refuseStart } from "./open/data-folder.ts";
import { lockDatabase } from "./open/database-lock.ts";
import {
  databaseReasons,
  exitOnSignalOrFault,
  listen,
  listeningLine,
  startMaintenance,
} from "./process/running.ts";
import { createLog } from "./process/log.ts";
import { scrubLog, watchLog } from "./open/log-watch.ts";
import { random } from "./process/random.ts";
import { StartRefusal } from "./process/refusal.ts";
import { createAuditingRowAuthority } from "./open/auditing-row-authority.ts";
import { recordStart } from "./open/slots.ts";
import { openConfiguredVault, type OpenedVault } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printLog } from "./process/print.ts";

export const BROKER_USAGE = "broker";

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/;

/**
 * Runs the `broker` command: releases sealing keys to trust domains until SIGTERM, SIGINT or SIGHUP. Prints its
 * address and the key that guests pin. A refused start throws and changes nothing.
 */
export async function broker(environment: Environment, list: readonly string[]): Promise<void> {
  readArguments(list, {});
  const config = readConfig(withSecretFiles(environment));
  const files = getBrokerFiles(config);
  refuseUnprotected(config);
  await refuseBadFiles(files);
  await start(config, files);
}

/** Refuses a simulated TEE for remote guests: its key is beside the database. */
function refuseUnprotected({ tee, host }: Config): void {
  if ((tee !== "auto" && tee !== "simulated") || LOOPBACK.test(host)) return;
  throw new StartRefusal(
    `TEE=${tee} is only for a HOST of this machine: set TEE=none and TEE_SEALING_KEY_FILE, or TEE=dstack or tdx`,
  );
}

async function start(config: Config, files: BrokerFiles): Promise<void> {
  const log = createLog(config);
  await refuseStart(config);
  const lock = lockDatabase(config, "use");
  const openedVault = await openConfiguredVault(config, { now: Date.now(), random });
  const { db, tee, vault } = openedVault;
  await recordStart(openedVault, { now: Date.now(), log });
  const verifiedHead = await verifyLogFromCheckpoint(db, vault);
  const logReasons = watchLog(db, { vault, now: Date.now, log });
  let stopping = false;
  const unreadyReasons = async (): Promise<readonly string[]> => [
    ...(stopping ? ["shutting down"] : []),
    ...await databaseReasons(db),
    ...await unreadyFiles(files, Date.now()),
    ...logReasons(),
  ];
  const handler = composeBroker(config, files, openedVault, { log, unreadyReasons });
  const server = await listen(config, handler);
  printLog(`TEE_BROKER_KEY=${toBase64url(await vault.brokerPublicKey())}\n`);
  if (!tee.inTee) {
    log("warn", "broker_outside_tee", {
      note: "anyone with access to this machine can get every key that it releases",
    });
  }
  const maintenance = startMaintenance(db, {
    sweep: async () => void await sweepExpired(db, Date.now(), runThrottled),
  }, log);
  const stopScrubber = scrubLog(db, { vault, now: Date.now, log, from: verifiedHead });
  exitOnSignalOrFault(db, log, async () => {
    stopping = true;
    await Promise.all([server.stop(), stopScrubber()]);
    maintenance.stop();
    await closeDatabase(db);
    lock.release();
  });
  // Last, because the reader of this line may send a signal at once.
  printLog(listeningLine(`http://localhost:${server.port}`, config.host, server.port));
}

function composeBroker(
  config: Config,
  files: BrokerFiles,
  { db, vault }: OpenedVault,
  { log, unreadyReasons }: {
    readonly log: Log;
    readonly unreadyReasons: () => Promise<readonly string[]>;
  },
): App {
  const groupCommit = createGroupCommit(db);
  const now = Date.now;
  return createBrokerApp({
    db,
    groupCommit,
    vault,
    authority: createAuditingRowAuthority({ vault, groupCommit, now, log }),
    limits: config.rateLimits === "on" ? createRateLimiter(vault) : UNLIMITED,
    random,
    log,
    unreadyReasons,
    ...createFileReaders(files, now),
  }, {
    now,
    log,
    metrics: createMetrics(() => performance.now()),
    trustedProxies: config.trustedProxies,
  });
}
