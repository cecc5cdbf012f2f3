/**
 * Measures one, two and four processes over one PostgreSQL database, beside it and a millisecond away, and one process
 * over SQLite, in one run, and prints ratios as Markdown: `bun bench/processes.ts`, or `bun bench/processes.ts 0 5` for
 * other lengths of the way, in milliseconds. See docs/scaling.md for what the numbers mean.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startPostgres } from "../scripts/postgres.ts";
import type { PostgresServer } from "../scripts/postgres.ts";
import { startService } from "../test/support/service.ts";
import type { Service } from "../test/support/service.ts";
import { pidsOf } from "../test/support/several-processes.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import type { Passed, ProxyRequest } from "./delaying-proxy.ts";
import { populate } from "./population.ts";
import { processorSeconds } from "./process-use.ts";
import type { ScaleRequest, ScaleWork } from "./scale-load.ts";
import type { Loaded } from "./statistics.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import { measureInTurns, ROUNDS } from "./turns.ts";
import { startWorker } from "./worker.ts";
import type { Worker } from "./worker.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ACCOUNTS = 1000;
const PROCESSES = [1, 2, 4] as const;
const ROUND_TRIPS = [0, 1] as const;
/** Longer than elsewhere: each process has compilers of its own. */
const WARM_UP_MILLISECONDS = 6000;

/** So many in flight in all, or for each process: its transactions have as many jobs then as those of one alone. */
const SCENARIOS: readonly {
  readonly work: ScaleWork;
  readonly inFlight: number;
  readonly of: "all" | "each process";
}[] = [
  { work: "personal_sign", inFlight: 1, of: "all" },
  { work: "personal_sign", inFlight: 32, of: "all" },
  { work: "personal_sign", inFlight: 32, of: "each process" },
  { work: "code flow", inFlight: 1, of: "all" },
  { work: "code flow", inFlight: 32, of: "all" },
  { work: "code flow", inFlight: 32, of: "each process" },
];

type Scenario = (typeof SCENARIOS)[number];

interface Round extends Loaded {
  /**
   * Microseconds of the processor time of all processes of the service, and of the database server's, for a piece of
   * work.
   */
  readonly processor: number;
  readonly server: number;
  /** Round trips within a transaction that writes, and such transactions for a piece of work; NaN where nobody counts. */
  readonly roundTrips: number;
  readonly transactions: number;
}

/** A service of some processes, at some distance of its database. */
interface Place {
  readonly name: string;
  /** Places that differ in the number of processes alone. */
  readonly group: string;
  readonly processes: number;
  readonly folder: string;
  readonly pids: readonly number[];
  readonly origin: string;
  readonly load: Worker;
  readonly proxy: Worker | undefined;
  readonly serverPid: number | undefined;
  readonly rounds: Map<Scenario, Round[]>;
}

const BENCH = (file: string): Worker => startWorker(process.execPath, [join(ROOT, "bench", file)]);

/** A process and those that it started. */
function familyOf(pid: number): readonly number[] {
  const isChild = (name: string): boolean => {
    try {
      return /^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))?.[1] === String(pid);
    } catch {
      return false;
    }
  };
  return [pid, ...readdirSync("/proc").filter((name) => /^\d+$/.test(name)).filter(isChild).map(Number)];
}

function secondsOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
}

async function startPlaces(
  stack: AsyncDisposableStack,
  { folder, group, processes, env }: {
    readonly folder: string;
    readonly group: string;
    readonly processes: readonly number[];
    readonly env: Readonly<Record<string, string>>;
  },
  behind: Pick<Place, "proxy" | "serverPid">,
): Promise<readonly Place[]> {
  const places: Place[] = [];
  for (const count of processes) {
    // Limits are on; the load comes from all over, as a proxy would say.
    const all = { TRUSTED_PROXIES: "127.0.0.1/32,::1/128", PROCESSES: String(count), ...env };
    const service: Service = stack.use(await startService({ runtime: "bun", dataDir: folder, env: all }));
    const load = stack.use(BENCH("scale-load.ts"));
    const pids = [service.process.pid!, ...pidsOf(service).values()];
    const name = count === 1 ? "1 process" : `${count} processes`;
    const place = { name, group, processes: count, folder, pids, origin: service.baseUrl, load };
    places.push({ ...place, rounds: new Map(), ...behind });
  }
  return places;
}

