// Writes pictures of every page and state: `npm run album [WORD …]` writes them to dist/album, or only those whose name
// contains one of the words, in German with `--german`. `--readme` writes the one in README.md. Nothing is compared
// with them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import type { Language } from "../../src/lib/language.ts";
import { launchBrowser } from "../support/browser.ts";
import { serveTestApp } from "../support/served-app.ts";
import { type PageState, showScene } from "./scene.ts";
import { SCENES } from "./scenes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ALBUM = join(ROOT, "dist/album");
const README = join(ROOT, "docs/screenshot.png");

const WIDTHS = [320, 390, 768, 1280] as const;
const SCHEMES = ["light", "dark"] as const;

/** Takes pictures of a state at every width and in both colour schemes. */
async function photograph(page: Page, { name }: PageState, language: Language): Promise<void> {
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({
        path: join(ALBUM, `${name}-${language}-${width}-${colorScheme}.png`),
        fullPage: true,
      });
    }
  }
}

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const language: Language = process.argv.includes("--german") ? "de" : "en";
const isForReadme = process.argv.includes("--readme");
const isChosen = ({ name, readme }: PageState): boolean =>
  isForReadme ? readme === true : words.length === 0 || words.some((word) => name.includes(word));
const chosen = SCENES.filter(({ states }) => states.some(isChosen));

if (chosen.length === 0) {
  console.error(`No state has one of these words in its name: ${words.join(" ")}`);
  process.exit(2);
}

mkdirSync(ALBUM, { recursive: true });
const browser = await launchBrowser();
const shared = await serveTestApp();
try {
  for (const scene of chosen) {
    await showScene(scene, { browser, shared, language }, async (page, state) => {
      if (!isChosen(state)) return;
      if (!isForReadme) return await photograph(page, state, language);
      await page.setViewportSize({ width: 820, height: 900 });
      await page.locator("#sign").evaluate((element) => element.scrollIntoView());
      await page.screenshot({ path: README });
    });
  }
} finally {
  await browser.close();
  await shared.stop();
}
process.exit(0);
