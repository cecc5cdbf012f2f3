import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { isBuilt } from "../test/support/built.ts";
import { groupModule } from "./group.ts";
import { type PostgresServer, startPostgres } from "./postgres.ts";
import { readJUnit, type Report, skipReasons, titlesOnlyIn } from "./junit.ts";
import { selectFiles, type Step, type Steps, stepsFor, type TestStep } from "./steps.ts";

// The gate, `npm test`: format, lint, types, build, every test on Bun and most of them on Deno, with the browser tests
// in parallel. `npm test -- --only deno` runs only the steps of that name. `npm test -- test/oauth` runs the tests of a
// folder or file, and the build if a source is newer. It uses no network and writes only to one temporary folder
// outside the project.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TOOLS = join(ROOT, "node_modules/.bin");
const CACHE = join(ROOT, "node_modules/.cache");
const USAGE = "Usage: npm test [-- --only STEP | -- PATH …]: a step's name, or folders and files below test/";
/** The seed of the random tests: always the same, so that a commit cannot fail by a draw. `npm run fuzz` draws one. */
const SEED = process.env["FUZZ_SEED"] ?? "0";
/** Milliseconds after which a step is killed and counts as failed. */
const STEP_LIMIT = 15 * 60_000;

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface Ending {
  readonly code: number | string;
  readonly output: string;
}

// Does not use the shell's umask: some tests set file modes, and the database server's user reads some of the files.
process.umask(0o022);
const temporary = mkdtempSync(join(tmpdir(), "holdfast-check-"));
// The database server of some tests runs as another user, and finds its files there.
chmodSync(temporary, 0o711);
const running = new Set<number>();
let onServer: PostgresServer | undefined;

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has ended already.
  }
}

process.on("exit", () => {
  running.forEach(endGroup);
  onServer?.abandon();
  rmSync(temporary, { recursive: true, force: true });
});
/** Ends the gate and its processes if a step cannot start. Without this the runtime would busy-wait for ever. */
function abort(error: unknown): never {
  console.error(error);
  process.exit(1);
}

process.on("uncaughtException", abort);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

function environment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  return {
    ...inherited,
    NO_COLOR: "1",
    TMPDIR: temporary,
    FUZZ_SEED: SEED,
    // The first test that needs a migrated database leaves it there for the others.
    HOLDFAST_TEST_DATABASE: join(temporary, "migrated"),
    DENO_DIR: join(CACHE, "deno"),
    DENO_NO_UPDATE_CHECK: "1",
    DENO_NO_PROMPT: "1",
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(CACHE, "bun"),
    // Bun's last compiler and its parallel collector cost short tests a fifth of their processor time. A started
    // service has both, because it does not get this environment.
    BUN_JSC_useFTLJIT: "0",
    BUN_JSC_numberOfGCMarkers: "1",
    // Keeps memory in the process: returning it took a twentieth of the processor time of the tests.
    MIMALLOC_SCAVENGER: "0",
    MIMALLOC_PURGE_DELAY: "-1",
    MIMALLOC_PURGE_HOLES: "0",
    DO_NOT_TRACK: "1",
  };
}

/**
 * Prints the tests that fail while a step runs. Bun writes each at once, Deno all at its end. Returns how to stop it.
 */
function followFailures(name: string, log: string): () => void {
  let read = 0;
  const timer = setInterval(() => {
    const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
    for (const line of lines.slice(read)) {
      if (line.startsWith("(fail) ")) console.log(`    ${name}: ${line}`);
    }
    read = lines.length;
  }, 1000);
  return () => clearInterval(timer);
}

