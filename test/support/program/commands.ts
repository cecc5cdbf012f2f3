import process from "node:process";
import { createInterface } from "node:readline";
import type { Ended } from "../program.ts";

// Runs Holdfast's commands one after the other in one process. Each input line is a call as JSON, each output line its
// result. `main.ts` runs again each time, over modules that are loaded once.

/** Thrown where a process would exit. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const write = process.stdout.write.bind(process.stdout);
const [runtime, program] = process.argv;

process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0));
};

function useEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** Records the writes to a stream of the process from now on. */
function catchOutput(stream: NodeJS.WriteStream): readonly string[] {
  const texts: string[] = [];
  stream.write = (text: string | Uint8Array) => texts.push(String(text)) > 0;
  return texts;
}

async function call(number: number, list: readonly string[]): Promise<Ended> {
  const [stdout, stderr] = [catchOutput(process.stdout), catchOutput(process.stderr)];
  process.argv = [runtime!, program!, ...list];
  process.exitCode = 0;
  const failed = await import(`../../../src/main.ts?${number}`).then(
    () => undefined,
    (error: unknown) => error,
  );
  const hasThrown = failed !== undefined && !(failed instanceof Exit);
  const code = failed instanceof Exit ? failed.code : hasThrown ? 1 : Number(process.exitCode ?? 0);
  process.exitCode = 0;
  const uncaught = hasThrown ? [String((failed as Error).stack)] : [];
  return { code, signal: null, stdout: stdout.join(""), stderr: [...stderr, ...uncaught].join("") };
}

let number = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { environment, list } = JSON.parse(line);
  useEnvironment(environment);
  write(JSON.stringify(await call(number++, list)) + "\n");
}
