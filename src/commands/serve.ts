import { lookup as lookupAll } from "node:dns/promises";
import process from "node:process";
import { listAccounts } from "../accounts/manage-account.ts";
import { verifyLogFromCheckpoint } from "../audit/log-scrubber.ts";
import { type Config, type Environment, readServingConfig, type Secrets } from "../config/config.ts";
import { logoutHostsAt } from "../config/mode.ts";
import { closeDatabase } from "../db/database.ts";
import type { Log } from "../lib/log.ts";
import { createMetrics } from "../lib/metrics.ts";
import { TIME_LIMIT } from "../lib/outgoing.ts";
import { sendRequest } from "../runtime/send-request.ts";
import type { Handler, Server } from "../runtime/server.ts";
import { createRowAuthority } from "../audit/row-authority.ts";
import { loadAdminKey } from "./files/admin-key.ts";
import { readClearSigning } from "./files/clear-signing.ts";
import { readLogoFile } from "./files/logo.ts";
import { loadPushKeys } from "./files/push-keys.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { createCollector, declareSeries } from "./open/collect-metrics.ts";
import { canCheckPagesLater, checkPagesBeside } from "./open/check-pages.ts";
import { compose, type Composition } from "./open/compose.ts";
import { refuseStart } from "./open/data-folder.ts";
import { lockDatabase } from "./open/database-lock.ts";
import { type ApplyClients, declareClients, declareClientsIfSound } from "./open/declare-clients.ts";
import { scrubLog } from "./open/log-watch.ts";
import { readAuthorities, startMail } from "./open/mail.ts";
import { hasOwnPages } from "./open/database.ts";
import { recordStart } from "./open/slots.ts";
import { openConfiguredVault, type OpenedVault } from "./open/vault.ts";
import { readArguments } from "./process/arguments.ts";
import { createLog } from "./process/log.ts";
import { printLog } from "./process/print.ts";
import { random } from "./process/random.ts";
import { StartRefusal } from "./process/refusal.ts";
import {
  databaseReasons,
  exitOnSignalOrFault,
  listen,
  listeningLine,
  startMaintenance,
  startMessage,
  warmUp,
} from "./process/running.ts";
import type { OnStop } from "./process/running.ts";
import { serveMetrics } from "./process/serve-metrics.ts";
import { onSupervisorStop } from "./process/watched-process.ts";

export const SERVE_USAGE = "serve [--processes N]";

/**
 * Runs the `serve` command until SIGTERM, SIGINT or SIGHUP. Then finishes pending requests, closes the database and
 * exits 0. A refused start throws and changes nothing. `--processes` overrides `PROCESSES` and supervises that many
 * processes; `--process` is the number of a supervised one.
 */
export async function serve(environment: Environment, list: readonly string[]): Promise<void> {
  const { values } = readArguments(list, { values: ["processes", "process"] });
  const processes = values.get("processes");
  const wanted = processes === undefined ? environment : { ...environment, PROCESSES: processes };
  const isWatched = values.has("process");
  const onStop = isWatched ? onSupervisorStop(() => process.exit(0)) : undefined;
  const { config, secrets } = readServingConfig(withSecretFiles(wanted));
  if (config.processes > 1 && !isWatched) {
    const { serveTogether } = await import("./serve-processes.ts");
    return await serveTogether(config, environment);
  }
  // The first of several processes starts alone, and refuses a faulty file for all.
  const isFirst = !isWatched || values.get("process") === "1";
  const bringClients = (isFirst ? declareClients : declareClientsIfSound)(
    config.clientsFile,
    logoutHostsAt(config.baseUrl, config),
  );
  await start(config, secrets, { onStop, bringClients });
}

