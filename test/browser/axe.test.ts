import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { SCENES } from "../album/scenes.ts";
import { newVisit, signUpHere } from "../support/account-story.ts";
import { launchBrowser } from "../support/browser.ts";
import type { ServedApp } from "../support/served-app.ts";
import { serveTestApp } from "../support/served-app.ts";

const LIMIT = { timeout: 60_000 };
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Axe {
  run(options: { readonly runOnly?: readonly string[] }): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
    }[];
  }>;
}

/** What axe finds: the rule, the element and what is wrong with it, a line each. */
async function findViolations(page: Page, runOnly?: readonly string[]): Promise<readonly string[]> {
  return await page.evaluate(async (runOnly) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(
      runOnly === undefined ? {} : { runOnly },
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`)
    );
  }, runOnly);
}

describe("axe, on every page and state of the album", () => {
  let browser: Browser;
  let served: ServedApp;
  before(async () => {
    browser = await launchBrowser();
    served = await serveTestApp();
  });
  after(async () => {
    await browser.close();
    await served.stop();
  });

  for (const scene of SCENES) {
    test(`finds nothing on ${scene.name}`, LIMIT, async () => {
      const visit = await newVisit(browser, { viewport: { width: 390, height: 800 } });
      if (scene.who === "account") {
        await signUpHere({ app: served.app, baseUrl: served.baseUrl, stop: served.stop }, visit);
      }
      await scene.open({ served, visit });
      await visit.page.evaluate(AXE);
      assert.deepEqual(await findViolations(visit.page), []);
      await visit.page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await findViolations(visit.page, ["color-contrast"]), []);
      await visit.context.close();
    });
  }
});
