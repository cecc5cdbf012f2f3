import {
  type CounterName,
  FAMILIES,
  type Family,
  type FamilyName,
  type GaugeName,
  type HistogramName,
  type LabelValues,
} from "./metric-families.ts";
import { type Clock, SECOND } from "./time.ts";

/** The metrics of one process. Label values must come from closed lists, because series are never removed. */
export interface Metrics {
  /** Milliseconds of a monotonic clock. */
  readonly stopwatch: Clock;
  /** Adds 1 to a counter. */
  count<N extends CounterName>(name: N, ...labels: LabelValues<N>): void;
  /** Adds a value to a histogram. */
  observe<N extends HistogramName>(name: N, value: number, ...labels: LabelValues<N>): void;
  /** Adds the seconds since a time of the stopwatch to a histogram. */
  observeSince<N extends HistogramName>(name: N, begun: number, ...labels: LabelValues<N>): void;
  /** Sets a gauge, or a counter that is kept elsewhere. */
  set<N extends GaugeName | CounterName>(name: N, value: number, ...labels: LabelValues<N>): void;
  /** Adds series with 0, unless they exist. */
  declare(name: FamilyName, series: readonly (readonly string[])[]): void;
  /** Returns all families as text for a scrape. */
  format(format: MetricsFormat): string;
}

/** Prometheus text 0.0.4, or OpenMetrics 1.0.0. */
export type MetricsFormat = "prometheus" | "openmetrics";

/** One series. A histogram has the count of each bucket, one beyond them, and the sum. */
interface Series {
  readonly labels: readonly string[];
  readonly values: Float64Array;
}

export function createMetrics(stopwatch: Clock): Metrics {
  const families = new Map<string, Map<string, Series>>();

  function seriesOf(name: FamilyName, labels: readonly string[]): Float64Array {
    let all = families.get(name);
    if (all === undefined) families.set(name, all = new Map());
    const key = labels.length === 1 ? labels[0]! : labels.join("\n");
    let series = all.get(key);
    if (series === undefined) {
      const { buckets }: Family = FAMILIES[name];
      const values = new Float64Array(buckets === undefined ? 1 : buckets.length + 2);
      all.set(key, series = { labels, values });
    }
    return series.values;
  }

  function observe(name: HistogramName, value: number, ...labels: readonly string[]): void {
    const values = seriesOf(name, labels);
    const { buckets } = FAMILIES[name];
    let index = 0;
    while (index < buckets.length && value > buckets[index]!) index++;
    values[index]!++;
    values[buckets.length + 1]! += value;
  }

  function declare(name: FamilyName, series: readonly (readonly string[])[]): void {
    for (const labels of series) seriesOf(name, labels);
  }

  for (const [name, { series = [] }] of Object.entries<Family>(FAMILIES)) {
    declare(name as FamilyName, series);
  }
  return {
    stopwatch,
    count: (name, ...labels) => void seriesOf(name, labels)[0]!++,
    observe,
    observeSince: (name, begun, ...labels) => observe(name, (stopwatch() - begun) / SECOND, ...labels),
    set: (name, value, ...labels) => void (seriesOf(name, labels)[0] = value),
    declare,
    format: (format) =>
      formatFamilies(
        format,
        (name) => [...families.get(name)?.values() ?? []].flatMap((series) => linesOf(name, series, format)),
      ),
  };
}

/** Joins the sample lines of each family with its help and type. */
export function formatFamilies(
  format: MetricsFormat,
  samplesOf: (name: FamilyName) => readonly string[],
): string {
  const texts = Object.entries<Family>(FAMILIES).map(([name, { type, help }]) => {
    // In OpenMetrics the suffix belongs to the sample, not to the family.
    const family = format === "openmetrics" && type === "counter" ? name.replace(/_total$/, "") : name;
    const lines = samplesOf(name as FamilyName);
    return [`# HELP ${family} ${help}`, `# TYPE ${family} ${type}`, ...lines].join("\n") + "\n";
  });
  return texts.join("") + (format === "openmetrics" ? "# EOF\n" : "");
}

function linesOf(name: FamilyName, { labels, values }: Series, format: MetricsFormat): readonly string[] {
  const family: Family = FAMILIES[name];
  const pairs = family.labels.map((label, index) => `${label}="${labels[index]}"`);
  if (family.buckets === undefined) return [`${name}${braced(pairs)} ${values[0]}`];
  let count = 0;
  const bounds = [...family.buckets.map((bound) => formatBound(bound, format)), "+Inf"];
  const buckets = bounds.map((bound, index) => {
    count += values[index]!;
    return `${name}_bucket${braced([...pairs, `le="${bound}"`])} ${count}`;
  });
  const sum = values[family.buckets.length + 1]!;
  return [...buckets, `${name}_sum${braced(pairs)} ${sum}`, `${name}_count${braced(pairs)} ${count}`];
}

/** OpenMetrics writes every bound as a float, so that a series has the same labels from all programs. */
function formatBound(bound: number, format: MetricsFormat): string {
  return format === "openmetrics" && Number.isInteger(bound) ? bound.toFixed(1) : String(bound);
}

function braced(pairs: readonly string[]): string {
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
