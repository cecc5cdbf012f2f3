import process from "node:process";
import type { Config } from "../../config/config.ts";
import type { Log, LogFields, LogFormat } from "../../lib/log.ts";
import { LOG_LEVELS, type LogLevel } from "../../lib/log-events.ts";
import { visible, visibleJson } from "../../lib/text.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { printLog } from "./print.ts";

function prettyLine(at: string, level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`).join(" ");
  return visible(`${at.slice(11, 23)} ${level.padEnd(5)} ${event} ${rest}`);
}

/** Formats a process's JSON log line for a terminal. Returns other objects unchanged. */
export function prettyLogLine(line: string): string {
  const { at, level, event, process: number, ...fields } = JSON.parse(line) as LogFields;
  if (typeof at !== "string" || typeof event !== "string") return line;
  return prettyLine(at, level as LogLevel, event, { process: number!, ...fields });
}

function jsonLine(at: string, level: LogLevel, event: string, fields: LogFields): string {
  return visibleJson(JSON.stringify({ at, level, event, ...fields }));
}

/** Milliseconds between two writes under load. */
const PAUSE = 20;

/**
 * Writes lines to standard output at the end of the turn, or some milliseconds later if the last write was recent. A
 * write costs more than formatting a line. `flush` writes pending lines, as does the end of the process.
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
  // One runtime does not emit `exit` after an uncaught error.
  for (const event of ["error", "unhandledrejection"]) globalThis.addEventListener(event, flush);
  return { write, flush };
}

/** Returns the format of `LOG_FORMAT`, or else readable text on a terminal and JSON elsewhere. */
export function logFormatOf({ logFormat }: Pick<Config, "logFormat">): LogFormat {
  return logFormat ?? (process.stdout.isTTY === true ? "text" : "json");
}

/** Creates a log that writes warnings and errors at once, with all earlier lines. */
export function createLog({ logLevel, ...config }: Pick<Config, "logLevel" | "logFormat">): Log {
  const least = LOG_LEVELS.indexOf(logLevel);
  const format = logFormatOf(config) === "text" ? prettyLine : jsonLine;
  const { write, flush } = createLineWriter();
  return (level, event, fields) => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const at = new Date().toISOString();
    write(format(at, level, event, fields));
    if (level === "warn" || level === "error") flush();
  };
}

/** Creates a mailer for development, which prints mails beside the log. */
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
