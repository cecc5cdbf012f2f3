import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { recoverMessageAddress } from "viem";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "../support/browser.ts";
import { SERVICE_RUNTIMES, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const EMAIL = "ada@example.com";

async function readCode(baseUrl: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/dev/outbox`, { headers: { accept: "application/json" } });
  const { messages } = await answer.json() as { messages: { to: string; text: string }[] };
  const code = /\b\d{6}\b/.exec(messages.find(({ to }) => to === EMAIL)?.text ?? "")?.[0];
  assert.ok(code !== undefined, "the outbox has the code");
  return code;
}

async function signUp(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/`);
  await page.getByRole("link", { name: /make an account/i }).first().click();
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByRole("button", { name: "Send the code" }).click();
  const code = page.getByLabel("Code", { exact: true });
  await code.waitFor();
  await code.fill(await readCode(baseUrl));
  await page.getByRole("button", { name: "Check the code" }).click();
  await page.getByRole("button", { name: "Make a passkey" }).click();
  await page.getByRole("link", { name: "Later" }).click();
  await page.waitForURL(`${baseUrl}/keys`);
}

/** Signs a text on the key's page and answers the signature and the address it belongs to. */
async function signText(page: Page, text: string): Promise<{ signature: string; address: string }> {
  await page.getByRole("link", { name: "Key 1" }).click();
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Review" }).click();
  await page.locator("#review").getByText(text).waitFor();
  await page.getByRole("button", { name: "Sign", exact: true }).click();
  await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
  const signature = await page.locator("#signature").textContent();
  const address = await page.locator("#key").getAttribute("data-address");
  assert.ok(signature && address);
  return { signature, address };
}

async function signOutAndIn(page: Page, baseUrl: string): Promise<void> {
  await page.locator(".menu > summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${baseUrl}/signed-out`);
  await page.goto(`${baseUrl}/keys`);
  await page.waitForURL(`${baseUrl}/sign-in?next=%2Fkeys`);
  // The page may have signed in by itself: it offers passkeys in the address field from the start.
  const button = page.getByRole("button", { name: /passkey/i });
  await Promise.race([button.click().catch(() => {}), page.waitForURL(`${baseUrl}/keys`)]);
  await page.waitForURL(`${baseUrl}/keys`);
}

async function archive(page: Page, baseUrl: string): Promise<void> {
  await page.getByRole("link", { name: "Key 1" }).click();
  await page.getByRole("button", { name: "Archive…" }).click();
  await page.getByRole("button", { name: /^archive/i }).last().click();
  await page.getByText("This key is archived").waitFor();
  await page.goto(`${baseUrl}/keys`);
  assert.equal(await page.getByRole("link", { name: "Key 1" }).count(), 0);
  await page.getByRole("link", { name: "Show archived keys" }).click();
  await page.getByRole("link", { name: "Key 1" }).waitFor();
}

describe("a person in a real browser", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const runtime of SERVICE_RUNTIMES) {
    const title = "signs up, signs a message, signs out, signs in again and archives the key";
    test(`${title} (${runtime})`, { timeout: 90_000 }, async () => {
      using folder = temporaryFolder();
      await using service = await startService({ runtime, dataDir: folder.path });
      const { baseUrl } = service;
      const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
      page.setDefaultTimeout(20_000);
      const faults = collectPageFaults(page);
      await addVirtualAuthenticator(page);

      await signUp(page, baseUrl);
      const { signature, address } = await signText(page, "hello from a browser");
      const recovered = await recoverMessageAddress({
        message: "hello from a browser",
        signature: signature as `0x${string}`,
      });
      assert.equal(recovered, address);
      await signOutAndIn(page, baseUrl);
      await archive(page, baseUrl);

      assert.deepEqual(faults, []);
      await page.close();
    });
  }
});
