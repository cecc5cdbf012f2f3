import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisit, useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { readCode } from "../support/client.ts";

const LIMIT = { timeout: 60_000 };

function codeField(page: Page) {
  return page.getByLabel("Code", { exact: true });
}

// Reloading, leaving and returning, and being too late.
describe("sign-up in a real browser", () => {
  const stage = useStage();

  async function askOn(page: Page, email: string, query = "next=%2Faccount"): Promise<void> {
    await page.goto(`${stage.served.baseUrl}/sign-up?${query}`);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    await codeField(page).waitFor();
  }

  async function askForCode(): Promise<Visit> {
    const visit = await newVisit(stage.browser);
    await askOn(visit.page, visit.email);
    return visit;
  }

  async function check(page: Page, code: string): Promise<void> {
    await codeField(page).fill(code);
    await page.getByRole("button", { name: "Check the code" }).click();
  }

  const freshCode = ({ email }: Visit) => readCode(stage.served.app.client(), email);

  test("goes on after a reload and after Back, at the code and at the passkey", LIMIT, async () => {
    const visit = await askForCode();
    const { page, context, email, faults } = visit;
    await page.reload();
    await page.getByText(`sent to ${email}`).waitFor();
    await check(page, await freshCode(visit));
    const make = page.getByRole("button", { name: "Create a passkey" });
    await make.waitFor();
    await page.reload();
    await make.waitFor();
    assert.ok(await page.locator("#verified-email").getByText(email).isVisible());
    assert.equal(await page.locator("#steps [aria-current]").textContent(), "Passkey");
    await page.goto(`${stage.served.baseUrl}/sign-in`);
    await page.goBack();
    await make.click();
    await page.getByRole("link", { name: "Later" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/account`);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(
    "says that a code is invalid after three wrong tries, even after a reload, and sends another",
    LIMIT,
    async () => {
      const visit = await askForCode();
      const { page, context, email } = visit;
      const right = await freshCode(visit);
      const wrong = right === "000000" ? "000001" : "000000";
      const alert = page.getByRole("alert");
      for (let tries = 0; tries < 2; tries++) {
        await check(page, wrong);
        await alert.getByText("This code is wrong").waitFor();
        await page.reload();
        await codeField(page).waitFor();
      }
      await check(page, wrong);
      await alert.getByText("was tried 3 times and no longer works").waitFor();
      assert.ok(await codeField(page).isHidden());
      assert.ok(await page.locator("#resend:focus").isVisible());
      await page.getByRole("button", { name: "Send a new code" }).click();
      await page.getByRole("status").getByText(`We sent a new code to ${email}`).waitFor();
      assert.equal(await alert.textContent(), "");
      await check(page, await freshCode(visit));
      await page.getByRole("button", { name: "Create a passkey" }).waitFor();
      await context.close();
    },
  );

  test("makes the account that its page is about, and not the one begun in another tab", LIMIT, async () => {
    const visit = await askForCode();
    const { page, context, email, faults } = visit;
    const make = page.getByRole("button", { name: "Create a passkey" });
    const other = { page: await context.newPage(), email: `Other.${email}` };
    await askOn(other.page, other.email);
    for (const { page, email } of [visit, other]) {
      await check(page, await readCode(stage.served.app.client(), email));
      await page.getByRole("button", { name: "Create a passkey" }).waitFor();
    }
    await make.click();
    await page.getByRole("alert").getByText("A different sign-up was started in another tab").waitFor();
    assert.equal(await page.evaluate("fetch('/api/keys').then(({ status }) => status)"), 401);
    // Loaded again, the page is about the other one, until the first one requests its next code.
    await page.reload();
    await page.locator("#verified-email").getByText(other.email.toLowerCase()).waitFor();
    await askOn(other.page, email, "afresh=1");
    await check(other.page, await freshCode(visit));
    await other.page.getByRole("button", { name: "Create a passkey" }).waitFor();
    await make.click();
    await page.getByRole("alert").getByText("A different sign-up was started in another tab").waitFor();
    await page.reload();
    await page.locator("#verified-email").getByText(email).waitFor();
    await make.click();
    await page.getByRole("link", { name: "Later" }).click();
    await page.waitForURL(`${stage.served.baseUrl}/account`);
    assert.equal(
      await page.evaluate("fetch('/api/auth/session').then((a) => a.json()).then((b) => b.account.email)"),
      email,
    );
    assert.deepEqual(faults.filter((fault) => !fault.includes("401")), []);
    await context.close();
  });

  test("says that a code has expired, immediately if the page is loaded again", LIMIT, async () => {
    const visit = await askForCode();
    const { page, context } = visit;
    await page.clock.install();
    await page.clock.fastForward(5 * 60_000 + 1000);
    await check(page, await freshCode(visit));
    await page.getByRole("alert").getByText("This code has expired").waitFor();
    await page.reload();
    await page.getByRole("alert").getByText("This code has expired").waitFor();
    await context.close();
  });

  test("says one thing at a time when a new code was asked for too often", LIMIT, async () => {
    const visit = await askForCode();
    const { page, context } = visit;
    const resend = page.getByRole("button", { name: "Send a new code" });
    await resend.click();
    await page.getByRole("status").getByText("We sent a new code").waitFor();
    await page.route("**/api/auth/email-code", (route) =>
      route.fulfill({
        status: 429,
        contentType: "application/problem+json",
        headers: { "retry-after": "40" },
        body: JSON.stringify({ code: "rate_limited", detail: "Too many" }),
      }));
    await resend.click();
    await page.getByRole("alert").getByText("Too many attempts. Try again in 40 seconds.").waitFor();
    assert.equal(await page.getByRole("status").textContent(), "");
    await context.close();
  });
});
