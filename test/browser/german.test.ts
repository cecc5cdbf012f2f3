import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { openRequest } from "../album/request-scenes.ts";
import { PERMIT2 } from "../album/scenes.ts";
import { newVisit, useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const NARROW = { width: 320, height: 800 };

/** Returns the page's first heading after asserting that the page is German and fits the window. */
async function lookAt(page: Page, url: string): Promise<string> {
  await page.goto(url);
  assert.equal(await page.locator("html").getAttribute("lang"), "de", url);
  const beside = await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth
  );
  assert.equal(beside, 0, `${url} is ${beside} px too wide`);
  return await page.locator("h1").innerText();
}

describe("pages in German at 320 px, in a real browser", () => {
  const stage = useStage();

  test("are what a browser gets that asks for German, and scroll nowhere aside", LIMIT, async () => {
    const { baseUrl } = stage.served;
    const { page, context } = await newVisit(stage.browser, { language: "de", viewport: NARROW });
    const headings = [];
    for (const path of ["/", "/sign-in", "/sign-up", "/signed-out", "/keys/none"]) {
      headings.push(await lookAt(page, baseUrl + path));
    }
    assert.deepEqual(headings, [
      "Ethereum-Schlüssel, die Ihnen bleiben",
      "Anmelden",
      "Konto erstellen",
      "Sie sind abgemeldet",
      "Anmelden",
    ]);
    await context.close();
  });

  test(
    "are what an account has that was switched to German, in a browser that asks for English",
    LIMIT,
    async () => {
      const { baseUrl } = stage.served;
      const { page, context } = await stage.newPerson({ viewport: NARROW });
      await page.goto(`${baseUrl}/account`);
      await page.getByRole("button", { name: "Deutsch" }).click();
      await page.getByRole("heading", { level: 1, name: "Konto" }).waitFor();
      assert.equal(await lookAt(page, `${baseUrl}/account`), "Konto");
      assert.equal(await lookAt(page, `${baseUrl}/requests`), "Anfragen");
      for (const path of ["/account/audit", "/developer"]) await lookAt(page, baseUrl + path);
      assert.equal(await lookAt(page, `${baseUrl}/keys`), "Schlüssel");
      const key = await page.locator(".key-row").first().getAttribute("href");
      await lookAt(page, baseUrl + key);
      await page.getByRole("button", { name: "Kopieren (die Adresse)" }).waitFor();
      // Messages of scripts are German too.
      await page.locator("#label").fill("x".repeat(100));
      await page.route("**/api/keys/**", (route) => route.abort());
      await page.locator("#label-form button").click();
      await page.getByText("Der Dienst ist nicht erreichbar.").waitFor();
      assert.match(await lookAt(page, `${baseUrl}/keys/none`), /Nicht gefunden/);
      await context.close();
    },
  );

  test(
    "say what a signature does, on the signing form and on the page of a request",
    LIMIT,
    async () => {
      const { baseUrl } = stage.served;
      const visit = await stage.newPerson({ viewport: NARROW, language: "de" });
      const { page, context, faults } = visit;
      await page.goto(`${baseUrl}/keys`);
      await page.locator(".key-row").first().click();
      await page.locator("#message:enabled").fill(PERMIT2);
      await page.getByRole("button", { name: "Übernehmen", exact: true }).click();
      await page.getByRole("button", { name: "Prüfen", exact: true }).click();
      const does =
        /Sie erlauben 0xE592427A0AEce92De3Edee1F18E0157C05861564, auf Ethereum über Permit2 .*bis zu 250 USDC bis 5\. März 2026/;
      assert.match(await page.locator("#review-intent .intent").innerText(), does);
      assert.match(await page.locator("#review-intent .warnings").innerText(), /^Achtung: Die letzte Zeit, /);
      await page.locator("#sign-button:enabled").click();
      await page.getByRole("heading", { name: "Signiert", exact: true }).waitFor();
      assert.match(await page.locator("#signed .signed-what").innerText(), does);

      await openRequest({ served: stage.served, visit });
      const words = await page.locator("main").innerText();
      assert.match(words, /Das Programm mit dem Token Payroll bittet/);
      assert.match(words, /Die Richtlinie verlangt die Freigabe des Eigentümers/);
      assert.match(
        words,
        /Sie senden 0\.25 ETH von diesem Schlüssel \(0x\w{40}\) an 0xE592\w+ auf Ethereum\./,
      );
      assert.equal(await lookAt(page, page.url()), "Eine Signatur braucht Ihre Freigabe");
      assert.deepEqual(faults, []);
      await context.close();
    },
  );
});
