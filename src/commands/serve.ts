import process from "node:process";
import { proveLog } from "../audit/log-scrubber.ts";
import { logoutHostsAt } from "../config/mode.ts";
import { readServingConfig } from "../config.ts";
import type { Config, Environment, Secrets } from "../config.ts";
import { closeDatabase } from "../db/database.ts";
import { TIME_LIMIT } from "../lib/outgoing.ts";
import type { Handler, Server } from "../runtime/server.ts";
import { readArguments } from "./arguments.ts";
import { loadAdminKey } from "./wiring/admin-key.ts";
import { readClearSigning } from "./wiring/clear-signing.ts";
import { declareClients } from "./wiring/clients-file.ts";
import type { BringClientsInLine } from "./wiring/clients-file.ts";
import { compose } from "./wiring/compose.ts";
import type { Composition } from "./wiring/compose.ts";
import { refuseStart } from "./wiring/data-folder.ts";
import { lookup } from "./wiring/lookup.ts";
import { logFirstAccount } from "./wiring/first-account.ts";
import { hold } from "./wiring/hold.ts";
import { firstWords, listeningLine } from "./wiring/listening.ts";
import { createLog } from "./wiring/log.ts";
import { readAuthorities, startMail } from "./wiring/mail.ts";
import { patrolLog } from "./wiring/log-watch.ts";
import { random } from "./wiring/random.ts";
import { StartRefusal } from "./refusal.ts";
import { databaseReasons, endWhenDue, listen, startMaintenance, warmUp } from "./wiring/running.ts";
import type { Finishing } from "./wiring/running.ts";
import { unseal } from "./wiring/unseal.ts";
import { heedWatcher } from "./wiring/watched-process.ts";
import { withSecretFiles } from "./wiring/secret-files.ts";
import { printLog } from "./wiring/print.ts";

export const SERVE_USAGE = "serve [--processes N]";

/**
 * The `serve` command: starts the service and keeps it until SIGTERM, SIGINT or SIGHUP, then finishes what is in flight,
 * closes the database and exits 0. A start that is refused throws, having changed nothing. With `--processes`, which
 * goes before `PROCESSES`, it watches so many of itself; `--process` says to one of those which it is.
 */
export async function serve(environment: Environment, list: readonly string[]): Promise<void> {
  const { values } = readArguments(list, { values: ["processes", "process"] });
  const processes = values.get("processes");
  const wanted = processes === undefined ? environment : { ...environment, PROCESSES: processes };
  const isWatched = values.has("process");
  const whenAsked = isWatched ? heedWatcher(() => process.exit(0)) : undefined;
  const { config, secrets } = readServingConfig(withSecretFiles(wanted));
  if (config.processes > 1 && !isWatched) {
    const { serveTogether } = await import("./processes.ts");
    return await serveTogether(config, environment);
  }
  // Of several processes the first begins alone: what it brought in line is so for the others.
  const isFirst = !isWatched || values.get("process") === "1";
  await start(config, secrets, {
    whenAsked,
    bringClients: isFirst
      ? declareClients(config.clientsFile, logoutHostsAt(config.baseUrl, config))
      : undefined,
  });
}

/** `whenAsked` is who watches this process as one of several; without it, it serves alone. */
async function start(
  config: Config,
  secrets: Secrets,
  { whenAsked, bringClients }: {
    readonly whenAsked: Finishing | undefined;
    readonly bringClients: BringClientsInLine | undefined;
  },
): Promise<void> {
  const log = createLog(config.logLevel);
  if (config.tee === "none") {
    throw new StartRefusal("TEE=none is for `holdfast broker` alone: set another TEE");
  }
  const authorities = readAuthorities(config);
  const clearSigning = readClearSigning(config.clearSigningDir);
  await refuseStart(config);
  const held = hold(config, "use");
  const unsealed = await unseal(config, { now: Date.now(), random });
  const { db, tee, vault } = unsealed;
  await bringClients?.(unsealed, { now: Date.now(), random, log });
  // One that is not sound stops no start: the service says so, and records nothing until a person has looked.
  const proven = await proveLog(db, vault);
  let stopping = false;
  const unreadyReasons = async (): Promise<readonly string[]> => [
    ...(stopping ? ["shutting down"] : []),
    ...await databaseReasons(db),
  ];
  const adminApiKey = await loadAdminKey(config, secrets, random);
  const surroundings = {
    now: Date.now,
    stopwatch: () => performance.now(),
    random,
    log,
    adminApiKey,
    identityProviders: secrets.identityProviders,
    outgoing: { fetch, lookup, timeLimit: TIME_LIMIT },
    clearSigning,
    unreadyReasons,
  };
  const { server, baseUrl, upkeep, startTelling, stopMail } = await listenWith(
    { config, isPortShared: whenAsked !== undefined },
    (baseUrl) => {
      const mail = startMail(config, secrets, { db, vault, log, baseUrl, authorities });
      const composition = compose(config, baseUrl, unsealed, { ...surroundings, mailer: mail.mailer });
      return { ...composition, stopMail: mail.stop };
    },
  );
  const telling = startTelling();
  const maintenance = startMaintenance(db, upkeep, log);
  const stopPatrol = patrolLog(db, { vault, now: Date.now, log, from: proven });
  if (clearSigning.leftOut.length > 0) {
    log("warn", "clear_signing_formats_left_out", { formats: clearSigning.leftOut.length });
  }
  for (const format of clearSigning.leftOut) log("debug", "clear_signing_format_left_out", { format });
  if (!tee.inTee) {
    log("warn", "simulated_tee", { note: "keys are not protected from this machine's operator" });
  }
  await logFirstAccount(config, unsealed, log);
  // TLS ends before us, so everybody comes through a proxy.
  if (config.baseUrl?.startsWith("https:") === true && config.trustedProxies.length === 0) {
    log("warn", "no_trusted_proxies", { note: "everybody behind the proxy shares one network's limits" });
  }
  endWhenDue(db, log, async () => {
    stopping = true;
    await Promise.all([server.stop(), stopMail(), telling.stop(), stopPatrol()]);
    maintenance.stop();
    await closeDatabase(db);
    held.release();
  }, whenAsked);
  // Last, because whoever reads it may send a signal at once.
  printLog(listeningLine(baseUrl, config.host, server.port));
  warmUp(vault);
  if (!tee.inTee && process.stdout.isTTY === true) {
    printLog(firstWords(baseUrl, config.smtp === undefined ? "outbox" : "sent"));
  }
}

/** The service, and what runs beside it. */
interface Serving extends Composition {
  readonly stopMail: () => Promise<void>;
}

/** Binds the port first: where no `BASE_URL` is set, the service's address follows from it. */
async function listenWith(
  { config, isPortShared }: { readonly config: Config; readonly isPortShared: boolean },
  composeAt: (baseUrl: string) => Serving,
): Promise<Omit<Serving, "app"> & { readonly server: Server; readonly baseUrl: string }> {
  const made: { app?: Serving["app"] } = {};
  const handler: Handler = (request, info) => made.app!(request, info);
  const server = await listen(config, handler, { isPortShared });
  const baseUrl = config.baseUrl ?? `http://localhost:${server.port}`;
  const { app, ...beside } = composeAt(baseUrl);
  made.app = app;
  return { server, baseUrl, ...beside };
}
