import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const OTHER = "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB";

async function openKey(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/keys`);
  await page.getByRole("link", { name: "Key 1" }).click();
  await page.locator("#message:enabled").waitFor();
}

async function review(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("heading", { name: "What will be signed" }).waitFor();
}

async function sign(page: Page): Promise<void> {
  await review(page);
  await page.locator("#sign-button:enabled").click();
  await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
}

/** Returns the kind and the text of the form. */
async function formOf(page: Page): Promise<readonly (string | null)[]> {
  await page.locator("#message:enabled").waitFor();
  const kind = await page.locator("input[name=kind]:checked").getAttribute("value");
  return [kind, await page.locator("#message").inputValue()];
}

describe("the draft on a key's page, in a real browser", () => {
  const stage = useStage();

  test("survives a reload and Back, and the account's other key has its own", LIMIT, async () => {
    const { page, context, faults } = await stage.newPerson();
    const { baseUrl } = stage.served;
    await page.goto(`${baseUrl}/keys`);
    await page.getByText("New key", { exact: true }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.waitForURL(/\/keys\/key_/);
    await openKey(page, baseUrl);
    await page.getByText("Typed data", { exact: true }).click();
    await page.locator("#message").fill('{"half": ');
    await page.reload();
    assert.deepEqual(await formOf(page), ["typed_data", '{"half": ']);
    assert.equal(await page.locator("#message-label").textContent(), "Typed data as JSON");
    assert.equal(await page.locator("#draft-status").textContent(), "What you entered is still here.");
    await page.setViewportSize({ width: 320, height: 740 });

    await page.goto(`${baseUrl}/keys`);
    await page.getByRole("link", { name: "Key 2" }).click();
    assert.deepEqual(await formOf(page), ["personal_sign", ""]);
    assert.equal(await page.locator("#draft-status").textContent(), "");
    await page.goBack();
    await page.getByRole("link", { name: "Key 1" }).waitFor();
    await page.goBack();
    assert.deepEqual(await formOf(page), ["typed_data", '{"half": ']);

    // Clearing the field deletes the draft.
    await page.locator("#message").fill("");
    assert.equal(await page.locator("#draft-status").textContent(), "");
    await page.reload();
    assert.deepEqual(await formOf(page), ["personal_sign", ""]);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test("survives the end of the session, which the page reports, and nothing is signed", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    const { baseUrl } = stage.served;
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false);
    });
    await openKey(page, baseUrl);
    const { pathname } = new URL(page.url());
    for (const step of ["review", "sign"]) {
      await page.locator("#message").fill(`a long text, lost at ${step}`);
      if (step === "sign") await review(page);
      await context.clearCookies();
      await page.locator(step === "sign" ? "#sign-button:enabled" : "#sign-form button[type=submit]").click();
      await page.waitForURL(`${baseUrl}/sign-in?next=${encodeURIComponent(pathname)}`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.waitForURL(baseUrl + pathname);
      assert.deepEqual(await formOf(page), ["personal_sign", `a long text, lost at ${step}`]);
      await page.locator("#draft-status").getByText("Your session had ended, so nothing was signed.")
        .waitFor();
      assert.ok(await page.locator("#signed").isHidden());
      assert.ok(await page.locator("#review").isHidden());
    }
    await page.reload();
    assert.equal(await page.locator("#draft-status").textContent(), "What you entered is still here.");
    await sign(page);
    await context.close();
  });

  test("is deleted when it is signed, and by signing out", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    const { baseUrl } = stage.served;
    await openKey(page, baseUrl);
    await page.locator("#message").fill("signed and done");
    await sign(page);
    await page.reload();
    assert.deepEqual(await formOf(page), ["personal_sign", ""]);
    await page.locator("#message").fill("not for the next one here");
    await page.locator(".menu > summary").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${baseUrl}/signed-out`);
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
    await context.close();
  });

  test("keeps the warnings about it", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page, stage.served.baseUrl);
    const request = { method: "personal_sign", params: ["0x68656c6c6f", OTHER] };
    await page.locator("#message").fill(JSON.stringify(request));
    await page.getByRole("button", { name: "Use it" }).click();
    await page.reload();
    assert.deepEqual(await formOf(page), ["personal_sign", "hello"]);
    assert.ok(await page.locator("#offer .danger").getByText(OTHER).isVisible());
    await context.close();
  });

  test("is named by its signature, which goes when the text or its kind is changed", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page, stage.served.baseUrl);
    const again = page.getByRole("button", { name: "New message" });
    const changes = [
      () => page.locator("#message").pressSequentially("!"),
      () => page.getByText("Digest", { exact: true }).first().click(),
    ];
    for (const change of changes) {
      await page.getByText("Text", { exact: true }).click();
      await page.locator("#message").fill(`evil\u202Etext ${"é".repeat(100)}`);
      await sign(page);
      const what = `“evilU+202Etext ${"é".repeat(80 - 10)}…”`;
      assert.equal(await page.locator("#signed-what").textContent(), what);
      await page.setViewportSize({ width: 390, height: 740 });
      assert.ok(await page.locator("#message").isHidden(), "in the place of the form");
      await again.click();
      assert.ok(await page.locator("#message:focus").isVisible());
      await change();
      assert.ok(await page.locator("#signed").isHidden());
      assert.equal(await page.locator("#signature").count(), 0);
    }
    await context.close();
  });
});
