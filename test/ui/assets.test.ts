import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { LANGUAGES } from "../../src/lib/language.ts";
import { assetPath, hashAssets, listAssets, scriptPath } from "../../src/ui/assets.ts";

const UI = new URL("../../src/ui/", import.meta.url);
const BROWSER = new URL("browser/", UI);
const STYLE = new URL("style/", UI);

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Modules of the folder that another one imports: they are parts of scripts, and not served themselves. */
function importedModules(): ReadonlySet<string> {
  const texts = readdirSync(BROWSER).map((name) => readFileSync(new URL(name, BROWSER), "utf8"));
  return new Set(texts.flatMap((text) => [...text.matchAll(/from "\.\/([^"]+)"/g)].map(([, name]) => name!)));
}

test("assets are a script in each language for each module that no other imports, the style sheet and the icon", () => {
  const names = listAssets().map(({ path }) => nameOf(path)).sort();
  const imported = importedModules();
  const entries = readdirSync(BROWSER).filter((name) => !imported.has(name));
  assert.ok(entries.length > 5 && imported.size > 10);
  const scripts = LANGUAGES.flatMap((language) => entries.map((name) => name.replace(".", `.${language}.`)));
  assert.deepEqual(names, [...scripts, "favicon.svg", "style.css"].sort());
});

test("scripts hold each line of each module that they need, but for comment and what is imported and exported", () => {
  const key = listAssets().find(({ path }) => path.endsWith("/key.de.client.js"))!.body.split("\n");
  for (const name of ["key", "sign", "recognise", "dom"]) {
    const text = readFileSync(new URL(`${name}.client.js`, BROWSER), "utf8");
    const isComment = /^ *(?:\/\/|\/\*\*|\*)/;
    const lines = text.split("\n").filter((line) => !line.startsWith("import ") && !isComment.test(line));
    assert.ok(lines.length > 40, name);
    const missing = lines.filter((line) => !key.includes(line.replace(/^export /, "")));
    assert.deepEqual(missing, [], name);
  }
});

test("every script is one that runs: its syntax, and the names that it reads from others", () => {
  for (const { path, body } of listAssets().filter(({ path }) => path.endsWith(".js"))) {
    assert.doesNotThrow(() => new Function(`"use strict";\n${body}`), path);
    for (const [, names, scope] of body.matchAll(/^const \{ ([^}]+) \} = (\$\w+);$/gm)) {
      const from = body.indexOf(`const ${scope} = (`);
      assert.ok(from >= 0 && from < body.indexOf(`} = ${scope};`), `${path} ${scope}`);
      const answered = /^return \{ (.*) \};$/m.exec(body.slice(from))![1]!.split(", ");
      for (const name of names!.split(", ")) assert.ok(answered.includes(name), `${path} ${name}`);
    }
  }
});

test("the style sheet holds every file of its folder once, and nothing else", () => {
  const { body } = listAssets().find(({ path }) => path.endsWith("/style.css"))!;
  const files = readdirSync(STYLE).map((name) => readFileSync(new URL(name, STYLE), "utf8"));
  for (const file of files) assert.equal(body.split(file).length, 2, file.slice(0, 80));
  assert.equal(body.length, files.join("\n").length);
});

test("assets carry their media types", () => {
  const types = new Set(listAssets().map(({ path, type }) => `${path.slice(path.lastIndexOf("."))} ${type}`));
  assert.deepEqual(
    types,
    new Set([
      ".js text/javascript; charset=utf-8",
      ".css text/css; charset=utf-8",
      ".svg image/svg+xml",
    ]),
  );
});

test("assets stand in one folder named by a hash", () => {
  const folders = new Set(listAssets().map(({ path }) => path.slice(0, path.lastIndexOf("/"))));
  assert.equal(folders.size, 1);
  assert.match([...folders][0]!, /^\/assets\/[0-9a-f]{16}$/);
});

test("scripts are type-checked, and make no markup from text", () => {
  for (const name of readdirSync(BROWSER)) {
    const text = readFileSync(new URL(name, BROWSER), "utf8");
    assert.match(text, /^\/\/ @ts-check\n/, name);
    assert.doesNotMatch(
      text,
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|@ts-ignore)\b/,
      name,
    );
  }
});

test("style sheet loads nothing", () => {
  const style = listAssets().find(({ path }) => path.endsWith(".css"))!;
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
  assert.ok(listAssets().some(({ path }) => path === assetPath("style.css")));
  assert.throws(() => assetPath("missing.css"), RangeError);
});

test("scripts are the same in each language, but for the line in which their words stand", () => {
  const [english, german] = LANGUAGES.map((language) => {
    const path = scriptPath("sign-in.client.js", language);
    return listAssets().find((asset) => asset.path === path)!.body.split("\n");
  });
  assert.match(english![0]!, /"sign-in":\{"removed":"This passkey/);
  assert.match(german![0]!, /"sign-in":\{"removed":"Dieser Passkey/);
  assert.doesNotMatch(english![0]!, /"attestation"/);
  assert.deepEqual(german!.slice(1), english!.slice(1));
});
