import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { isRefusedName, listReadVariables } from "../support/read-variables.ts";

const PAGE = readFileSync(new URL("../../docs/reference/configuration.md", import.meta.url), "utf8");

/** Returns the names in the first column of the tables, in order. */
function listDocumentedVariables(page: string): readonly string[] {
  return [...page.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name!);
}

/** Returns the names that end with `_` of the sentence on unknown names. */
function listDocumentedPrefixes(page: string): readonly string[] {
  const [sentence] = /^- An unknown name[^]*?\n- /m.exec(page) ?? [""];
  return [...sentence.matchAll(/`([A-Z]+_)`/g)].map(([, prefix]) => prefix!);
}

describe("docs/reference/configuration.md", () => {
  test("lists every variable once, and no other", () => {
    const read = listReadVariables();
    assert.ok(read.length > 30, read.join(" "));
    assert.deepEqual(listDocumentedVariables(PAGE).toSorted(), read);
  });

  test("lists every prefix for which an unknown name is refused, and no other", () => {
    const candidates = new Set(listReadVariables().map((name) => name.replace(/_.*/, "_")));
    const refused = [...candidates].filter((prefix) => isRefusedName(`${prefix}UNKNOWN`));
    assert.ok(refused.length > 5, refused.join(" "));
    assert.deepEqual(listDocumentedPrefixes(PAGE).toSorted(), refused.toSorted());
  });
});