/** Starts the service. `onStop` connects it to its supervisor; undefined if it serves alone. */
async function start(
  config: Config,
  secrets: Secrets,
  { onStop, bringClients }: {
    readonly onStop: OnStop | undefined;
    readonly bringClients: ApplyClients;
  },
): Promise<void> {
  const log = createLog(config);
  if (config.tee === "none") {
    throw new StartRefusal("TEE=none is only for `holdfast broker`: set another TEE");
  }
  const authorities = readAuthorities(config);
  const clearSigning = readClearSigning(config.clearSigningDir);
  const logo = readLogoFile(config.serviceLogo);
  await refuseStart(config);
  const lock = lockDatabase(config, "use");
  const pages = canCheckPagesLater(config) ? "later" : "now";
  const openedVault = await openConfiguredVault(config, { now: Date.now(), random, pages });
  const { db, tee, vault } = openedVault;
  if (onStop === undefined && hasOwnPages(config)) vault.bindToStart();
  await recordStart(openedVault, { now: Date.now(), log });
  await bringClients(openedVault, { now: Date.now(), random, log });
  // A fault of the log does not stop the start: the service reports it and records nothing until it is acknowledged.
  const verifiedHead = await verifyLogFromCheckpoint(db, vault);
  let stopping = false;
  const unreadyReasons = async (): Promise<readonly string[]> => [
    ...(stopping ? ["shutting down"] : []),
    ...await databaseReasons(db),
  ];
  const adminApiKey = await loadAdminKey(config, secrets, random);
  const pushKeys = await loadPushKeys(config, secrets, random);
  const metrics = createMetrics(() => performance.now());
  const dependencies = {
    now: Date.now,
    stopwatch: metrics.stopwatch,
    random,
    log,
    metrics,
    adminApiKey,
    identityProviders: secrets.identityProviders,
    outgoing: { fetch: sendRequest, lookup, timeLimit: TIME_LIMIT },
    pushKeys,
    clearSigning,
    logo,
    unreadyReasons,
  };
  const { server, baseUrl, maintenanceJobs, startLogoutDelivery, startWebhooks, startPush, stopMail } =
    await listenWith(
      { config, isPortShared: onStop !== undefined },
      (baseUrl) => {
        const mail = startMail(config, secrets, { db, vault, log, metrics, baseUrl, authorities });
        const composition = compose(config, baseUrl, openedVault, { ...dependencies, mailer: mail.mailer });
        return { ...composition, stopMail: mail.stop };
      },
    );
  declareSeries(metrics, tee);
  const metricsServer = config.metricsAddress &&
    await serveMetrics(config.metricsAddress, createCollector(config, db, { metrics, now: Date.now }));
  const deliveries = [
    startLogoutDelivery(),
    startWebhooks(),
    ...startPush === undefined ? [] : [startPush()],
  ];
  const maintenance = startMaintenance(db, maintenanceJobs, log);
  const pageCheck = pages === "later" ? checkPagesBeside(db, config, log) : undefined;
  const stopScrubber = scrubLog(db, { vault, now: Date.now, log, from: verifiedHead });
  for (const { path, reason } of clearSigning.leftOut) {
    log("warn", "clear_signing_left_out", { path, reason });
  }
  if (!tee.inTee) {
    log("warn", "simulated_tee", { note: "keys are not protected from this machine's operator" });
  }
  await logFirstAccount(config, openedVault, log);
  // TLS ends before this process, so that all clients come through a proxy.
  if (config.baseUrl?.startsWith("https:") === true && config.trustedProxies.length === 0) {
    log("warn", "no_trusted_proxies", {
      note: "all clients behind the proxy share the limits of one network",
    });
  }
  exitOnSignalOrFault(db, log, async () => {
    stopping = true;
    pageCheck?.stop();
    await Promise.all([
      server.stop(),
      metricsServer?.stop(),
      stopMail(),
      ...deliveries.map(({ stop }) => stop()),
      stopScrubber(),
    ]);
    maintenance.stop();
    await closeDatabase(db);
    lock.release();
  }, onStop);
  // Last, because the reader of this line may send a signal at once.
  printLog(listeningLine(baseUrl, config.host, server.port));
  warmUp(vault);
  if (!tee.inTee && process.stdout.isTTY === true) {
    printLog(startMessage(baseUrl, config.smtp === undefined ? "outbox" : "sent"));
  }
}

interface Serving extends Composition {
  readonly stopMail: () => Promise<void>;
}

/** Binds the port first, because without `BASE_URL` the service's address depends on it. */
async function listenWith(
  { config, isPortShared }: { readonly config: Config; readonly isPortShared: boolean },
  composeAt: (baseUrl: string) => Serving,
): Promise<Omit<Serving, "app"> & { readonly server: Server; readonly baseUrl: string }> {
  const made: { app?: Serving["app"] } = {};
  const handler: Handler = (request, info) => made.app!(request, info);
  const server = await listen(config, handler, { isPortShared });
  const baseUrl = config.baseUrl ?? `http://localhost:${server.port}`;
  const { app, ...composed } = composeAt(baseUrl);
  made.app = app;
  return { server, baseUrl, ...composed };
}

async function logFirstAccount(
  { signUp }: Pick<Config, "signUp">,
  { db, vault }: Pick<OpenedVault, "db" | "vault">,
  log: Log,
): Promise<void> {
  if (signUp !== "invite") return;
  const authority = createRowAuthority(vault, Date.now);
  const { accounts } = await listAccounts(db, authority, { after: undefined, limit: 1 });
  if (accounts.length > 0) return;
  log("info", "no_accounts", { note: "the first one needs an invitation: POST /api/admin/invitations" });
}

/** Resolves a host. Returns no addresses if that fails. */
export async function lookup(hostname: string): Promise<readonly string[]> {
  try {
    return (await lookupAll(hostname, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
