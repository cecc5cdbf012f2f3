import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shown } from "../../src/ui/parts.ts";

describe("shown()", () => {
  const cases: readonly (readonly [what: string, text: string, html: string])[] = [
    ["isolates a text from what stands beside it", "Treasury", "<bdi>Treasury</bdi>"],
    ["escapes markup", `<b title="x">&`, "<bdi>&lt;b title=&quot;x&quot;&gt;&amp;</bdi>"],
    [
      "names a character that cannot be seen",
      "pay\u200Bpal",
      `<bdi>pay<span class="unseen">U+200B</span>pal</bdi>`,
    ],
    [
      "names an override of the direction",
      "Key\u202Eevil",
      `<bdi>Key<span class="unseen">U+202E</span>evil</bdi>`,
    ],
    [
      "names a letter that passes for another",
      "USD\u0421",
      `<bdi>USD\u0421<span class="unseen">U+0421</span></bdi>`,
    ],
    [
      "isolates what is read from left to right in a text of the other direction",
      "\u05E9\u05DC 0x12",
      `<bdi>\u05E9\u05DC <bdi dir="ltr">0x12</bdi></bdi>`,
    ],
    [
      "escapes what it isolates",
      "\u05E9\u05DC <b>",
      `<bdi>\u05E9\u05DC <bdi dir="ltr">&lt;b&gt;</bdi></bdi>`,
    ],
  ];
  for (const [what, text, html] of cases) {
    test(`shown() ${what}`, () => assert.equal(`${shown(text)}`, html));
  }

  test("shown() gives the element an id, and escapes it", () => {
    assert.equal(`${shown("a", 'x"y')}`, `<bdi id="x&quot;y">a</bdi>`);
  });
});
