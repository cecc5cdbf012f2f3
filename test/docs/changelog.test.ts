import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { listLinks } from "../support/markdown.ts";

const CHANGELOG = readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8");

const SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
const MOST_WORDS = 25;

/** Returns the bullets, each with its continued lines. */
function listEntries(text: string): readonly string[] {
  return [...text.matchAll(/^- (.+(?:\n {2}.+)*)/gm)].map(([, entry]) => entry!.replace(/\s+/g, " "));
}

/** Returns the faults of a changelog's entries and sections (Keep a Changelog 1.1.0). */
function findFaults(text: string): readonly string[] {
  const sections = [...text.matchAll(/^### (.+)$/gm)].map(([, name]) => name!);
  return [
    ...sections.filter((name) => !SECTIONS.includes(name)).map((name) => `unknown section ${name}`),
    ...listEntries(text).flatMap((entry) => [
      ...(listLinks(entry).length === 0 ? [`no link: ${entry}`] : []),
      ...(entry.split(" ").length > MOST_WORDS ? [`more than ${MOST_WORDS} words: ${entry}`] : []),
    ]),
  ];
}

describe("CHANGELOG.md", () => {
  test("begins with the unreleased changes", () => {
    assert.equal(/^## .+$/m.exec(CHANGELOG)?.[0], "## Unreleased");
  });

  test("has short entries that link to a page, in the known sections", () => {
    assert.ok(listEntries(CHANGELOG).length > 40);
    assert.deepEqual(findFaults(CHANGELOG), []);
  });

  const FAULTS = [
    "### News\n",
    "- A thing without a link.",
    `- ${"word ".repeat(MOST_WORDS)}[page](a.md)`,
    "- A thing with a link in code: `[a](b.md)`",
  ];
  for (const text of FAULTS) {
    test(`finds the fault of ${JSON.stringify(text.slice(0, 40))}`, () =>
      assert.equal(findFaults(text).length, 1));
  }
});
