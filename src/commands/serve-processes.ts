import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config, Environment } from "../config/config.ts";
import { type Child, findRestartObstacle, startAgain } from "../runtime/child-process.ts";
import { onShutdownSignal } from "../runtime/shutdown-signal.ts";
import { StartRefusal } from "./process/refusal.ts";
import { createLog, logFormatOf, prettyLogLine } from "./process/log.ts";
import { createMergedMetrics } from "./process/merge-metrics.ts";
import { listenRefusal } from "./process/running.ts";
import { serveMetrics } from "./process/serve-metrics.ts";
import { supervise } from "./process/supervisor.ts";
import { type Relay, relayProcess } from "./process/watched-process.ts";

export type StartProcess = (number: number, environment: Environment) => Child;

/** Starts the same program with its number. It reads its configuration and opens the vault itself. */
const startServing: StartProcess = (number, environment) =>
  startAgain(["serve", "--process", String(number)], environment);

/** Serves with several processes on one port. Throws `StartRefusal` if that is not possible. */
export async function serveTogether(config: Config, environment: Environment): Promise<void> {
  refuseWhereImpossible(config);
  await watchProcesses(config, environment, startServing);
}

/**
 * Starts processes on one port and exits with the highest of their codes. This process only supervises them and
 * relays their lines: it opens no database and has no key. The first process migrates the schema and completes a
 * first start before the second begins.
 */
export async function watchProcesses(
  config: Pick<Config, "host" | "port" | "processes" | "logLevel" | "logFormat" | "metricsAddress">,
  environment: Environment,
  start: StartProcess,
): Promise<void> {
  const port = await findPort(config);
  const relay = createRelay(config);
  const metrics = createMergedMetrics();
  const metricsServer = config.metricsAddress && await serveMetrics(config.metricsAddress, metrics.format);
  const childEnvironment = {
    ...environment,
    PORT: String(port),
    LOG_FORMAT: "json",
    METRICS_ADDRESS: metricsServer === undefined ? "" : "127.0.0.1:0",
  };
  let listeningLine: Promise<string | undefined> | undefined;
  const supervisor = supervise({
    count: config.processes,
    start: (number) => {
      const child = relayProcess(number, start(number, childEnvironment), relay);
      void child.metricsUrl.then((url) => child.ended.then(metrics.add(url).ended));
      listeningLine ??= child.listeningLine;
      return child;
    },
    onServing: () => void listeningLine!.then((line) => relay.output(`${line}\n`)),
    log: createLog(config),
    stopwatch: () => performance.now(),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  });
  onShutdownSignal(supervisor.stop);
  process.exit(await supervisor.ended);
}

function refuseWhereImpossible({ databasePath, postgres }: Config): void {
  if (postgres === undefined) {
    throw new StartRefusal(
      "PROCESSES above 1 needs PostgreSQL: over one SQLite file two sign 1.2 times as much as one, four redeem codes" +
        ` 0.75 times as fast; set DATABASE_URL=postgres://… in place of ${databasePath}, or start one process`,
    );
  }
  if (process.platform !== "linux") {
    throw new StartRefusal(
      "PROCESSES above 1 needs Linux: this system does not share one port among processes; start one process",
    );
  }
  const reason = findRestartObstacle();
  if (reason !== undefined) throw new StartRefusal(`PROCESSES above 1 is not possible here: ${reason}`);
}

/** Listens alone first: a shared port would not reveal another program of this user that shares it too. */
async function findPort(config: Pick<Config, "host" | "port">): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port: config.port, host: config.host });
    await once(server, "listening");
  } catch (cause) {
    throw await listenRefusal(config, cause);
  }
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function createRelay(config: Pick<Config, "logFormat">): Relay {
  // A log without a reader does not stop the processes: its lines are lost.
  const to = (stream: NodeJS.WriteStream) => {
    stream.on("error", () => {});
    // Waits for the write, so that a slow reader slows the processes down instead of filling the memory.
    return (text: string): Promise<void> => new Promise((resolve) => stream.write(text, () => resolve()));
  };
  return {
    output: to(process.stdout),
    errors: to(process.stderr),
    pretty: logFormatOf(config) === "text" ? prettyLogLine : undefined,
  };
}
