import { statSync } from "node:fs";
import process from "node:process";
import type { Config } from "../../config/config.ts";
import { watchOf } from "../../audit/log-head.ts";
import { countWaiting, countWaitingDeliveries, readServerBytes } from "../../db/size.ts";
import type { Db } from "../../db/schema/schema.ts";
import { refusalRules } from "../../keys/refusal-rule.ts";
import type { Metrics, MetricsFormat } from "../../lib/metrics.ts";
import { type Clock, type Instant, SECOND } from "../../lib/time.ts";
import { RATE_LIMITS } from "../../limits/rate-limit.ts";
import type { Tee } from "../../tee/tee.ts";

/** Milliseconds between two measurements of the event loop. */
const LAG_INTERVAL = SECOND / 4;

/** Adds the series whose values the layers list, so that each is there from the first scrape on. */
export function declareSeries(metrics: Metrics, { provider }: Pick<Tee, "provider">): void {
  metrics.declare("holdfast_signature_refusals_total", refusalRules().map((rule) => [rule]));
  metrics.declare("holdfast_rate_limited_total", Object.keys(RATE_LIMITS).map((name) => [name]));
  metrics.set("holdfast_tee_info", 1, provider);
  metrics.declare("holdfast_tee_collateral_age_seconds", [[provider]]);
}

/** Returns a function that reads what is not counted as it happens, and formats all metrics. */
export function createCollector(
  config: Pick<Config, "databasePath" | "postgres">,
  db: Db,
  { metrics, now }: { readonly metrics: Metrics; readonly now: Clock },
): (format: MetricsFormat) => Promise<string> {
  const startedAt = Date.now() / SECOND - process.uptime();
  const takeLag = measureLag();
  return async (format) => {
    await collectDatabase(config, db, { metrics, now: now() });
    const watch = watchOf(db);
    metrics.set("holdfast_log_entries", watch.known?.seq ?? 0);
    metrics.set("holdfast_log_verified_timestamp_seconds", watch.verifiedAt / SECOND);
    metrics.set("holdfast_log_scrubber_position", watch.scrubbed);
    metrics.set("holdfast_log_fault", watch.fault === undefined ? 0 : 1);
    const { user, system } = process.cpuUsage();
    metrics.set("process_resident_memory_bytes", process.memoryUsage().rss);
    metrics.set("process_cpu_seconds_total", (user + system) / 1e6);
    metrics.set("process_start_time_seconds", startedAt);
    metrics.set("holdfast_event_loop_lag_seconds", takeLag());
    return metrics.format(format);
  };
}

async function collectDatabase(
  { databasePath, postgres }: Pick<Config, "databasePath" | "postgres">,
  db: Db,
  { metrics, now }: { readonly metrics: Metrics; readonly now: Instant },
): Promise<void> {
  const [bytes, wal] = postgres === undefined
    ? [fileBytes(databasePath), fileBytes(`${databasePath}-wal`)]
    : [await readServerBytes(db), 0];
  metrics.set("holdfast_database_bytes", bytes);
  metrics.set("holdfast_database_wal_bytes", wal);
  metrics.set("holdfast_outbox_waiting", await countWaiting(db, "outbox", now), "mail");
  metrics.set("holdfast_deliveries_waiting", await countWaiting(db, "logout_notice", now), "logout");
  metrics.set("holdfast_deliveries_waiting", await countWaitingDeliveries(db), "webhook");
  metrics.set("holdfast_deliveries_waiting", await countWaiting(db, "push_delivery", now), "push");
}

/** Returns 0 for a file that does not exist, as of a database in memory. */
function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Measures how late a timer runs. Returns a function that takes the longest delay since its last call, in seconds. */
function measureLag(): () => number {
  let longest = 0;
  let expected = performance.now() + LAG_INTERVAL;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - expected);
    expected = now + LAG_INTERVAL;
  }, LAG_INTERVAL);
  timer.unref();
  return () => {
    const taken = longest;
    longest = 0;
    return taken / SECOND;
  };
}
