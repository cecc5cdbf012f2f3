/**
 * Measures the service on both runtimes and alternatives to it, in one run, and prints the table as Markdown: `npm run
 * bench`, or `npm run bench -- sign session` for some of its works. With `--beside=../checkout` it is compared with
 * another version of itself instead, on Bun. See docs/why/benchmarks.md for what each does and does not do.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../test/support/temporary.ts";
import type { Load } from "./load.ts";
import type { Loaded } from "./statistics.ts";
import type { OAuthRequest, OAuthWork } from "./oauth-load.ts";
import type { PlainRequest, PlainWork } from "./peers/listing.ts";
import { processorSeconds, residentMebibytes } from "./process-use.ts";
import { PEERS, startOther, startOurs, startPeer } from "./servers.ts";
import type { Contender, PeerName } from "./servers.ts";
import { measureStarts } from "./starts.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import { measureBusy, measureWorst } from "./busy.ts";
import { startWorker } from "./worker.ts";
import type { Worker } from "./worker.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
const IN_FLIGHT = 16;
const LOAD_MILLISECONDS = 800;
/** Milliseconds of the first round. Compilers are busy on each server for thousands of requests. */
const WARM_UP_MILLISECONDS = 2500;

const PLAIN = {
  livez: "/livez",
  session: "session lookup",
  list: "list of 100 keys",
  sign: "personal_sign, durable and audited",
  typedData: "EIP-712 Mail, durable and audited",
} as const satisfies Record<PlainWork, string>;

const OAUTH = { flow: "code flow", refresh: "refresh", userinfo: "userinfo" } as const satisfies Record<
  OAuthWork,
  string
>;

type Work = PlainWork | OAuthWork;

/**
 * No works of their own: the duration of some works while other clients keep a server busy. `worst` comes first,
 * because it exports an account, which takes a session of the last ten minutes.
 */
const BESIDE_OTHERS = { worst: measureWorst, busy: measureBusy } as const;

const NAMES: Readonly<Record<Work, string>> = { ...PLAIN, ...OAUTH };

interface Round extends Loaded {
  /** Microseconds of the server's processor time for a piece of work. */
  readonly processor: number;
}

/** The rounds by work and contender. */
type Results = ReadonlyMap<Work, ReadonlyMap<Contender, Round[]>>;

/** Starts a contender over a folder that is kept until the end. */
type Start = (contender: (dataDir: string) => Promise<Contender>) => Promise<void>;

interface Workers {
  readonly plain: Worker;
  readonly oauth: Worker;
}

async function metered(pid: number, load: () => Promise<Loaded>): Promise<Round> {
  const before = processorSeconds(pid);
  const loaded = await load();
  return { ...loaded, processor: (processorSeconds(pid) - before) * 1e6 / loaded.count };
}

async function measurePlain(
  { pid, listing }: Contender,
  { plain }: Workers,
  { path, ...request }: PlainRequest,
  milliseconds: number,
): Promise<Round> {
  const load: Load = { ...request, url: listing.address + path, inFlight: IN_FLIGHT, milliseconds };
  return await metered(pid, () => plain.ask<Load, Loaded>(load));
}

async function measureOAuth(
  { pid, listing }: Contender,
  { oauth }: Workers,
  work: OAuthWork,
  milliseconds: number,
): Promise<Round> {
  const request = { server: listing.oauth!, work, inFlight: IN_FLIGHT, milliseconds };
  await oauth.ask<OAuthRequest, number>({ step: "prepare", ...request });
  const round = await metered(pid, () => oauth.ask<OAuthRequest, Loaded>({ step: "load", ...request }));
  await oauth.ask<OAuthRequest, number>({ step: "verify", ...request });
  return round;
}

function isPlain(work: Work): work is PlainWork {
  return work in PLAIN;
}

function canDo({ listing }: Contender, work: Work): boolean {
  return isPlain(work) ? listing.requests[work] !== undefined : listing.oauth !== undefined;
}

async function measureRound(
  contender: Contender,
  workers: Workers,
  work: Work,
  milliseconds: number,
): Promise<Round> {
  return isPlain(work)
    ? await measurePlain(contender, workers, contender.listing.requests[work]!, milliseconds)
    : await measureOAuth(contender, workers, work, milliseconds);
}

/**
 * Measures the works. Contenders alternate within a round, so that a noisy moment hits all. The first round warms them
 * up and does not count.
 */
