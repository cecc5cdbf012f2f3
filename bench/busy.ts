import type { Load } from "./load.ts";
import type { FloodWork, PlainRequest, PlainWork } from "./peers/listing.ts";
import { processorSeconds, waitedSeconds } from "./process-use.ts";
import type { Contender } from "./servers.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import type { Loaded } from "./statistics.ts";
import type { Worker } from "./worker.ts";

const ROUNDS = 3;
const IN_FLIGHT = 16;
/** More than are ever outstanding. At a given rate, requests do not wait for earlier responses. */
const OUT_AT_ONCE = 512;
const HIGHEST_MILLISECONDS = 1000;
const STEADY_MILLISECONDS = 2000;
/** The part of the highest rate at which a server is busy and queues stay short. */
const PART = 0.8;

const STEADY = { session: "session lookup", sign: "personal_sign" } as const satisfies Partial<
  Record<PlainWork, string>
>;

const FLOODS = {
  explain: "explain of 1 MiB",
  thousand: "list of 1,000 keys",
} as const satisfies Record<FloodWork, string>;
/** Requests for /livez per second, and their duration, with and without what should make them wait. */
const LIVEZ_PER_SECOND = 200;
const LIVEZ_MILLISECONDS = 1000;

/** Signatures per second during a flood, like a few active users. */
const BESIDE_FLOOD = 20;

function toLoad(
  { listing }: Contender,
  { path, ...request }: PlainRequest,
  rest: Pick<Load, "inFlight" | "milliseconds" | "perSecond">,
): Load {
  return { ...request, url: listing.address + path, ...rest };
}

/** The result of one round at a rate. */
interface Steady extends Loaded {
  readonly rate: number;
  /** Parts of the time for which the server ran, and for which its main thread waited for a core. */
  readonly ran: number;
  readonly waited: number;
}

/**
 * Measures the highest rate, and then the same work at a part of it. Each round has its own rate, because other
 * programs may use the machine.
 */
async function measureSteady(contender: Contender, load: Worker, request: PlainRequest): Promise<Steady> {
  const most = { inFlight: IN_FLIGHT, milliseconds: HIGHEST_MILLISECONDS };
  const { perSecond: highest } = await load.ask<Load, Loaded>(toLoad(contender, request, most));
  const rate = PART * highest;
  const steady = { inFlight: OUT_AT_ONCE, milliseconds: STEADY_MILLISECONDS, perSecond: rate };
  const { pid } = contender;
  const [ran, waited] = [processorSeconds(pid), waitedSeconds(pid)];
  const loaded = await load.ask<Load, Loaded>(toLoad(contender, request, steady));
  const seconds = loaded.count / loaded.perSecond;
  return {
    ...loaded,
    rate,
    ran: (processorSeconds(pid) - ran) / seconds,
    waited: (waitedSeconds(pid) - waited) / seconds,
  };
}

/** Measures signatures while another client floods the server with slow requests. */
async function measureBeside(
  contender: Contender,
  { load, flood }: { readonly load: Worker; readonly flood: Worker },
  { sign, flooding }: { readonly sign: PlainRequest; readonly flooding: PlainRequest },
): Promise<readonly [sign: Loaded, flood: Loaded]> {
  const milliseconds = STEADY_MILLISECONDS;
  const steady = { inFlight: OUT_AT_ONCE, milliseconds, perSecond: BESIDE_FLOOD };
  return await Promise.all([
    load.ask<Load, Loaded>(toLoad(contender, sign, steady)),
    flood.ask<Load, Loaded>(toLoad(contender, flooding, { inFlight: IN_FLIGHT, milliseconds })),
  ]);
}

async function inRounds<T>(contenders: readonly Contender[], measure: (one: Contender) => Promise<T>) {
  const rounds = new Map(contenders.map((one) => [one, [] as T[]]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [contender, done] of rounds) {
      const measured = await measure(contender);
      if (round >= 0) done.push(measured);
    }
  }
  return rounds;
}

