import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { makeAccount } from "../support/made-account.ts";

const LIMIT = { timeout: 60_000 };
const MINUTE = 60_000;

/** Opens the only key's page and forbids blind signatures. */
async function openGuardedKey(page: Page, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/keys`);
  await page.getByRole("link", { name: "Key 1" }).click();
  await page.locator("#blind-signing:enabled").waitFor();
  await chooseBlindSigning(page, "deny");
  await page.getByText("Blind signing saved.").waitFor();
}

async function chooseBlindSigning(page: Page, setting: string): Promise<void> {
  await page.getByLabel("Blind signing", { exact: true }).selectOption(setting);
  await page.getByRole("button", { name: "Save blind signing" }).click();
}

async function savedBlindSigning(page: Page): Promise<string> {
  await page.reload();
  return await page.getByLabel("Blind signing", { exact: true }).inputValue();
}

/** Records the page's calls of the sign-in API from now on, with their action. */
function recordConfirming(page: Page): readonly string[] {
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (!/^\/api\/auth\/(?:step-up|passkey)/.test(pathname)) return;
    calls.push(`${pathname.slice("/api/auth/".length)} ${JSON.parse(request.postData() ?? "{}").action}`);
  });
  return calls;
}

// The tests set the service's clock, so that they need not wait until a sign-in is old.
describe("loosening a key's settings in a real browser", () => {
  const stage = useStage();

  test("is confirmed by the signed-in user, though the authenticator has two accounts", LIMIT, async () => {
    const { baseUrl } = stage.served;
    const first: Visit = await stage.newPerson();
    const { page, context, authenticator } = first;
    await openGuardedKey(page, baseUrl);
    const firstState = { url: page.url(), cookies: await context.cookies() };
    await context.clearCookies();
    const second: Visit = { ...first, email: `second-${first.email}` };
    await makeAccount(stage.served, second);
    await openGuardedKey(page, baseUrl);
    const secondState = { url: page.url(), cookies: await context.cookies() };
    const owners = (await authenticator.credentials()).map(({ userHandle }) => userHandle);
    assert.equal(new Set(owners).size, 2, "passkeys of two accounts");

    stage.served.app.now += 11 * MINUTE;
    // For both accounts, so that the passkey that an authenticator prefers is not always the right one.
    for (const [visit, state] of [[second, secondState], [first, firstState]] as const) {
      await context.clearCookies();
      await context.addCookies([...state.cookies]);
      await page.goto(state.url);
      await page.locator("#blind-signing:enabled").waitFor();
      const calls = recordConfirming(page);
      await chooseBlindSigning(page, "allow");
      // The page continues by itself.
      await page.getByText("Blind signing saved.").waitFor();
      const action = `loosen_key:${await page.locator("#key").getAttribute("data-key-id")}`;
      assert.deepEqual(calls, [`step-up/options ${action}`, `step-up ${action}`]);
      assert.equal(await savedBlindSigning(page), "allow");
      assert.ok(await page.locator(".account-email").getByText(visit.email, { exact: true }).count() === 1);
      page.removeAllListeners("request");
    }
    await context.close();
  });

  test("is not done when it is not confirmed, and can be tried again", LIMIT, async () => {
    const { page, context, authenticator } = await stage.newPerson();
    await openGuardedKey(page, stage.served.baseUrl);
    stage.served.app.now += 11 * MINUTE;
    await authenticator.setUserVerified(false);
    await chooseBlindSigning(page, "guard");
    await page.locator("#settings-alert").getByText("Not confirmed").waitFor();
    assert.equal(await page.locator("#settings-status").textContent(), "");
    assert.equal(await savedBlindSigning(page), "deny");
    await authenticator.setUserVerified(true);
    await chooseBlindSigning(page, "guard");
    await page.getByText("Blind signing saved.").waitFor();
    assert.equal(await savedBlindSigning(page), "guard");
    await context.close();
  });

  test("applies the requested setting, though the form is changed meanwhile", LIMIT, async () => {
    const { page, context } = await stage.newPerson();
    await openGuardedKey(page, stage.served.baseUrl);
    stage.served.app.now += 11 * MINUTE;
    const changed = Promise.withResolvers<void>();
    await page.route("**/api/auth/step-up/options", async (route) => {
      await changed.promise;
      await route.continue();
    });
    await chooseBlindSigning(page, "guard");
    await page.locator("#settings-status").getByText("Confirm with one of your passkeys").waitFor();
    await page.getByLabel("Blind signing", { exact: true }).selectOption("allow");
    changed.resolve();
    await page.getByText("Blind signing saved.").waitFor();
    assert.equal(await savedBlindSigning(page), "guard");
    await context.close();
  });
});
