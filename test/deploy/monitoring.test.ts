import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FAMILIES, type Family } from "../../src/lib/metric-families.ts";
import { readProjectFile } from "./files.ts";

const RULES = readProjectFile("deploy/monitoring/holdfast.rules.yml");

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const DASHBOARD = JSON.parse(readProjectFile("deploy/monitoring/holdfast.dashboard.json")) as {
  readonly panels: readonly Panel[];
};

/** Returns the names of all series of a family. */
function seriesOf(name: string, { type }: Family): readonly string[] {
  return type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name];
}

const SERVED = new Map(
  Object.entries<Family>(FAMILIES).flatMap(([name, family]) =>
    seriesOf(name, family).map((series) => [series, family] as const)
  ),
);

/** Returns the series that expressions ask for, with the label names in their selectors and groupings. */
function seriesIn(text: string): readonly string[] {
  return [...new Set(text.match(/\b(?:holdfast|process|signing)_[a-z0-9_]+/g))];
}

describe("deploy/monitoring", () => {
  test("asks only for families that are served", () => {
    const expressions = DASHBOARD.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    assert.ok(expressions.length > 20);
    for (const text of [RULES.replace(/^#.*$/gm, ""), ...expressions]) {
      for (const series of seriesIn(text)) assert.ok(SERVED.has(series), series);
    }
  });

  test("groups and selects by labels of their families", () => {
    for (const { title, targets } of DASHBOARD.panels) {
      for (const { expr } of targets) {
        const labels = new Set(seriesIn(expr).flatMap((series) => [...SERVED.get(series)!.labels]));
        for (const own of ["instance", "job", "le"]) labels.add(own);
        const used = [...expr.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, names]) => names!.split(", "));
        for (const label of used) assert.ok(labels.has(label), `${title}: ${label}`);
      }
    }
  });

  test("shows every family, and has an alert for each thing that must not happen", () => {
    const shown = new Set(
      DASHBOARD.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => seriesIn(expr))),
    );
    const missing = Object.entries<Family>(FAMILIES).filter(([name, family]) =>
      !seriesOf(name, family).some((series) => shown.has(series))
    ).map(([name]) => name);
    assert.deepEqual(missing, ["holdfast_tee_collateral_age_seconds"]);
    const alerts = [...RULES.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    assert.deepEqual(alerts, [
      "HoldfastLogProofFails",
      "HoldfastLogProofStandsStill",
      "HoldfastMailsStandStill",
      "HoldfastDeliveriesStandStill",
      "HoldfastRefusalsJump",
      "HoldfastDatabaseGrows",
      "HoldfastWalGrows",
      "HoldfastDown",
    ]);
  });

  test("names pages and headings that exist", () => {
    const runbooks = [...RULES.matchAll(/runbook: (\S+)/g)].map(([, path]) => path!.split("#"));
    assert.ok(runbooks.length > 5);
    for (const [page, heading] of runbooks) {
      const headings = [...readProjectFile(page!).matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
        text!.toLowerCase().replace(/[^\w\s-]/g, "").replaceAll(" ", "-")
      );
      assert.ok(heading === undefined || headings.includes(heading), `${page}#${heading}`);
    }
  });
});
