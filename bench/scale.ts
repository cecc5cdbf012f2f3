/**
 * Measures one service over databases of different sizes, in one run, and prints ratios as Markdown: `bun
 * bench/scale.ts [FOLDER]`. The populations are created in the folder, which takes some ten minutes, and stay there.
 * Without a folder, uses a temporary one. See docs/why/benchmark-accounts.md for what the numbers mean.
 */
import { createReadStream, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { startService } from "../test/support/service.ts";
import type { Service } from "../test/support/service.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import type { Loaded } from "./statistics.ts";
import { populate } from "./population.ts";
import { processorSeconds, residentMebibytes } from "./process-use.ts";
import type { ScaleRequest, ScaleWork } from "./scale-load.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import { measureAlternately, ROUNDS } from "./turns.ts";
import { startWorker } from "./worker.ts";
import type { Worker } from "./worker.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SIZES = [1000, 100_000, 1_000_000] as const;
const WARM_UP_MILLISECONDS = 3000;

/** The number of users of the smallest population, so that only the number of other users differs. */
const FEW = 1000;
/** Five times the users of the smallest population, so that their data exceed a processor's caches too. */
const MANY = 5000;

type Scenario = Omit<ScaleRequest, "folder" | "origins" | "milliseconds">;

const WORKS: readonly { readonly work: ScaleWork; readonly inFlight: number }[] = [
  { work: "personal_sign", inFlight: 1 },
  { work: "personal_sign", inFlight: 32 },
  { work: "list keys", inFlight: 1 },
  { work: "list keys", inFlight: 32 },
  { work: "session", inFlight: 1 },
  { work: "session", inFlight: 32 },
  { work: "sign in", inFlight: 8 },
  { work: "code flow", inFlight: 8 },
];

const SCENARIOS: readonly Scenario[] = [FEW, MANY].flatMap((people) =>
  WORKS.map((work) => ({ ...work, people }))
);

interface Round extends Loaded {
  /** Microseconds of the service's processor time for a piece of work. */
  readonly processor: number;
}

/** A service over one population. */
interface Place {
  readonly accounts: number;
  readonly folder: string;
  readonly service: Service;
  readonly load: Worker;
  readonly rounds: Map<Scenario, Round[]>;
  /** Seconds to the first response. */
  readonly start: number;
}

function mebibytes({ folder }: Place): number {
  return statSync(join(folder, "holdfast.db")).size / 2 ** 20;
}

/** Reads the file so that the system caches it, as it does for a file in use. Disks are not measured. */
async function warm(path: string): Promise<void> {
  for await (const _chunk of createReadStream(path, { highWaterMark: 2 ** 22 }));
}

async function startPlace(folder: string, accounts: number): Promise<Place> {
  await warm(join(folder, "holdfast.db"));
  const begun = performance.now();
  // Limits are on. The load has random forwarded addresses, as from a proxy.
  const env = { TRUSTED_PROXIES: "127.0.0.1/32,::1/128", LOG_LEVEL: "info" };
  const service = await startService({ runtime: "bun", dataDir: folder, env });
  const load = startWorker(process.execPath, [join(ROOT, "bench/scale-load.ts")]);
  return { accounts, folder, service, load, rounds: new Map(), start: (performance.now() - begun) / 1000 };
}

async function measureRound(
  place: Place,
  scenario: Scenario,
  milliseconds: number,
): Promise<Round> {
  const { service, load, folder } = place;
  const pid = service.process.pid!;
  const before = processorSeconds(pid);
  const request = { ...scenario, folder, origins: [service.baseUrl], milliseconds };
  const loaded = await load.ask<ScaleRequest, Loaded>(request);
  return { ...loaded, processor: (processorSeconds(pid) - before) * 1e6 / loaded.count };
}

const COLUMNS = [
  "work",
  "accounts",
  "per second",
  "median ms",
  "p99 ms",
  "processor µs",
  "median, times the first",
  "p99, times the first",
  "processor, times the first",
];

function rows(places: readonly Place[], scenario: Scenario): string[][] {
  const first = places[0]!.rounds.get(scenario)!;
  return places.map(({ accounts, rounds }, index) => {
    const measured = rounds.get(scenario)!;
    const of = (pick: (round: Round) => number) => summarise(measured.map(pick));
    const ratio = (pick: (round: Round) => number): string =>
      index === 0
        ? ""
        : showSummary(summarise(measured.map((round, turn) => pick(round) / pick(first[turn]!))));
    return [
      index === 0 ? `${scenario.work}, ${scenario.inFlight} in flight, ${scenario.people} people` : "",
      accounts.toLocaleString("en"),
      showSummary(of(({ perSecond }) => perSecond)),
      figure(of(({ median }) => median).median),
      figure(of(({ p99 }) => p99).median),
      figure(of(({ processor }) => processor).median),
      ratio(({ median }) => median),
      ratio(({ p99 }) => p99),
      ratio(({ processor }) => processor),
    ];
  });
}

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const [chosen, ...sizes] = process.argv.slice(2);
  const parent = chosen ?? stack.use(temporaryFolder()).path;
  const places: Place[] = [];
  for (const accounts of sizes.length > 0 ? sizes.map(Number) : SIZES) {
    const folder = join(parent, String(accounts));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    await populate(folder, accounts);
    const place = await startPlace(folder, accounts);
    stack.use(place.service);
    stack.use(place.load);
    places.push(place);
  }
  await measureAlternately(places, {
    scenarios: SCENARIOS,
    warmUp: () => WARM_UP_MILLISECONDS,
    measureRound,
  });
  console.log(`Medians of ${ROUNDS} interleaved rounds (least–most); ratios are to the smallest\n`);
  console.log(showTable([COLUMNS, ...SCENARIOS.flatMap((scenario) => rows(places, scenario))]));
  console.log();
  console.log(showTable([
    ["accounts", "database, MiB", "start, s", "resident, MiB"],
    ...places.map((place) => [
      place.accounts.toLocaleString("en"),
      figure(mebibytes(place)),
      figure(place.start),
      figure(residentMebibytes(place.service.process.pid!)),
    ]),
  ]));
}

await main();
