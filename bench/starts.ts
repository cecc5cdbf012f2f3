import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findFreePort } from "../test/support/free-port.ts";
import { temporaryFolder } from "../test/support/temporary.ts";
import { DENO_DIR } from "../test/support/service.ts";
import { processorSeconds, residentMebibytes } from "./process-use.ts";
import { peerCommand, peerEnvironment, PEERS } from "./servers.ts";
import type { PeerName } from "./servers.ts";
import { showSummary, showTable, summarise } from "./statistics.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 5;
/** Milliseconds after the first response at which a process is idle. */
const REST = 500;

/** A program that is started repeatedly on one folder. */
interface Starter {
  readonly name: string;
  readonly health: string;
  readonly cwd: string;
  readonly command: (dataDir: string, port: number) => readonly [string, ...string[]];
  readonly environment: (dataDir: string, port: number) => NodeJS.ProcessEnv;
}

interface Started {
  readonly wall: number;
  readonly processor: number;
  readonly resident: number;
}

const HEALTH: Readonly<Record<PeerName, string>> = {
  "Hono and viem": "/livez",
  "Hono and ethers": "/livez",
  "oidc-provider": "/.well-known/openid-configuration",
  "oidc-provider, in memory": "/.well-known/openid-configuration",
  "better-auth": "/api/auth/ok",
};

function ours(name: string, command: readonly [string, ...string[]]): Starter {
  return {
    name: `Holdfast, ${name}`,
    health: "/livez",
    cwd: ROOT,
    command: () => command,
    environment: (dataDir, port) => {
      return { ...peerEnvironment(), DATA_DIR: dataDir, PORT: String(port), DENO_DIR, NODE_ENV: undefined };
    },
  };
}

function starters(): readonly Starter[] {
  const executable = join(ROOT, "dist/holdfast");
  return [
    ours("npm start", ["sh", "scripts/start-bun.sh", "serve"]),
    ...(existsSync(executable) ? [ours("executable", [executable, "serve"])] : []),
    ours("npm run start:deno", ["sh", "scripts/start-deno.sh"]),
    ...(Object.keys(PEERS) as PeerName[]).map((name): Starter => ({
      name,
      health: HEALTH[name],
      cwd: ROOT,
      command: (dataDir, port) => peerCommand(name, dataDir, port),
      environment: peerEnvironment,
    })),
  ];
}

async function isPrinting(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function startOnce({ health, cwd, command, environment }: Starter, dataDir: string): Promise<Started> {
  const port = await findFreePort();
  const [program, ...args] = command(dataDir, port);
  const from = performance.now();
  const child = spawn(program, args, { cwd, env: environment(dataDir, port), stdio: "ignore" });
  const closed = once(child, "close");
  try {
    while (!await isPrinting(`http://127.0.0.1:${port}${health}`)) {
      if (child.exitCode !== null) throw new Error(`Cannot measure: ${program} ${args.join(" ")} ended`);
      await wait(2);
    }
    const wall = performance.now() - from;
    const processor = processorSeconds(child.pid!) * 1000;
    await wait(REST);
    return { wall, processor, resident: residentMebibytes(child.pid!) };
  } finally {
    child.kill("SIGKILL");
    await closed;
  }
}

/** Starts each program alternately over the folder of its first start. Prints the time to start and the memory. */
export async function measureStarts(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const all = starters().map((starter) => ({
    starter,
    folder: stack.use(temporaryFolder()).path,
    rounds: [] as Started[],
  }));
  for (let round = -1; round < ROUNDS; round++) {
    for (const { starter, folder, rounds } of all) {
      const started = await startOnce(starter, folder);
      if (round >= 0) rounds.push(started);
    }
  }
  const of = (rounds: readonly Started[], what: keyof Started): string =>
    showSummary(summarise(rounds.map((started) => started[what])));
  console.log(showTable([
    ["start again", "to the first answer, ms", "processor, ms", "resident at rest, MiB"],
    ...all.map(({ starter, rounds }) => [
      starter.name,
      of(rounds, "wall"),
      of(rounds, "processor"),
      of(rounds, "resident"),
    ]),
  ]));
}
