import { type Child, onStopRequest } from "../../runtime/child-process.ts";
import type { OnStop } from "./running.ts";
import { METRICS_LINE } from "./serve-metrics.ts";
import type { Watched } from "./supervisor.ts";

const LISTENING = "listening on ";

/** The lines that are not relayed, because one for all processes is printed. */
const WITHHELD = [LISTENING, METRICS_LINE];

export interface Relay {
  readonly output: (text: string) => Promise<void>;
  readonly errors: (text: string) => Promise<void>;
  readonly pretty: ((line: string) => string) | undefined;
}

export interface RelayedProcess extends Watched {
  readonly listeningLine: Promise<string | undefined>;
  /** The address of its metrics. Never fulfils if it serves none. */
  readonly metricsUrl: Promise<string>;
}

function numberLine(number: number, line: string): string {
  if (line.startsWith('{"')) return `{"process":${number},${line.slice(1)}`;
  return line === "" ? line : `[${number}] ${line}`;
}

/** Leaves refusals unchanged. Withholds the lines with its addresses. */
export function relayProcess(
  number: number,
  child: Child,
  { output, errors, pretty }: Relay,
): RelayedProcess {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const metrics = Promise.withResolvers<string>();
  const toLine = (line: string): string => {
    const numbered = numberLine(number, line);
    return pretty !== undefined && numbered.startsWith("{") ? pretty(numbered) : numbered;
  };
  const written = readLines(child.output, async (lines) => {
    const listening = lines.find((line) => line.startsWith(LISTENING));
    const metricsLine = lines.find((line) => line.startsWith(METRICS_LINE));
    if (metricsLine !== undefined) metrics.resolve(metricsLine.slice(METRICS_LINE.length));
    const others = lines.filter((line) => !WITHHELD.some((start) => line.startsWith(start))).map(toLine);
    if (others.length > 0) await output(others.join("\n") + "\n");
    if (listening !== undefined) resolve(listening);
  });
  const forwarded = readLines(child.errors, async (lines) => {
    const all = lines.map((line) => line.startsWith("holdfast: ") ? line : numberLine(number, line));
    await errors(all.join("\n") + "\n");
  });
  // The process counts as ended after its last output was read.
  const ended = Promise.allSettled([written, forwarded]).then(() => child.ended);
  void ended.then(() => resolve(undefined));
  return {
    listening: promise.then((line) => line !== undefined),
    listeningLine: promise,
    metricsUrl: metrics.promise,
    ended,
    end: child.end,
    kill: child.kill,
  };
}

/** Registers the parent's request to finish. Until a callback is set, the process exits at once. */
export function onSupervisorStop(exit: () => void): OnStop {
  let finish = exit;
  onStopRequest(() => finish());
  return (callback) => finish = callback;
}

/** A last line without an end counts too. */
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
