import process from "node:process";
import { LOG_LEVELS } from "../../lib/log.ts";
import type { Log, LogFields, LogLevel } from "../../lib/log.ts";
import { visible, visibleJson } from "../../lib/text.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { printLog } from "./print.ts";

function prettyLine(at: string, level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`).join(" ");
  return visible(`${at.slice(11, 23)} ${level.padEnd(5)} ${event} ${rest}`);
}

/** A line of a process's log as a terminal shows it, with the number of that process; other objects stay as they are. */
export function prettyLogLine(line: string): string {
  const { at, level, event, process: number, ...fields } = JSON.parse(line) as LogFields;
  if (typeof at !== "string" || typeof event !== "string") return line;
  return prettyLine(at, level as LogLevel, event, { process: number!, ...fields });
}

function jsonLine(at: string, level: LogLevel, event: string, fields: LogFields): string {
  return visibleJson(JSON.stringify({ at, level, event, ...fields }));
}

/** Milliseconds between two writes while there is much to write. */
const PAUSE = 5;

/**
 * Writes lines to standard output: at the end of the turn, or where that would be soon after the last time, some
 * milliseconds later, since a write costs more than making its line. `flush` writes what waits; the process's end does
 * too.
 */
function createLineWriter(): { readonly write: (line: string) => void; readonly flush: () => void } {
  let waiting = "";
  let writtenAt = -Infinity;
  function flush(): void {
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    writtenAt = performance.now();
    printLog(text);
  }
  function write(line: string): void {
    if (waiting === "") writeLater();
    waiting += line + "\n";
  }
  function writeLater(): void {
    if (performance.now() - writtenAt >= PAUSE) setImmediate(flush);
    else setTimeout(flush, PAUSE);
  }
  process.once("exit", flush);
  // One runtime ends without `exit` where nobody caught an error.
  for (const event of ["error", "unhandledrejection"]) globalThis.addEventListener(event, flush);
  return { write, flush };
}

/**
 * A log on standard output from the given level up: one JSON object a line, or a readable line on a terminal. Warnings
 * and errors are written at once, with what came before them.
 */
export function createLog(minimum: LogLevel): Log {
  const least = LOG_LEVELS.indexOf(minimum);
  const isTerminal = process.stdout.isTTY === true;
  const { write, flush } = createLineWriter();
  return (level, event, fields) => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const at = new Date().toISOString();
    write((isTerminal ? prettyLine : jsonLine)(at, level, event, fields));
    if (level === "warn" || level === "error") flush();
  };
}

/** Development mode: shows a mail beside the log, to whoever is trying the service out. */
export function createMailPrinter(log: Log): Mailer {
  if (process.stdout.isTTY !== true) {
    return { queued: ({ to, subject, text }) => log("info", "development_mail", { to, subject, text }) };
  }
  return {
    queued: ({ to, subject, text }) => {
      printLog(`\n--- mail to ${to}: ${subject}\n${text}---\n\n`);
    },
  };
}
