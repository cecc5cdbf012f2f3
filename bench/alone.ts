/**
 * Measures the whole service over HTTP on each runtime, and compares it with one core that does only the same
 * cryptography. Prints both as Markdown: `bun bench/alone.ts`, or `bun bench/alone.ts deno` for one runtime. See
 * docs/why/benchmarks.md for what the numbers mean.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { SERVICE_RUNTIMES } from "../test/support/service.ts";
import type { ShippedRuntime } from "../test/support/service.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import type { BareAnswer, BareRequest, BareWork } from "./bare.ts";
import type { Load } from "./load.ts";
import type { Loaded } from "./statistics.ts";
import { processorSeconds, residentMebibytes } from "./process-use.ts";
import { PEOPLE, SCENARIOS } from "./scenarios.ts";
import type { PersonName, Scenario } from "./scenarios.ts";
import { figure, showSummary, showTable, summarise } from "./statistics.ts";
import { enrolPerson, measureSignUps, startTarget } from "./target.ts";
import type { Person, Target } from "./target.ts";
import { startWorker } from "./worker.ts";
import type { Worker } from "./worker.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
const LOAD_MILLISECONDS = 800;
const BARE_MILLISECONDS = 200;
const STARTS = 3;
const SIGN_UPS = { people: 80, concurrency: 8 } as const;

const BUN = { command: join(ROOT, "node_modules/.bin/bun"), args: [] } as const;
const DENO = { command: join(ROOT, "node_modules/.bin/deno"), args: ["run", "-A", "--no-check"] } as const;
/** The runtime of each bare work. The executable has Bun inside. */
const TOOLS = { bun: BUN, deno: DENO, executable: BUN } as const satisfies Record<ShippedRuntime, unknown>;

/** One runtime: its service, and the process that does the bare work. */
interface Bench {
  readonly target: Target;
  readonly people: Readonly<Record<PersonName, Person>>;
  readonly bare: Worker;
  readonly rounds: Map<string, Round[]>;
  readonly signUps: number[];
}

/** The result of one round of a scenario. */
interface Round extends Loaded {
  /** Microseconds of the service's processor time for a request. */
  readonly processor: number;
  /** The scenario's bare works, done in the same round. */
  readonly bare: readonly BareAnswer[];
}

function runTool(runtime: ShippedRuntime, file: string): Worker {
  const { command, args } = TOOLS[runtime];
  return startWorker(command, [...args, join(ROOT, "bench", file)]);
}

function loadOf({ target, people }: Pick<Bench, "target" | "people">, scenario: Scenario): Load {
  const { who, method, path, body, inFlight } = scenario;
  const { headers, keyId } = people[who];
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const url = target.address + path(keyId);
  return { url, method, headers, ...content, inFlight, milliseconds: LOAD_MILLISECONDS };
}

/** Creates the users of the scenarios, with their numbers of keys. */
async function enrolPeople(target: Target, load: Worker): Promise<Record<PersonName, Person>> {
  const people: Partial<Record<PersonName, Person>> = {};
  for (const [name, keys] of Object.entries(PEOPLE) as [PersonName, number][]) {
    const person = await enrolPerson(target, `${name}@example.com`);
    people[name] = person;
    if (keys === 1) continue;
    await load.ask<Load, Loaded>({
      url: `${target.address}/api/keys/generate`,
      method: "POST",
      headers: person.headers,
      inFlight: 32,
      milliseconds: 60_000,
      count: keys - 1,
    });
  }
  return people as Record<PersonName, Person>;
}

async function measureBare({ bare }: Bench, work: BareWork): Promise<BareAnswer> {
  return await bare.ask<BareRequest, BareAnswer>({ work, milliseconds: BARE_MILLISECONDS });
}

/** Measures one round: the load and then the bare work, so that a noisy moment hits both. */
async function measureRound(bench: Bench, load: Worker, scenario: Scenario): Promise<Round> {
  const pid = bench.target.service.process.pid!;
  const before = processorSeconds(pid);
  const loaded = await load.ask<Load, Loaded>(loadOf(bench, scenario));
  const processor = (processorSeconds(pid) - before) * 1e6 / loaded.count;
  const bare: BareAnswer[] = [];
  for (const work of scenario.bare) bare.push(await measureBare(bench, work));
  return { ...loaded, processor, bare };
}

async function measureScenarios(benches: readonly Bench[], load: Worker): Promise<void> {
  // The first round warms both sides up and does not count.
  for (let round = -1; round < ROUNDS; round++) {
    for (const scenario of SCENARIOS) {
      for (const bench of benches) {
        const measured = await measureRound(bench, load, scenario);
        if (round >= 0) bench.rounds.set(scenario.name, [...bench.rounds.get(scenario.name) ?? [], measured]);
      }
    }
    for (const bench of benches) {
      const signUps = await measureSignUps(bench.target, { ...SIGN_UPS, name: `round${round}` });
      if (round >= 0) bench.signUps.push(signUps);
    }
  }
}

const COLUMNS = [
  "request",
  "per second",
  "median ms",
  "p99 ms",
  "processor µs",
  "bare work",
  "rate / bare rate",
  "bare processor / processor",
];

