import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namesOf, newVisitWithTwo, useStage } from "../support/account-story.ts";
import { addVirtualAuthenticator } from "../support/browser.ts";

const LIMIT = { timeout: 60_000 };
const MINUTE = 60_000;

// The tests set the service's clock, so that they need not wait until a sign-in is old.
describe("acts that need a fresh sign-in, on the account page in a real browser", () => {
  const stage = useStage();

  test("ask for a passkey in the middle of adding, and go on with what was typed", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { page, context, authenticator } = visit;
    stage.served.app.now += 11 * MINUTE;
    await authenticator.setUserVerified(false);
    const name = page.getByLabel("Name of a new passkey");
    await name.fill("Blue key");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByRole("alert").getByText("Not confirmed").waitFor();
    assert.equal(await name.inputValue(), "Blue key");
    assert.deepEqual(await namesOf(page), ["Passkey 1"]);

    await authenticator.setUserVerified(true);
    // One authenticator confirms, the other gets the new passkey as soon as the step-up is answered.
    const key = await addVirtualAuthenticator(page, { transport: "usb" });
    await key.setPresent(false);
    await page.route("**/api/auth/step-up", async (route) => {
      const answer = await route.fetch();
      await authenticator.setPresent(false);
      await key.setPresent(true);
      await route.fulfill({ response: answer });
    });
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("“Blue key” was added.").waitFor();
    assert.deepEqual(await namesOf(page), ["Passkey 1", "Blue key"]);
    await context.close();
  });

  test("ask for a passkey in the middle of deleting; cancelled, all is as it was", LIMIT, async () => {
    const visit = await newVisitWithTwo(stage.browser, stage.served);
    const { page, context, authenticator } = visit;
    stage.served.app.now += 11 * MINUTE;
    await page.getByLabel("Name of a new passkey").fill("half typed");
    const steps: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/auth/step-up")) steps.push(request.postData()!);
    });
    await authenticator.setUserVerified(false);
    await page.getByRole("button", { name: "Delete Blue key" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete" });
    await confirm.click();
    await page.getByRole("dialog").getByRole("alert").getByText("Not confirmed, so nothing has changed")
      .waitFor();
    assert.deepEqual(await namesOf(page), ["Passkey 1", "Blue key"]);
    await authenticator.setUserVerified(true);
    await confirm.click();
    await page.getByText("“Blue key” was deleted.").waitFor();
    assert.deepEqual(await namesOf(page), ["Passkey 1"]);
    assert.equal(await page.getByLabel("Name of a new passkey").inputValue(), "half typed");
    assert.equal(steps.length, 3, "options, options, answer");
    for (const step of steps) assert.match(JSON.parse(step).action, /^delete_passkey:passkey_[0-9a-v]{26}$/);
    await context.close();
  });

  test("delete nothing when the dialog is closed while the browser asks for a passkey", LIMIT, async () => {
    const visit = await newVisitWithTwo(stage.browser, stage.served);
    const { page, context, authenticator } = visit;
    stage.served.app.now += 11 * MINUTE;
    await authenticator.setPresent(false);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const button = page.getByRole("button", { name: "Delete Blue key" });
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete" });
    for (const close of ["Cancel", "Escape"]) {
      await button.click();
      await confirm.click();
      await page.locator("#delete-status").getByText("Confirm with one of your passkeys").waitFor();
      if (close === "Escape") await page.keyboard.press("Escape");
      else await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("dialog").waitFor({ state: "hidden" });
      await page.locator("#delete-form button[aria-busy]").waitFor({ state: "detached" });
    }
    await authenticator.setPresent(true);
    await button.click();
    assert.equal(await page.locator("#delete-alert").textContent(), "");
    assert.equal(requests.filter((line) => line === "POST /api/auth/step-up").length, 0);
    await confirm.click();
    await page.getByText("“Blue key” was deleted.").waitFor();
    assert.equal(requests.filter((line) => line === "POST /api/auth/step-up").length, 1);
    await context.close();
  });
});
