import { spawn } from "node:child_process";
import { statSync } from "node:fs";
import { constants, setPriority } from "node:os";
import process from "node:process";
import { shutdownSignals } from "./shutdown-signal.ts";

/** A child process. It ends with this process if it ends at the end of its standard input. */
export interface Child {
  readonly output: AsyncIterable<Uint8Array>;
  readonly errors: AsyncIterable<Uint8Array>;
  /** Fulfils with the exit code, or with 128 plus the number of the signal that ended the process. */
  readonly ended: Promise<number>;
  /** Asks the process to finish by closing its standard input, as the death of this process does. */
  end(): void;
  kill(): void;
}

/** An unknown signal yields the code 128. */
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

/** The flags of `scripts/start-deno.sh`. A serving process may not start another, so the starting one needs all. */
export const DENO_FLAGS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys=uid,statfs,ca",
] as const;

/** The exit code of a shell for a program that does not exist. */
const NOT_STARTED = 127;

/** The path that Bun reports for a program inside an executable. */
const INSIDE_EXECUTABLE = "/$bunfs/";

/** The file that runs, on Linux. */
const OWN_FILE = "/proc/self/exe";

/** Returns the path of the file that runs, or `OWN_FILE` if another has that path since, as after an update. */
function ownFile(): string {
  const { execPath, platform } = process;
  if (platform !== "linux") return execPath;
  try {
    const [named, running] = [statSync(execPath), statSync(OWN_FILE)];
    if (named.ino === running.ino && named.dev === running.dev) return execPath;
  } catch {
    // No file has the path, or it cannot be reached.
  }
  return OWN_FILE;
}

/** Returns the command that started this program: sources or a bundle on either runtime, or an executable. */
function ownCommand(): readonly string[] {
  const { execPath, execArgv, argv } = process;
  const program = argv[1]!;
  // Deno does not expose the flags it was started with.
  if (process.versions["bun"] === undefined) return [execPath, "run", ...DENO_FLAGS, program];
  return program.startsWith(INSIDE_EXECUTABLE) ? [ownFile()] : [ownFile(), ...execArgv, program];
}

declare const Deno: {
  readonly permissions: {
    querySync(what: { readonly name: "run"; readonly command: string }): { readonly state: string };
  };
};

/** Returns why this process cannot start its program again, or undefined if it can. */
export function findRestartObstacle(): string | undefined {
  if (!("Deno" in globalThis)) return undefined;
  const { state } = Deno.permissions.querySync({ name: "run", command: process.execPath });
  return state === "granted" ? undefined : `Deno needs --allow-run=${process.execPath} besides`;
}

export function startAgain(
  list: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Child {
  return startProgram([...ownCommand(), ...list], environment);
}

/** Lets other processes run first. Has no effect where the runtime denies it, as Deno does. */
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_LOW);
  } catch {
    // The job takes the same time from other processes as they take from it.
  }
}

/** Yields what a process writes: nothing if it did not start, where Bun's streams throw. */
async function* outputOf(
  stream: AsyncIterable<Uint8Array>,
  ended: Promise<number>,
): AsyncIterable<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    if (await ended !== NOT_STARTED) throw error;
  }
}

/** Throws if this process lacks the permission. `ended` fulfils with 127 if the program cannot be started. */
export function startProgram(
  [file, ...list]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Child {
  const child = spawn(file!, list, { env: { ...environment }, stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = child;
  const ended = new Promise<number>((resolve) => {
    child.once("error", () => resolve(NOT_STARTED));
    child.once("exit", (code, signal) => resolve(code ?? 128 + (SIGNAL_NUMBERS[signal!] ?? 0)));
  });
  // Ignores a write to a process that has already ended.
  stdin.on("error", () => {});
  return {
    output: outputOf(stdout, ended),
    errors: outputOf(stderr, ended),
    ended,
    end: () => stdin.end(),
    kill: () => void child.kill("SIGKILL"),
  };
}

/**
 * Calls back each time this process is asked to finish: on SIGTERM, SIGINT, SIGHUP, or the end of standard input. A
 * terminal sends SIGINT and SIGHUP to every process of a command. The parent closes standard input, and so does its
 * death.
 */
export function onStopRequest(callback: () => void): void {
  for (const signal of shutdownSignals()) process.on(signal, callback);
  for (const event of ["end", "error"] as const) process.stdin.on(event, callback);
  process.stdin.resume();
}
