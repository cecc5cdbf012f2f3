import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { BUNDLE, EXECUTABLE, isBuilt } from "./built.ts";
import { isOnPostgres, postgresUrlFor } from "./postgres.ts";
import { OWN_RUNTIME, shippedRuntime } from "./program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TOOLS = join(ROOT, "node_modules/.bin");
/** Deno's cache: the gate's folder, or one within the project. */
export const DENO_DIR = process.env["DENO_DIR"] ?? join(ROOT, "node_modules/.cache/deno");
/** Milliseconds after which a service that does not listen has failed to start. */
const START_LIMIT = 50_000;

/** The ways to run the service: `npm start`, `deno task start`, or the executable of `npm run build`. */
export const SERVICE_RUNTIMES = ["bun", "deno", "executable"] as const;

export type ShippedRuntime = typeof SERVICE_RUNTIMES[number];

/** Also Deno with the JavaScript file of the build. */
export type ServiceRuntime = ShippedRuntime | "bundle";

/**
 * Returns how to run a service for tests that depend only on the runtime, by default that of the test. Uses the built
 * files, which start in half the time on Bun and three quarters on Deno, unless they are older than the sources.
 */
export function builtRuntime(runtime: "bun" | "deno" = OWN_RUNTIME): ServiceRuntime {
  return isBuilt() ? ({ bun: "executable", deno: "bundle" } as const)[runtime] : runtime;
}

export interface ServiceOptions {
  readonly runtime: ServiceRuntime;
  readonly dataDir: string;
  /** Configuration beside `PORT=0` and `DATA_DIR`. Nothing else of this process's environment is passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** A shell command instead of the shipped one. */
  readonly command?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Service extends AsyncDisposable {
  /** `http://localhost:<port>`: an origin that WebAuthn accepts. */
  readonly baseUrl: string;
  readonly process: ChildProcess;
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  /** Asks it to stop (SIGTERM) and waits until it has. */
  stop(): Promise<Exit>;
  /** Ends it at once (SIGKILL), like a power cut. */
  kill(): Promise<Exit>;
}

/** A service that ended before it listened. */
export class ServiceStartError extends Error {
  readonly exit: Exit;
  readonly stderr: readonly string[];

  constructor(exit: Exit, stdout: readonly string[], stderr: readonly string[]) {
    super(`Cannot start service: ${JSON.stringify(exit)}\n${[...stdout, ...stderr].join("\n")}`);
    this.name = "ServiceStartError";
    this.exit = exit;
    this.stderr = stderr;
  }
}

/** Returns the shell command that runs the file built for Deno, with the shipped permissions. */
export function bundleCommand(command: "serve" | "broker"): string {
  return ["exec", ...shippedRuntime("deno"), BUNDLE, command].join(" ");
}

/** Returns the shipped command, read from where it is shipped. */
function commandOf(runtime: ServiceRuntime): string {
  if (runtime === "executable") return `exec "${EXECUTABLE}" serve`;
  if (runtime === "bundle") return bundleCommand("serve");
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return manifest.scripts[runtime === "bun" ? "start" : "start:deno"];
}

/** Starts a process as npm runs a script: by the shell, with the project's own tools first on the path. */
function launch(options: ServiceOptions): ChildProcess {
  const { HOME = "", TMPDIR = "/tmp" } = process.env;
  const env = { HOME, TMPDIR, DENO_DIR, NO_COLOR: "1", PORT: "0", DATA_DIR: options.dataDir, ...options.env };
  // The executable contains all it needs, so it runs outside the project.
  const cwd = options.runtime === "executable" ? tmpdir() : ROOT;
  const PATH = options.runtime === "executable" ? "/usr/bin:/bin" : `${TOOLS}:${process.env["PATH"]}`;
  return spawn("sh", ["-c", options.command ?? commandOf(options.runtime)], {
    cwd,
    env: { ...env, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
}

/** Returns the port of the line `listening on http://…`. Returns undefined when the output ends without it. */
function readPort(child: ChildProcess, stdout: string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: child.stdout! });
    lines.on("line", (line) => {
      stdout.push(line);
      const port = /listening on https?:\/\/\S+?:(\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(port);
    });
    lines.on("close", () => resolve(undefined));
  });
}

/** Uses the tests' server, unless the options name another database. */
async function withPostgres(options: ServiceOptions): Promise<ServiceOptions> {
  return { ...options, env: { DATABASE_URL: await postgresUrlFor(options.dataDir), ...options.env } };
}

/**
 * Starts the service as a child process on a free port and waits until it listens. Throws `ServiceStartError` when it
 * ends first. Unless `stop()` is called, `await using` kills it.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const stdout: string[] = [];
  const stderr: string[] = [];
  const child = launch(isOnPostgres ? await withPostgres(options) : options);
  const kill = (): boolean => child.kill("SIGKILL");
  process.once("exit", kill);
  const exited = exitOf(child).finally(() => process.removeListener("exit", kill));
  const limit = setTimeout(kill, START_LIMIT);
  createInterface({ input: child.stderr! }).on("line", (line) => stderr.push(line));
  const port = await Promise.race([readPort(child, stdout), exited.then(() => undefined)]);
  clearTimeout(limit);
  if (port === undefined) throw new ServiceStartError(await exited, stdout, stderr);
  const end = (signal: NodeJS.Signals): Promise<Exit> => {
    // Not `child.kill()`: after it Deno reports that signal, however the process ended.
    if (child.exitCode === null && child.signalCode === null) process.kill(child.pid!, signal);
    return exited;
  };
  return {
    baseUrl: `http://localhost:${port}`,
    process: child,
    stdout,
    stderr,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    async [Symbol.asyncDispose]() {
      await end("SIGKILL");
    },
  };
}
