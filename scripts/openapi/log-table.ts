import { LOG_EVENTS } from "../../src/lib/log-events.ts";
import { table } from "./markdown.ts";

/** Returns the table of every event of the log. */
export function logTable(): string {
  const rows = Object.entries(LOG_EVENTS).map(([name, { level, fields, about }]) => [
    `\`${name}\``,
    level,
    fields.map((field) => `\`${field}\``).join(", "),
    about,
  ]);
  return table(["Event", "Level", "Fields", "Meaning"], rows);
}
