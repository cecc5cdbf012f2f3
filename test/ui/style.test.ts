import assert from "node:assert/strict";
import { test } from "node:test";
import { STYLE_SHEET } from "../../src/ui/assets.ts";

const STYLE = STYLE_SHEET.get().body;

/** Text and its background, by token. */
const PAIRS = [
  ["text", "ground"],
  ["text", "surface"],
  ["text", "sunken"],
  ["text", "note-ground"],
  ["muted", "ground"],
  ["muted", "surface"],
  ["muted", "sunken"],
  ["accent", "ground"],
  ["accent", "surface"],
  ["accent", "sunken"],
  ["accent", "note-ground"],
  ["accent-hover", "surface"],
  ["on-accent", "accent"],
  ["on-accent", "accent-hover"],
  ["danger", "danger-ground"],
] as const;

/** Lines that bound a field or show the focus. */
const LINES = [
  ["line-strong", "surface"],
  ["line-strong", "ground"],
  ["focus", "surface"],
  ["focus", "ground"],
] as const;

/** Returns the colour tokens of the two `:root` blocks: light, and the overrides of dark. */
function readSchemes(): Readonly<Record<"light" | "dark", ReadonlyMap<string, string>>> {
  const [light, dark] = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) =>
    [...block!.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name, colour]) => [name!, colour!] as const)
  );
  return { light: new Map(light), dark: new Map([...light!, ...dark!]) };
}

/** Returns the relative luminance (WCAG 2.2). */
function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

for (const [scheme, tokens] of Object.entries(readSchemes())) {
  test(`style sheet has a contrast of 4.5 for text and 3 for lines in the ${scheme} scheme (WCAG 1.4.3, 1.4.11)`, () => {
    for (const [pairs, least] of [[PAIRS, 4.5], [LINES, 3]] as const) {
      for (const [front, ground] of pairs) {
        const found = contrast(tokens.get(front)!, tokens.get(ground)!);
        assert.ok(found >= least, `${front} on ${ground}: ${found.toFixed(2)}`);
      }
    }
  });
}

test("style sheet names no colour outside its tokens", () => {
  const rules = STYLE.replaceAll(/:root \{[^}]*\}/g, "").replaceAll(/\/\*[^]*?\*\//g, "");
  assert.doesNotMatch(rules, /#[0-9a-f]{3,8}\b/);
});

test("style sheet removes no outline from interactive elements", () => {
  const bare = [...STYLE.matchAll(/([^{}]+)\{[^}]*outline: none/g)].map(([, selector]) => selector!.trim());
  assert.deepEqual(bare.map((selector) => selector.replace(/^[^]*\*\/\s*/, "")), [
    "main:focus,\n.result:focus,\n.status-region:focus",
    // Its row shows the focus instead.
    ".key-row:focus-visible",
    // Its label does.
    ".kind input",
  ]);
});
