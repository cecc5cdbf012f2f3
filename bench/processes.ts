/**
 * Measures one, two and four processes over one PostgreSQL database, without delay and a millisecond away, and one
 * process over SQLite, in one run. Prints ratios as Markdown: `bun bench/processes.ts`, or `bun bench/processes.ts 0
 * 5` for other delays in milliseconds. Also measures as many separate services, which share only the machine and the
 * server. Their cost above that of one service is the machine's; the rest is the cost of sharing a database. See
 * docs/why/scaling.md for what the numbers mean.
 */
import process from "node:process";
import { startPostgres } from "../scripts/postgres.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import type { Passed, ProxyRequest } from "./delaying-proxy.ts";
import { copyDatabases, startBehind, startServices } from "./places.ts";
import type { Place } from "./places.ts";
import { startCounting } from "./place-counts.ts";
import type { Counts } from "./place-counts.ts";
import { populate } from "./population.ts";
import type { ScaleRequest, ScaleWork } from "./scale-load.ts";
import type { Loaded } from "./statistics.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import { measureAlternately, ROUNDS } from "./turns.ts";

const ACCOUNTS = 1000;
const ROUND_TRIPS = [0, 1] as const;
/** For each process, because each compiles by itself. */
const WARM_UP_MILLISECONDS = 6000;

/**
 * The requests in flight, in all or for each process. In the latter case a transaction has as many jobs as that of a
 * single process.
 */
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

/** The result of one round of a scenario. Counts are per piece of work, times in microseconds. */
interface Round extends Loaded, Counts {
  /** Round trips within a transaction that writes, and such transactions per piece of work. NaN without a proxy. */
  readonly roundTrips: number;
  readonly transactions: number;
}

async function measureRound(
  place: Place<Scenario, Round>,
  { work, inFlight, of }: Scenario,
  milliseconds: number,
): Promise<Round> {
  const { folder, processes, origins, load, proxy } = place;
  await proxy?.ask<ProxyRequest, Passed>({ step: "count" });
  const count = await startCounting(place);
  const all = of === "all" ? inFlight : inFlight * processes;
  const loaded = await load.ask<ScaleRequest, Loaded>({ folder, origins, work, inFlight: all, milliseconds });
  const counts = Object.entries(await count()).map(([what, times]) => [what, times / loaded.count]);
  const passed = await proxy?.ask<ProxyRequest, Passed>({ step: "count" });
  return {
    ...loaded,
    ...Object.fromEntries(counts) as Counts,
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
  "written",
  "log bytes",
  "waits",
  "server's waits",
  "rate, times one process's",
  "processor, times one's",
  "processor, times as many apart",
];

function rows(places: readonly Place<Scenario, Round>[], scenario: Scenario): string[][] {
  return places.map((place, index) => {
    const measured = place.rounds.get(scenario)!;
    const one = places.find(({ group }) => group === place.group)!.rounds.get(scenario)!;
    const of = (pick: (round: Round) => number) => summarise(measured.map(pick));
    const ratio = (pick: (round: Round) => number, to: readonly Round[] | undefined = one): string =>
      measured === to || to === undefined
        ? ""
        : showSummary(summarise(measured.map((round, turn) => pick(round) / pick(to[turn]!))));
    const apart = places.find(({ group, processes, isApart }) =>
      isApart && group === place.group && processes === place.processes
    )?.rounds.get(scenario);
    return [
      index === 0 ? `${scenario.work}, ${scenario.inFlight} in flight of ${scenario.of}` : "",
      place.group,
      place.name,
      showSummary(of(({ perSecond }) => perSecond)),
      figure(of(({ median }) => median).median),
      figure(of(({ p99 }) => p99).median),
      figure(of(({ processor }) => processor).median),
      place.server === undefined ? "-" : figure(of(({ server }) => server).median),
      figure(of(({ roundTrips }) => roundTrips).median),
      figure(of(({ transactions }) => transactions).median),
      figure(of(({ written }) => written).median),
      figure(of(({ logBytes }) => logBytes).median),
      figure(of(({ waits }) => waits).median),
      figure(of(({ serverWaits }) => serverWaits).median),
      ratio(({ perSecond }) => perSecond),
      ratio(({ processor }) => processor),
      apart === undefined ? "" : ratio(({ processor }) => processor, apart),
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
  // The default of servers: a reported write is on disk.
  const server = await startPostgres(["fsync=on", "full_page_writes=on"]);
  stack.defer(() => server.stop());
  await populate(file, ACCOUNTS);
  await populate(shared, ACCOUNTS, server.url);
  await copyDatabases(server);
  const places = [
    ...await startServices<Scenario, Round>(
      stack,
      { folder: file, group: "SQLite", processes: [1], env: {} },
      {
        proxy: undefined,
        server: undefined,
      },
    ),
  ];
  for (const milliseconds of asked.length > 0 ? asked : ROUND_TRIPS) {
    places.push(...await startBehind<Scenario, Round>(stack, server, { folder: shared, milliseconds }));
  }
  const warmUp = ({ processes }: { readonly processes: number }): number => processes * WARM_UP_MILLISECONDS;
  await measureAlternately(places, { scenarios: SCENARIOS, warmUp, measureRound });
  console.log(`Medians of ${ROUNDS} interleaved rounds (least–most); ratios are to one process\n`);
  console.log(showTable([COLUMNS, ...SCENARIOS.flatMap((scenario) => rows(places, scenario))]));
}

await main();
