import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";

/** A child process that answers one request at a time, each a line of JSON in and out. It ends with its input. */
export interface Worker extends Disposable {
  readonly pid: number;
  ask<Q, A>(request: Q): Promise<A>;
}

/** Starts a program that serves with `answerRequests`. Its standard error is shown. */
export function startWorker(command: string, args: readonly string[]): Worker {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "close").then(() => {
    throw new Error(`Cannot go on: ${args.join(" ")} ended`);
  });
  ended.catch(() => {});
  return {
    pid: child.pid!,
    async ask<Q, A>(request: Q): Promise<A> {
      const line = once(lines, "line") as Promise<[string]>;
      child.stdin.write(JSON.stringify(request) + "\n");
      const [answer] = await Promise.race([line, ended]);
      return JSON.parse(answer) as A;
    },
    [Symbol.dispose](): void {
      child.stdin.end();
    },
  };
}

/** Runs the worker's side: answers each line until its input ends. */
export async function answerRequests<Q, A>(answer: (request: Q) => A | Promise<A>): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line) as Q)) + "\n");
  }
}
