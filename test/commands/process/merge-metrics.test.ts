import assert from "node:assert/strict";
import { test } from "node:test";
import { createMergedMetrics } from "../../../src/commands/process/merge-metrics.ts";
import { createMetrics } from "../../../src/lib/metrics.ts";

function stage() {
  const each = new Map(["one", "two"].map((url) => [url, createMetrics(() => 0)] as const));
  const merged = createMergedMetrics((url) => {
    const metrics = each.get(url);
    return metrics === undefined
      ? Promise.reject(new Error("gone"))
      : Promise.resolve(metrics.format("prometheus"));
  });
  const value = async (series: string): Promise<number> => {
    const line = (await merged.format("prometheus")).split("\n").find((line) =>
      line.startsWith(`${series} `)
    );
    return Number(line?.slice(series.length + 1));
  };
  return { each, merged, value };
}

test("createMergedMetrics() adds counters, and takes one value of a shared database", async () => {
  const { each, merged, value } = stage();
  merged.add("one");
  merged.add("two");
  each.get("one")!.count("holdfast_commits_total");
  each.get("two")!.count("holdfast_commits_total");
  each.get("two")!.observe("holdfast_commit_jobs", 3);
  for (const metrics of each.values()) metrics.set("holdfast_database_bytes", 4096);
  each.get("one")!.set("holdfast_log_verified_timestamp_seconds", 7);
  each.get("two")!.set("holdfast_log_verified_timestamp_seconds", 9);
  assert.equal(await value("holdfast_commits_total"), 2);
  assert.equal(await value('holdfast_commit_jobs_bucket{le="5"}'), 1);
  assert.equal(await value("holdfast_database_bytes"), 4096);
  assert.equal(await value("holdfast_log_verified_timestamp_seconds"), 7);
  assert.match(
    await merged.format("openmetrics"),
    /holdfast_commit_jobs_bucket\{le="5\.0"\} 1\n[^]*# EOF\n$/,
  );
});

test("createMergedMetrics() keeps what an ended process counted, and forgets its gauges", async () => {
  const { each, merged, value } = stage();
  const { ended } = merged.add("one");
  merged.add("two");
  each.get("one")!.count("holdfast_commits_total");
  each.get("one")!.set("holdfast_jobs_waiting", 5);
  assert.equal(await value("holdfast_jobs_waiting"), 5);
  each.delete("one");
  assert.equal(
    await value("holdfast_commits_total"),
    1,
    "A process that does not answer has its last values",
  );
  ended();
  assert.equal(await value("holdfast_commits_total"), 1);
  assert.equal(await value("holdfast_jobs_waiting"), 0);
});
