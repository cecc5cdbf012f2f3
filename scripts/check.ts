import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readJUnit, type Report, skipReasons, titlesOnlyIn } from "./junit.ts";

// The one gate, `npm test`: format, lint, types, the build, every test on Bun with the browser beside it,
// and again on Deno. `npm test -- --only deno` runs the steps of that name alone. It touches nothing outside the
// project but one temporary folder, and no network.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const TOOLS = join(ROOT, "node_modules/.bin");
const CACHE = join(ROOT, "node_modules/.cache");
/** A step that takes longer than this hangs: it is ended and counts as failed. */
const STEP_LIMIT = 10 * 60_000;

interface Step {
  readonly name: string;
  readonly tool: "bun" | "deno" | "tsc";
  readonly arguments: readonly string[];
  /** For a run of tests: what it must run. */
  readonly tests?: readonly string[];
  /** Variables beside those of all steps. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

interface Ending {
  readonly code: number | string;
  readonly output: string;
}

const temporary = mkdtempSync(join(tmpdir(), "holdfast-check-"));
const running = new Set<number>();

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of the group is left, as it should be.
  }
}

process.on("exit", () => {
  running.forEach(endGroup);
  rmSync(temporary, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));

function environment(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  return {
    ...inherited,
    NO_COLOR: "1",
    TMPDIR: temporary,
    DENO_DIR: join(CACHE, "deno"),
    DENO_NO_UPDATE_CHECK: "1",
    DENO_NO_PROMPT: "1",
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: join(CACHE, "bun"),
    DO_NOT_TRACK: "1",
  };
}

/** Runs a tool with its output in a file, so that nothing it leaves behind can hold the gate up. */
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
  return new Promise((resolve) => {
    const settle = (code: number | string): void => {
      clearTimeout(limit);
      if (child.pid !== undefined) endGroup(child.pid);
      running.delete(child.pid ?? 0);
      resolve({ code, output: readFileSync(log, "utf8") });
    };
    child.on("error", (error) => settle(error.message));
    child.on("exit", (code, signal) => settle(code ?? signal ?? "unknown"));
  });
}

/** Paths of all test files, relative to the project and sorted. */
function testFiles(): string[] {
  const all = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" });
  return all.filter((path) => path.endsWith(".test.ts")).map((path) => join("test", path)).sort();
}

function bunTests(name: string, files: readonly string[], workers: number): Step {
  const report = `--reporter-outfile=${join(temporary, name + ".xml")}`;
  const flags = ["--isolate", "--timeout=60000", "--only-failures", "--reporter=junit", report];
  if (workers > 1) flags.push(`--parallel=${workers}`);
  return {
    name,
    tool: "bun",
    arguments: ["test", ...flags, ...files.map((file) => "./" + file)],
    tests: files,
  };
}

function denoTests(name: string, files: readonly string[]): Step {
  const flags = [
    "--no-check",
    "-A",
    "--parallel",
    "--reporter=dot",
    `--junit-path=${join(temporary, name + ".xml")}`,
  ];
  // One more than there are cores, because some files wait for processes.
  const environment = { DENO_JOBS: String(availableParallelism() + 1) };
  return { name, tool: "deno", arguments: ["test", ...flags, ...files], tests: files, environment };
}

interface Steps {
  /** These run side by side, before any test. */
  readonly checks: readonly Step[];
  /** One group after the other, the steps of a group side by side. */
  readonly tests: readonly (readonly Step[])[];
}

function steps(): Steps {
  const files = testFiles();
  const browser = files.filter((file) => file.startsWith(join("test", "browser")));
  const shared = files.filter((file) => !browser.includes(file));
  return {
    checks: [
      { name: "format", tool: "deno", arguments: ["fmt", "--check"] },
      { name: "lint", tool: "deno", arguments: ["lint"] },
      { name: "types", tool: "tsc", arguments: ["-p", "."] },
      { name: "deno-types", tool: "deno", arguments: ["check", "."] },
      { name: "build", tool: "bun", arguments: ["scripts/build.ts"] },
    ],
    tests: [
      // The browser's tests wait often, and one worker more than there are cores uses what is left over.
      [
        bunTests("bun", shared, availableParallelism()),
        ...(browser.length > 0 ? [bunTests("browser", browser, 1)] : []),
      ],
      [denoTests("deno", shared)],
    ],
  };
}

/** What a tool printed, set off from the gate's own lines and without the dots of Deno's reporter. */
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

/** Why tests of a file are skipped, as its source says. */
function reasonsIn(file: string): string {
  const path = join(ROOT, file);
  return existsSync(path) ? skipReasons(readFileSync(path, "utf8")).join(" | ") : "";
}

/**
 * A file of which Bun reports nothing crashed on import, or tests nothing, or is one skipped suite. (Of Deno's report
 * this cannot be asked: a test that a helper registered stands there under the helper's name.)
 */
function countUnreported(step: Step, ending: Ending, report: Report, tally: Tally): void {
  for (const file of step.tests!) {
    if (report.files.has(file)) continue;
    const reasons = ending.code === 0 ? reasonsIn(file) : "";
    console.log(reasons === "" ? `    no test ran in ${file}` : `skipped (${step.name}) ${file}: ${reasons}`);
    tally[reasons === "" ? "failed" : "skipped"]++;
  }
}

/** Adds a run of tests to the tally: what its report holds, the files it should hold, and the exit code. */
function count(step: Step, ending: Ending, report: Report, tally: Tally): void {
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

async function runTests(groups: readonly (readonly Step[])[], tally: Tally): Promise<void> {
  const runs = new Map<string, Report>();
  for (const group of groups) {
    const endings = await Promise.all(group.map(runTimed));
    for (const [index, step] of group.entries()) {
      const report = readReport(step);
      runs.set(step.name, report);
      count(step, endings[index]!, report, tally);
    }
  }
  const [bun, deno] = [runs.get("bun"), runs.get("deno")];
  if (bun !== undefined && deno !== undefined && deno.tests.length > 0) {
    for (const title of titlesOnlyIn(bun.tests, deno.tests)) {
      console.log(`    ran on Bun only: ${title}`);
      tally.failed++;
    }
  }
  listSkipped(runs);
}

async function check(only: string | undefined): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
  for (const tool of ["bun", "deno", "tsc"]) {
    if (existsSync(join(TOOLS, tool))) continue;
    console.log(`Cannot find ${tool}: run "npm ci" first`);
    tally.failed++;
    return tally;
  }
  const { checks, tests } = steps();
  const wanted = (step: Step): boolean => only === undefined || step.name === only;
  if (![...checks, ...tests.flat()].some(wanted)) {
    console.log(`Cannot run step ${only}: there is none of that name`);
    tally.failed++;
  }
  const endings = await Promise.all(checks.filter(wanted).map(runTimed));
  tally.failed += endings.filter(({ code }) => code !== 0).length;
  if (tally.failed > 0) return tally;
  await runTests(tests.map((group) => group.filter(wanted)), tally);
  return tally;
}

const flag = process.argv.indexOf("--only");
const only = flag > 0 ? process.argv[flag + 1] : undefined;
const { passed, failed, skipped } = await check(only);
if (passed + failed === 0 && only === undefined) console.log("Cannot pass: no test ran");
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 || (passed === 0 && only === undefined) ? 1 : 0;
