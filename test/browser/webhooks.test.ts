import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };

describe("the form that adds a webhook, in a real browser", () => {
  const stage = useStage();

  test("adds it with a passkey if the sign-in is old, and shows its secret once", LIMIT, async () => {
    const { page } = await stage.newAccount();
    const { baseUrl, app } = stage.served;
    await page.goto(`${baseUrl}/developer/webhooks`);
    app.now += 11 * 60_000;
    await page.getByLabel("Address of your server").fill("http://localhost:9/in");
    await page.getByLabel("passkey_added").check();
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.getByText("The webhook was added.").waitFor();
    assert.match((await page.locator("#webhook-secret").textContent())!, /^whsec_[A-Za-z0-9+/]{43}=$/);
    await page.getByText("passkey_added, webhook_added").waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "http://localhost:9/in" }).waitFor();
    assert.equal(await page.locator("#webhook-secret").textContent(), "");
  });

  test("shows why an address is refused, and adds nothing", LIMIT, async () => {
    const { page } = await stage.newAccount();
    await page.goto(`${stage.served.baseUrl}/developer/webhooks`);
    await page.getByLabel("Address of your server").fill("ftp://localhost/in");
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.locator("#webhook-alert .danger").waitFor();
    assert.equal(await page.locator("#webhook-made").isVisible(), false);
    await page.getByText("There is no webhook.").waitFor();
  });
});
