import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { printable, visible, visibleJson } from "../../src/lib/text.ts";

describe("printable()", () => {
  test("does not change ordinary text", () => {
    assert.equal(printable("Zürich, 東京 🙂 /tmp/a b"), "Zürich, 東京 🙂 /tmp/a b");
  });

  for (
    const [what, text, shown] of [
      ["a line of its own", "a\nfault: none", "a\\u{a}fault: none"],
      ["an escape sequence", "\x1b[2J\x9b31m", "\\u{1b}[2J\\u{9b}31m"],
      ["a carriage return, a tab, a NUL and a deletion", "\r\t\0\x7f", "\\u{d}\\u{9}\\u{0}\\u{7f}"],
      ["a change of direction", "a\u202eb\u2066c", "a\\u{202e}b\\u{2066}c"],
      ["ends of lines that are none of ASCII's", "a\u2028b\u2029c\u0085", "a\\u{2028}b\\u{2029}c\\u{85}"],
      ["what cannot be seen", "a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
      ["half a character", "a\ud800", "a\\u{d800}"],
    ] as const
  ) {
    test(`shows ${what} as visible text`, () => assert.equal(printable(text), shown));
  }

  test("truncates a long text, and visible() does not", () => {
    assert.equal(printable("x".repeat(10_000)), "x".repeat(200) + "…");
    assert.equal(visible("x".repeat(10_000) + "\n").length, 10_005);
  });
});

describe("visibleJson()", () => {
  test("only escapes what a terminal would interpret", () => {
    const value = { name: "a\x9b2J\u202eb\u2028\u{e0041}\ud800", place: "Zürich 🙂", line: "\n\x1b" };
    const written = visibleJson(JSON.stringify(value, null, 2));
    assert.deepEqual(JSON.parse(written), value);
    assert.match(written, /^(?:\P{C}|\n)+$/u);
    assert.ok(written.includes("Zürich 🙂"));
    assert.equal(written.split("\n").length, 5);
  });
});
