import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const MINUTE = 60_000;
const NARROW = { version: 1, messages: { signIn: [{ domains: ["app.example.org"] }] }, delayHours: 24 };
const WIDE = { ...NARROW, raw: "allow" };

async function openKey(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/keys`);
  await page.getByRole("link", { name: "Key 1" }).first().click();
  await page.locator("#policy-form fieldset:enabled").waitFor({ state: "attached" });
}

/** Writes a policy into the form and saves it. */
async function savePolicy(page: Page, policy: unknown): Promise<void> {
  if (!await page.getByLabel("Policy, as JSON").isVisible()) {
    await page.locator("#policy-edit > summary").click();
  }
  await page.getByLabel("Policy, as JSON").fill(JSON.stringify(policy));
  await page.getByRole("button", { name: "Save the policy" }).click();
}

function messagesOf(page: Page): Promise<readonly string[]> {
  return page.locator("#policy > .policy-rules > li").allTextContents();
}

describe("the policy on a key's page in a real browser", () => {
  const stage = useStage();

  test("is set, loosened with a passkey, and the change cancelled without a script", LIMIT, async () => {
    const { baseUrl, app } = stage.served;
    const { page, context, faults } = await stage.newPerson();
    await openKey(page, baseUrl);
    await page.getByText("Anything that you ask for").waitFor();

    await savePolicy(page, NARROW);
    await page.locator("#policy > .policy-rules").waitFor();
    assert.ok((await messagesOf(page)).some((sentence) => sentence.includes("app.example.org")));

    app.now += 11 * MINUTE;
    await page.locator("#policy-form fieldset:enabled").waitFor({ state: "attached" });
    await savePolicy(page, WIDE);
    await page.getByRole("heading", { name: "A looser policy is pending" }).waitFor();
    assert.ok((await page.locator("#policy .notice").first().textContent())?.includes("raw bytes"));
    assert.ok(!(await messagesOf(page)).some((sentence) => sentence.includes("raw bytes")));

    // The page also works without JavaScript.
    const bare = await stage.browser.newContext({ javaScriptEnabled: false });
    await bare.addCookies(await context.cookies());
    const plain = await bare.newPage();
    await plain.goto(page.url());
    assert.ok((await messagesOf(plain)).length > 0);
    await plain.getByRole("button", { name: "Cancel the change" }).click();
    await plain.waitForURL(/#policy$/);
    assert.equal(await plain.getByRole("button", { name: "Cancel the change" }).count(), 0);
    assert.ok(!(await messagesOf(plain)).some((sentence) => sentence.includes("raw bytes")));
    await bare.close();
    // A change that requires a passkey is refused first.
    assert.ok(faults.every((fault) => fault.includes("403")), faults.join());
    await context.close();
  });

  test("is locked only after a second confirmation, and is shown as locked", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page, stage.served.baseUrl);
    const locked = { ...NARROW, locked: true };
    await savePolicy(page, locked);
    const dialog = page.getByRole("dialog", { name: "Lock this policy forever?" });
    await dialog.waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.reload();
    await page.getByText("Anything that you ask for").waitFor();

    await page.locator("#policy-form fieldset:enabled").waitFor({ state: "attached" });
    await savePolicy(page, locked);
    await dialog.getByRole("button", { name: "Lock it forever" }).click();
    await page.locator("#policy .badge", { hasText: "Locked" }).waitFor();
    assert.equal(await page.locator("#policy-remove").count(), 0);

    await page.locator("#policy-form fieldset:enabled").waitFor({ state: "attached" });
    await savePolicy(page, { ...locked, raw: "allow" });
    await page.locator("#policy-alert").getByText("it is locked").waitFor();
    await context.close();
  });

  test(
    "shows where a policy is wrong, its rules and decisions, and templates that are right",
    LIMIT,
    async () => {
      const { page, context } = await stage.newPerson();
      await openKey(page, stage.served.baseUrl);
      await savePolicy(page, { version: 1, delayHours: 1000 });
      await page.locator("#policy-alert").getByText("/policy/delayHours").waitFor();
      await page.getByLabel("Begin with").selectOption({ label: "Sign in to one site" });
      await page.locator("#policy-rules").getByText("May sign in to app.example.com.").waitFor();
      await page.getByText("A looser policy takes effect after 24 hours.").waitFor();
      await page.getByRole("button", { name: "Add a rule" }).click();
      await page.getByLabel("It may").selectOption("Ask me about everything else");
      await page.getByRole("button", { name: "Save the rule" }).click();
      await page.locator("#policy-rules").getByText("Asks you about everything else.").waitFor();
      await page.getByText("Try the policy").click();
      await page.getByLabel("A request").fill("hello");
      await page.getByRole("button", { name: "Decide" }).click();
      await page.locator("#policy-decision").getByText("You are asked.").waitFor();
      const text = await page.getByLabel("Policy, as JSON").inputValue();
      assert.equal(JSON.parse(text).messages.signIn.length, 1);
      await page.getByRole("button", { name: "Save the policy" }).click();
      await page.locator("#policy > .policy-rules").waitFor();
      await context.close();
    },
  );
});
