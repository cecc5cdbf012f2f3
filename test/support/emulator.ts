import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runtimes } from "./program.ts";

/** The kind of process that emulates a TEE's other side. */
export type EmulatorName = "guest-agent" | "configfs";

/** A process of `test/support/program` that emulates a TEE's other side. */
export interface Emulator {
  /** Changes its behaviour; resolves once it has changed. */
  behave(change: Readonly<Record<string, unknown>>): Promise<void>;
  /** Ends its input, and so the process. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL. The socket of a guest agent may stay behind, as after a crash. */
  kill(): Promise<void>;
}

/** Starts an emulator on the runtime of the test and waits until it is ready. `path` is its socket or folder. */
export async function startEmulator(
  name: EmulatorName,
  path: string,
  behaviour: Readonly<Record<string, unknown>> = {},
): Promise<Emulator> {
  const file = fileURLToPath(new URL(`program/${name}.ts`, import.meta.url));
  const [binary, ...flags] = Object.values(runtimes())[0]!;
  const child = spawn(binary!, [...flags, file, path, JSON.stringify(behaviour)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const expect = async (text: string): Promise<void> => {
    const { value } = await lines.next() as { value: unknown };
    if (value !== text) throw new Error(`${name} says ${String(value)} in place of ${text}`);
  };
  await expect("ready");
  return {
    async behave(change) {
      child.stdin.write(JSON.stringify(change) + "\n");
      await expect("changed");
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