/** Runs a tool with its output in a file, so that no process that it leaves behind can block the gate. */
function run(step: Step): Promise<Ending> {
  const log = join(temporary, `${step.name}.log`);
  const file = openSync(log, "w");
  const child = spawn(join(TOOLS, step.tool), step.arguments, {
    cwd: ROOT,
    env: { ...environment(), ...step.environment },
    stdio: ["ignore", file, file],
    detached: true,
  });
  closeSync(file);
  if (child.pid !== undefined) running.add(child.pid);
  const limit = setTimeout(() => endGroup(child.pid!), STEP_LIMIT);
  const stopFollowing = followFailures(step.name, log);
  return new Promise((resolve) => {
    const settle = (code: number | string): void => {
      clearTimeout(limit);
      stopFollowing();
      if (child.pid !== undefined) endGroup(child.pid);
      running.delete(child.pid ?? 0);
      resolve({ code, output: readFileSync(log, "utf8") });
    };
    child.on("error", (error) => settle(error.message));
    child.on("exit", (code, signal) => settle(code ?? signal ?? "unknown"));
  });
}

/** Returns the paths of all test files, relative to the project. */
function testFiles(): string[] {
  const all = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  return all.filter((path) => path.endsWith(".test.ts")).map((path) => join("test", path));
}

/** Formats the output of a tool, without the dots of Deno's reporter. */
function quote(text: string): string {
  const lines = text.trimEnd().split("\n").filter((line) => !/^[.,!]$/.test(line));
  return lines.map((line) => "    " + line).join("\n");
}

async function runTimed(step: Step): Promise<Ending> {
  const begin = performance.now();
  const ending = await run(step);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1).padStart(6);
  console.log(
    `${seconds} s  ${step.name.padEnd(10)}  ${ending.code === 0 ? "ok" : `FAILED (${ending.code})`}`,
  );
  if (ending.code !== 0) console.log(quote(ending.output));
  return ending;
}

function readReport(step: Step): Report {
  const report = join(temporary, step.name + ".xml");
  return existsSync(report) ? readJUnit(readFileSync(report, "utf8")) : { tests: [], files: new Set() };
}

/** Returns the reasons why tests of a file are skipped, read from its source. */
function reasonsIn(file: string): string {
  const path = join(ROOT, file);
  return existsSync(path) ? skipReasons(readFileSync(path, "utf8")).join(" | ") : "";
}

/**
 * Counts the files without a row in Bun's report as failed, unless they are one skipped suite. Such a file crashed on
 * import or has no test. Does not check Deno's report, which lists a test registered by a helper under the helper's
 * file.
 */
function countUnreported(step: TestStep, ending: Ending, report: Report, tally: Tally): void {
  for (const file of step.tests) {
    if (report.files.has(file)) continue;
    const reasons = ending.code === 0 ? reasonsIn(file) : "";
    console.log(reasons === "" ? `    no test ran in ${file}` : `skipped (${step.name}) ${file}: ${reasons}`);
    tally[reasons === "" ? "failed" : "skipped"]++;
  }
}

/** Adds a run of tests to the tally: its report, its expected files and its exit code. */
function count(step: TestStep, ending: Ending, report: Report, tally: Tally): void {
  const before = tally.failed;
  for (const { outcome } of report.tests) tally[outcome]++;
  if (step.tool === "bun") countUnreported(step, ending, report, tally);
  const isWrong = ending.code !== 0 || report.tests.length === 0;
  if (isWrong && tally.failed === before) tally.failed++;
}

function listSkipped(runs: ReadonlyMap<string, Report>): void {
  const seen = new Set<string>();
  for (const [name, { tests }] of runs) {
    for (const { title, file, outcome } of tests) {
      if (outcome !== "skipped" || seen.has(title)) continue;
      seen.add(title);
      console.log(`skipped (${name}) ${file}: ${title}: ${reasonsIn(file) || "no reason given"}`);
    }
  }
}

function writeGroups({ groups = new Map<string, string[]>() }: TestStep): void {
  for (const [path, files] of groups) {
    writeFileSync(path, groupModule(files.map((file) => join(ROOT, file))));
  }
}

