import { FAMILIES, type Family, type FamilyName } from "../../lib/metric-families.ts";
import { formatFamilies, type MetricsFormat } from "../../lib/metrics.ts";

/** The value of each series, by its name and labels as they are served. */
type Samples = ReadonlyMap<string, number>;

/** Milliseconds that one process has to answer. */
const LIMIT = 4000;

/** The metrics of the processes that serve together. */
export interface MergedMetrics {
  /** Adds a process. Call `ended` when it ends: what it had counted stays counted. */
  add(url: string): { readonly ended: () => void };
  format(format: MetricsFormat): Promise<string>;
}

export function createMergedMetrics(
  fetchText: (url: string) => Promise<string> = fetchMetrics,
): MergedMetrics {
  const running = new Map<string, Samples>();
  let past: Samples = new Map();
  return {
    add: (url) => {
      running.set(url, new Map());
      const ended = (): void => {
        past = merge([past, onlyCounted(running.get(url) ?? new Map())]);
        running.delete(url);
      };
      return { ended };
    },
    format: async (format) => {
      await Promise.all([...running.keys()].map(async (url) => {
        // A process that does not answer keeps its last values.
        const text = await fetchText(url).catch(() => undefined);
        if (text !== undefined && running.has(url)) running.set(url, readSamples(text));
      }));
      const lines = linesByFamily(merge([past, ...running.values()]), format);
      return formatFamilies(format, (name) => lines.get(name) ?? []);
    },
  };
}

async function fetchMetrics(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT) });
  return await response.text();
}

function readSamples(text: string): Samples {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => {
    const end = line.lastIndexOf(" ");
    return [line.slice(0, end), Number(line.slice(end + 1))];
  }));
}

/** Returns the family of a series. Undefined for another version's. */
function familyOf(series: string): FamilyName | undefined {
  const name = series.split("{", 1)[0]!;
  const family = name in FAMILIES ? name : name.replace(/_(?:bucket|sum|count)$/, "");
  return family in FAMILIES ? family as FamilyName : undefined;
}

/** Returns the samples of counters and histograms, which must never fall. */
function onlyCounted(samples: Samples): Samples {
  return new Map([...samples].filter(([series]) => {
    const family = familyOf(series);
    return family !== undefined && FAMILIES[family].type !== "gauge";
  }));
}

const MERGE = {
  sum: (one: number, other: number): number => one + other,
  max: Math.max,
  min: Math.min,
};

function merge(all: readonly Samples[]): Samples {
  const merged = new Map<string, number>();
  for (const [series, value] of all.flatMap((samples) => [...samples])) {
    const family = familyOf(series);
    if (family === undefined) continue;
    const { merge: how = "sum" }: Family = FAMILIES[family];
    const before = merged.get(series);
    merged.set(series, before === undefined ? value : MERGE[how](before, value));
  }
  return merged;
}

function linesByFamily(samples: Samples, format: MetricsFormat): ReadonlyMap<string, readonly string[]> {
  const lines = new Map<string, string[]>();
  for (const [series, value] of samples) {
    const family = familyOf(series)!;
    const shown = format === "openmetrics" ? series.replace(/le="(\d+)"/, 'le="$1.0"') : series;
    if (!lines.has(family)) lines.set(family, []);
    lines.get(family)!.push(`${shown} ${value}`);
  }
  return lines;
}
