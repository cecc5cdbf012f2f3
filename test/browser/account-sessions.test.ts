import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { addPasskey, newVisit, openAccount, takeSecurityKey, useStage } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import type { AuthenticatorCredential } from "../support/browser.ts";
import { authorizePath, pkcePair, providerAt, registerClient } from "../support/oauth.ts";
import { answerInPlaceOf } from "../support/relying-party.ts";

const LIMIT = { timeout: 60_000 };
const BOOKS = "https://books.example";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const LONG = "W".repeat(100);

describe("sessions and applications on the account page, in a real browser", () => {
  const stage = useStage();

  /** Signs the user in at another browser, to which the passkey is copied. */
  async function signInElsewhere(visit: Visit, userAgent = FIREFOX): Promise<Visit> {
    const other = await newVisit(stage.browser, { email: visit.email, userAgent });
    for (const credential of await visit.authenticator.credentials()) {
      await other.authenticator.addCredential(ahead(credential));
    }
    await other.page.goto(`${stage.served.baseUrl}/sign-in?next=/account`);
    await other.page.waitForURL(`${stage.served.baseUrl}/account`);
    return other;
  }

  /** Returns a copy with a higher counter: the service refuses one that does not grow. */
  function ahead(credential: AuthenticatorCredential): AuthenticatorCredential {
    return { ...credential, signCount: credential.signCount + copies++ * 10 };
  }
  let copies = 1;

  async function devicesOf(page: Page): Promise<readonly string[]> {
    return (await page.locator("#session-list h3 bdi").allTextContents()).toSorted();
  }

  async function isSignedIn({ context }: Visit): Promise<boolean> {
    const answer = await context.request.get(`${stage.served.baseUrl}/account`, { maxRedirects: 0 });
    return answer.status() === 200;
  }

  test(
    "show where the person is signed in, and end one session: that browser is signed out",
    LIMIT,
    async () => {
      const here = await stage.newAccount();
      const there = await signInElsewhere(here);
      await openAccount(stage.served, here.page);
      assert.deepEqual(await devicesOf(here.page), ["Chrome on Linux", "Firefox on Windows"]);
      const row = here.page.locator("#session-list .row").filter({ hasText: "Chrome on Linux" });
      await row.getByText("This session", { exact: true }).waitFor();
      await row.getByText("From 127.0.0.1").waitFor();
      await row.getByText("With Passkey 1").waitFor();
      assert.equal(await row.getByRole("button").count(), 0);
      await here.page.getByRole("button", { name: "End the session of Firefox on Windows" }).click();
      await here.page.getByText("The session of Firefox on Windows has ended.").waitFor();
      assert.deepEqual(await devicesOf(here.page), ["Chrome on Linux"]);
      await here.page.locator("#activity-list").getByText("ended").first().waitFor();
      assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [true, false]);
      // There, the next act leads to sign in.
      await there.page.getByRole("button", { name: "Sign out everywhere" }).click();
      await there.page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
      await there.page.waitForURL(/\/sign-in\?next=%2Faccount$/);
      assert.deepEqual([here.faults, await isSignedIn(here)], [[], true]);
      await here.context.close();
      await there.context.close();
    },
  );

  test("end all other sessions", LIMIT, async () => {
    const here = await stage.newAccount();
    const others = [await signInElsewhere(here), await signInElsewhere(here)];
    await openAccount(stage.served, here.page);
    assert.equal((await devicesOf(here.page)).length, 3);
    await here.page.getByRole("button", { name: "End all other sessions" }).click();
    await here.page.getByText("2 sessions have ended.").waitFor();
    assert.deepEqual(await devicesOf(here.page), ["Chrome on Linux"]);
    assert.equal(await here.page.getByRole("button", { name: "End all other sessions" }).count(), 0);
    const signedIn = await Promise.all([here, ...others].map(isSignedIn));
    assert.deepEqual(signedIn, [true, false, false]);
    for (const { context } of [here, ...others]) await context.close();
  });

  test("sign out everywhere, after asking", LIMIT, async () => {
    const here = await stage.newAccount();
    const there = await signInElsewhere(here);
    await openAccount(stage.served, here.page);
    await here.page.getByRole("button", { name: "Sign out everywhere…" }).click();
    await here.page.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [true, true]);
    await here.page.getByRole("button", { name: "Sign out everywhere…" }).click();
    await here.page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere" }).click();
    await here.page.waitForURL(`${stage.served.baseUrl}/signed-out`);
    assert.deepEqual([await isSignedIn(here), await isSignedIn(there)], [false, false]);
    await here.context.close();
    await there.context.close();
  });

  test("deleting a passkey ends the sessions that it opened, and shows it", LIMIT, async () => {
    const here = await stage.newAccount();
    const key = await takeSecurityKey(here);
    await addPasskey(here, "Blue key");
    const there = await signInElsewhere({ ...here, authenticator: key });
    await openAccount(stage.served, here.page);
    assert.equal((await devicesOf(here.page)).length, 2);
    await here.page.getByRole("button", { name: "Delete Blue key" }).click();
    await here.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await here.page.getByText("“Blue key” was deleted.").waitFor();
    assert.deepEqual(await devicesOf(here.page), ["Chrome on Linux"]);
    assert.equal(await isSignedIn(there), false);
    await here.context.close();
    await there.context.close();
  });

  async function letIn({ page }: Visit, name: string): Promise<void> {
    const client = await registerClient(providerAt(stage.served.baseUrl), { name });
    await answerInPlaceOf(page, BOOKS);
    await page.goto(stage.served.baseUrl + authorizePath(client, pkcePair()));
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${BOOKS}/cb?*`);
  }

  test("show applications with what they see, and withdraw one", LIMIT, async () => {
    const visit = await stage.newAccount();
    const { page, context, email } = visit;
    await letIn(visit, "Books");
    await letIn(visit, "<i>Films</i>");
    await openAccount(stage.served, page);
    await page.getByText(`Your e-mail address: ${email}`).first().waitFor();
    const withdraw = page.getByRole("button", { name: "Withdraw from <i>Films</i>" });
    assert.ok(await withdraw.isHidden(), "it asks first");
    await page.getByText("Withdraw… from <i>Films</i>").click();
    await withdraw.click();
    await page.getByRole("status").getByText("“<i>Films</i>” has no access any more.").waitFor();
    // Where the person was, not at the top.
    assert.ok(await page.evaluate(() => scrollY) > 0);
    await page.getByText("You withdrew the access of <i>Films</i>").waitFor();
    const names = page.locator("section", { has: page.locator("#applications") }).locator("h3");
    assert.deepEqual(await names.allTextContents(), ["Books"]);
    await context.close();
  });

  test("be read, withdrawn from and signed out of without JavaScript", LIMIT, async () => {
    const visit = await stage.newAccount();
    await letIn(visit, "Books");
    const context = await stage.browser.newContext({
      viewport: { width: 360, height: 740 },
      javaScriptEnabled: false,
      storageState: await visit.context.storageState(),
    });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    await page.goto(`${stage.served.baseUrl}/account`);
    for (const text of ["Passkey 1", "This session", visit.email]) {
      assert.ok(await page.locator("main").getByText(text, { exact: true }).first().isVisible(), text);
    }
    assert.ok(await page.getByText("You gave Books access").isVisible());
    assert.match(await page.locator("noscript .notice").innerText(), /Turn it on for them/);
    for (const name of ["Rename Passkey 1", "Add a passkey", "Sign out everywhere…"]) {
      assert.ok(await page.getByRole("button", { name }).isDisabled(), name);
    }
    await page.getByText("Withdraw… from Books").click();
    await page.getByRole("button", { name: "Withdraw from Books" }).click();
    await page.getByText("No application has access to your account.").waitFor();
    await page.getByRole("link", { name: "All activity" }).click();
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await page.locator(".menu > summary").click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL(`${stage.served.baseUrl}/signed-out`);
    await context.close();
    await visit.context.close();
  });

  test(
    "fit screens of 360 and 320 pixels with long names, and every button has a name of its own",
    LIMIT,
    async () => {
      const visit = await stage.newAccount();
      const { page, context, faults } = visit;
      await letIn(visit, LONG);
      await openAccount(stage.served, page);
      await takeSecurityKey(visit);
      await addPasskey(visit, LONG);
      const there = await signInElsewhere(visit);
      await page.reload();
      await page.getByRole("button", { name: "End the session of Firefox on Windows" }).waitFor();
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 740 });
        const overflow = await page.evaluate(() =>
          document.documentElement.scrollWidth - document.documentElement.clientWidth
        );
        assert.equal(overflow, 0, `${width}`);
      }
      const names = await page.getByRole("button").evaluateAll((buttons) =>
        buttons.map((button) => button.textContent!.trim().replace(/\s+/g, " "))
      );
      assert.ok(names.length >= 9);
      assert.deepEqual(names, [...new Set(names)]);
      await page.getByRole("button", { name: `Delete ${LONG}` }).click();
      const dialog = await page.getByRole("dialog").boundingBox();
      assert.ok(dialog !== null && dialog.x >= 0 && dialog.x + dialog.width <= 320);
      assert.deepEqual(faults, []);
      await context.close();
      await there.context.close();
    },
  );
});