function scenarioRows({ rounds }: Bench, { name, bare }: Scenario): string[][] {
  const measured = rounds.get(name)!;
  const of = (pick: (round: Round) => number) => summarise(measured.map(pick));
  return bare.map((work, index) => [
    ...(index > 0 ? ["", "", "", "", ""] : [
      name,
      showSummary(of(({ perSecond }) => perSecond)),
      figure(of(({ median }) => median).median),
      figure(of(({ p99 }) => p99).median),
      figure(of(({ processor }) => processor).median),
    ]),
    work,
    showSummary(of((round) => round.perSecond / round.bare[index]!.perSecond)),
    showSummary(of((round) => round.bare[index]!.processor / round.processor)),
  ]);
}

/** Returns all measurements of a piece of bare work, from every scenario. */
function bareAnswers({ rounds }: Bench, work: BareWork): BareAnswer[] {
  return SCENARIOS.flatMap(({ name, bare }) => {
    const index = bare.indexOf(work);
    return index < 0 ? [] : rounds.get(name)!.map((round) => round.bare[index]!);
  });
}

function bareRow(bench: Bench, work: BareWork): string[] {
  const answers = bareAnswers(bench, work);
  const of = (pick: (answer: BareAnswer) => number) => showSummary(summarise(answers.map(pick)));
  return [work, of(({ perSecond }) => perSecond), of(({ processor }) => processor)];
}

function showBench(bench: Bench): void {
  const { target, signUps } = bench;
  const works = [...new Set(SCENARIOS.flatMap(({ bare }) => bare))];
  console.log(`\n## ${target.runtime}\n`);
  console.log(showTable([COLUMNS, ...SCENARIOS.flatMap((scenario) => scenarioRows(bench, scenario))]));
  console.log(
    `\nWhole sign-ups per second, ${SIGN_UPS.concurrency} at once: ${showSummary(summarise(signUps))}`,
  );
  console.log(
    `Resident memory after the load: ${figure(residentMebibytes(target.service.process.pid!))} MiB\n`,
  );
  console.log(showTable([
    ["bare work, one core", "per second", "processor µs"],
    ...works.map((work) => bareRow(bench, work)),
  ]));
}

/**
 * Measures a start in an empty folder and one over the same folder again, to the first response and the first
 * signature.
 */
async function measureStart(runtime: ShippedRuntime): Promise<Readonly<Record<string, number>>> {
  using folder = temporaryFolder();
  const started: Record<string, number> = {};
  for (const [name, signs] of [["first start", false], ["later start", true]] as const) {
    const from = performance.now();
    const target = await startTarget(runtime, folder.path);
    await using service = target.service;
    await (await fetch(`${target.address}/livez`)).text();
    started[`${name} to first answer, ms`] = performance.now() - from;
    if (signs) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      started["resident memory idle, MiB"] = residentMebibytes(service.process.pid!);
      const { headers, keyId } = await enrolPerson(target, "first@example.com");
      const body = JSON.stringify({ message: "Hello, world!" });
      const url = `${target.address}/api/keys/${keyId}/sign`;
      const sign = async (): Promise<number> => {
        const sentAt = performance.now();
        await (await fetch(url, { method: "POST", headers, body })).text();
        return performance.now() - sentAt;
      };
      started["first signature, ms"] = await sign();
      const times: number[] = [];
      for (let count = 0; count < 300; count++) times.push(await sign());
      started["signatures 201 to 300, ms"] = summarise(times.slice(200)).median;
    }
    await service.stop();
  }
  return started;
}

async function measureStarts(runtimes: readonly ShippedRuntime[]): Promise<void> {
  const rounds = new Map(runtimes.map((runtime) => [runtime, [] as Readonly<Record<string, number>>[]]));
  for (let round = 0; round < STARTS; round++) {
    for (const runtime of runtimes) rounds.get(runtime)!.push(await measureStart(runtime));
  }
  const names = Object.keys(rounds.get(runtimes[0]!)![0]!);
  const cell = (runtime: ShippedRuntime, name: string): string =>
    showSummary(summarise(rounds.get(runtime)!.map((started) => started[name]!)));
  console.log("\n## Cold\n");
  console.log(showTable([
    ["", ...runtimes],
    ...names.map((name) => [name, ...runtimes.map((runtime) => cell(runtime, name))]),
  ]));
}

function readRuntimes(asked: readonly string[]): readonly ShippedRuntime[] {
  return SERVICE_RUNTIMES.filter((runtime) => {
    if (asked.length > 0) return asked.includes(runtime);
    return runtime !== "executable" || existsSync(join(ROOT, "dist/holdfast"));
  });
}

async function main(): Promise<void> {
  const runtimes = readRuntimes(process.argv.slice(2));
  console.log(`Medians of ${ROUNDS} interleaved rounds (least–most)`);
  await measureStarts(runtimes);
  using load = runTool("bun", "load.ts");
  await using stack = new AsyncDisposableStack();
  const benches: Bench[] = [];
  for (const runtime of runtimes) {
    const folder = stack.use(temporaryFolder());
    const target = await startTarget(runtime, folder.path);
    stack.use(target.service);
    const bare = stack.use(runTool(runtime, "bare.ts"));
    benches.push({ target, people: await enrolPeople(target, load), bare, rounds: new Map(), signUps: [] });
  }
  await measureScenarios(benches, load);
  for (const bench of benches) showBench(bench);
}

await main();
