import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { INTENT_KINDS, WARNING_LEVELS } from "../../src/clear-signing/intent.ts";
import { CONTEXT, SAMPLES } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { OTHER_WALLETS } from "./other-wallets.ts";
import { samplesTable } from "./table.ts";

const read = (page: string): string =>
  readFileSync(new URL(`../../docs/reference/${page}.md`, import.meta.url), "utf8");

describe("docs/reference/clear-signing.md", () => {
  test("docs/reference/clear-signing-examples.md has the current table of the samples", () => {
    const page = read("clear-signing-examples");
    assert.ok(page.includes(samplesTable()), "Write it again: bun scripts/clear-signing-examples.ts");
    assert.ok(SAMPLES.length >= 40);
    assert.deepEqual(Object.keys(OTHER_WALLETS), SAMPLES.map(({ name }) => name));
  });

  test("docs/reference/clear-signing.md names every kind and every warning, and the samples have every kind", () => {
    const page = read("clear-signing");
    for (const name of [...INTENT_KINDS, ...Object.keys(WARNING_LEVELS)]) {
      assert.ok(page.includes(`\`${name}\``), name);
    }
    const seen = new Set(SAMPLES.map((sample) => explainSample(sample, CONTEXT).kind));
    assert.deepEqual(INTENT_KINDS.filter((kind) => !seen.has(kind)), ["digest"]);
  });
});
