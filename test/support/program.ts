import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../scripts/executable.ts";
import { temporaryFolder } from "./temporary.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BINARIES = fileURLToPath(new URL("../../node_modules/.bin/", import.meta.url));

export const OWN_RUNTIME = process.versions["bun"] === undefined ? "deno" : "bun";

/** Returns the command that runs a TypeScript file on each installed runtime, that of the test first. */
export function runtimes(): Readonly<Record<string, readonly string[]>> {
  const onBun = OWN_RUNTIME === "bun";
  const bun = onBun ? process.execPath : `${BINARIES}bun`;
  const deno = onBun ? `${BINARIES}deno` : process.execPath;
  const commands = [["bun", bun, "run"], ["deno", deno, "run", "--no-check", "--no-prompt", "-A"]];
  const there = (onBun ? commands : commands.reverse()).filter(([, binary]) => existsSync(binary!));
  return Object.fromEntries(there.map(([name, ...command]) => [name!, command]));
}

/**
 * Returns the command that runs a file on a runtime as the service is shipped; on Deno only with the permissions of
 * `scripts/start-deno.sh`. The default is the runtime of the test.
 */
export function shippedRuntime(name: "bun" | "deno" = OWN_RUNTIME): readonly string[] {
  const command = runtimes()[name]!;
  if (name !== "deno") return command;
  const script = readFileSync(new URL("../../scripts/start-deno.sh", import.meta.url), "utf8");
  const [, flags] = /^exec "\$deno" run \S+ (.*) src\/main\.ts "\$@"$/m.exec(script)!;
  return [command[0]!, "run", "--no-check", ...flags!.split(" ")];
}

const bundles = new Map<string, URL>();

/**
 * Returns a TypeScript file of the tests with all its modules as one file on Bun, which starts in a third of the time,
 * and itself on Deno. Use it only for programs that start several times and read no file beside their modules.
 */
export function bundled(file: URL): URL {
  if (OWN_RUNTIME === "deno") return file;
  const known = bundles.get(file.href);
  if (known !== undefined) return known;
  const folder = temporaryFolder();
  process.once("exit", () => folder[Symbol.dispose]());
  const output = join(folder.path, "program.js");
  bundle(fileURLToPath(file), output, ["--target=bun"]);
  bundles.set(file.href, pathToFileURL(output));
  return pathToFileURL(output);
}

/** Runs a TypeScript file of the tests with arguments and waits for its end. */
export async function runProgram(
  command: readonly string[],
  file: URL,
  ...values: readonly string[]
): Promise<Ended> {
  const child = spawn(command[0]!, [...command.slice(1), fileURLToPath(file), ...values], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => stdout += chunk);
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => stderr += chunk);
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  return await promise;
}
