import { readdirSync, readFileSync } from "node:fs";
import { OWN_RUNTIME } from "./program.ts";
import type { Service } from "./service.ts";

/** Returns the shipped command that starts several processes, on the runtime of the test. */
export function commandOf(processes: number): { readonly runtime: "bun" | "deno"; readonly command: string } {
  const script = OWN_RUNTIME === "bun" ? "start" : "start:deno";
  return { runtime: OWN_RUNTIME, command: `exec npm run ${script} --silent -- --processes ${processes}` };
}

/** Returns the process ids of a service's serving processes, by their numbers. */
export function pidsOf(service: Service): Map<number, number> {
  const numbers = new Map<number, number>();
  const parents = new Map<number, number>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number)) {
    try {
      parents.set(pid, Number(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))![1]));
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const at = words.indexOf("--process");
      if (at > 0) numbers.set(pid, Number(words[at + 1]));
    } catch {
      // The process has ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean =>
    pid === service.process.pid || (parents.has(pid) && isOurs(parents.get(pid)!));
  return new Map([...numbers].filter(([pid]) => isOurs(pid)).map(([pid, number]) => [number, pid]));
}
