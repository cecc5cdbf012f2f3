import { availableParallelism } from "node:os";
import { join } from "node:path";

// What the gate consists of, as data: `check.ts` runs it.

/** One run of a tool. */
export interface Step {
  readonly name: string;
  readonly tool: "bun" | "deno" | "tsc";
  readonly arguments: readonly string[];
  /** Variables beside those of all steps. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A run of tests; its report is `<name>.xml` in the temporary folder. */
export interface TestStep extends Step {
  /** The files that it must run. */
  readonly tests: readonly string[];
}

/** All that is to be done. */
export interface Steps {
  /** These run side by side, before any test. */
  readonly checks: readonly Step[];
  /** Lanes side by side, the steps of a lane one after the other. */
  readonly tests: readonly (readonly TestStep[])[];
}

const CHECKS: readonly Step[] = [
  { name: "format", tool: "deno", arguments: ["fmt", "--check"] },
  { name: "lint", tool: "deno", arguments: ["lint"] },
  { name: "types", tool: "tsc", arguments: ["-p", "."] },
  { name: "deno-types", tool: "deno", arguments: ["check", "."] },
  { name: "build", tool: "bun", arguments: ["scripts/build.ts"] },
];

const BROWSER = join("test", "browser") + "/";

/** What these start is the same whichever runtime runs the test, often a service on each: the gate runs them once. */
const ONCE: readonly string[] = [
  "test/flow/asking-processes.test.ts",
  "test/flow/guessing.test.ts",
  "test/flow/identity-processes.test.ts",
  "test/flow/oauth-processes.test.ts",
  "test/flow/oauth-races.test.ts",
  "test/runtime/start.test.ts",
  "test/scripts/release.test.ts",
];

function bunTests(name: string, files: readonly string[], folder: string, workers: number): TestStep {
  const report = `--reporter-outfile=${join(folder, name + ".xml")}`;
  const flags = ["--isolate", "--timeout=60000", "--only-failures", "--reporter=junit", report];
  if (workers > 1) flags.push(`--parallel=${workers}`);
  const paths = files.map((file) => "./" + file);
  return { name, tool: "bun", arguments: ["test", ...flags, ...paths], tests: files };
}

function denoTests(name: string, files: readonly string[], folder: string): TestStep {
  const report = `--junit-path=${join(folder, name + ".xml")}`;
  const flags = ["--no-check", "-A", "--parallel", "--reporter=dot", report];
  // One more than there are cores, because some files wait for processes.
  const environment = { DENO_JOBS: String(availableParallelism() + 1) };
  return { name, tool: "deno", arguments: ["test", ...flags, ...files], tests: files, environment };
}

/** The gate over these test files; reports go to the folder. The browser's tests, and some others, run on Bun alone. */
export function stepsFor(files: readonly string[], folder: string): Steps {
  const sorted = files.toSorted();
  const browser = sorted.filter((file) => file.startsWith(BROWSER));
  const once = sorted.filter((file) => ONCE.includes(file));
  const shared = sorted.filter((file) => !browser.includes(file) && !once.includes(file));
  const both = [
    bunTests("bun", shared, folder, availableParallelism()),
    denoTests("deno", shared, folder),
  ];
  // These wait often, and one worker more than there are cores uses what is left over.
  const one = [bunTests("browser", browser, folder, 1), bunTests("once", once, folder, 1)];
  const lanes = [both, one].map((lane) => lane.filter(({ tests }) => tests.length > 0));
  return { checks: CHECKS, tests: lanes.filter((lane) => lane.length > 0) };
}

/** The test files at these paths or below them, and the paths at which there is none. `./` and a last `/` may be there. */
export function selectFiles(
  all: readonly string[],
  paths: readonly string[],
): { readonly files: readonly string[]; readonly unknown: readonly string[] } {
  const plain = paths.map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
  const isAt = (file: string, path: string): boolean => file === path || file.startsWith(path + "/");
  return {
    files: all.filter((file) => plain.some((path) => isAt(file, path))),
    unknown: plain.filter((path) => !all.some((file) => isAt(file, path))),
  };
}
