import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EVENTS } from "../../src/audit/event.ts";
import { Html, html } from "../../src/lib/html.ts";
import { CATALOGUES } from "../support/page-messages.ts";
import { textsOutsideCatalogues } from "../support/texts-outside-catalogues.ts";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** The files that render pages: the kit, and the features' pages, sections and browser scripts. */
const DRAWS =
  /^ui\/|^features\/.*(?:\.client\.js|\/(?:[\w-]+-)?(?:pages?|section)\.ts|\/(?:provider-links|identicon|outbox)\.ts)$/;

/** Endpoints of pages. Their errors are the API's, in English. */
const ENDPOINTS = /^features\/[\w-]+\/pages\.ts$/;

/** The reference of the API is the OpenAPI document, which is English and marked as such. */
const ENGLISH = ["features/description/page.ts"];

const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" }).map((name) =>
  name.replaceAll("\\", "/")
);
const CATALOGUE = /(?:^|[/-])messages\.(?:en|de)\.ts$/;

const SOURCES = FILES
  .filter((name) =>
    /\.(?:ts|js)$/.test(name) && DRAWS.test(name) && !ENDPOINTS.test(name) && !CATALOGUE.test(name) &&
    !ENGLISH.includes(name)
  )
  .toSorted();

/** Texts that look like sentences but are not shown to users, or are the same in every language. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  "ui/assets.ts": ["text/css; charset=utf-8", "text/javascript; charset=utf-8"],
  // An error of the API.
  "features/operations/outbox.ts": ["There is nothing here"],
  "features/recovery/recover-page.ts": ["XXXX-XXXX-XXXX-XXXX"],
  "features/tokens/page.ts": ["192.0.2.0/24 2001:db8::/32"],
  // The name of a function.
  "ui/browser/policy-edit.client.js": ["transfer(address to,uint256 value)"],
  "ui/browser/dom.client.js": ["fieldset:disabled, button:disabled"],
  // Commands for a shell.
  "features/keys/attestation.client.js": [
    "npm run -s verify-quote -- quote.json --pccs https://api.trustedservices.intel.com {} ",
    "--expect expected.json",
    "npm run -s holdfast -- simulated-root simulated\n",
    "npm run -s verify-quote -- quote.json --collateral simulated/collateral.json --root simulated/root.pem ",
    "{} --measurements any --key-provider any",
  ],
};

describe("sentences outside of the catalogues", () => {
  test("are searched in every file", () => {
    assert.equal(SOURCES.length, 112);
    assert.deepEqual(Object.keys(EXCEPTIONS).filter((name) => !SOURCES.includes(name)), []);
  });

  for (const name of SOURCES) {
    test(`${name} has none`, () => {
      const serverSays = textsOutsideCatalogues(readFileSync(join(SRC, name), "utf8"));
      const excepted = EXCEPTIONS[name] ?? [];
      assert.deepEqual(
        serverSays.filter(({ text }) => !excepted.includes(text)).map(({ text, line }) => `${line}: ${text}`),
        [],
      );
      // An unneeded exception would hide the next sentence.
      assert.deepEqual(excepted.filter((text) => !serverSays.some((one) => one.text === text)), []);
    });
  }
});

/** Words that are the same in both languages. */
const SHARED = [
  "Webhooks",
  "Code",
  "Digest",
  "Hash",
  "Index",
  "Link",
  "Name",
  "Passkey",
  "Passkeys",
  "Text",
  "yParity",
];

/** Returns the texts that are equal in two catalogues, by their paths. */
function alike(one: unknown, other: unknown, place: string): readonly string[] {
  if (typeof one === "string" || one instanceof Html) {
    const text = `${one}`;
    return text === `${other}` && /\p{L}{2,}/u.test(text) && !SHARED.includes(text)
      ? [`${place}: ${text}`]
      : [];
  }
  if (typeof one !== "object" || one === null) return [];
  const inner = other as Readonly<Record<string, unknown>>;
  return Object.entries(one).flatMap(([name, value]) => alike(value, inner[name], `${place}/${name}`));
}

