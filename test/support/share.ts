import process from "node:process";

const ON_BUN = process.versions["bun"] !== undefined;
/** Far from every seed that a test names. */
const OTHER_SEED = 1_000_000;

/**
 * This runtime's half of so many random cases: the gate runs each test on two runtimes, and the same cases twice would
 * find nothing more. Together they try the number that titles name.
 */
export function halfOf(count: number): number {
  return count / 2;
}

/** A seed that the other runtime has not. */
export function ownSeed(seed: number): number {
  return ON_BUN ? seed : seed + OTHER_SEED;
}

/** Whether a case of this number is among this runtime's half: every other one is. */
export function isOwn(number: number): boolean {
  return number % 2 === (ON_BUN ? 0 : 1);
}

/** This runtime's half of cases that are told apart by numbers. */
export function ownHalf(numbers: Iterable<number>): number[] {
  return [...numbers].filter(isOwn);
}
