import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { assetPath, assets, hashAssets } from "../../src/ui/assets.ts";

const UI = new URL("../../src/ui/", import.meta.url);
const BROWSER = new URL("browser/", UI);
const STYLE = new URL("style/", UI);

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

test("assets holds every browser script, the style sheet and the icon", () => {
  const names = assets.map(({ path }) => nameOf(path)).sort();
  assert.deepEqual(names, [...readdirSync(BROWSER), "favicon.svg", "style.css"].sort());
});

test("assets are byte for byte what the sources hold", () => {
  for (const { path, body } of assets.filter(({ path }) => !path.endsWith(".css"))) {
    const folder = path.endsWith(".client.js") ? BROWSER : UI;
    assert.equal(body, readFileSync(new URL(nameOf(path), folder), "utf8"), path);
  }
});

test("the style sheet holds every file of its folder once, and nothing else", () => {
  const { body } = assets.find(({ path }) => path.endsWith("/style.css"))!;
  const files = readdirSync(STYLE).map((name) => readFileSync(new URL(name, STYLE), "utf8"));
  for (const file of files) assert.equal(body.split(file).length, 2, file.slice(0, 80));
  assert.equal(body.length, files.join("\n").length);
});

test("assets carry their media types", () => {
  const types = new Set(assets.map(({ path, type }) => `${path.slice(path.lastIndexOf("."))} ${type}`));
  assert.deepEqual(
    types,
    new Set([
      ".js text/javascript; charset=utf-8",
      ".css text/css; charset=utf-8",
      ".svg image/svg+xml",
    ]),
  );
});

test("assets stand in one folder named by a hash, so that scripts import each other by relative paths", () => {
  const folders = new Set(assets.map(({ path }) => path.slice(0, path.lastIndexOf("/"))));
  assert.equal(folders.size, 1);
  assert.match([...folders][0]!, /^\/assets\/[0-9a-f]{16}$/);
});

test("scripts import only scripts that are served", () => {
  const names = assets.map(({ path }) => nameOf(path));
  for (const { path, body } of assets) {
    for (const [, specifier] of body.matchAll(/^import [^;]*?from "([^"]+)";/gm)) {
      assert.match(specifier!, /^\.\//, path);
      assert.ok(names.includes(specifier!.slice(2)), `${path} imports ${specifier}`);
    }
  }
});

test("scripts are type-checked, and make no markup from text", () => {
  for (const { path, body } of assets.filter(({ path }) => path.endsWith(".js"))) {
    assert.match(body, /^\/\/ @ts-check\n/, path);
    assert.doesNotMatch(
      body,
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|@ts-ignore)\b/,
      path,
    );
  }
});

test("style sheet loads nothing", () => {
  const style = assets.find(({ path }) => path.endsWith(".css"))!;
  assert.doesNotMatch(style.body, /url\(|@import/);
});

test("hashAssets() changes with a text, a name, and where one ends and the next begins", () => {
  const hashes = [
    hashAssets([["a.js", "1"], ["b.js", "2"]]),
    hashAssets([["a.js", "1"], ["b.js", "3"]]),
    hashAssets([["a.js", "1"], ["c.js", "2"]]),
    hashAssets([["a.js", "1b.js"], ["", "2"]]),
    hashAssets([["a.js", "1"]]),
  ];
  assert.equal(new Set(hashes).size, hashes.length);
  assert.equal(hashAssets([["a.js", "1"], ["b.js", "2"]]), hashes[0]);
});

test("assetPath() names what is served, and throws for anything else", () => {
  assert.ok(assets.some(({ path }) => path === assetPath("style.css")));
  assert.throws(() => assetPath("missing.css"), RangeError);
});
