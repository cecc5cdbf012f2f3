import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { shippedRuntime } from "../support/program.ts";
import type { Ended } from "../support/program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FILE = fileURLToPath(new URL("../support/program/commands.ts", import.meta.url));

/** Milliseconds after which a command counts as hanging. */
const LIMIT = 30_000;

type Call = (environment: Readonly<Record<string, string>>, list: readonly string[]) => Promise<Ended>;

/** Starts a process on the current runtime with the shipped permissions. It ends with this one. */
function startWarm(): Call {
  const [binary, ...flags] = shippedRuntime();
  const child = spawn(binary!, [...flags, FILE], { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (environment, list) => {
    child.stdin.write(JSON.stringify({ environment, list }) + "\n");
    const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT);
    const { value, done } = await lines.next().finally(() => clearTimeout(limit));
    if (done === true) throw new Error(`The process of the commands ended over ${list.join(" ")}`);
    return JSON.parse(value) as Ended;
  };
}

let warm: Call | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Calls a command in a process that has called others before, because loading the sources takes ten times as long as
 * most commands. Calls run one at a time.
 */
export function callWarm(
  environment: Readonly<Record<string, string>>,
  list: readonly string[],
): Promise<Ended> {
  const result = last.then(() => (warm ??= startWarm())(environment, list));
  last = result.catch(() => {});
  return result;
}
