import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { PostgresServer } from "../scripts/postgres.ts";
import { startService } from "../test/support/service.ts";
import type { Service } from "../test/support/service.ts";
import { pidsOf } from "../test/support/several-processes.ts";
import type { ProxyRequest } from "./delaying-proxy.ts";
import { askServer } from "./place-counts.ts";
import { startWorker } from "./worker.ts";
import type { Worker } from "./worker.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROCESSES = [1, 2, 4] as const;
/** The numbers of services with a database each. */
const APART = [2, 4] as const;

/** A service of some processes, at some distance from its database; or as many separate services. */
export interface Place<Scenario, Round> {
  readonly name: string;
  /** The group of places that differ only in the number of processes. */
  readonly group: string;
  readonly processes: number;
  readonly isApart: boolean;
  readonly folder: string;
  readonly pids: readonly number[];
  readonly origins: readonly string[];
  readonly load: Worker;
  readonly proxy: Worker | undefined;
  readonly server: PostgresServer | undefined;
  readonly rounds: Map<Scenario, Round[]>;
}

type Behind = Pick<Place<never, never>, "proxy" | "server">;

const BENCH = (file: string): Worker => startWorker(process.execPath, [join(ROOT, "bench", file)]);

/** Starts services over one database, with so many processes each. */
export async function startServices<Scenario, Round>(
  stack: AsyncDisposableStack,
  { folder, group, processes, env }: {
    readonly folder: string;
    readonly group: string;
    readonly processes: readonly number[];
    readonly env: Readonly<Record<string, string>>;
  },
  behind: Behind,
): Promise<readonly Place<Scenario, Round>[]> {
  const places: Place<Scenario, Round>[] = [];
  for (const count of processes) {
    const service = stack.use(await start(folder, { PROCESSES: String(count), ...env }));
    const name = count === 1 ? "1 process" : `${count} processes`;
    places.push(placeOf(stack, { name, group, folder, services: [service], processes: count }, behind));
  }
  return places;
}

/** Starts a service that trusts the load's forwarded addresses, which are from everywhere. Limits are on. */
function start(folder: string, env: Readonly<Record<string, string>>): Promise<Service> {
  const all = { TRUSTED_PROXIES: "127.0.0.1/32,::1/128", ...env };
  return startService({ runtime: "bun", dataDir: folder, env: all });
}

function placeOf<Scenario, Round>(
  stack: AsyncDisposableStack,
  { services, ...place }: Pick<Place<Scenario, Round>, "name" | "group" | "folder" | "processes"> & {
    readonly services: readonly Service[];
  },
  behind: Behind,
): Place<Scenario, Round> {
  return {
    ...place,
    isApart: services.length > 1,
    pids: services.flatMap((service) => [service.process.pid!, ...pidsOf(service).values()]),
    origins: services.map(({ baseUrl }) => baseUrl),
    load: stack.use(BENCH("scale-load.ts")),
    rounds: new Map(),
    ...behind,
  };
}

/** Starts services of one process with a database each: copies of the populated one, which must not be in use. */
async function startApart<Scenario, Round>(
  stack: AsyncDisposableStack,
  { folder, group }: { readonly folder: string; readonly group: string },
  behind: Behind & { readonly url: URL },
): Promise<readonly Place<Scenario, Round>[]> {
  const places: Place<Scenario, Round>[] = [];
  for (const count of APART) {
    const services: Service[] = [];
    for (let index = 0; index < count; index++) {
      const url = new URL(behind.url);
      url.pathname = `/${databaseOf(count, index)}`;
      services.push(stack.use(await start(folder, { PROCESSES: "1", DATABASE_URL: url.href })));
    }
    places.push(
      placeOf(stack, { name: `${count} apart`, group, folder, services, processes: count }, behind),
    );
  }
  return places;
}

/** Returns the database of one of so many separate services. */
function databaseOf(count: number, index: number): string {
  return `apart_${count}_${index}`;
}

/** Copies the database `postgres` for separate services. It must not be in use. */
export async function copyDatabases(server: PostgresServer): Promise<void> {
  const url = new URL(server.url);
  url.pathname = "/template1";
  for (const count of APART) {
    for (let index = 0; index < count; index++) {
      await askServer(url.href, `create database ${databaseOf(count, index)} template postgres`);
    }
  }
}

/** Starts services at some distance of a server, over one database and over one each. */
export async function startBehind<Scenario, Round>(
  stack: AsyncDisposableStack,
  server: PostgresServer,
  { folder, milliseconds }: { readonly folder: string; readonly milliseconds: number },
): Promise<readonly Place<Scenario, Round>[]> {
  const url = new URL(server.url);
  let proxy: Worker | undefined;
  if (milliseconds > 0) {
    proxy = stack.use(BENCH("delaying-proxy.ts"));
    const request: ProxyRequest = { step: "listen", serverPort: server.port, milliseconds };
    url.port = String(await proxy.ask<ProxyRequest, number>(request));
  }
  const group = `PostgreSQL, ${milliseconds} ms away`;
  const value = { folder, group, processes: PROCESSES, env: { DATABASE_URL: url.href } };
  const behind = { proxy, server };
  return [
    ...await startServices<Scenario, Round>(stack, value, behind),
    ...await startApart<Scenario, Round>(stack, { folder, group }, { ...behind, url }),
  ];
}
