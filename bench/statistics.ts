/** The median and the extremes of several rounds. */
export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Summarises the rounds. Uses the median, because other programs on the machine distort the mean. */
export function summarise(rounds: readonly number[]): Summary {
  const sorted = [...rounds].sort((a, b) => a - b);
  return { median: percentile(sorted, 0.5), least: sorted[0]!, most: sorted.at(-1)! };
}

/** Returns the value below which the given part of the sorted values lies. */
export function percentile(sorted: readonly number[], part: number): number {
  if (sorted.length === 0) throw new RangeError("Cannot take percentile: no values");
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}

export interface Loaded {
  readonly count: number;
  readonly perSecond: number;
  /** Milliseconds of one piece of work. */
  readonly median: number;
  readonly p99: number;
  readonly longest: number;
  /** For requests at a given rate: the milliseconds after the due time within which 99 of 100 were sent. */
  readonly late?: number;
}

/** Summarises the times of the pieces of work and their total, in milliseconds. Sorts the times. */
export function loadedOf(times: number[], milliseconds: number): Loaded {
  times.sort((a, b) => a - b);
  return {
    count: times.length,
    perSecond: times.length / (milliseconds / 1000),
    median: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    longest: times.at(-1)!,
  };
}

/** Formats three significant digits, because the third is already noise. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return digits === 0 ? String(Math.round(value)) : value.toFixed(Math.min(digits, 2));
}

/** Formats as `median (least–most)`. */
export function showSummary({ median, least, most }: Summary): string {
  return `${figure(median)} (${figure(least)}–${figure(most)})`;
}

/** Formats rows as a Markdown table whose columns are aligned in plain text too. */
export function showTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(3, ...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const [head, ...body] = rows;
  return [line(head!), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
