import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { PERMIT2 } from "../album/scenes.ts";
import { useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };

/** Typed data with a list of so many texts. */
function listOf(length: number): string {
  return JSON.stringify({
    types: { Ballot: [{ name: "names", type: "string[]" }] },
    primaryType: "Ballot",
    domain: { name: "Ballots", chainId: 1, verifyingContract: `0x${"11".repeat(20)}` },
    message: { names: Array.from({ length }, (_, index) => `name ${index + 1}`) },
  });
}

describe("a review on a key's page, in a real browser", () => {
  const stage = useStage();

  async function openKey(page: Page): Promise<void> {
    await page.goto(`${stage.served.baseUrl}/keys`);
    await page.getByRole("link", { name: "Key 1" }).click();
    await page.locator("#message:enabled").waitFor();
  }

  async function write(page: Page, kind: string, text: string): Promise<void> {
    await page.getByText(kind, { exact: true }).click();
    await page.locator("#message").fill(text);
  }

  test("of a Permit2 approval is under eight clicks from sign-up to the signature", LIMIT, async () => {
    const { page, context, faults } = await stage.newPerson();
    let clicks = 0;
    const click = async (name: string, role: "button" | "link"): Promise<void> => {
      clicks++;
      await page.getByRole(role, { name, exact: true }).click();
    };
    await page.goto(`${stage.served.baseUrl}/keys`);
    await click("Key 1", "link");
    await page.locator("#message:enabled").fill(PERMIT2);
    await click("Use it", "button");
    await click("Review", "button");
    const intent = page.locator("#review-intent .intent");
    await intent.getByText(/Allow 0xE592427A0AEce92De3Edee1F18E0157C05861564 to spend .* up to 250 USDC/)
      .waitFor();
    assert.ok(await page.locator("#review-fields").isHidden(), "folded away");
    assert.ok(await page.locator("#sign-form").isHidden(), "in the place of the form");
    await page.locator("#sign-button:enabled").waitFor();
    await click("Sign", "button");
    await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
    assert.match(await page.locator("#signed .signed-what").innerText(), /up to 250 USDC.* with Key 1$/);
    await page.locator("#signature-list .audit-event").waitFor();
    await page.locator("#last-signature time").waitFor();
    assert.ok(clicks < 8, `${clicks} clicks`);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(
    "does not close the menu or move the focus while the list of signatures loads",
    LIMIT,
    async () => {
      const { page, context } = await stage.newPerson();
      await openKey(page);
      const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
      await page.route(page.url(), async (route) => {
        await isOpen;
        await route.continue();
      });
      await page.locator("#message").fill("hello");
      await page.getByRole("button", { name: "Review" }).click();
      await page.getByRole("button", { name: "Sign", exact: true }).click();
      await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
      await page.locator(".menu > summary").click();
      open();
      await page.locator("#signature-list .audit-event").waitFor();
      assert.ok(await page.getByRole("button", { name: "Sign out" }).isVisible());
      assert.equal(await page.evaluate("document.activeElement.nodeName"), "SUMMARY");
      await context.close();
    },
  );

  test("goes by keyboard: Control and Enter to it, Escape back to where one was", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page);
    await page.locator("#message").fill("by keyboard");
    await page.locator("#message").press("Control+Enter");
    await page.locator("#review:focus").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#message:focus").waitFor();
    assert.ok(await page.locator("#review").isHidden());
    assert.equal(await page.locator("#message").inputValue(), "by keyboard");
    await context.close();
  });

  test(
    "keeps the key and its buttons in view however much there is to read, at every width",
    LIMIT,
    async () => {
      const { page, context } = await stage.newPerson();
      await openKey(page);
      await write(page, "Text", "a line\n".repeat(200));
      await page.getByRole("button", { name: "Review" }).click();
      await page.locator("#sign-button:enabled").waitFor();
      const address = await page.locator("#key").getAttribute("data-address");
      for (const width of [320, 390, 768, 1280]) {
        await page.setViewportSize({ width, height: 740 });
        for (const place of ["#review-title", "#review-tree"]) {
          await page.locator(place).evaluate((element) => element.scrollIntoView({ block: "start" }));
          const bar = (await page.locator(".sign-bar").boundingBox())!;
          assert.ok(bar.y > 0 && bar.y + bar.height <= 740, `${width} ${place} ${bar.y}`);
          assert.ok(bar.height < 200, `${width} ${bar.height}`);
        }
      }
      const bar = page.locator(".sign-bar");
      assert.ok(await bar.getByText("Key 1", { exact: true }).isVisible());
      assert.equal(await bar.locator("code").getAttribute("title"), address);
      await context.close();
    },
  );

  test("folds a list of more than 20, and shows all of it on request", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openKey(page);
    await write(page, "Typed data", listOf(900));
    await page.getByRole("button", { name: "Review" }).click();
    const fields = page.locator("#review-fields");
    await fields.getByText("name 20", { exact: true }).waitFor();
    assert.ok(await fields.getByText("name 21", { exact: true }).isHidden());
    await fields.getByText("Show all 900", { exact: true }).focus();
    await page.keyboard.press("Enter");
    assert.ok(await fields.getByText("name 900", { exact: true }).isVisible());
    // A user who pressed it by keyboard continues below it.
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Show all 900");
    await context.close();
  });
});