async function measure(
  works: readonly Work[],
  contenders: readonly Contender[],
  workers: Workers,
): Promise<Results> {
  const results = new Map(works.map((work) => [
    work,
    new Map(contenders.filter((one) => canDo(one, work)).map((one) => [one, [] as Round[]])),
  ]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [work, rounds] of results) {
      for (const [contender, done] of rounds) {
        const milliseconds = round < 0 ? WARM_UP_MILLISECONDS : LOAD_MILLISECONDS;
        const measured = await measureRound(contender, workers, work, milliseconds);
        if (round >= 0) done.push(measured);
      }
    }
  }
  return results;
}

/** Returns the ratio of the first contender's rounds to the other's, pair by pair, as they were measured together. */
function ratio(ours: readonly Round[], theirs: readonly Round[], pick: (round: Round) => number): string {
  return showSummary(summarise(ours.map((round, index) => pick(round) / pick(theirs[index]!))));
}

const COLUMNS = [
  "work",
  "who",
  "per second",
  "p50 ms",
  "p99 ms",
  "processor µs",
  "ours / its rate",
  "its / our processor",
];

function resultRows(results: Results, work: Work): string[][] {
  const rounds = results.get(work)!;
  const [ours] = [...rounds.values()];
  return [...rounds].map(([{ name }, measured], index) => {
    const of = (pick: (round: Round) => number) => summarise(measured.map(pick));
    return [
      index === 0 ? NAMES[work] : "",
      name,
      showSummary(of(({ perSecond }) => perSecond)),
      figure(of(({ median }) => median).median),
      figure(of(({ p99 }) => p99).median),
      showSummary(of(({ processor }) => processor)),
      index === 0 ? "" : ratio(ours!, measured, ({ perSecond }) => perSecond),
      index === 0 ? "" : ratio(measured, ours!, ({ processor }) => processor),
    ];
  });
}

/** Pins a process to one core if the system can, so that load and server do not share cores. */
function pin(pid: number, core: number): void {
  if (availableParallelism() > 1) spawnSync("taskset", ["-acp", String(core), String(pid)]);
}

function readWorks(asked: readonly string[]): readonly Work[] {
  const works = Object.keys(NAMES) as Work[];
  const unknown = asked.filter((name) => !(name in BESIDE_OTHERS) && !works.some((work) => work === name));
  if (unknown.length > 0) {
    throw new Error(
      `There is no work ${unknown.join()}; there is: ${[...works, ...Object.keys(BESIDE_OTHERS)].join(", ")}`,
    );
  }
  return asked.length === 0 ? works : works.filter((work) => asked.includes(work));
}

async function startPeers(start: Start): Promise<void> {
  await start((dataDir) => startOurs("deno", dataDir));
  for (const name of Object.keys(PEERS) as PeerName[]) await start((dataDir) => startPeer(name, dataDir));
}

async function main(): Promise<void> {
  const { values: { beside }, positionals: asked } = parseArgs({
    allowPositionals: true,
    options: { beside: { type: "string" } },
  });
  const works = readWorks(asked);
  console.log(`Medians of ${ROUNDS} interleaved rounds (least–most), ${IN_FLIGHT} in flight\n`);
  if (asked.length === 0 && beside === undefined) await measureStarts();
  await using stack = new AsyncDisposableStack();
  const contenders: Contender[] = [];
  const start: Start = async (contender) => {
    contenders.push(stack.use(await contender(stack.use(temporaryFolder()).path)));
  };
  await start((dataDir) => startOurs("bun", dataDir));
  await (beside === undefined ? startPeers(start) : start((dataDir) => startOther(beside, dataDir)));
  const [plain, oauth, flood] = ["load.ts", "oauth-load.ts", "load.ts"].map((file) =>
    stack.use(startWorker(process.execPath, [join(ROOT, "bench", file)]))
  ) as [Worker, Worker, Worker];
  pin(process.pid, 1);
  for (const { pid } of [plain, oauth, flood]) pin(pid, 1);
  for (const { pid } of contenders) pin(pid, 0);
  const results = await measure(works, contenders, { plain, oauth });
  console.log("");
  if (works.length > 0) {
    console.log(showTable([COLUMNS, ...works.flatMap((work) => resultRows(results, work))]));
  }
  const memory = contenders.map(({ name, pid }) => `${name} ${figure(residentMebibytes(pid))}`).join(", ");
  console.log(`\nResident memory after the load, MiB: ${memory}`);
  for (const [name, measureBeside] of Object.entries(BESIDE_OTHERS)) {
    const isMeasured = asked.includes(name) || (asked.length === 0 && beside === undefined);
    if (isMeasured) await measureBeside(contenders, plain, flood);
  }
}

await main();
