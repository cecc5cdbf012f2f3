import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { LANGUAGES } from "../../src/lib/language.ts";
import { createAssetFinder, defineScript, listAssets, STYLE_SHEET } from "../../src/ui/assets.ts";
import { SIGN_IN_SCRIPT } from "../../src/features/sign-in/sign-in-page.ts";
import { SCRIPTS } from "../../src/app.ts";
import { scriptMessagesIn } from "../support/page-messages.ts";

const SRC = new URL("../../src/", import.meta.url);
const STYLE = new URL("ui/style/", SRC);

const ASSETS = listAssets(SCRIPTS).map(({ get }) => get());
const SERVED_SCRIPTS = ASSETS.filter(({ path }) => path.endsWith(".js"));

/** Every browser module of the service: its name and its text. */
const MODULES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".client.js"))
  .map((path) => [basename(path), readFileSync(new URL(path, SRC), "utf8")] as const);
const TEXTS = new Map(MODULES);

/** Modules that another one imports. They are parts of scripts, and not served themselves. */
const IMPORTED = new Set(
  MODULES.flatMap(([, text]) => [...text.matchAll(/from "[^"]*\/([\w.-]+)"/g)].map(([, name]) => name!)),
);

test("every browser module has a name of its own", () => {
  assert.equal(MODULES.length, 60);
  assert.equal(TEXTS.size, MODULES.length);
});

test("assets are a script in each language for each module that no other imports, the style sheet and the icon", () => {
  const names = ASSETS.map(({ path }) => basename(path)).sort();
  const entries = [...TEXTS.keys()].filter((name) => !IMPORTED.has(name));
  assert.equal(entries.length, 18);
  const scripts = LANGUAGES.flatMap((language) => entries.map((name) => name.replace(".", `.${language}.`)));
  assert.deepEqual(names, [...scripts, "favicon.svg", "style.css"].sort());
});

test("every browser module is a part of a script", () => {
  const scopes = new Set(
    SERVED_SCRIPTS.flatMap(({ body }) => [...body.matchAll(/^const (\$\w+) = \(/gm)].map(([, name]) => name)),
  );
  assert.equal(scopes.size, MODULES.length);
});

test("every script has the messages that its modules use", () => {
  let count = 0;
  for (const { path, body } of SERVED_SCRIPTS) {
    const messages = scriptMessagesIn(path.includes(".de.") ? "de" : "en");
    const [line] = body.split("\n", 1);
    const serverSays = JSON.parse(line!.slice(line!.indexOf("{}, ") + 4, -2)) as Record<string, object>;
    const used = new Set([...body.matchAll(/\bmessagesOf\("([\w-]+)"\)/g)].map(([, name]) => name!));
    for (const name of used) assert.deepEqual(serverSays[name], messages[name], `${path} ${name}`);
    count += used.size;
  }
  assert.equal(count, 224);
});

test("scripts contain each line of their modules, except comments, imports and exports", () => {
  const key = ASSETS.find(({ path }) => path.endsWith("/key.de.client.js"))!.body.split("\n");
  for (const name of ["key", "sign-form", "detect-payload", "dom"]) {
    const text = TEXTS.get(`${name}.client.js`)!;
    const isComment = /^ *(?:\/\/|\/\*\*|\*)/;
    const lines = text.replace(/^import \{[^}]*\} from .*$/gm, "").split("\n").filter((line) =>
      !isComment.test(line)
    );
    assert.ok(lines.length > 40, name);
    const missing = lines.filter((line) => !key.includes(line.replace(/^export /, "")));
    assert.deepEqual(missing, [], name);
  }
});

test("every script has valid syntax, and imports existing names", () => {
  for (const { path, body } of SERVED_SCRIPTS) {
    assert.doesNotThrow(() => new Function(`"use strict";\n${body}`), path);
    for (const [, names, scope] of body.matchAll(/^const \{ ([^}]+) \} = (\$\w+);$/gm)) {
      const from = body.indexOf(`const ${scope} = (`);
      assert.ok(from >= 0 && from < body.indexOf(`} = ${scope};`), `${path} ${scope}`);
      const answered = /^return \{ (.*) \};$/m.exec(body.slice(from))![1]!.split(", ");
      for (const name of names!.split(", ")) assert.ok(answered.includes(name), `${path} ${name}`);
    }
  }
});

test("the style sheet contains every file of its folder once, and nothing else", () => {
  const { body } = ASSETS.find(({ path }) => path.endsWith("/style.css"))!;
  const files = readdirSync(STYLE).map((name) => readFileSync(new URL(name, STYLE), "utf8"));
  for (const file of files) assert.equal(body.split(file).length, 2, file.slice(0, 80));
  assert.equal(body.length, files.join("\n").length);
});

test("assets carry their media types", () => {
  const types = new Set(ASSETS.map(({ path, type }) => `${path.slice(path.lastIndexOf("."))} ${type}`));
  assert.deepEqual(
    types,
    new Set([
      ".js text/javascript; charset=utf-8",
      ".css text/css; charset=utf-8",
      ".svg image/svg+xml",
    ]),
  );
});

test("each asset is in a folder named by the hash of its content", () => {
  for (const { path, body } of ASSETS) {
    const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
    assert.equal(path, `/assets/${hash}/${basename(path)}`);
  }
});

test("scripts are type-checked, and create no markup from text", () => {
  for (const [name, text] of MODULES) {
    assert.match(text, /^\/\/ @ts-check\n/, name);
    assert.doesNotMatch(
      text,
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|@ts-ignore)\b/,
      name,
    );
  }
});

test("style sheet loads nothing", () => {
  const style = ASSETS.find(({ path }) => path.endsWith(".css"))!;
  assert.doesNotMatch(style.body, /url\(|@import/);
});

test("createAssetFinder() finds each asset by its path, and nothing at another path", () => {
  const findAsset = createAssetFinder(SCRIPTS);
  for (const asset of ASSETS) assert.equal(findAsset(asset.path), asset);
  const { path } = STYLE_SHEET.get();
  const others = [
    path.replace(/[0-9a-f]{16}/, "0".repeat(16)),
    `${path}/`,
    `/x${path}`,
    "/style.css",
    "style.css",
    "",
  ];
  for (const other of others) assert.equal(findAsset(other), undefined, other);
});

test("createAssetFinder() throws if two scripts have the same name", () => {
  assert.throws(() => createAssetFinder([SIGN_IN_SCRIPT, SIGN_IN_SCRIPT]), RangeError);
  assert.throws(() => createAssetFinder([defineScript("admin.client.js", {})]), RangeError);
});

test("a script with a module named like one of the kit's is refused", () => {
  const script = defineScript("dom.client.js", { "dom.client.js": { default: "" } });
  assert.throws(() => script.en.get(), RangeError);
});

test("scripts are the same in each language, except the line of their messages", () => {
  const [english, german] = LANGUAGES.map((language) => {
    return SIGN_IN_SCRIPT[language].get().body.split("\n");
  });
  assert.match(english![0]!, /"sign-in":\{"removed":"This passkey/);
  assert.match(german![0]!, /"sign-in":\{"removed":"Dieser Passkey/);
  assert.doesNotMatch(english![0]!, /"attestation"/);
  assert.deepEqual(german!.slice(1), english!.slice(1));
});
