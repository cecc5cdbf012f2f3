import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { openOp } from "../conformance/op.ts";
import type { Op } from "../conformance/op.ts";
import { newPerson } from "../conformance/person.ts";
import { collectPageFaults, launchBrowser } from "../support/browser.ts";
import { guideBlock, guideRegistration, newAppUrl, runGuide } from "../support/guide.ts";
import type { GuideProgram } from "../support/guide.ts";
import { registerClient } from "../support/oauth.ts";

// The guide's pages unchanged except for issuer and client id, served by the guide's own server.

const LIMIT = { timeout: 60_000 };
const PAGES = ["popup.html", "redirect.html"] as const;

describe("the guide for relying parties, in a real browser", () => {
  let browser: Browser;
  let op: Op;
  let appUrl: string;
  let pages: GuideProgram;

  before(async () => {
    [browser, op, appUrl] = await Promise.all([launchBrowser(), openOp(), newAppUrl()]);
    // oidc-client-ts uses the real clock.
    op.pass((Date.now() - op.now()) / 1000);
    const { clientId } = await registerClient(op, guideRegistration("pages.mjs", appUrl));
    const filled = PAGES.map((page) => [
      page,
      guideBlock(page).replace("https://login.example", op.origin).replace("YOUR_CLIENT_ID", clientId),
    ]);
    pages = runGuide("pages.mjs", { APP_URL: appUrl }, { files: Object.fromEntries(filled) });
    await pages.line(/ is ready$/);
  }, LIMIT);

  after(async () => {
    await browser.close();
    await pages[Symbol.asyncDispose]();
    await op[Symbol.asyncDispose]();
  });

  interface Visit extends AsyncDisposable {
    readonly context: BrowserContext;
    readonly page: Page;
    readonly email: string;
    readonly faults: readonly string[];
  }

  /** Opens a page in a browser in which a user is signed in to the service. */
  async function open(path: string): Promise<Visit> {
    const person = await newPerson(op);
    const { email } = (await person.get("/api/auth/session")).body.account;
    const context = await browser.newContext();
    context.setDefaultTimeout(15_000);
    const cookies = [...person.cookies].map(([name, value]) => ({
      name,
      value,
      url: op.origin,
      httpOnly: true,
    }));
    await context.addCookies(cookies);
    const page = await context.newPage();
    const faults = collectPageFaults(page);
    await page.goto(`${appUrl}/${path}`);
    return { context, page, email, faults, [Symbol.asyncDispose]: () => context.close() };
  }

  async function allow(page: Page): Promise<void> {
    await page.waitForURL(`${op.origin}/consent?request=*`);
    await page.getByRole("button", { name: "Allow" }).click();
  }

  /** Returns the storage and cookies that a script of the page can read. */
  async function storageOf(page: Page): Promise<string> {
    return String(
      await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
    );
  }

  test("popup.html signs a person in and leaves nothing for other scripts to read", LIMIT, async () => {
    await using visit = await open("popup.html");
    const { context, page, email, faults } = visit;
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in" }).click();
    const popup = await opened;
    await popup.waitForURL(`${op.origin}/consent?request=*`);
    assert.equal(await storageOf(page), '[{},{},""]');
    await allow(popup);
    await page.locator("output", { hasText: `Signed in as ${email}` }).waitFor();
    assert.equal(await storageOf(page), '[{},{},""]');
    assert.deepEqual(faults, []);
  });

  test("popup.html stops when state is another", LIMIT, async () => {
    await using visit = await open("popup.html");
    const { context, page } = visit;
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in" }).click();
    const popup = await opened;
    await popup.waitForURL(`${op.origin}/consent?request=*`);
    await popup.goto(`${appUrl}/popup.html?code=${"c".repeat(43)}&state=${"s".repeat(32)}`);
    await page.locator("output", { hasText: /Not signed in: .*state/i }).waitFor();
  });

  test(
    "redirect.html signs a person in, with the half of state in a cookie no script reads",
    LIMIT,
    async () => {
      await using visit = await open("redirect.html");
      const { context, page, email, faults } = visit;
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(`${op.origin}/consent?request=*`);
      const cookie = (await context.cookies(appUrl)).find(({ name }) => name === "attempt")!;
      assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
      await allow(page);
      await page.locator("output", { hasText: `Signed in as ${email}` }).waitFor();
      assert.equal(page.url(), `${appUrl}/redirect.html`);
      assert.equal(await storageOf(page), '[{},{},""]');
      assert.equal((await context.cookies(appUrl)).some(({ name }) => name === "attempt"), false);
      assert.deepEqual(faults, []);
    },
  );

  test("redirect.html stops in a browser that did not begin", LIMIT, async () => {
    await using visit = await open("redirect.html");
    const { context, page } = visit;
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${op.origin}/consent?request=*`);
    // Like a response opened in another browser: the page's own storage does not help.
    await context.clearCookies({ name: "attempt" });
    await allow(page);
    await page.locator("output", { hasText: "Not signed in: this browser did not begin this sign-in" })
      .waitFor();
  });
});
