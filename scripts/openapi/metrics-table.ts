import { FAMILIES, type Family } from "../../src/lib/metric-families.ts";
import { table } from "./markdown.ts";

/** Returns the table of every family that is served at `/metrics`. */
export function metricsTable(): string {
  const rows = Object.entries<Family>(FAMILIES).map(([name, { type, help, labels }]) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(", "),
    help,
  ]);
  return table(["Family", "Type", "Labels", "Meaning"], rows);
}
