import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config, Environment } from "../config/config.ts";
import { startAgain, whyNotStartAgain } from "../runtime/child-process.ts";
import type { Child } from "../runtime/child-process.ts";
import { onShutdownSignal } from "../runtime/shutdown-signal.ts";
import { StartRefusal } from "./process/refusal.ts";
import { createLog, prettyLogLine } from "./process/log.ts";
import { listenRefusal } from "./process/running.ts";
import { supervise } from "./process/supervisor.ts";
import { relayProcess } from "./process/watched-process.ts";
import type { Relay } from "./process/watched-process.ts";

/** How the process of a number is started. */
export type StartProcess = (number: number, environment: Environment) => Child;

/** The same program, told which of several it is. All else it reads and unseals for itself. */
export const startServing: StartProcess = (number, environment) =>
  startAgain(["serve", "--process", String(number)], environment);

/** Serves with several processes on one port (`watchProcesses`); throws `StartRefusal` where that cannot be. */
export async function serveTogether(config: Config, environment: Environment): Promise<void> {
  refuseWhereImpossible(config);
  await watchProcesses(config, environment, startServing);
}

/**
 * Starts processes on one port, and ends with the worst of their codes. This one watches them, hands their lines on, and
 * does nothing else: it opens no database and holds no key. The first process brings the schema up to date and makes
 * what a first start makes, before there is a second.
 */
export async function watchProcesses(
  config: Pick<Config, "host" | "port" | "processes" | "logLevel">,
  environment: Environment,
  start: StartProcess,
): Promise<void> {
  const port = await findPort(config);
  const relay = createRelay();
  let listeningLine: Promise<string | undefined> | undefined;
  const supervisor = supervise({
    count: config.processes,
    start: (number) => {
      const child = relayProcess(number, start(number, { ...environment, PORT: String(port) }), relay);
      listeningLine ??= child.listeningLine;
      return child;
    },
    onServing: () => void listeningLine!.then((line) => relay.output(`${line}\n`)),
    log: createLog(config.logLevel),
    stopwatch: () => performance.now(),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
  });
  onShutdownSignal(supervisor.stop);
  process.exit(await supervisor.over);
}

/** Refuses with what to set where a port cannot be shared, or where sharing it would be no gain. */
function refuseWhereImpossible({ databasePath, postgres }: Config): void {
  if (postgres === undefined) {
    throw new StartRefusal(
      "PROCESSES above 1 needs PostgreSQL: over one SQLite file two sign 1.2 times as much as one, four redeem codes" +
        ` 0.75 times as fast; set DATABASE_URL=postgres://… in place of ${databasePath}, or start one process`,
    );
  }
  if (process.platform !== "linux") {
    throw new StartRefusal(
      "PROCESSES above 1 needs Linux: here the system does not share a port out; start one process",
    );
  }
  const reason = whyNotStartAgain();
  if (reason !== undefined) throw new StartRefusal(`PROCESSES above 1 cannot be here: ${reason}`);
}

/**
 * The port for all processes. They share it with whoever of this user asks to share it, so that one which is in use is
 * found here, by listening on it alone.
 */
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

function createRelay(): Relay {
  // A log that nobody reads any more stops no process: what is written is lost then.
  const to = (stream: NodeJS.WriteStream) => {
    stream.on("error", () => {});
    // Who does not read holds up the writers, and not the memory of this process.
    return (text: string): Promise<void> => new Promise((resolve) => stream.write(text, () => resolve()));
  };
  return {
    output: to(process.stdout),
    errors: to(process.stderr),
    pretty: process.stdout.isTTY === true ? prettyLogLine : undefined,
  };
}
