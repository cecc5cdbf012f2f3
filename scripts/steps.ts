import { availableParallelism } from "node:os";
import { join } from "node:path";
import { LONG, ON_DENO, ONCE, POSTGRES, POSTGRES_ON_DENO } from "./test-lists.ts";

// The steps of the gate, as data: `check.ts` runs them.

export interface Step {
  readonly name: string;
  readonly tool: "bun" | "deno" | "tsc";
  readonly arguments: readonly string[];
  /** Variables in addition to those of all steps. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A run of tests. Its report is `<name>.xml` in the temporary folder. */
export interface TestStep extends Step {
  readonly tests: readonly string[];
  /** The kind of their databases, if not SQLite. */
  readonly database?: "postgres";
  /** Modules to write before it runs: their paths, and the test files that each loads. */
  readonly groups?: ReadonlyMap<string, readonly string[]>;
}

export interface Steps {
  /** Run in parallel. The tests wait for the one named `build`. */
  readonly checks: readonly Step[];
  /** Lanes run in parallel; the steps of a lane run one after the other. */
  readonly tests: readonly (readonly TestStep[])[];
}

const CHECKS: readonly Step[] = [
  { name: "format", tool: "deno", arguments: ["fmt", "--check"] },
  { name: "lint", tool: "deno", arguments: ["lint"] },
  { name: "types", tool: "tsc", arguments: ["-p", ".", "--singleThreaded"] },
  { name: "build", tool: "bun", arguments: ["scripts/build.ts"] },
];

const BROWSER = join("test", "browser") + "/";

/** The tests of PostgreSQL only. */
const POSTGRES_ONLY = join("test", "postgres") + "/";

function bunTests(name: string, files: readonly string[], folder: string, workers: number): TestStep {
  const report = `--reporter-outfile=${join(folder, name + ".xml")}`;
  const flags = ["--timeout=60000", "--only-failures", "--reporter=junit", report];
  // Loads modules once for each worker. Loading them for each file would take a fifth of the time.
  if (workers > 1) flags.push(`--parallel=${workers}`, "--no-isolate");
  const paths = files.map((file) => "./" + file);
  return { name, tool: "bun", arguments: ["test", ...flags, ...paths], tests: files };
}

/**
 * Returns the step of Deno. Deno loads all modules again for each file it is given, which takes three seconds, so it
 * gets one module for each worker, and no more workers than cores: the other lanes use the time that it waits. The test
 * files are dealt out in turn, the long ones first.
 */
function denoTests(name: string, files: readonly string[], folder: string): TestStep {
  const report = `--junit-path=${join(folder, name + ".xml")}`;
  const flags = ["--no-check", "-A", "--parallel", "--reporter=dot", report];
  const jobs = availableParallelism();
  const groups = new Map<string, string[]>();
  const ordered = [
    ...LONG.filter((file) => files.includes(file)),
    ...files.filter((file) => !LONG.includes(file)),
  ];
  for (const [index, file] of ordered.entries()) {
    const path = join(folder, `${name}-${index % jobs}.test.ts`);
    groups.set(path, [...groups.get(path) ?? [], file]);
  }
  return {
    name,
    tool: "deno",
    arguments: ["test", ...flags, ...groups.keys()],
    tests: files,
    groups,
    environment: { DENO_JOBS: String(jobs) },
  };
}

/**
 * Returns the steps of the gate for these test files. Reports go to the folder. Only the tests of `ON_DENO` run on Deno
 * too.
 */
export function stepsFor(files: readonly string[], folder: string): Steps {
  const sorted = files.toSorted();
  const browser = sorted.filter((file) => file.startsWith(BROWSER));
  const once = sorted.filter((file) => ONCE.includes(file));
  const onPostgres = sorted.filter((file) => file.startsWith(POSTGRES_ONLY) || isOneOf(POSTGRES, file));
  const shared = sorted.filter((file) =>
    !browser.includes(file) && !once.includes(file) && !file.startsWith(POSTGRES_ONLY)
  );
  const workers = availableParallelism();
  const onServer = { database: "postgres" as const };
  // Three at a time keep two cores busy. Four took 8 % more processor time for the same tests.
  const lanes = [
    // One worker more: otherwise this lane ends last, and leaves cores idle while its tests wait.
    [bunTests("bun", shared, folder, workers + 1)],
    [
      bunTests("browser", browser, folder, workers),
      denoTests("deno", shared.filter((file) => isOneOf(ON_DENO, file)), folder),
    ],
    [
      { ...bunTests("postgres", onPostgres, folder, workers), ...onServer },
      bunTests("once", once, folder, 1),
      {
        ...denoTests("postgres-deno", onPostgres.filter((file) => POSTGRES_ON_DENO.includes(file)), folder),
        ...onServer,
      },
    ],
  ].map((lane) => lane.filter(({ tests }) => tests.length > 0));
  return { checks: CHECKS, tests: lanes.filter((lane) => lane.length > 0) };
}

/**
 * Returns the test files at or below these paths, and the paths without a test file. Accepts `./` and a trailing `/`.
 */
export function selectFiles(
  all: readonly string[],
  paths: readonly string[],
): { readonly files: readonly string[]; readonly unknown: readonly string[] } {
  const plain = paths.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  return {
    files: all.filter((file) => isOneOf(plain, file)),
    unknown: plain.filter((path) => !all.some((file) => isOneOf([path], file))),
  };
}

/** Returns true if a file is one of these paths, or below one. */
function isOneOf(paths: readonly string[], file: string): boolean {
  return paths.some((path) => file === path || file.startsWith(path + "/"));
}
