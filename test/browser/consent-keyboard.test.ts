import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newVisit, useStage } from "../support/account-story.ts";
import { tabTo } from "../support/browser.ts";
import { readCode } from "../support/client.ts";
import { authorizePath, exchange, pkcePair, providerAt, registerClient } from "../support/oauth.ts";
import { answerInPlaceOf } from "../support/relying-party.ts";

const LIMIT = { timeout: 60_000 };
const APPLICATION = "https://books.example";

describe("a new user whom an application sends here, by keyboard alone", () => {
  const stage = useStage();

  test("makes an account, reads what is asked, and goes back with a code or a refusal", LIMIT, async () => {
    const { served } = stage;
    const provider = providerAt(served.baseUrl);
    const client = await registerClient(provider, { name: "Books" });
    const { context, page, email, faults } = await newVisit(stage.browser);
    await answerInPlaceOf(page, APPLICATION);
    const pkce = pkcePair();
    await page.goto(served.baseUrl + authorizePath(client, pkce));
    await tabTo(page, 'main a[href^="/sign-up"]');
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/sign-up/);
    await tabTo(page, "#email:enabled");
    await page.keyboard.type(email);
    await page.keyboard.press("Enter");
    await page.locator("#code:focus").waitFor();
    await page.keyboard.type(await readCode(served.app.client(), email));
    await page.keyboard.press("Enter");
    await page.locator("#passkey-form button:focus").waitFor();
    await page.keyboard.press("Enter");

    await page.waitForURL(/\/account\/recovery/);
    await tabTo(page, "#way-on");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Books" }).waitFor();
    await tabTo(page, 'button[value="approve"]');
    await page.keyboard.press("Enter");
    await page.waitForURL(`${APPLICATION}/**`);
    const code = new URL(page.url()).searchParams.get("code")!;
    const { status } = await exchange(provider, client, {
      code,
      redirectUri: client.redirectUris[0]!,
      ...pkce,
    });
    assert.equal(status, 200);

    await page.goto(served.baseUrl + authorizePath(client, pkcePair(), { prompt: "consent" }));
    await tabTo(page, 'button[value="deny"]');
    await page.keyboard.press("Enter");
    await page.waitForURL(`${APPLICATION}/**`);
    assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
    assert.deepEqual(faults, []);
    await context.close();
  });
});
