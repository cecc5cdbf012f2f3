import assert from "node:assert/strict";
import { test } from "node:test";
import { fillMarkers, table } from "../../scripts/openapi/markdown.ts";

const place = (name: string, text = ""): string => `<!-- generated: ${name} -->\n${text}<!-- end -->`;

test("table() escapes a bar in a cell", () => {
  assert.equal(table(["A", "B"], [["a|b", "c"]]), "| A | B |\n| --- | --- |\n| a\\|b | c |");
});

test("fillMarkers() replaces what is between the markers, and nothing else", () => {
  const text = `One\n\n${place("a", "old\n")}\n\nTwo\n\n${place("b")}\n`;
  const filled = fillMarkers(text, { a: "first", b: "second" });
  assert.match(
    filled,
    /^One\n\n<!-- generated: a -->[^]*\nfirst\n[^]*<!-- end -->\n\nTwo\n\n<!-- generated: b -->/,
  );
  assert.doesNotMatch(filled, /old/);
  assert.equal(fillMarkers(filled, { a: "first", b: "second" }), filled);
});

test("fillMarkers() throws for a table without markers or with two pairs, and for markers without a table", () => {
  assert.throws(() => fillMarkers("", { a: "" }), /Cannot fill "a": the text has 0 places for it/);
  const twice = `${place("a")}\n${place("a")}\n`;
  assert.throws(() => fillMarkers(twice, { a: "" }), /Cannot fill "a": the text has 2 places for it/);
  assert.throws(() => fillMarkers(place("b"), {}), /Cannot fill "b": there is no such table/);
});
