import type { Result } from "./module.ts";

const HEAD = ["Module", "Plan", "Verdict", "Reason"] as const;

function padded(cells: readonly string[], widths: readonly number[]): string {
  return `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
}

/** Formats the verdicts as the Markdown table of `docs/reference/conformance.md`, aligned like `deno fmt`. */
export function toTable(results: readonly Result[]): string {
  const rows = results.map(({ name, plan, verdict, reason }) => {
    // The message of a failed comparison contains line breaks and bars.
    const cell = reason.replaceAll(/\s+/g, " ").replaceAll("|", "/");
    return [`\`${name}\``, plan, verdict, cell];
  });
  const widths = HEAD.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length))
  );
  const rule = widths.map((width) => "-".repeat(width));
  return [HEAD, rule, ...rows].map((row) => padded(row, widths)).join("\n");
}

/** Parses the rows of that table in a document. */
export function readTable(markdown: string): readonly Result[] {
  const rows = markdown.split("\n").map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
  const results = rows.filter((cells) => cells.length === HEAD.length && cells[0]!.startsWith("`"));
  return results.map(([name, plan, verdict, reason]) => (
    { name: name!.replaceAll("`", ""), plan, verdict, reason } as Result
  ));
}
