import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisit, openAccount, takeSecurityKey, useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { readCode } from "../support/client.ts";
import { cancelLink, HOUR, pass, readProof } from "../support/recovery.ts";

const LIMIT = { timeout: 90_000 };

async function assertNoScroll(page: Page, name: string): Promise<void> {
  const size = page.viewportSize()!;
  for (const [width, scheme] of [[320, "light"], [320, "dark"], [1280, "light"]] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme: scheme });
    const overflow = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
    assert.equal(overflow, 0, `${name} at ${width}`);
  }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: "light" });
}

describe("a lost passkey, in a real browser", () => {
  const stage = useStage();

  /** Creates an account up to the page that offers recovery settings. */
  async function signUpTo(visit: Visit): Promise<void> {
    const { page, email } = visit;
    await page.goto(`${stage.served.baseUrl}/sign-up`);
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    await code.fill(await readCode(stage.served.app.client(), email));
    await page.getByRole("button", { name: "Check the code" }).click();
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("heading", { name: "Set up account recovery" }).waitFor();
  }

  async function makeCodes(page: Page): Promise<readonly string[]> {
    await page.getByRole("button", { name: /^Create (?:new )?recovery codes$/ }).click();
    await page.getByText("The codes were created.").waitFor();
    return (await page.locator("#code-list").textContent())!.split("\n");
  }

  /** Types the newest code. Waits until it was sent, because an earlier mail would be read otherwise. */
  async function typeProof(page: Page, email: string): Promise<void> {
    const code = page.getByLabel("Code from the mail");
    await code.waitFor();
    await code.fill(await readProof(stage.served.app.client(), email));
  }

  async function beginAt({ page }: Visit, email: string, recoveryCode: string): Promise<void> {
    const { app, baseUrl } = stage.served;
    app.now += 1000; // mails are ordered by time
    await page.goto(`${baseUrl}/sign-in`);
    await page.getByRole("link", { name: "Lost your passkey?" }).click();
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    await typeProof(page, email);
    await page.locator("#recovery-code").fill(recoveryCode);
    await page.getByRole("button", { name: "Begin the recovery" }).click();
  }

  async function nameOfKeys(page: Page): Promise<readonly string[]> {
    await page.goto(`${stage.served.baseUrl}/keys`);
    return (await page.getByRole("link", { name: /^Key \d/ }).allTextContents()).map((name) => name.trim());
  }

  test(
    "codes are kept after sign-up, and bring back the account with another authenticator",
    LIMIT,
    async () => {
      const { app, baseUrl } = stage.served;
      const owner = await newVisit(stage.browser);
      await signUpTo(owner);
      await assertNoScroll(owner.page, "way-back-new");
      const codes = await makeCodes(owner.page);
      assert.equal(codes.length, 8);
      assert.equal(new Set(codes).size, 8);
      for (const code of codes) assert.match(code, /^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
      await assertNoScroll(owner.page, "way-back-codes");
      await owner.page.getByRole("link", { name: "Continue" }).click();
      await owner.page.waitForURL(`${baseUrl}/keys`);
      await owner.page.goto(`${baseUrl}/account/recovery`);
      await owner.page.getByText("8 of 8 codes are left").waitFor();
      assert.ok(!(await owner.page.content()).includes(codes[0]!), "they are shown once");

      // Another browser, with another authenticator.
      const other = await newVisit(stage.browser, { viewport: { width: 320, height: 740 } });
      await other.page.goto(`${baseUrl}/recover`);
      await other.page.locator("#email:enabled").waitFor();
      await assertNoScroll(other.page, "recover-begin");
      await beginAt(other, owner.email, "0000-0000-0000-0000");
      await other.page.getByRole("alert").getByText("These codes do not recover an account").waitFor();
      await assertNoScroll(other.page, "recover-refused");
      await other.page.locator("#recovery-code").fill(codes[0]!.toLowerCase());
      await other.page.getByRole("button", { name: "Begin the recovery" }).click();
      await other.page.getByRole("heading", { name: "Your recovery is pending" }).waitFor();
      await assertNoScroll(other.page, "recover-waits");

      await pass(app, 72 * HOUR);
      await other.page.reload();
      await other.page.getByRole("heading", { name: "Create a new passkey" }).waitFor();
      await assertNoScroll(other.page, "recover-ready");
      await other.page.getByLabel("E-mail address").fill(owner.email);
      await other.page.getByRole("button", { name: "Send the code" }).click();
      await typeProof(other.page, owner.email);
      // Cancelled at first. The code is used, but the passkey can still be added.
      await other.authenticator.setUserVerified(false);
      await other.page.getByRole("button", { name: "Create a new passkey" }).click();
      await other.page.getByRole("alert").getByText("No passkey was created").waitFor();
      await other.authenticator.setUserVerified(true);
      await other.page.getByRole("button", { name: "Create a new passkey" }).click();
      await other.page.waitForURL(`${baseUrl}/account`);
      assert.deepEqual(await nameOfKeys(other.page), ["Key 1"]);
      await other.page.goto(`${baseUrl}/account/recovery`);
      await other.page.getByText("Your account was recovered recently.").waitFor();
      await assertNoScroll(other.page, "way-back-settling");
      await other.page.getByRole("button", { name: "Create new recovery codes" }).click();
      await other.page.getByRole("alert").getByText("recovered recently").waitFor();

      await owner.page.goto(`${baseUrl}/keys`);
      await owner.page.waitForURL(/\/sign-in/);
      await owner.page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await owner.page.getByRole("alert").getByText("This passkey was removed").waitFor();
      assert.deepEqual([...owner.faults, ...other.faults].filter((fault) => !/40[134]/.test(fault)), []);
      await owner.context.close();
      await other.context.close();
    },
  );

  test("a second passkey is made after sign-up, on another authenticator", LIMIT, async () => {
    const { baseUrl } = stage.served;
    const owner = await newVisit(stage.browser);
    await signUpTo(owner);
    await takeSecurityKey(owner);
    await owner.page.getByRole("button", { name: "Add a passkey" }).click();
    await owner.page.getByText(/was added\./).waitFor();
    await owner.page.getByRole("link", { name: "Continue" }).click();
    await owner.page.waitForURL(`${baseUrl}/keys`);
    await openAccount({ baseUrl }, owner.page);
    assert.equal(await owner.page.locator("#passkey-list h3").count(), 2);
    assert.deepEqual(owner.faults, []);
    await owner.context.close();
  });

  test("is cancelled by the button behind the mail's link, and by a sign-in", LIMIT, async () => {
    const { app, baseUrl } = stage.served;
    const owner = await newVisit(stage.browser);
    await signUpTo(owner);
    const codes = await makeCodes(owner.page);
    const thief = await newVisit(stage.browser);
    await beginAt(thief, owner.email, codes[0]!);
    await thief.page.getByRole("heading", { name: "Your recovery is pending" }).waitFor();
    await owner.page.goto(`${baseUrl}/account/recovery`);
    await owner.page.getByRole("heading", { name: "A recovery of your account is pending" }).waitFor();
    await assertNoScroll(owner.page, "way-back-waits");

    const reader = await newVisit(stage.browser);
    const { pathname, search } = new URL(await cancelLink(app.client(), owner.email), baseUrl);
    await reader.page.goto(baseUrl + pathname + search);
    await reader.page.getByRole("heading", { name: "Cancel the recovery?" }).waitFor();
    await assertNoScroll(reader.page, "recover-cancel");
    await reader.page.getByRole("button", { name: "Cancel the recovery" }).click();
    await reader.page.getByRole("heading", { name: "The recovery is cancelled" }).waitFor();
    await assertNoScroll(reader.page, "recover-cancelled");
    await reader.page.getByRole("link", { name: "Sign in and check account recovery" }).click();
    await reader.page.waitForURL(/\/sign-in\?next=%2Faccount%2Frecovery/);
    await thief.page.reload();
    await thief.page.getByRole("heading", { name: "Lost your passkey?" }).waitFor();

    await beginAt(thief, owner.email, codes[1]!);
    await thief.page.getByRole("heading", { name: "Your recovery is pending" }).waitFor();
    await owner.page.goto(`${baseUrl}/account/recovery`);
    await owner.page.getByRole("button", { name: "Cancel the recovery" }).click();
    await owner.page.getByRole("heading", { name: "A recovery of your account is pending" })
      .waitFor({ state: "detached" });
    await beginAt(thief, owner.email, codes[2]!);
    await thief.page.getByRole("heading", { name: "Your recovery is pending" }).waitFor();
    await owner.context.clearCookies();
    await owner.page.goto(`${baseUrl}/sign-in?next=%2Faccount%2Frecovery`);
    await Promise.race([
      owner.page.getByRole("button", { name: "Sign in with a passkey" }).click().catch(() => {}),
      owner.page.waitForURL(`${baseUrl}/account/recovery`),
    ]);
    await owner.page.waitForURL(`${baseUrl}/account/recovery`);
    assert.equal(
      await owner.page.getByRole("heading", { name: "A recovery of your account is pending" }).count(),
      0,
    );
    await thief.page.reload();
    await thief.page.getByRole("heading", { name: "Lost your passkey?" }).waitFor();
    for (const { context } of [owner, thief, reader]) await context.close();
  });

  test("takes what the owner chose, which is changed with a passkey", LIMIT, async () => {
    const { app, baseUrl } = stage.served;
    const owner = await newVisit(stage.browser);
    await signUpTo(owner);
    app.now += 11 * 60_000;
    await owner.page.goto(`${baseUrl}/account/recovery`);
    await owner.page.getByLabel("Delay of a recovery").selectOption({ label: "7 days" });
    await owner.page.getByLabel("A code from my mailbox is enough").check();
    await owner.page.getByRole("button", { name: "Save" }).click();
    await owner.page.getByText("Saved.").waitFor();
    await owner.page.reload();
    assert.equal(await owner.page.getByLabel("Delay of a recovery").inputValue(), "168");
    assert.ok(await owner.page.getByLabel("A code from my mailbox is enough").isChecked());
    await assertNoScroll(owner.page, "way-back-choices");
    await owner.context.close();
  });
});