/** Runs the steps. Starts one PostgreSQL server for all steps that need it, before the first of them. */
async function runTests(lanes: readonly (readonly TestStep[])[], tally: Tally): Promise<void> {
  const runs = new Map<string, Report>();
  const steps = lanes.flat();
  let server: Promise<PostgresServer> | undefined;
  const start = async (): Promise<PostgresServer> => onServer = await startPostgres();
  await Promise.all(lanes.map(async (lane) => {
    for (const step of lane) {
      writeGroups(step);
      const isOnServer = step.database === "postgres";
      const TEST_POSTGRES_URL = isOnServer ? (await (server ??= start())).url : "";
      const ending = await runTimed(
        isOnServer ? { ...step, environment: { ...step.environment, TEST_POSTGRES_URL } } : step,
      );
      const report = readReport(step);
      runs.set(step.name, report);
      count(step, ending, report, tally);
    }
  }));
  await onServer?.stop();
  onServer = undefined;
  for (const names of [["bun", "deno"], ["postgres", "postgres-deno"]] as const) {
    const [bun, deno] = names.map((name) => runs.get(name));
    if (bun === undefined || deno === undefined || deno.tests.length === 0) continue;
    // On PostgreSQL, Deno runs only some of the files. Compares only those.
    const ofBoth = steps.find(({ name }) => name === names[1])!.tests;
    const comparable = bun.tests.filter(({ file }) => ofBoth.includes(file));
    for (const title of titlesOnlyIn(comparable, deno.tests)) {
      console.log(`    ran on Bun only: ${title}`);
      tally.failed++;
    }
  }
  listSkipped(runs);
}

/** Returns the steps that a command line selects, or an error message if it selects none. */
function wantedSteps(words: readonly string[]): Steps | string {
  const all = testFiles();
  if (words.length === 0) return stepsFor(all, temporary);
  if (words[0] === "--only") {
    const { checks, tests } = stepsFor(all, temporary);
    const wanted = ({ name }: Step): boolean => name === words[1];
    if (words.length !== 2 || ![...checks, ...tests.flat()].some(wanted)) return USAGE;
    return { checks: checks.filter(wanted), tests: tests.map((lane) => lane.filter(wanted)) };
  }
  if (words.some((word) => word.startsWith("-"))) return USAGE;
  const { files, unknown } = selectFiles(all, words);
  if (unknown.length > 0) return `Cannot find a test at ${unknown.join(", ")}`;
  const { checks, tests } = stepsFor(files, temporary);
  // Some tests start the executable. The runtimes run in parallel, because few files leave cores idle.
  return {
    checks: isBuilt() ? [] : checks.filter(({ name }) => name === "build"),
    tests: tests.flat().map((step) => [step]),
  };
}

async function check(words: readonly string[]): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  const missing = ["bun", "deno", "tsc"].find((tool) => !existsSync(join(TOOLS, tool)));
  const wanted = missing === undefined ? wantedSteps(words) : `Cannot find ${missing}: run "npm ci" first`;
  if (typeof wanted === "string") {
    console.log(wanted);
    tally.failed++;
    return tally;
  }
  const checks = new Map(wanted.checks.map((step) => [step.name, runTimed(step)]));
  // Many tests start what the build makes. The other checks run beside them.
  const build = await checks.get("build");
  if (wanted.tests.flat().length > 0 && (build?.code ?? 0) === 0) {
    console.log(`Seed of the random tests: ${SEED} (npm run fuzz draws others)`);
    await runTests(wanted.tests, tally);
  }
  const endings = await Promise.all(checks.values());
  tally.failed += endings.filter(({ code }) => code !== 0).length;
  return tally;
}

const words = process.argv.slice(2);
const { passed, failed, skipped } = await check(words).catch(abort);
const mayBeWithoutTests = words[0] === "--only";
if (passed + failed === 0 && !mayBeWithoutTests) console.log("Cannot pass: no test ran");
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || (passed === 0 && !mayBeWithoutTests) ? 1 : 0;
