import process from "node:process";
import type { Part } from "../../audit/examine-database.ts";
import { SECOND } from "../../lib/time.ts";

/** What takes longer than this is worth a word. */
const PATIENCE = 2 * SECOND;
const INTERVAL = SECOND / 4;
/** From this size on a look at every page takes longer, and says nothing while it does. */
const LARGE = 128 * 1024 * 1024;

/** Tells a person at a terminal what takes so long. A pipe or a file gets none of it. */
export interface Progress {
  show(text: string): void;
  /** Takes the line away, for what is printed next. */
  end(): void;
}

const SILENT: Progress = { show: () => {}, end: () => {} };

/** What `Progress` writes to and how it measures time: replaced in tests. */
export interface ProgressMeans {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  readonly now: () => number;
}

const TERMINAL: ProgressMeans = {
  isTerminal: process.stderr.isTTY === true,
  write: (text) => process.stderr.write(text),
  now: () => performance.now(),
};

/**
 * A line on standard error, written over and over, from two seconds on; over a database of so many bytes that this is
 * certain, at once.
 */
export function createProgress(
  bytes: number,
  { isTerminal, write, now }: ProgressMeans = TERMINAL,
): Progress {
  if (!isTerminal) return SILENT;
  const begin = now() - (bytes >= LARGE ? PATIENCE : 0);
  let last = Number.NEGATIVE_INFINITY;
  let shown = "";
  return {
    show: (text) => {
      const at = now();
      const isDue = at - begin >= PATIENCE && (at - last >= INTERVAL || !isSameStep(text, shown));
      if (!isDue) return;
      write(`\r\x1b[K${text} …`);
      last = at;
      shown = text;
    },
    end: () => {
      if (shown !== "") write("\r\x1b[K");
      shown = "";
    },
  };
}

/** Whether two texts differ in their numbers alone. */
function isSameStep(one: string, other: string): boolean {
  return one.replaceAll(/\d/g, "") === other.replaceAll(/\d/g, "");
}

const PARTS = {
  schema: () => "looking at the schema",
  seed: () => "opening the seed",
  pages: () => "checking every page and index",
  rows: (done) => `checking rows: ${done}`,
  chain: (done) => `reading the audit log: ${done} entries`,
} as const satisfies Record<Part, (done: number) => string>;

/** What `examine` is at. */
export function showPart(progress: Progress): (part: Part, done: number) => void {
  return (part, done) => progress.show(PARTS[part](done));
}
