import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { recoverTypedDataAddress } from "viem";
import { PERMIT2 } from "../album/scenes.ts";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "../support/browser.ts";
import { builtRuntime, startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";

const EMAIL = "ada@example.com";
/** In an hour by the machine's clock, which this service uses. */
const DOCUMENT = PERMIT2.replaceAll("1772668800", String(Math.floor(Date.now() / 1000) + 3600));

async function readCode(baseUrl: string): Promise<string> {
  const answer = await fetch(`${baseUrl}/dev/outbox`, { headers: { accept: "application/json" } });
  const { messages } = await answer.json() as { messages: { to: string; text: string }[] };
  const code = /\b\d{6}\b/.exec(messages.find(({ to }) => to === EMAIL)?.text ?? "")?.[0];
  assert.ok(code !== undefined, "the outbox has the code");
  return code;
}

async function signUp(page: Page, baseUrl: string): Promise<void> {
  // The IP address redirects to the host name to which passkeys are bound.
  await page.goto(`${baseUrl.replace("localhost", "127.0.0.1")}/`);
  await page.waitForURL(`${baseUrl}/`);
  await page.getByRole("link", { name: /create an account/i }).first().click();
  await page.getByLabel("E-mail address").fill(EMAIL);
  await page.getByRole("button", { name: "Send the code" }).click();
  const code = page.getByLabel("Code", { exact: true });
  await code.waitFor();
  await code.fill(await readCode(baseUrl));
  await page.getByRole("button", { name: "Check the code" }).click();
  await page.getByRole("button", { name: "Create a passkey" }).click();
  await page.getByRole("link", { name: "Later" }).click();
  await page.waitForURL(`${baseUrl}/keys`);
}

/**
 * Signs a Permit2 approval, starting at the list of keys. Returns the signature, its address and the number of clicks.
 */
async function signPermit2(page: Page): Promise<{ signature: string; address: string; clicks: number }> {
  let clicks = 0;
  const click = async (role: "link" | "button", name: string): Promise<void> => {
    clicks++;
    await page.getByRole(role, { name, exact: true }).click();
  };
  await click("link", "Sign something");
  await page.getByLabel("Message", { exact: true }).fill(DOCUMENT);
  await click("button", "Use it");
  await click("button", "Review");
  await page.locator("#review").getByText(/ to spend .* up to 250 USDC/).waitFor();
  await click("button", "Sign");
  await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
  const signature = await page.locator("#signature").textContent();
  const address = await page.locator("#key").getAttribute("data-address");
  assert.ok(signature && address);
  return { signature, address, clicks };
}

async function signOutAndIn(page: Page, baseUrl: string): Promise<void> {
  await page.locator(".menu > summary").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${baseUrl}/signed-out`);
  await page.goto(`${baseUrl}/keys`);
  await page.waitForURL(`${baseUrl}/sign-in?next=%2Fkeys`);
  // The page may have signed in already, because it offers passkeys in the address field from the start.
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

  // On Deno, because every other browser test uses Bun.
  const title =
    "comes to an empty folder, signs up, signs a Permit2, signs out, signs in again and archives the key";
  test(title, { timeout: 90_000 }, async () => {
    using folder = temporaryFolder();
    await using service = await startService({ runtime: builtRuntime("deno"), dataDir: folder.path });
    const { baseUrl } = service;
    const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
    page.setDefaultTimeout(20_000);
    const faults = collectPageFaults(page);
    await addVirtualAuthenticator(page);

    await signUp(page, baseUrl);
    const { signature, address, clicks } = await signPermit2(page);
    assert.ok(clicks < 8, `${clicks} clicks`);
    const { domain, ...document } = JSON.parse(DOCUMENT);
    // Viem omits a chain id that is not a number.
    const signed = { ...document, domain: { ...domain, chainId: Number(domain.chainId) }, signature };
    assert.equal(await recoverTypedDataAddress(signed), address);
    await signOutAndIn(page, baseUrl);
    await archive(page, baseUrl);

    assert.deepEqual(faults, []);
    await page.close();
  });
});