async function startBehind(
  stack: AsyncDisposableStack,
  server: PostgresServer,
  { folder, milliseconds }: { readonly folder: string; readonly milliseconds: number },
): Promise<readonly Place[]> {
  const url = new URL(server.url);
  let proxy: Worker | undefined;
  if (milliseconds > 0) {
    proxy = stack.use(BENCH("delaying-proxy.ts"));
    const request: ProxyRequest = { step: "listen", serverPort: server.port, milliseconds };
    url.port = String(await proxy.ask<ProxyRequest, number>(request));
  }
  const group = `PostgreSQL, ${milliseconds} ms away`;
  const value = { folder, group, processes: PROCESSES, env: { DATABASE_URL: url.href } };
  return await startPlaces(stack, value, { proxy, serverPid: server.pid() });
}

async function measureRound(
  { folder, processes, origin, load, pids, proxy, serverPid }: Place,
  { work, inFlight, of }: Scenario,
  milliseconds: number,
): Promise<Round> {
  const serverPids = serverPid === undefined ? [] : familyOf(serverPid);
  await proxy?.ask<ProxyRequest, Passed>({ step: "count" });
  const [before, serverBefore] = [secondsOf(pids), secondsOf(serverPids)];
  const all = of === "all" ? inFlight : inFlight * processes;
  const request = { folder, origin, work, inFlight: all, milliseconds };
  const loaded = await load.ask<ScaleRequest, Loaded>(request);
  const [after, serverAfter] = [secondsOf(pids), secondsOf(serverPids)];
  const passed = await proxy?.ask<ProxyRequest, Passed>({ step: "count" });
  return {
    ...loaded,
    processor: (after - before) * 1e6 / loaded.count,
    server: (serverAfter - serverBefore) * 1e6 / loaded.count,
    roundTrips: passed === undefined ? NaN : passed.roundTrips / passed.transactions,
    transactions: passed === undefined ? NaN : passed.transactions / loaded.count,
  };
}

const COLUMNS = [
  "work",
  "database",
  "service",
  "per second",
  "median ms",
  "p99 ms",
  "processor µs",
  "server's µs",
  "round trips in a transaction",
  "transactions",
  "rate, times one process's",
  "processor, times one's",
];

function rows(places: readonly Place[], scenario: Scenario): string[][] {
  return places.map((place, index) => {
    const measured = place.rounds.get(scenario)!;
    const one = places.find(({ group }) => group === place.group)!.rounds.get(scenario)!;
    const of = (pick: (round: Round) => number) => summarise(measured.map(pick));
    const ratio = (pick: (round: Round) => number): string =>
      measured === one
        ? ""
        : showSummary(summarise(measured.map((round, turn) => pick(round) / pick(one[turn]!))));
    return [
      index === 0 ? `${scenario.work}, ${scenario.inFlight} in flight of ${scenario.of}` : "",
      place.group,
      place.name,
      showSummary(of(({ perSecond }) => perSecond)),
      figure(of(({ median }) => median).median),
      figure(of(({ p99 }) => p99).median),
      figure(of(({ processor }) => processor).median),
      place.serverPid === undefined ? "-" : figure(of(({ server }) => server).median),
      figure(of(({ roundTrips }) => roundTrips).median),
      figure(of(({ transactions }) => transactions).median),
      ratio(({ perSecond }) => perSecond),
      ratio(({ processor }) => processor),
    ];
  });
}

async function main(): Promise<void> {
  const asked = process.argv.slice(2).map(Number);
  if (asked.some((milliseconds) => !(milliseconds >= 0))) {
    throw new Error("A way is so many milliseconds long");
  }
  await using stack = new AsyncDisposableStack();
  const [file, shared] = [stack.use(temporaryFolder()).path, stack.use(temporaryFolder()).path];
  // As a server comes: what it says is written is on the disk.
  const server = await startPostgres(["fsync=on", "full_page_writes=on"]);
  stack.defer(() => server.stop());
  await populate(file, ACCOUNTS);
  await populate(shared, ACCOUNTS, server.url);
  const places = [
    ...await startPlaces(stack, { folder: file, group: "SQLite", processes: [1], env: {} }, {
      proxy: undefined,
      serverPid: undefined,
    }),
  ];
  for (const milliseconds of asked.length > 0 ? asked : ROUND_TRIPS) {
    places.push(...await startBehind(stack, server, { folder: shared, milliseconds }));
  }
  await measureInTurns(places, { scenarios: SCENARIOS, warmUp: WARM_UP_MILLISECONDS, measureRound });
  console.log(`Medians of ${ROUNDS} interleaved rounds (least–most); ratios are to one process\n`);
  console.log(showTable([COLUMNS, ...SCENARIOS.flatMap((scenario) => rows(places, scenario))]));
}

await main();
