import process from "node:process";
import { LOG_LEVELS } from "../lib/log.ts";
import type { Log, LogFields, LogLevel } from "../lib/log.ts";
import type { Mailer } from "../mail/mailer.ts";

function prettyLine(at: string, level: LogLevel, event: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${value}`).join(" ");
  return `${at.slice(11, 23)} ${level.padEnd(5)} ${event} ${rest}`;
}

/** A log on standard output from the given level up: one JSON object a line, or a readable line on a terminal. */
export function createLog(minimum: LogLevel): Log {
  const least = LOG_LEVELS.indexOf(minimum);
  const isTerminal = process.stdout.isTTY === true;
  return (level, event, fields) => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const at = new Date().toISOString();
    const line = isTerminal
      ? prettyLine(at, level, event, fields)
      : JSON.stringify({ at, level, event, ...fields });
    process.stdout.write(line + "\n");
  };
}

/** Development mode: shows a mail beside the log, to whoever is trying the service out. */
export function createMailPrinter(log: Log): Mailer {
  if (process.stdout.isTTY !== true) {
    return { queued: ({ to, subject, text }) => log("info", "development_mail", { to, subject, text }) };
  }
  return {
    queued: ({ to, subject, text }) => {
      process.stdout.write(`\n--- mail to ${to}: ${subject}\n${text}---\n\n`);
    },
  };
}
