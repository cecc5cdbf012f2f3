/**
 * Measures the authorization server over HTTP beside two others that people would use in its place, in one run, and
 * prints ratios as Markdown: `bun bench/oauth.ts`. See docs/benchmarks.md for what each does and does not do.
 */
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../test/support/temporary.ts";
import type { Loaded } from "./load.ts";
import type { OAuthRequest, OAuthWork } from "./oauth-load.ts";
import { PEERS, startOurs, startPeer } from "./oauth-servers.ts";
import type { AuthorizationServer } from "./oauth-servers.ts";
import { processorSeconds, residentMebibytes } from "./process-use.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import { startWorker } from "./worker.ts";
import type { Worker } from "./worker.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
const LOAD_MILLISECONDS = 1000;
/** How long the first round takes: compilers are at work on each server for thousands of requests. */
const WARM_UP_MILLISECONDS = 2500;

const SCENARIOS: readonly { readonly name: string; readonly work: OAuthWork; readonly inFlight: number }[] = [
  { name: "code flow, 1 in flight", work: "flow", inFlight: 1 },
  { name: "code flow, 32 in flight", work: "flow", inFlight: 32 },
  { name: "refresh, 1 in flight", work: "refresh", inFlight: 1 },
  { name: "refresh, 32 in flight", work: "refresh", inFlight: 32 },
  { name: "userinfo, 1 in flight", work: "userinfo", inFlight: 1 },
  { name: "userinfo, 32 in flight", work: "userinfo", inFlight: 32 },
];

type Scenario = (typeof SCENARIOS)[number];

interface Round extends Loaded {
  /** Microseconds of the server's processor time for a piece of work. */
  readonly processor: number;
}

/** What the rounds gave, by scenario and server. */
type Results = ReadonlyMap<Scenario, ReadonlyMap<AuthorizationServer, Round[]>>;

async function measureRound(
  { pid, listing }: AuthorizationServer,
  load: Worker,
  { work, inFlight }: Scenario,
  milliseconds: number,
): Promise<Round> {
  const request = { server: listing, work, inFlight, milliseconds };
  await load.ask<OAuthRequest, number>({ step: "prepare", ...request });
  const before = processorSeconds(pid);
  const loaded = await load.ask<OAuthRequest, Loaded>({ step: "load", ...request });
  const processor = (processorSeconds(pid) - before) * 1e6 / loaded.count;
  await load.ask<OAuthRequest, number>({ step: "verify", ...request });
  return { ...loaded, processor };
}

/** Servers take turns within a round, so that a noisy moment hits all; the round before the first warms them up. */
async function measure(servers: readonly AuthorizationServer[], load: Worker): Promise<Results> {
  const results = new Map(
    SCENARIOS.map((scenario) => [scenario, new Map(servers.map((server) => [server, [] as Round[]]))]),
  );
  for (let round = -1; round < ROUNDS; round++) {
    for (const scenario of SCENARIOS) {
      for (const server of servers) {
        const milliseconds = round < 0 ? WARM_UP_MILLISECONDS : LOAD_MILLISECONDS;
        const measured = await measureRound(server, load, scenario, milliseconds);
        if (round >= 0) results.get(scenario)!.get(server)!.push(measured);
      }
    }
  }
  return results;
}

/** The first server's rounds by the other's, each to each, as they were made side by side. */
function ratio(ours: readonly Round[], theirs: readonly Round[], pick: (round: Round) => number): string {
  return showSummary(summarise(ours.map((round, index) => pick(round) / pick(theirs[index]!))));
}

function resultRows(results: Results, scenario: Scenario): string[][] {
  const rounds = results.get(scenario)!;
  const [ours] = [...rounds.values()];
  return [...rounds].map(([{ name }, measured], index) => {
    const of = (pick: (round: Round) => number) => summarise(measured.map(pick));
    return [
      index === 0 ? scenario.name : "",
      name,
      showSummary(of(({ perSecond }) => perSecond)),
      figure(of(({ median }) => median).median),
      figure(of(({ p99 }) => p99).median),
      figure(of(({ processor }) => processor).median),
      index === 0 ? "" : ratio(ours!, measured, ({ perSecond }) => perSecond),
      index === 0 ? "" : ratio(measured, ours!, ({ processor }) => processor),
    ];
  });
}

const COLUMNS = [
  "work",
  "server",
  "per second",
  "median ms",
  "p99 ms",
  "processor µs",
  "ours / its rate",
  "its / our processor",
];

async function main(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dataDir = (): string => stack.use(temporaryFolder()).path;
  const servers: AuthorizationServer[] = [];
  for (const runtime of ["bun", "deno"] as const) {
    servers.push(stack.use(await startOurs(runtime, dataDir())));
  }
  for (const name of PEERS) servers.push(stack.use(await startPeer(name, dataDir())));
  const load = stack.use(startWorker(process.execPath, [join(ROOT, "bench/oauth-load.ts")]));
  const results = await measure(servers, load);
  console.log(`Medians of ${ROUNDS} interleaved rounds (least–most); ratios are of Holdfast on Bun\n`);
  console.log(showTable([COLUMNS, ...SCENARIOS.flatMap((scenario) => resultRows(results, scenario))]));
  const memory = servers.map(({ name, pid }) => `${name} ${figure(residentMebibytes(pid))}`).join(", ");
  console.log(`\nResident memory after the load, MiB: ${memory}`);
}

await main();