describe("the German catalogue", () => {
  test("is in a file for each file of the English one, and is read here", () => {
    const files = FILES.filter((name) => CATALOGUE.test(name) && /^(?:ui|features)\//.test(name));
    assert.equal(files.length, 28);
    assert.equal(Object.keys(CATALOGUES.en).length * 2, files.length);
    assert.deepEqual(
      files.filter((name) => name.endsWith(".en.ts")).map((name) => name.replace(".en.ts", ".de.ts"))
        .toSorted(),
      files.filter((name) => name.endsWith(".de.ts")).toSorted(),
    );
  });

  test("has no text of the English one, except words of both languages", () => {
    assert.deepEqual(alike(CATALOGUES.en, CATALOGUES.de, ""), []);
    const events = Object.entries(EVENTS);
    assert.deepEqual(events.flatMap(([event, { en, de }]) => alike(en, de, event)), []);
  });

  test("is checked in every text, also in markup", () => {
    const one = { a: ["Ended", html`<b>Over</b>`], b: { c: "Name", d: "r" } };
    assert.deepEqual(alike(one, one, ""), ["/a/0: Ended", "/a/1: <b>Over</b>"]);
    assert.deepEqual(alike(one, { a: ["Beendet", html`<b>Vorbei</b>`], b: one.b }, ""), []);
  });
});

describe("textsOutsideCatalogues()", () => {
  const PLANTED: readonly (readonly [what: string, source: string, ...found: readonly string[]])[] = [
    ["text between tags", 'html`<p class="hint">Nothing here</p>`', "Nothing here"],
    ["one word between tags", "html`<b>${a}</b> ended <i></i>`", "ended"],
    ["markup without a tag", "html`Look at keys`", "Look at keys"],
    ["text in a hole of markup", 'html`<p>${isOver ? "Ended" : words.ends}</p>`', "Ended"],
    ["text in markup in a hole", "html`<p>${isOver && html`<b>Over</b>`}</p>`", "Over"],
    ["a name for screen readers", 'html`<nav aria-label="Pages"></nav>`', "Pages"],
    ["a name among attributes alone", 'html`hidden aria-label="Pages"`', "Pages"],
    ["a title", 'html`<code title="The address">${a}</code>`', "The address"],
    ["a placeholder", 'html`<input placeholder="Treasury">`', "Treasury"],
    ["an alternative", 'html`<img alt="A code" src="${path}">`', "A code"],
    ["half an attribute", 'html`<p title="Key ${a}">`', "Key"],
    ["an attribute in a hole", 'html`<p title="${isOver ? "Ended" : a}">`', "Ended"],
    ["what a script shows", 'status.textContent = "saved";', "saved"],
    ["a child", 'newElement("span", "unseen", "empty")', "empty"],
    ["a later child", 'newElement("li", "", head, " none")', " none"],
    ["a sentence in a template", "say(`“${name}” was made.`)", "“{}” was made."],
    ["a sentence in a table", 'const SAID = { over: "Nothing waits" };', "Nothing waits"],
    ["a heading in a table", 'const NAMES = { all: "Everything" };', "Everything"],
    [
      "a sentence behind a regular expression",
      'x.replace(/["`]/g, ""); say("Load it again.")',
      "Load it again.",
    ],
  ];
  for (const [what, source, ...found] of PLANTED) {
    test(`finds ${what}`, () =>
      assert.deepEqual(textsOutsideCatalogues(source).map(({ text }) => text), found));
  }

  const SILENT: readonly (readonly [what: string, source: string])[] = [
    ["names of classes", 'newElement("p", isBad ? "notice danger" : "notice", text)'],
    ["classes in markup", 'html`<p class="hint ${isOver ? "step done" : "step"}">${words.a}</p>`'],
    ["attributes alone", 'html`aria-current="page" hidden`'],
    ["comments", "// Nothing to see\n/* Nothing here */ a()"],
    ["our own mistakes", 'throw new TypeError("Cannot find element")'],
    ["names of keys", 'if (event.key === "Escape") a();'],
    ["code in markup", "html`<p><code>curl the service</code></p>`"],
  ];
  for (const [what, source] of SILENT) {
    test(`passes ${what}`, () => assert.deepEqual(textsOutsideCatalogues(source), []));
  }
});
