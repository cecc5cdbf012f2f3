import process from "node:process";
import type { Part } from "../../audit/examine-database.ts";
import { SECOND } from "../../lib/time.ts";

const SHOW_AFTER = 2 * SECOND;
const INTERVAL = SECOND / 4;
/** Size in bytes from which checking all pages takes longer than that, without any report. */
const LARGE = 128 * 1024 * 1024;

/** Shows progress to a person at a terminal. Shows nothing in a pipe or file. */
export interface Progress {
  show(text: string): void;
  /** Clears the line before other output. */
  end(): void;
}

const SILENT: Progress = { show: () => {}, end: () => {} };

export interface ProgressOutput {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  readonly now: () => number;
}

const TERMINAL: ProgressOutput = {
  isTerminal: process.stderr.isTTY === true,
  write: (text) => process.stderr.write(text),
  now: () => performance.now(),
};

/** Shows the line after two seconds, or at once for a database so large that it takes longer. */
export function createProgress(
  bytes: number,
  { isTerminal, write, now }: ProgressOutput = TERMINAL,
): Progress {
  if (!isTerminal) return SILENT;
  const begin = now() - (bytes >= LARGE ? SHOW_AFTER : 0);
  let last = Number.NEGATIVE_INFINITY;
  let shown = "";
  return {
    show: (text) => {
      const at = now();
      const isDue = at - begin >= SHOW_AFTER && (at - last >= INTERVAL || !isSameStep(text, shown));
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

export function showPart(progress: Progress): (part: Part, done: number) => void {
  return (part, done) => progress.show(PARTS[part](done));
}
