import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { showScene } from "../album/scene.ts";
import { SCENES } from "../album/scenes.ts";
import { launchBrowser } from "../support/browser.ts";
import { englishLeftOn } from "../support/untranslated-texts.ts";
import type { ServedApp } from "../support/served-app.ts";
import { serveTestApp } from "../support/served-app.ts";

const LIMIT = { timeout: 60_000 };
/** The narrowest last: the words are looked at there, without another change of the width. */
const WIDTHS = [1280, 768, 390, 320];
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Leaves out elements that break no rule, frames, of which no page has one, and a copy of the style sheets, which only
 * a rule that is off by default reads.
 */
const OPTIONS = {
  resultTypes: ["violations"],
  reporter: "no-passes",
  iframes: false,
  preload: { assets: ["media"] },
};

interface Check {
  readonly message: string;
}

interface Axe {
  run(options: typeof OPTIONS & { readonly runOnly?: readonly string[] }): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly {
        readonly html: string;
        readonly any: readonly Check[];
        readonly all: readonly Check[];
        readonly none: readonly Check[];
      }[];
    }[];
  }>;
}

/** Loads axe by the DevTools protocol, which compiles it once for each window. */
async function loadAxe(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { exceptionDetails } = await session.send("Runtime.evaluate", { expression: `${AXE};undefined` });
  assert.equal(exceptionDetails, undefined);
  await session.detach();
}

/** Returns a line for each violation that axe finds: the rule, the element and the fault. */
async function findViolations(page: Page, runOnly?: readonly string[]): Promise<readonly string[]> {
  const options = runOnly === undefined ? OPTIONS : { ...OPTIONS, runOnly };
  return await page.evaluate(async (options) => {
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run(options);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any, all, none }) =>
        `${id}: ${html}: ${[...any, ...all, ...none].map(({ message }) => message).join("; ")}`
      )
    );
  }, options);
}

/** Returns by how many pixels the page is wider than the window, for each width where it is. */
async function findOverflow(page: Page): Promise<readonly string[]> {
  const wide: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    const beside = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
    if (beside > 0) wide.push(`${beside} px at ${width}`);
  }
  return wide;
}

/** Returns the words of headings and buttons that are broken without a hyphen on the narrowest screen. */
async function findBrokenTexts(page: Page): Promise<readonly string[]> {
  await page.setViewportSize({ width: WIDTHS.at(-1)!, height: 800 });
  return await page.evaluate(() => {
    const broken: string[] = [];
    for (const element of document.querySelectorAll("h1, h2, h3, button, .button")) {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        for (const { 0: word, index } of text.textContent!.matchAll(/\p{L}+/gu)) {
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
          if (lines.size > 1) broken.push(word);
        }
      }
    }
    return broken;
  });
}

// In German, because its words are longer. All other tests of this folder use English.
describe("every page and state of the album, in German", () => {
  let browser: Browser;
  let shared: ServedApp;
  before(async () => {
    browser = await launchBrowser();
    shared = await serveTestApp();
  });
  after(async () => {
    await browser.close();
    await shared.stop();
  });

  for (const scene of SCENES) {
    test(
      `${
        scene.states.map(({ name }) => name).join(", ")
      }: break no rule of axe in light or dark, scroll aside at` +
        " no width, and are German",
      LIMIT,
      async () => {
        await showScene(scene, { browser, shared, language: "de" }, async (page, { name }) => {
          assert.deepEqual(await englishLeftOn(page), [], name);
          assert.ok(
            await page.getByText("simuliertes TEE").isVisible(),
            `${name} says that it is for development`,
          );
          await loadAxe(page);
          assert.deepEqual(await findViolations(page), [], name);
          await page.emulateMedia({ colorScheme: "dark" });
          assert.deepEqual(await findViolations(page, ["color-contrast"]), [], name);
          assert.deepEqual(await findOverflow(page), [], name);
          assert.deepEqual(await findBrokenTexts(page), [], name);
        });
      },
    );
  }
});
