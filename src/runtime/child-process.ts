import { spawn } from "node:child_process";
import process from "node:process";
import { shutdownSignals } from "./shutdown-signal.ts";

/** A process that this one started, and that lives no longer than this one if it heeds the end of its input. */
export interface Child {
  readonly output: AsyncIterable<Uint8Array>;
  readonly errors: AsyncIterable<Uint8Array>;
  /** Fulfils when it is gone: with its code, or with 128 and the number of the signal that ended it. */
  readonly ended: Promise<number>;
  /** Asks it to finish: its standard input ends, as it does when this process dies. */
  end(): void;
  /** Ends it at once. */
  kill(): void;
}

/** What a signal's name is as a code; any other counts as 128. */
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

/**
 * What the service may do on Deno, as `scripts/start-deno.sh` gives it: a process that serves may start no other, so
 * that the one that starts it has to name all of it again.
 */
export const DENO_FLAGS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env",
  "--allow-read",
  "--allow-write",
  "--allow-sys=uid,statfs,ca",
] as const;

/** Where a program that lies in an executable says it lies. */
const INSIDE_EXECUTABLE = "/$bunfs/";

/** The command that started this program: from its sources or one bundle on either runtime, or as one executable. */
function ownCommand(): readonly string[] {
  const { execPath, execArgv, argv } = process;
  const program = argv[1]!;
  if (program.startsWith(INSIDE_EXECUTABLE)) return [execPath];
  // Deno does not say what flags it was started with.
  const flags = process.versions["bun"] === undefined ? ["run", ...DENO_FLAGS] : execArgv;
  return [execPath, ...flags, program];
}

declare const Deno: {
  readonly permissions: {
    querySync(what: { readonly name: "run"; readonly command: string }): { readonly state: string };
  };
};

/** Why this process cannot start its program again; undefined where it can. */
export function whyNotStartAgain(): string | undefined {
  if (!("Deno" in globalThis)) return undefined;
  const { state } = Deno.permissions.querySync({ name: "run", command: process.execPath });
  return state === "granted" ? undefined : `Deno needs --allow-run=${process.execPath} besides`;
}

/** Starts this program again with other arguments and another environment. */
export function startAgain(
  list: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Child {
  return startProgram([...ownCommand(), ...list], environment);
}

/**
 * Starts a program. Throws where this process may start none. Fulfils its end with 127 where there is no such program.
 */
export function startProgram(
  [file, ...list]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Child {
  const child = spawn(file!, list, { env: { ...environment }, stdio: ["pipe", "pipe", "pipe"] });
  const { stdin, stdout, stderr } = child;
  const ended = new Promise<number>((resolve) => {
    child.once("error", () => resolve(127));
    child.once("exit", (code, signal) => resolve(code ?? 128 + (SIGNAL_NUMBERS[signal!] ?? 0)));
  });
  // Who is gone already needs not be asked.
  stdin.on("error", () => {});
  return {
    output: stdout,
    errors: stderr,
    ended,
    end: () => stdin.end(),
    kill: () => void child.kill("SIGKILL"),
  };
}

/**
 * Calls back each time this process is asked to finish: by SIGTERM, by SIGINT and SIGHUP (a terminal sends them to every
 * process of a command), and by the end of its standard input, which whoever started it closes, or leaves behind when it
 * dies.
 */
export function onAskedToFinish(callback: () => void): void {
  for (const signal of shutdownSignals()) process.on(signal, callback);
  for (const event of ["end", "error"] as const) process.stdin.on(event, callback);
  process.stdin.resume();
}
