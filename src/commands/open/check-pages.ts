import { DatabaseError } from "../../db/error.ts";
import { reportFault } from "../../db/integrity-check.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Log } from "../../lib/log.ts";
import { findRestartObstacle, startAgain } from "../../runtime/child-process.ts";
import { type DatabaseLocation, hasOwnPages, sizeOf } from "./database.ts";

/** The command of the child process. */
export const CHECK_PAGES = "check-pages";

/** The size in bytes up to which all pages are checked in less than a second, so that the start waits for it. */
const QUICK_SIZE = 64 * 1024 * 1024;

/** Returns true if the check of all pages takes long, and another process can make it after the start. */
export function canCheckPagesLater(location: DatabaseLocation): boolean {
  return hasOwnPages(location) && sizeOf(location)! > QUICK_SIZE && findRestartObstacle() === undefined;
}

export interface PageCheck {
  readonly ended: Promise<void>;
  /** Ends the check without a result. */
  stop(): void;
}

/**
 * Checks all pages, indexes and references of a database file in a process of low priority. If they are not sound, or
 * the process ends without a result, the database takes no more transactions, as after a change of its schema.
 */
export function checkPagesBeside(
  db: Db,
  { databasePath }: DatabaseLocation,
  log: Log,
  start: typeof startAgain = startAgain,
): PageCheck {
  let isStopped = false;
  // It needs neither the configuration nor a key.
  const child = start([CHECK_PAGES, databasePath], {});
  const run = async (): Promise<void> => {
    const [errors, code] = await Promise.all([readText(child.errors), child.ended, readText(child.output)]);
    if (isStopped) return;
    if (code === 0) return log("info", "pages_checked", {});
    const cause = new Error(errors.trim() || `the check ended with code ${code}`);
    reportFault(
      db,
      new DatabaseError("pages_damaged", "Cannot use database: its pages are not sound", { cause }),
    );
  };
  const ended = run();
  return {
    ended,
    stop: () => {
      isStopped = true;
      child.kill();
    },
  };
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text;
}
