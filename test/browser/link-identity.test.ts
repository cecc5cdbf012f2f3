import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { goThrough, useIdentityService } from "../support/identity-service.ts";
import type { IdentityPage } from "../support/identity-service.ts";

const LIMIT = { timeout: 60_000 };

describe("another provider of an account, in a real browser", () => {
  const stage = useIdentityService();

  /** Creates an account with an identity of the provider, which then asks for the next identity again. */
  async function newPerson(name: string): Promise<IdentityPage> {
    const visit = await stage.newPage();
    const { page } = visit;
    await page.goto(`${stage.service.baseUrl}/sign-up`);
    await goThrough(page, `Continue as ${name}`);
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("link", { name: "Later" }).click();
    await page.waitForURL(`${stage.service.baseUrl}/keys`);
    await signOutOfProvider(page);
    return visit;
  }

  /** Signs the user out of the provider but not of this service. */
  async function signOutOfProvider(page: Page): Promise<void> {
    await page.context().clearCookies({ name: /^(?!service\.)/ });
  }

  async function link(page: Page, name: string): Promise<void> {
    await page.goto(`${stage.service.baseUrl}/account/settings`);
    await page.getByRole("button", { name: "Link Upstream", exact: true }).click();
    await page.getByRole("button", { name: `Continue as ${name}` }).click();
    await page.waitForURL(/\/account\/settings\?link=/);
  }

  test(
    "is unlinked and linked in the settings, and cannot be taken from another account",
    LIMIT,
    async () => {
      const { page, faults } = await newPerson("ada");
      await page.goto(`${stage.service.baseUrl}/account/settings`);
      await page.getByRole("button", { name: "Unlink Upstream" }).click();
      await page.getByText("No other provider is linked.").waitFor();
      await link(page, "grace");
      await page.getByText("Upstream is linked to your account.").waitFor();
      assert.equal(await page.locator("#identity-list li").count(), 1);

      const eve = await newPerson("hedy");
      await link(eve.page, "grace");
      await eve.page.getByText("belongs to another account here").waitFor();
      assert.equal(await eve.page.locator("#identity-list li").count(), 1, "her own");

      // With another authenticator, the provider's identity is not enough.
      const other = await stage.newPage();
      await other.page.goto(`${stage.service.baseUrl}/api/auth/identity/upstream?next=%2Faccount`);
      await other.page.getByRole("button", { name: "Continue as grace" }).click();
      await other.page.getByText("Upstream has confirmed who you are").waitFor();
      assert.equal(await other.page.evaluate("fetch('/api/keys').then(({ status }) => status)"), 401);
      assert.deepEqual([...faults, ...eve.faults], []);
      for (const visit of [page, eve.page, other.page]) await visit.context().close();
    },
  );
});
