import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { shutdownSignals } from "../../src/runtime/shutdown-signal.ts";
import { OWN_RUNTIME } from "../support/program.ts";
import { exchange, requestText } from "../support/raw-client.ts";

const PROGRAM = fileURLToPath(new URL("../support/serving-program.ts", import.meta.url));
const ARGUMENTS = "Bun" in globalThis ? [PROGRAM] : ["run", "--no-check", "--allow-all", PROGRAM];

interface Running {
  /** Fulfils when the program has written a match. */
  waitForOutput(words: RegExp): Promise<void>;
  /** Sends a request that takes half a second, and fulfils when it is being handled. */
  ask(): Promise<{ readonly answer: Promise<{ readonly received: string }> }>;
  readonly pid: number;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

async function start(command: string, words: readonly string[]): Promise<Running> {
  const program = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  const waitForOutput = (sought: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!sought.test(output)) return;
        program.stdout.off("data", look);
        resolve();
      };
      program.stdout.on("data", look);
      look();
    });
  program.stdout.on("data", (text: Uint8Array) => output += new TextDecoder().decode(text));
  const ended = new Promise<number | null>((resolve) => void program.on("close", resolve));
  await waitForOutput(/\n/);
  const port = Number(output.split("\n")[0]);
  const ask: Running["ask"] = async () => {
    const answer = exchange(port, [requestText("GET", "/")], { until: "finished" });
    await waitForOutput(/asked/);
    return { answer };
  };
  return { waitForOutput, ask, pid: program.pid!, output: () => output, ended };
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  test(
    `onShutdownSignal() lets the request in flight finish when ${signal} comes, and the process end with 0`,
    {
      timeout: 60_000,
      skip: !shutdownSignals().includes(signal) && `the tests were told to ignore ${signal}`,
    },
    async () => {
      const program = await start(process.execPath, ARGUMENTS);
      const { answer } = await program.ask();
      // Not program.kill: Deno would then report the signal for any end of the process.
      process.kill(program.pid, signal);
      assert.match((await answer).received, /^HTTP\/1\.1 200 .*finished$/s);
      assert.equal(await program.ended, 0);
      assert.match(program.output(), new RegExp(`stopped by ${signal}`));
    },
  );
}

test(
  "onShutdownSignal() leaves SIGHUP to nohup, but where it would end the process",
  { timeout: 60_000 },
  async () => {
    const ignoring = ["-c", 'trap "" HUP; exec "$0" "$@"', process.execPath, ...ARGUMENTS];
    const program = await start("/bin/sh", ignoring);
    const { answer } = await program.ask();
    process.kill(program.pid, "SIGHUP");
    assert.match((await answer).received, /finished$/);
    if (OWN_RUNTIME === "bun") process.kill(program.pid, "SIGTERM");
    assert.equal(await program.ended, 0);
    assert.match(program.output(), OWN_RUNTIME === "bun" ? /stopped by SIGTERM/ : /stopped by SIGHUP/);
  },
);
