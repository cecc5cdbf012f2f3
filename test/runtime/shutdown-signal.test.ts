import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { exchange, requestText } from "../support/raw-client.ts";

const PROGRAM = fileURLToPath(new URL("../support/serving-program.ts", import.meta.url));
const ARGUMENTS = "Bun" in globalThis ? [PROGRAM] : ["run", "--no-check", "--allow-all", PROGRAM];

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(
    `onShutdownSignal() lets the request in flight finish when ${signal} comes, and the process end with 0`,
    {
      timeout: 60_000,
    },
    async () => {
      const program = spawn(process.execPath, ARGUMENTS, { stdio: ["ignore", "pipe", "inherit"] });
      let output = "";
      const said = (words: RegExp): Promise<void> =>
        new Promise((resolve) => {
          const look = (): void => {
            if (!words.test(output)) return;
            program.stdout.off("data", look);
            resolve();
          };
          program.stdout.on("data", look);
          look();
        });
      program.stdout.on("data", (text: Uint8Array) => output += new TextDecoder().decode(text));
      const ending = new Promise<number | null>((resolve) => void program.on("close", resolve));
      await said(/\n/);
      const port = Number(output.split("\n")[0]);
      const inFlight = exchange(port, [requestText("GET", "/")], { until: "finished" });
      await said(/asked/);
      // Not program.kill: Deno then reports the signal for whatever way the process ended.
      process.kill(program.pid!, signal);
      assert.match((await inFlight).received, /^HTTP\/1\.1 200 .*finished$/s);
      assert.equal(await ending, 0);
      assert.match(output, new RegExp(`stopped by ${signal}`));
    },
  );
}
