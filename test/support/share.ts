import process from "node:process";

/** `npm run fuzz` sets it, to do all random runs. */
const IS_FUZZ = process.env["FUZZ"] === "all";
/** The gate does one of so many. */
const PARTS = IS_FUZZ ? 1 : 10;
/** `npm run fuzz` draws and prints it. Zero otherwise. */
const SEED = Number(process.env["FUZZ_SEED"] ?? 0);

/** Returns how many of so many random runs are done. `npm run fuzz` does the number that titles name. */
export function runsOf(count: number): number {
  return Math.ceil(count / PARTS);
}

/** Returns the seed of a test, derived from the run's seed and the test's number. */
export function seedOf(number: number): number {
  return (SEED + number) | 0;
}

/** Returns the settings of fast-check for so many runs of the test with this number. */
export function runs(count: number, number: number): { readonly numRuns: number; readonly seed: number } {
  return { numRuns: runsOf(count), seed: seedOf(number) };
}

/** Returns every tenth of many cases, selected by the seed; all of them in `npm run fuzz`. */
export function someOf<T>(cases: Iterable<T>): T[] {
  return [...cases].filter((_, index) => (index + SEED) % PARTS === 0);
}