async function steadyRows(contenders: readonly Contender[], load: Worker): Promise<string[][]> {
  const rows: string[][] = [];
  for (const [work, name] of Object.entries(STEADY) as [keyof typeof STEADY, string][]) {
    const able = contenders.filter(({ listing }) => listing.requests[work] !== undefined);
    const rounds = await inRounds(able, (one) => measureSteady(one, load, one.listing.requests[work]!));
    for (const [contender, measured] of rounds) {
      const of = (pick: (round: Steady) => number) => showSummary(summarise(measured.map(pick)));
      rows.push([
        name,
        contender.name,
        figure(summarise(measured.map(({ rate }) => rate)).median),
        of(({ median }) => median),
        of(({ p99 }) => p99),
        of(({ p99, median }) => p99 / median),
        of(({ late }) => late!),
        of(({ ran }) => 100 * ran),
        of(({ waited }) => 100 * waited),
      ]);
    }
  }
  return rows;
}

async function floodRows(contenders: readonly Contender[], load: Worker, flood: Worker): Promise<string[][]> {
  const able = contenders.filter(({ listing }) => listing.floods !== undefined);
  const rows: string[][] = [];
  for (const [work, name] of Object.entries(FLOODS) as [FloodWork, string][]) {
    const rounds = await inRounds(able, (one) => {
      const requests = { sign: one.listing.requests.sign!, flooding: one.listing.floods![work] };
      return measureBeside(one, { load, flood }, requests);
    });
    for (const [contender, measured] of rounds) {
      const of = (pick: (round: readonly [Loaded, Loaded]) => number) =>
        showSummary(summarise(measured.map(pick)));
      rows.push([
        name,
        contender.name,
        of(([, { perSecond }]) => perSecond),
        of(([{ median }]) => median),
        of(([{ p99 }]) => p99),
      ]);
    }
  }
  return rows;
}

/** Measures by how much the longest wait of /livez grows while another client sends a request again and again. */
async function measureWaits(
  contender: Contender,
  { load, flood }: { readonly load: Worker; readonly flood: Worker },
  worst: PlainRequest,
): Promise<number> {
  const milliseconds = LIVEZ_MILLISECONDS;
  const steady = { inFlight: OUT_AT_ONCE, milliseconds, perSecond: LIVEZ_PER_SECOND };
  const livez = toLoad(contender, contender.listing.requests.livez!, steady);
  const alone = await load.ask<Load, Loaded>(livez);
  const [beside] = await Promise.all([
    load.ask<Load, Loaded>(livez),
    flood.ask<Load, Loaded>(toLoad(contender, worst, { inFlight: 1, milliseconds })),
  ]);
  return beside.longest - alone.longest;
}

async function waitRows(contenders: readonly Contender[], load: Worker, flood: Worker): Promise<string[][]> {
  const able = contenders.filter(({ listing }) => listing.worst !== undefined);
  const rows: string[][] = [];
  for (const index of able[0]!.listing.worst!.keys()) {
    const rounds = await inRounds(
      able,
      (one) => measureWaits(one, { load, flood }, one.listing.worst![index]!),
    );
    for (const [{ name, listing }, waits] of rounds) {
      rows.push([listing.worst![index]!.name, name, showSummary(summarise(waits))]);
    }
  }
  return rows;
}

/**
 * Prints how long work takes at a rate that a server can sustain, and how long signatures take during a flood of the
 * slowest requests. Rate limits are off, so that only the service's own queues hold the flood back.
 */
export async function measureBusy(
  contenders: readonly Contender[],
  load: Worker,
  flood: Worker,
): Promise<void> {
  console.log(`\nAt ${PART * 100} % of the highest rate\n`);
  console.log(showTable([
    [
      "work",
      "who",
      "per second",
      "p50 ms",
      "p99 ms",
      "p99 / p50",
      "sent late ms",
      "server ran %",
      "waited %",
    ],
    ...await steadyRows(contenders, load),
  ]));
  console.log(`\n${BESIDE_FLOOD} personal_sign a second beside ${IN_FLIGHT} in flight of what takes long\n`);
  console.log(showTable([
    ["flood", "who", "of it per second", "p50 ms", "p99 ms"],
    ...await floodRows(contenders, load, flood),
  ]));
}

/** Prints how much longer a quick request waits while another client sends the slowest ones. */
export async function measureWorst(
  contenders: readonly Contender[],
  load: Worker,
  flood: Worker,
): Promise<void> {
  console.log("\nThe longest wait of /livez beyond that of the same second without load, ms\n");
  console.log(
    showTable([["request", "who", "median (least–most)"], ...await waitRows(contenders, load, flood)]),
  );
}
