import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { shippedRuntime } from "../support/program.ts";

const ON_BUN = "Bun" in globalThis;
const PROGRAM = fileURLToPath(new URL("../support/serve-program.ts", import.meta.url));
/** Deno opens 24 descriptors before the first connection. */
const LIMIT = 64;

interface Serving {
  readonly child: ChildProcessByStdio<null, Readable, null>;
  readonly port: number;
}

async function startOnDeno(argument: string): Promise<Serving> {
  // By the environment, because Deno translates its own path among the arguments. Deno raises the soft limit to the
  // hard one, so both are set.
  const env = { ...process.env, COMMAND: [...shippedRuntime("deno"), PROGRAM, argument].join(" ") };
  const child = spawn("sh", ["-c", `ulimit -n ${LIMIT}; exec $COMMAND`], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  return { child, port: Number(port) };
}

/** Returns the answer to a request on a connection of its own, or undefined after a second. */
function ask(port: number): Promise<string | undefined> {
  const signal = AbortSignal.timeout(1000);
  return fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" }, signal })
    .then((answer) => answer.text())
    .catch(() => undefined);
}

async function askUntilServed(port: number): Promise<string | undefined> {
  for (let times = 0; times < 8; times++) {
    const answer = await ask(port);
    if (answer !== undefined) return answer;
    await wait(500);
  }
  return undefined;
}

const ARGUMENTS: Readonly<Record<string, string>> = { "Deno.serve": "proxy", "node:http on Deno": "" };

describe("the server accepts connections again after its file descriptors ran out", () => {
  for (const [server, argument] of Object.entries(ARGUMENTS)) {
    for (const pause of [0, 5]) {
      test(`${server}, ${pause} ms between connections`, { skip: ON_BUN, timeout: 40_000 }, async () => {
        const { child, port } = await startOnDeno(argument);
        const sockets: Socket[] = [];
        try {
          for (let count = 0; count < 3 * LIMIT; count++) {
            sockets.push(connect(port, "127.0.0.1").on("error", () => {}));
            if (pause > 0) await wait(pause);
          }
          await wait(200);
          assert.equal(await ask(port), undefined, "the descriptors did not run out");
          for (const socket of sockets) socket.destroy();
          assert.equal(await askUntilServed(port), "served");
        } finally {
          child.kill("SIGKILL");
        }
      });
    }
  }
});
