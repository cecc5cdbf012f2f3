import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** Processor seconds a process and its threads have used so far; NaN where the system does not tell. */
export function processorSeconds(pid: number): number {
  try {
    // Fields 14 and 15 of the line; the second, the name, is in parentheses and may hold spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/**
 * Seconds for which a process's main thread could have run and had no core so far: its own other threads had it, or other
 * programs; NaN where the system does not tell.
 */
export function waitedSeconds(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e9;
  } catch {
    return NaN;
  }
}

/** Resident memory of a process in MiB; NaN where the system does not tell. */
export function residentMebibytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return NaN;
  }
}

/** How often a process's threads that live have waited for something (voluntary context switches); NaN where nobody tells. */
export function waits(pid: number): number {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.map((task) => {
      const text = readFileSync(`/proc/${pid}/task/${task}/status`, "utf8");
      return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1]);
    }).reduce((sum, count) => sum + count, 0);
  } catch {
    return NaN;
  }
}
