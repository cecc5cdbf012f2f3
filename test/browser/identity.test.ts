import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { recoverMessageAddress } from "viem";
import { goThrough, useIdentityService } from "../support/identity-service.ts";
import { authorizePath, pkcePair, providerAt, registerClient } from "../support/oauth.ts";
import { startRelyingParty } from "../support/relying-party.ts";

const LIMIT = { timeout: 60_000 };

describe("another provider, in a real browser", () => {
  const stage = useIdentityService();
  const newPage = () => stage.newPage();

  async function signText(page: Page, text: string): Promise<void> {
    await page.getByRole("link", { name: "Key 1" }).click();
    await page.getByLabel("Message", { exact: true }).fill(text);
    await page.getByRole("button", { name: "Review" }).click();
    await page.locator("#review").getByText(text).waitFor();
    await page.getByRole("button", { name: "Sign", exact: true }).click();
    await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
    const signature = await page.locator("#signature").textContent() as `0x${string}`;
    assert.equal(
      await recoverMessageAddress({ message: text, signature }),
      await page.locator("#key").getAttribute("data-address"),
    );
  }

  test(
    "a new person signs up with it to a signed message, and is known when they come again",
    LIMIT,
    async () => {
      const { page, faults } = await newPage();
      await page.goto(`${stage.service.baseUrl}/sign-up`);
      await page.getByRole("link", { name: "Continue with GitHub" }).waitFor();
      await goThrough(page, "Continue as ada");
      await page.getByText("ada@upstream.example").waitFor();
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await page.getByRole("link", { name: "Later" }).click();
      await page.waitForURL(`${stage.service.baseUrl}/keys`);
      await signText(page, "hello by way of another provider");
      await page.locator(".menu > summary").click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.waitForURL(`${stage.service.baseUrl}/signed-out`);

      // Otherwise it would give the passkey to the plain sign-in page before the user can choose.
      const session = await page.context().newCDPSession(page);
      await session.send("WebAuthn.disable");
      await page.goto(`${stage.service.baseUrl}/sign-in?next=%2Faccount`);
      // It still knows the person.
      await page.getByRole("link", { name: "Continue with Upstream" }).click();
      await page.waitForURL(`${stage.service.baseUrl}/sign-in?identity=upstream&next=%2Faccount`);
      await page.getByText("Upstream has confirmed who you are").waitFor();
      assert.equal(await page.evaluate("fetch('/api/keys').then(({ status }) => status)"), 401);
      assert.deepEqual(faults.filter((fault) => !fault.includes("401")), []);
      await page.context().close();
    },
  );

  test(
    "a known user is signed in by their passkey, and redirected to the page they wanted",
    LIMIT,
    async () => {
      const { page, faults } = await newPage();
      await page.goto(`${stage.service.baseUrl}/sign-up`);
      await goThrough(page, "Continue as grace");
      await page.getByText("It did not confirm an e-mail address").waitFor();
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await page.getByRole("link", { name: "Later" }).click();
      await page.waitForURL(`${stage.service.baseUrl}/keys`);
      await page.context().clearCookies();
      await page.goto(`${stage.service.baseUrl}/api/auth/identity/upstream?next=%2Faccount`);
      await page.getByRole("button", { name: "Continue as grace" }).click();
      await page.waitForURL((url) => url.pathname === "/sign-in" || url.pathname === "/account");
      const button = page.getByRole("button", { name: "Sign in with a passkey" });
      await Promise.race([
        button.click().catch(() => {}),
        page.waitForURL(`${stage.service.baseUrl}/account`),
      ]);
      await page.waitForURL(`${stage.service.baseUrl}/account`);
      assert.deepEqual(faults, []);
      await page.context().close();
    },
  );

  test("makes the account that its page is about, and not the one begun in another tab", LIMIT, async () => {
    const { page, faults } = await newPage();
    const tabs = [page, await page.context().newPage()];
    for (const [index, person] of ["barbara", "alan"].entries()) {
      await tabs[index]!.goto(`${stage.service.baseUrl}/api/auth/identity/upstream`);
      await tabs[index]!.getByRole("button", { name: `Continue as ${person}` }).click();
      await tabs[index]!.getByRole("button", { name: "Create a passkey" }).waitFor();
      await page.context().clearCookies({ name: /^(?!service\.)/ });
    }
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("alert").getByText("A different sign-up was started in another tab").waitFor();
    await page.reload();
    assert.equal(
      await page.locator("#passkey-form").getAttribute("data-user"),
      await tabs[1]!.locator("#passkey-form").getAttribute("data-user"),
    );
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test("a signed-in user with a new identity creates another account", LIMIT, async () => {
    const { page, faults } = await newPage();
    const accounts: unknown[] = [];
    for (const person of ["alan", "hedy"]) {
      await page.goto(`${stage.service.baseUrl}/api/auth/identity/upstream`);
      await page.getByRole("button", { name: `Continue as ${person}` }).click();
      await page.getByRole("button", { name: "Create a passkey" }).click();
      await page.getByRole("link", { name: "Later" }).click();
      await page.waitForURL(`${stage.service.baseUrl}/keys`);
      accounts.push(
        await page.evaluate(
          "fetch('/api/auth/session').then((answer) => answer.json()).then(({ account }) => account.id)",
        ),
      );
      // The provider asks again. The user stays signed in here.
      await page.context().clearCookies({ name: /^(?!service\.)/ });
    }
    assert.equal(new Set(accounts).size, 2);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test("an application's person signs up with it inside the application's request", LIMIT, async () => {
    const relyingParty = await startRelyingParty();
    const { page, faults } = await newPage();
    const client = await registerClient(providerAt(stage.service.baseUrl), {
      redirectUris: [`${relyingParty.origin}/cb`],
    });
    await page.goto(stage.service.baseUrl + authorizePath(client, pkcePair()));
    await page.getByRole("link", { name: "Create an account" }).click();
    await goThrough(page, "Continue as linus");
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("link", { name: "Later" }).click();
    await page.waitForURL(`${stage.service.baseUrl}/consent?request=*`);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${relyingParty.origin}/cb?*`);
    assert.ok(new URL(page.url()).searchParams.has("code"));
    assert.deepEqual(faults, []);
    await page.context().close();
    relyingParty.close();
  });

  test(
    "who declines there gets a page with a way back, and it works without JavaScript up to the passkey",
    LIMIT,
    async () => {
      const context = await stage.browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 360, height: 740 },
      });
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      await page.goto(`${stage.service.baseUrl}/sign-in?next=%2Faccount`);
      await goThrough(page, "Cancel");
      await page.getByText("You did not allow Upstream to confirm who you are").waitFor();
      await page.getByRole("link", { name: "Back to sign-in" }).click();
      await page.waitForURL(`${stage.service.baseUrl}/sign-in?next=%2Faccount`);
      await goThrough(page, "Continue as barbara");
      await page.getByRole("heading", { name: "Create an account" }).waitFor();
      await context.close();
    },
  );
});