describe("the list of keys in a real browser", () => {
  const stage = useStage();

  test(
    "copies an address, finds keys, sorts and pages them, and says why there are none",
    LIMIT,
    async () => {
      const { page, context, faults } = await stage.newPerson();
      const { baseUrl } = stage.served;
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.goto(`${baseUrl}/keys`);
      await page.getByRole("button", { name: "Copy the address of Key 1" }).click();
      await page.getByText("Copied", { exact: true }).waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^0x[0-9A-Fa-f]{40}$/);
      await page.evaluate(async () => {
        const headers = { "content-type": "application/json" };
        for (let index = 0; index < 6; index++) {
          await fetch("/api/keys/generate", { method: "POST", headers, body: "{}" });
        }
      });
      await page.getByText("New key", { exact: true }).click();
      await page.locator("#label:focus").fill("Treasury");
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/keys\/key_/);
      await page.getByText("QR code of the address").click();
      assert.ok(await page.getByRole("img", { name: "QR code of the address" }).isVisible());
      await page.goto(`${baseUrl}/keys`);
      const drawings = await page.locator(".key-item .identicon").evaluateAll((all) =>
        all.map((one) => one.innerHTML)
      );
      assert.equal(new Set(drawings).size, 8, "each address has a drawing of its own");
      for (const width of [320, 390, 768, 1280]) {
        await page.setViewportSize({ width, height: 740 });
        const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
        assert.equal(scrollWidth, clientWidth, `${width}`);
      }
      await page.getByLabel("Label or address").fill("treas");
      await page.keyboard.press("Enter");
      await page.waitForURL(/q=treas/);
      assert.equal(await page.locator(".key-item").count(), 1);
      await page.getByLabel("Label or address").fill("nothing");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByText("No key has “nothing” in its label or address.").waitFor();
      await page.getByRole("link", { name: "Show all keys" }).click();
      assert.equal(await page.locator(".key-item").count(), 8);

      await page.evaluate(async () => {
        const headers = { "content-type": "application/json" };
        const ask = { method: "POST", headers, body: "{}" };
        await Promise.all(Array.from({ length: 43 }, () => fetch("/api/keys/generate", ask)));
      });
      await page.getByLabel("Order").selectOption({ label: "By name" });
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.getByText("Page 1 of 2, 51 keys").waitFor();
      assert.equal(await page.locator(".key-item").count(), 50);
      await page.getByRole("link", { name: "Next" }).click();
      await page.getByText("Page 2 of 2, 51 keys").waitFor();
      assert.deepEqual(await page.locator(".key-row").allInnerTexts(), ["Treasury"]);
      assert.deepEqual(faults, []);
      await context.close();
    },
  );
});
