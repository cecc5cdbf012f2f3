import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readableParts } from "../../src/lib/readable.js";
import { readable } from "../../src/lib/readable-text.ts";
import { assertLinear } from "../support/growth.ts";

/** Formats the parts, with code points in brackets and isolated text in guillemets. */
function shown(text: string): string {
  return readableParts(text).map(({ kind, text }) =>
    kind === "text" ? text : kind === "isolated" ? `«${text}»` : `[${text}]`
  ).join("");
}

describe("readableParts()", () => {
  const cases: readonly (readonly [text: string, shown: string])[] = [
    ["Key\u202Eevil", "Key[U+202E]evil"],
    ["pay\u200Bpal", "pay[U+200B]pal"],
    ["pay\u00A0pal", "pay[U+00A0]pal"],
    ["\u2800\uE000\uFFFC", "[U+2800][U+E000][U+FFFC]"],
    ["раypal", "р[U+0440]а[U+0430]ypal"],
    ["USDС", "USDС[U+0421]"],
    ["аррӏе", "а[U+0430]р[U+0440]р[U+0440]ӏ[U+04CF]е[U+0435]"],
    ["Ωmega", "Ω[U+03A9]mega"],
    ["ｕｎｉ𝐔", "ｕ[U+FF55]ｎ[U+FF4E]ｉ[U+FF49]𝐔[U+1D414]"],
    ["evil.example⁄login", "evil.example⁄[U+2044]login"],
    ["1٢3", "«1»٢[U+0662]«3»"],
    ["שלום 0x1234 to Bob, תודה", "שלום «0x1234 to Bob,» תודה"],
  ];
  for (const [text, expected] of cases) {
    test(`readableParts() shows ${JSON.stringify(text)} as ${expected}`, () => {
      assert.equal(shown(text), expected);
    });
  }

  const plain = [
    ...[
      "Hello\n\tworld",
      "naïve café, Łódź, Þór",
      "Привет, это оса и сор",
      "Ελλάδα και άλλα",
      "日本語 Tシャツ　を",
    ],
    ...["שלום", "مرحبا", "١٢٣", "👩🏽‍🚀 ❤️ 👨‍👩‍👧", "한국어 USDC", "m²"],
  ];
  for (const text of plain) {
    test(`readableParts() does not change ${JSON.stringify(text)}`, () => assert.equal(shown(text), text));
  }

  const pieces = ["раура ", "аб", "\u202E", "!", " ", "é", "a1٢", "٣", "א0x1 ", "ｕ"];
  for (const [piece, end] of [...pieces.map((piece) => [piece, ""] as const), ["a", "ש"] as const]) {
    test(`readableParts() takes linear time for texts of ${JSON.stringify(piece + end)}`, () => {
      assertLinear((count) => void readableParts(piece.repeat(count) + end), 10_000);
    });
  }

  test("readableParts() shows the code points of invisible and deceptive characters", () => {
    const characters = ["\u202E", "\u2066", "\u200B", "\uFEFF", "\u00AD", "\u0000", "\r", "\u2028", "\u3164"];
    for (const character of [...characters, "\uD800", "\u{E0041}", "\u200D", "\uFE0F"]) {
      const name = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
      assert.equal(shown(`pay${character} me`), `pay[${name}] me`);
    }
  });

  test("readableParts() keeps every character", () => {
    const text = "a\u202Eb\u200B\u200Bc❤️\u0007";
    const back = readableParts(text).map((part) =>
      part.kind === "text" ? part.text : String.fromCodePoint(Number.parseInt(part.text.slice(2), 16))
    );
    assert.equal(back.join(""), text);
    assert.deepEqual(readableParts(""), []);
  });
});

describe("readable()", () => {
  test("readable() writes on one line, and isolates right-to-left text", () => {
    assert.equal(readable("Key\u202Eevil"), "Key[U+202E]evil");
    assert.equal(readable("two\nlines\t."), "two[U+000A]lines[U+0009].");
    assert.equal(readable("שלום 0x12"), "\u2068שלום \u20660x12\u2069\u2069");
    assert.equal(readable("naïve"), "naïve");
  });
});
