import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/**
 * Returns the processor seconds that a process and its threads have used so far. NaN if the system does not report it.
 */
export function processorSeconds(pid: number): number {
  try {
    // Fields 14 and 15 of the line. The second, the name, is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return NaN;
  }
}

/**
 * Returns the seconds that a process's main thread has waited for a core so far, because its other threads or other
 * programs used it. NaN if the system does not report it.
 */
export function waitedSeconds(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e9;
  } catch {
    return NaN;
  }
}

/** Returns the resident memory of a process in MiB. NaN if the system does not report it. */
export function residentMebibytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return NaN;
  }
}

/**
 * Returns the number of waits of a process's live threads (voluntary context switches). NaN if the system does not
 * report it.
 */
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
