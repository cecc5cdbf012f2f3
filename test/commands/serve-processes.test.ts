import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import process from "node:process";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import { DENO_FLAGS } from "../../src/runtime/child-process.ts";
import { runtimes } from "../support/program.ts";
import { builtRuntime, ServiceStartError, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const WATCH = fileURLToPath(new URL("program/watch-stand-ins.ts", import.meta.url));
const [RUNTIME, COMMAND] = Object.entries(runtimes())[0]!;

interface Watching {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly errors: string[];
  readonly ended: Promise<number | null>;
  /** Waits for a matching line and returns it. */
  readonly line: (pattern: RegExp, from?: number) => Promise<string>;
}

function watchStandIns(...list: readonly string[]): Watching {
  const child = spawn(COMMAND[0]!, [...COMMAND.slice(1), WATCH, ...list], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const line = async (pattern: RegExp, from = 0): Promise<string> => {
    for (let waited = 0; waited < 20_000; waited += 20) {
      const found = lines.slice(from).find((line) => pattern.test(line));
      if (found !== undefined) return found;
      await sleep(20);
    }
    throw new Error(`Cannot find ${pattern} in:\n${[...lines, ...errors].join("\n")}`);
  };
  return { process: child, lines, errors, ended, line };
}

/** Returns the process id in a line. */
function pidIn(line: string): number {
  return Number(/"pid":(\d+)/.exec(line)![1]);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waited = 0; !isSo() && waited < 10_000; waited += 20) await sleep(20);
  assert.ok(isSo());
}

describe("several processes", { concurrency: true }, () => {
  test("have one log with the number of each, one port, and one line with their address", {
    timeout: 60_000,
  }, async () => {
    const watching = watchStandIns();
    await watching.line(/^listening on http:\/\/localhost:[1-9]\d*$/);
    assert.deepEqual(watching.lines.map((line) => line.replace(/\d{2,}/, "N")), [
      '{"process":1,"event":"up","pid":N}',
      '{"process":2,"event":"up","pid":N}',
      "listening on http://localhost:N",
    ]);
    process.kill(watching.process.pid!, "SIGTERM");
    assert.equal(await watching.ended, 3, "the worst of 0 and 3");
    assert.deepEqual(watching.errors, ["[1] a word", "[2] a word"]);
    assert.deepEqual(watching.lines.slice(3).sort(), [
      "[1] no end of line",
      "[2] no end of line",
      '{"process":1,"event":"finishing"}',
      '{"process":2,"event":"finishing"}',
    ]);
  });

  test("end on SIGTERM also when the reader of the log has closed it", { timeout: 60_000 }, async () => {
    const watching = watchStandIns();
    await watching.line(/^listening on /);
    const pids = watching.lines.filter((line) => line.includes('"pid"')).map(pidIn);
    assert.equal(pids.length, 2);
    const exited = new Promise<number | null>((resolve) => watching.process.once("exit", resolve));
    watching.process.stdout!.destroy();
    watching.process.stderr!.destroy();
    process.kill(watching.process.pid!, "SIGTERM");
    assert.equal(await exited, 3);
    await until(() => !pids.some(isAlive));
  });

  test(
    "are restarted when killed, while the other keeps running",
    { timeout: 60_000 },
    async () => {
      const watching = watchStandIns();
      await watching.line(/^listening/);
      const first = pidIn(await watching.line(/"process":1,"event":"up"/));
      process.kill(first, "SIGKILL");
      assert.match(await watching.line(/process_ended/), /"process":1,"code":137,"again_in_ms":1000/);
      const again = pidIn(await watching.line(/"process":1,"event":"up"/, 3));
      assert.notEqual(again, first);
      assert.equal(watching.lines.filter((line) => line.includes('"process":2')).length, 1);
      process.kill(watching.process.pid!, "SIGINT");
      assert.equal(await watching.ended, 3);
    },
  );

  test("end when their supervisor is killed", { timeout: 60_000 }, async () => {
    const watching = watchStandIns();
    await watching.line(/^listening/);
    const pids = watching.lines.filter((line) => line.includes('"up"')).map(pidIn);
    assert.ok(pids.length === 2 && pids.every(isAlive));
    process.kill(watching.process.pid!, "SIGKILL");
    await watching.ended;
    await until(() => !pids.some(isAlive));
  });

  for (const [refused, asked] of [["1", 0], ["2", 1]] as const) {
    test(
      `say once why process ${refused} refuses to start, and end with its code`,
      { timeout: 60_000 },
      async () => {
        const watching = watchStandIns(refused);
        assert.equal(await watching.ended, 2);
        const refusals = watching.errors.filter((line) => line.startsWith("holdfast:"));
        assert.deepEqual(refusals, ["holdfast: There is nothing to stand on"]);
        assert.equal(watching.lines.filter((line) => line.includes("finishing")).length, asked);
        assert.equal(watching.lines.some((line) => line.startsWith("listening")), false);
      },
    );
  }
});

describe("serve --processes", () => {
  const NPM = { bun: "npm start --", deno: "npm run start:deno --" }[RUNTIME]!;

  for (
    const [how, command, env] of [
      ["--processes 2", `exec ${NPM} --processes 2`, {}],
      ["--processes 2 before PROCESSES=1", `exec ${NPM} --processes 2`, { PROCESSES: "1" }],
      ["PROCESSES=2", `exec ${NPM}`, { PROCESSES: "2" }],
    ] as const
  ) {
    test(`refuses ${how} with SQLite, with one line that says what to do`, { timeout: 60_000 }, async () => {
      const said = await refusalOf(command, env);
      assert.equal(said.length, 1, said.join("\n"));
      assert.match(
        said[0]!,
        /PROCESSES above 1 needs PostgreSQL: .*; set DATABASE_URL=postgres:.*, or start one process$/,
      );
    });
  }

  const WRONG = "PROCESSES must be a number from 1 to 64";

  test("refuses PROCESSES=0", { timeout: 60_000 }, async () => {
    assert.deepEqual(await refusalOf(undefined, { PROCESSES: "0" }), [`holdfast: ${WRONG}`]);
  });

  for (const PROCESSES of ["0", "-1", "65", "two", "1.5"]) {
    test(`readConfig() refuses PROCESSES=${PROCESSES}`, () => {
      assert.throws(
        () => readConfig({ PROCESSES }),
        (error) => error instanceof ConfigError && error.faults.join() === WRONG,
      );
    });
  }
});

async function refusalOf(
  command: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  using folder = temporaryFolder();
  const options = { dataDir: folder.path, env };
  const start = command === undefined
    ? startService({ ...options, runtime: builtRuntime() })
    : startService({ ...options, runtime: RUNTIME as "bun" | "deno", command });
  const error = await start.then(() => assert.fail("it started"), (error: unknown) => error);
  assert.ok(error instanceof ServiceStartError, String(error));
  assert.equal(error.exit.code, 2, error.message);
  return error.stderr.filter((line) => line.startsWith("holdfast:"));
}

test("a process that serves on Deno has the permissions of the start script, and cannot start another", () => {
  const script = readFileSync(new URL("../../scripts/start-deno.sh", import.meta.url), "utf8");
  const [, flags] = /^exec "\$deno" run \S+ (.*) src\/main\.ts "\$@"$/m.exec(script)!;
  assert.deepEqual(flags!.split(" "), [...DENO_FLAGS]);
});
