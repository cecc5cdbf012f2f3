import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { EXECUTABLE, isBuilt } from "../support/built.ts";
import { runtimes } from "../support/program.ts";
import type { Ended } from "../support/program.ts";
import { builtRuntime, DENO_DIR } from "../support/service.ts";
import type { ServiceRuntime } from "../support/service.ts";
import { callWarm } from "./warm-command.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Milliseconds after which a command counts as hanging. */
const LIMIT = 30_000;
const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/**
 * Returns the command lines of the program as shipped: on the runtime of the test and, once, beside Bun, as the
 * executable.
 */
export function programs(): Readonly<Record<string, readonly string[]>> {
  const [name, command] = Object.entries(runtimes())[0]!;
  const source = name === "deno" ? ["sh", "scripts/start-deno.sh"] : [command[0]!, "--no-env-file", MAIN];
  return name === "bun" ? { [name]: source, executable: [EXECUTABLE] } : { [name]: source };
}

/**
 * Returns the command line for tests that do not depend on the form of the program. On Bun only the executable, which
 * starts in half the time, unless it was not built.
 */
export function builtPrograms(): Readonly<Record<string, readonly string[]>> {
  const all = Object.entries(programs());
  return Object.fromEntries(isBuilt() ? all.slice(-1) : all.slice(0, 1));
}

/** Returns the runtime of a program's service. */
export function serviceOf(name: string): ServiceRuntime {
  return name === "deno" ? builtRuntime(name) : name as ServiceRuntime;
}

/** Returns the name of a program in titles, which must be the same on both runtimes. */
export function titleOf(name: string): string {
  return name === "executable" ? "the executable" : "this runtime";
}

/**
 * Returns why a program cannot be tested: the executable was not built from these sources. `npm test` builds it
 * first.
 */
export function skipReason(program: readonly string[]): string | false {
  return program[0] === EXECUTABLE && !isBuilt()
    ? "dist/holdfast is missing or older than src: build it"
    : false;
}

/**
 * Returns true if a program runs all cases, and not only the first of each kind. The executable has the same sources
 * and starts in a fifth of the time, so it replaces Bun and Deno in the other cases.
 */
export function takesAll(name: string): boolean {
  return name === "executable" || (name === "bun" && skipReason([EXECUTABLE]) !== false);
}

/** Returns the rows of a table for a program. */
export function rowsFor<Row>(name: string, rows: readonly Row[]): readonly Row[] {
  return takesAll(name) ? rows : rows.slice(0, 1);
}

/** Calls the program with a data folder and no other configuration of this process. */
export async function runCommand(
  program: readonly string[],
  dataDir: string,
  ...list: readonly string[]
): Promise<Ended> {
  return await runConfigured(program, { DATA_DIR: dataDir }, ...list);
}

/** Commands that already ran in an own process, which showed how that process starts and ends, for each program. */
const called = new Set<string>();

/**
 * Returns true if a call may use a lasting process, with the sources of the program. The first call of each command of
 * a program gets its own process. So does every command that stays or reads its input.
 */
function isWarm([binary]: readonly string[], [command = "serve"]: readonly string[]): boolean {
  if (["serve", "broker"].includes(command)) return false;
  const name = `${binary} ${command}`;
  const isKnown = called.has(name);
  called.add(name);
  return isKnown;
}

/** Calls the program with this configuration only. */
export async function runConfigured(
  program: readonly string[],
  configuration: Readonly<Record<string, string>>,
  ...list: readonly string[]
): Promise<Ended> {
  const env = { PATH: "/usr/bin:/bin", DENO_DIR, NO_COLOR: "1", PORT: "0", ...configuration };
  if (isWarm(program, list)) return await callWarm(env, list);
  const child = spawn(program[0]!, [...program.slice(1), ...list], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout += chunk);
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk);
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  return await promise.finally(() => clearTimeout(limit));
}
