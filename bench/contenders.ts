import process from "node:process";

/** Implementations of the same work, by name. */
export type Contenders = Readonly<Record<string, () => unknown>>;

const ROUNDS = 15;

/**
 * Returns the processor time of one run, including all threads and the kernel. It hardly depends on other programs.
 */
async function microseconds(run: () => unknown, times: number): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < times; count++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** Returns the median time of each contender. Rounds alternate, so that a noisy moment hits all of them. */
async function medians(
  contenders: Contenders,
  timesARound: number,
): Promise<Readonly<Record<string, number>>> {
  const names = Object.keys(contenders);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -3; round < ROUNDS; round++) {
    for (const name of names) {
      const time = await microseconds(contenders[name]!, timesARound);
      if (round >= 0) times.get(name)!.push(time);
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, times.get(name)!.sort((a, b) => a - b)[ROUNDS >> 1]!]),
  );
}

/**
 * Measures the contenders on one thread and prints a line for each, compared with `holdfast`, which must be among
 * them.
 */
export async function compare(what: string, contenders: Contenders, timesARound: number): Promise<void> {
  const result = await medians(contenders, timesARound);
  for (const [name, time] of Object.entries(result)) {
    const ratio = (time / result.holdfast!).toFixed(2);
    console.log(
      `${name.padEnd(9)} ${time.toFixed(1).padStart(7)} us ${what}   ${ratio.padStart(5)} x holdfast`,
    );
  }
}
