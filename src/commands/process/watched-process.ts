import { onAskedToFinish } from "../../runtime/child-process.ts";
import type { Child } from "../../runtime/child-process.ts";
import type { Finishing } from "./running.ts";
import type { Watched } from "./supervisor.ts";

/** How the line begins by which a process says that it serves. */
const LISTENING = "listening on ";

/** Where the lines of all processes go. */
export interface Relay {
  readonly output: (text: string) => Promise<void>;
  readonly errors: (text: string) => Promise<void>;
  /** A line of a log for a terminal, where one is looking. */
  readonly pretty: ((line: string) => string) | undefined;
}

/** A watched process, and what it says of where it listens. */
export interface RelayedProcess extends Watched {
  readonly listeningLine: Promise<string | undefined>;
}

/** Puts the number of its process into a line: as a field of an object, or before any other text. */
export function numberLine(number: number, line: string): string {
  if (line.startsWith('{"')) return `{"process":${number},${line.slice(1)}`;
  return line === "" ? line : `[${number}] ${line}`;
}

/**
 * Hands on what a process writes, whole lines with its number in each. Refusals stay as they are: they are no part of
 * the log. The line that says where it listens is kept back: it is said once for all.
 */
export function relayProcess(
  number: number,
  child: Child,
  { output, errors, pretty }: Relay,
): RelayedProcess {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const toLine = (line: string): string => {
    const numbered = numberLine(number, line);
    return pretty !== undefined && numbered.startsWith("{") ? pretty(numbered) : numbered;
  };
  const written = readLines(child.output, async (lines) => {
    const listening = lines.find((line) => line.startsWith(LISTENING));
    const others = lines.filter((line) => line !== listening).map(toLine);
    if (others.length > 0) await output(others.join("\n") + "\n");
    if (listening !== undefined) resolve(listening);
  });
  const told = readLines(child.errors, async (lines) => {
    const all = lines.map((line) => line.startsWith("holdfast: ") ? line : numberLine(number, line));
    await errors(all.join("\n") + "\n");
  });
  // What it said last is read to the end before it counts as gone.
  const ended = Promise.allSettled([written, told]).then(() => child.ended);
  void ended.then(() => resolve(undefined));
  return {
    listening: promise.then((line) => line !== undefined),
    listeningLine: promise,
    ended,
    end: child.end,
    kill: child.kill,
  };
}

/** How one of several processes hears that it is to finish, from its first moment: before it serves it ends at once. */
export function heedWatcher(exit: () => void): Finishing {
  let finish = exit;
  onAskedToFinish(() => finish());
  return (callback) => finish = callback;
}

/** Hears of each whole line, without its end. What ends without one is a line too. */
export async function readLines(
  chunks: AsyncIterable<Uint8Array>,
  onLines: (lines: readonly string[]) => Promise<void> | void,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    if (lines.length > 0) await onLines(lines);
  }
  if (rest !== "") await onLines([rest]);
}
