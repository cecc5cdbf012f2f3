import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisitWithTwo, useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const MISSING = "/keys/key_00000000000000000000000000";

/** Returns the paths of the bar's visible links. */
async function reachable(page: Page): Promise<readonly string[]> {
  const links = page.locator("header a:visible");
  const paths = await links.evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).pathname));
  return paths.toSorted();
}

/** Returns the controls of the bar that are smaller than WCAG 2.5.5 requires. */
async function smallTargets(page: Page): Promise<readonly string[]> {
  return await page.locator("header :is(a, button, summary):visible").evaluateAll((found) =>
    found.filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width < 44 || height < 44;
    }).map((element) => element.textContent)
  );
}

async function overflow(page: Page): Promise<number> {
  return await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth
  );
}

describe("the bar in a real browser", () => {
  const stage = useStage();

  test("leads everywhere at every width, with targets of 44 pixels, on error pages too", LIMIT, async () => {
    const { page, context, faults } = await stage.newPerson();
    const { baseUrl } = stage.served;
    for (const path of ["/keys", MISSING, "/nowhere"]) {
      await page.goto(baseUrl + path);
      for (const width of [320, 390, 480, 640, 768, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.locator(".menu > summary").click();
        assert.deepEqual(
          await reachable(page),
          ["/", "/account", "/account/audit", "/developer", "/keys", "/requests"],
          `${width}`,
        );
        assert.deepEqual(await smallTargets(page), [], `${width}`);
        assert.equal(await overflow(page), 0, `${width}`);
        // Escape closes it, and so does a click elsewhere.
        await page.keyboard.press("Escape");
        assert.ok(await page.locator(".menu > summary:focus").isVisible());
        assert.ok(await page.locator(".menu-panel").isHidden());
        await page.locator(".menu > summary").click();
        await page.locator("footer").click();
        assert.ok(await page.locator(".menu-panel").isHidden());
      }
    }
    assert.equal(
      await page.locator("main code").isHidden(),
      true,
      "the request's number is among the details",
    );
    assert.deepEqual(faults.filter((fault) => !fault.includes("404")), []);
    await context.close();
  });

  test("says where one is, and fits a phone with text of twice the size", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(`${stage.served.baseUrl}/keys`);
    await page.getByRole("link", { name: "Key 1" }).click();
    const key = new URL(page.url()).pathname;
    for (const path of ["/keys", key, "/requests", "/account/audit", "/developer", "/account", MISSING]) {
      await page.goto(stage.served.baseUrl + path);
      await page.locator(".menu > summary").click();
      const current = page.locator("header [aria-current=page]:visible");
      assert.equal(await current.count(), path === MISSING ? 0 : 1, path);
      await page.evaluate(() => document.documentElement.style.fontSize = "200%");
      assert.equal(await overflow(page), 0, path);
    }
    await context.close();
  });

  test("opens, says what needs a script, and signs out without one", LIMIT, async () => {
    const visit = await stage.newPerson();
    const storageState = await visit.context.storageState();
    const context = await stage.browser.newContext({
      viewport: { width: 320, height: 740 },
      javaScriptEnabled: false,
      storageState,
    });
    await visit.context.close();
    const page = await context.newPage();
    await page.goto(`${stage.served.baseUrl}/keys`);
    const key = (await page.locator(".key-row").getAttribute("href"))!;
    for (const path of ["/keys", key, "/developer", "/account", "/account/settings", "/account/recovery"]) {
      await page.goto(stage.served.baseUrl + path);
      assert.ok(await page.getByRole("heading", { level: 1 }).isVisible(), path);
      assert.ok(await page.locator("main noscript .notice").count() > 0, `${path} says what it lacks`);
    }
    await page.goto(`${stage.served.baseUrl}/developer`);
    await page.getByText("Menu", { exact: true }).click();
    await page.getByRole("link", { name: "Activity" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/account/audit`);
    assert.match(await page.locator("time").first().textContent() ?? "", / UTC$/);
    await page.getByText("Menu", { exact: true }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/signed-out`);
    await context.close();
  });

  test(
    "activity is under the days of the reader's zone, filtered without a script, and fits",
    LIMIT,
    async () => {
      stage.served.app.now = Date.UTC(2026, 0, 31, 20, 0);
      const { page, context, faults } = await stage.newPerson({ timezoneId: "Asia/Kolkata" });
      await page.clock.setFixedTime(stage.served.app.now);
      await page.goto(`${stage.served.baseUrl}/account/audit`);
      await page.getByRole("heading", { name: "Today" }).waitFor();
      assert.equal(await page.locator("time").first().textContent(), "1 Feb 2026, 01:30");
      // The previous day in the reader's zone, not in the server's.
      await page.clock.setFixedTime(stage.served.app.now + 18 * 3_600_000);
      await page.reload();
      await page.getByRole("heading", { name: "Today" }).waitFor();
      await page.clock.setFixedTime(stage.served.app.now + 23 * 3_600_000);
      await page.reload();
      await page.getByRole("heading", { name: "Yesterday" }).waitFor();
      for (const width of [320, 390, 768, 1280]) {
        await page.setViewportSize({ width, height: 740 });
        await page.locator(".event-details > summary").first().click();
        assert.equal(await overflow(page), 0, `${width}`);
      }
      await page.getByRole("link", { name: "Sign-ins" }).click();
      await page.getByText("A passkey was added").waitFor();
      assert.equal(await page.getByText("was created, with index").count(), 0);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Save as CSV" }).click(),
      ]);
      const csv = readFileSync(await download.path(), "utf8");
      assert.match(csv, /,"passkey_added",/);
      assert.doesNotMatch(csv, /"key_generated"/);
      assert.deepEqual(faults, []);
      await context.close();
    },
  );

  test("shows signatures as bars, as text for screen readers, and as a table", LIMIT, async () => {
    const { page, context, faults } = await stage.newPerson();
    await page.goto(`${stage.served.baseUrl}/account/audit`);
    await page.getByRole("img", { name: "No signatures in the last 30 days" }).waitFor();
    await page.evaluate(async () => {
      const { keys: [key] } = await (await fetch("/api/keys")).json();
      const headers = { "content-type": "application/json" };
      await fetch(`/api/keys/${key.id}/sign`, { method: "POST", headers, body: '{"message":"hello"}' });
    });
    await page.reload();
    const bars = page.getByRole("img", { name: /^1 signature in the last 30 days, on \d+ \w+ \d{4}$/ });
    assert.equal(await bars.locator("rect").count(), 30);
    await page.getByRole("table", { name: "By key" }).getByRole("row", { name: "Key 1 1" }).waitFor();
    await page.getByRole("table", { name: "By program" }).waitFor();
    const days = page.locator("details", { hasText: "As a table" }).locator("table");
    assert.ok(await days.isHidden());
    await page.getByText("As a table").click();
    await page.getByRole("row", { name: /^\d+ \w+ \d{4} 1$/ }).waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("shows times in the reader's zone, and in UTC on hover", LIMIT, async () => {
    const visit = await stage.newPerson({ timezoneId: "Asia/Kolkata" });
    const { page, context } = visit;
    await page.goto(`${stage.served.baseUrl}/account/audit`);
    const time = page.locator("time").first();
    await page.locator("time[title]").first().waitFor();
    assert.match(await time.getAttribute("title") ?? "", /^31 Jan 2026, 20:00 UTC$/);
    assert.equal(await time.textContent(), "1 Feb 2026, 01:30");
    await context.close();
  });
});

describe("small things of pages, in a real browser", () => {
  const stage = useStage();

  test("the first steps are ticked off as they are taken, and go away", LIMIT, async () => {
    const { page, context, faults } = await newVisitWithTwo(stage.browser, stage.served);
    const steps = page.getByRole("region", { name: "First steps" }).getByRole("listitem");
    await page.goto(`${stage.served.baseUrl}/keys`);
    assert.deepEqual(await steps.locator(".step-done").allTextContents(), ["done", "", "", ""]);
    await page.evaluate(async () => {
      const headers = { "content-type": "application/json" };
      const post = (path: string, body: object) =>
        fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      const { keys: [key] } = await (await fetch("/api/keys")).json();
      await post(`/api/keys/${key.id}/sign`, { message: "hello" });
    });
    await page.reload();
    assert.deepEqual(await steps.locator(".step-done").allTextContents(), ["done", "done", "", ""]);
    await steps.getByRole("link", { name: "Create a token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Payroll");
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByRole("heading", { name: "Copy it now" }).waitFor();
    await page.goto(`${stage.served.baseUrl}/keys`);
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    assert.equal(await steps.count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  });

  async function openKey(page: Page): Promise<void> {
    await page.goto(`${stage.served.baseUrl}/keys`);
    await page.getByRole("link", { name: "Key 1" }).click();
    await page.locator("#message:enabled").waitFor();
  }

  test("destructive dialogs focus Cancel first, and show the current name", LIMIT, async () => {
    const { page, context } = await stage.newAccount();
    await page.getByRole("button", { name: "Sign out everywhere…" }).click();
    await page.getByRole("dialog").locator("button:focus", { hasText: "Cancel" }).waitFor();
    await openKey(page);
    await page.getByLabel("Label").fill("Treasury");
    await page.getByRole("button", { name: "Save label" }).click();
    await page.getByText("Label saved.").waitFor();
    await page.getByRole("button", { name: "Archive…" }).click();
    await page.getByRole("heading", { name: "Archive Treasury?" }).waitFor();
    await page.getByRole("dialog").locator("button:focus", { hasText: "Cancel" }).waitFor();
    await context.close();
  });

  test("with forced colours, the sign button differs from the back button", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page);
    await page.emulateMedia({ forcedColors: "active" });
    await page.locator("#message").fill("hello");
    await page.getByRole("button", { name: "Review" }).click();
    await page.locator("#sign-button:enabled").waitFor();
    const grounds = await page.locator("#sign-button, #review-cancel").evaluateAll((buttons) =>
      buttons.map((button) => getComputedStyle(button).backgroundColor)
    );
    assert.equal(new Set(grounds).size, 2, grounds.join());
    await context.close();
  });

  test("the end of a session loses no text, and the page reports it", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
    await page.goto(`${stage.served.baseUrl}/developer`);
    await page.locator("#token-name:enabled").fill("Payroll");
    await page.getByLabel("Create new keys").check();
    await page.getByLabel("Sign", { exact: true }).uncheck();
    await page.getByLabel("Ends after").selectOption("7");
    await context.clearCookies();
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/developer`);
    await page.getByRole("status").getByText("Your session had ended, so nothing was done.").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Payroll");
    assert.ok(await page.getByLabel("Create new keys").isChecked());
    assert.ok(!await page.getByLabel("Sign", { exact: true }).isChecked());
    assert.equal(await page.getByLabel("Ends after").inputValue(), "7");
    // Only once: after that, the text belongs to the page again.
    await page.reload();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "");
    await context.close();
  });
});
