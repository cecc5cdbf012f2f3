/** Logs its arguments and exits in the same turn of the event loop. */
import process from "node:process";
import { createLog } from "../../../src/commands/process/log.ts";
import type { LogFields } from "../../../src/lib/log.ts";
import type { LogLevel } from "../../../src/lib/log-events.ts";

const [end, ...levels] = process.argv.slice(2);
const log = createLog({ logLevel: "info", logFormat: undefined }) as (
  level: LogLevel,
  event: "request",
  fields: LogFields,
) => void;
for (const [index, level] of levels.entries()) {
  log(level as LogLevel, "request", { index, text: "\x9b2J\u202e\n" });
}
if (end === "throw") throw new RangeError("No");
process.exit(3);
