import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BINARIES = fileURLToPath(new URL("../../node_modules/.bin/", import.meta.url));

/** How to run a TypeScript file on each runtime there is, the one that runs the test first. */
export function runtimes(): Readonly<Record<string, readonly string[]>> {
  const onBun = process.versions["bun"] !== undefined;
  const bun = onBun ? process.execPath : `${BINARIES}bun`;
  const deno = onBun ? `${BINARIES}deno` : process.execPath;
  const commands = [["bun", bun, "run"], ["deno", deno, "run", "--no-check", "--no-prompt", "-A"]];
  const there = (onBun ? commands : commands.reverse()).filter(([, binary]) => existsSync(binary!));
  return Object.fromEntries(there.map(([name, ...command]) => [name!, command]));
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
