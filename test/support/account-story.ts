import assert from "node:assert/strict";
import { after, before } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { LOCALES } from "../../src/lib/language.ts";
import type { Language } from "../../src/lib/language.ts";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "./browser.ts";
import type { AuthenticatorOptions, VirtualAuthenticator } from "./browser.ts";
import { readCode } from "./client.ts";
import { makeAccount } from "./made-account.ts";
import { serveTestApp } from "./served-app.ts";
import type { ServedApp } from "./served-app.ts";
import { CATALOGUES } from "./page-messages.ts";
import { openWindow, type RecordedCall } from "./window.ts";

/** A user at a browser with an authenticator. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly authenticator: VirtualAuthenticator;
  readonly email: string;
  /** The language that the browser requests. */
  readonly language: Language;
  readonly faults: readonly string[];
  /** The signals of the pages so far (WebAuthn Level 3 section 5.1.10), oldest first. */
  readonly signals: readonly RecordedCall[];
}

const PHONE = { width: 360, height: 740 };
let visitors = 0;

/** Opens a new browser window of a new user. */
export async function newVisit(
  browser: Browser,
  {
    viewport = PHONE,
    authenticator: options = {},
    email = `visitor${++visitors}@example.com`,
    language = "en",
    ...more
  }: {
    readonly viewport?: { readonly width: number; readonly height: number };
    readonly authenticator?: AuthenticatorOptions;
    readonly email?: string;
    readonly colorScheme?: "light" | "dark";
    readonly userAgent?: string;
    readonly timezoneId?: string;
    readonly language?: Language;
  } = {},
): Promise<Visit> {
  const { context, page, signals } = await openWindow(browser, {
    viewport,
    locale: LOCALES[language],
    ...more,
  });
  const authenticator = await addVirtualAuthenticator(page, options);
  return { context, page, authenticator, email, language, faults: collectPageFaults(page), signals };
}

/** The fixtures of the browser tests of a `describe`. */
export interface Stage {
  readonly browser: Browser;
  readonly served: ServedApp;
  /** Creates an account in a new window, on the account's page. */
  newAccount(options?: Parameters<typeof newVisit>[1]): Promise<Visit>;
  /** Creates an account in a new window, without opening a page. */
  newPerson(options?: Parameters<typeof newVisit>[1]): Promise<Visit>;
}

/** Starts a browser and a service before the tests of this `describe`, and ends both after them. */
export function useStage(environment: Readonly<Record<string, string>> = {}): Stage {
  let browser: Browser;
  let served: ServedApp;
  before(async () => {
    [browser, served] = await Promise.all([launchBrowser(), serveTestApp(environment)]);
  }, { timeout: 60_000 });
  after(async () => {
    await browser.close();
    await served.stop();
  });
  return {
    get browser() {
      return browser;
    },
    get served() {
      return served;
    },
    async newAccount(options) {
      const visit = await this.newPerson(options);
      await openAccount(served, visit.page);
      return visit;
    },
    async newPerson(options) {
      const visit = await newVisit(browser, options);
      await makeAccount(served, visit);
      return visit;
    },
  };
}

/** Makes an account by the sign-up page and goes to the account's page. */
export async function signUpHere(
  { app, baseUrl }: ServedApp,
  { page, email, language }: Visit,
): Promise<void> {
  const { "sign-in": { signUp }, recovery: { recoverySettings } } = CATALOGUES[language];
  await page.goto(`${baseUrl}/sign-up`);
  await page.getByLabel(signUp.emailAddress).fill(email);
  await page.getByRole("button", { name: signUp.sendCode }).click();
  const code = page.getByLabel(signUp.code, { exact: true });
  await code.waitFor();
  await code.fill(await readCode(app.client(), email));
  await page.getByRole("button", { name: signUp.checkCode }).click();
  await page.getByRole("button", { name: signUp.make }).click();
  await page.getByRole("link", { name: recoverySettings.later }).click();
  await page.waitForURL(`${baseUrl}/keys`);
  await openAccount({ baseUrl }, page);
}

/** Opens the account's page and waits for its script. */
export async function openAccount({ baseUrl }: Pick<ServedApp, "baseUrl">, page: Page): Promise<void> {
  await page.goto(`${baseUrl}/account`);
  await page.locator("#add-name:enabled").waitFor();
}

/** Adds a second authenticator. From now on only this one responds. */
export async function takeSecurityKey({ page, authenticator }: Visit): Promise<VirtualAuthenticator> {
  const key = await addVirtualAuthenticator(page, { transport: "usb" });
  await authenticator.setPresent(false);
  return key;
}

export async function addPasskey({ page }: Visit, name: string): Promise<void> {
  await page.getByLabel("Name of a new passkey").fill(name);
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByText(`“${name}” was added.`).waitFor();
}

/** Waits until a condition holds. Fails with the message after five seconds. */
export async function until(condition: () => boolean, words: string): Promise<void> {
  for (let tries = 0; !condition() && tries < 250; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.ok(condition(), words);
}

/** Waits until the browser has been told of `count` passkeys. Returns their ids. */
export async function signalledPasskeys({ signals }: Visit, count: number): Promise<readonly string[]> {
  const latest = (): readonly string[] | undefined =>
    signals.findLast(({ name }) => name === "signalAllAcceptedCredentials")?.value.allAcceptedCredentialIds;
  await until(() => latest()?.length === count, `the browser is told of ${count} passkeys`);
  return latest()!;
}

/** Creates an account with a second passkey, `Blue key`, on the authenticator that responds from now on. */
export async function newVisitWithTwo(browser: Browser, served: ServedApp): Promise<Visit> {
  const visit = await newVisit(browser);
  await makeAccount(served, visit);
  await openAccount(served, visit.page);
  const key = await takeSecurityKey(visit);
  served.app.now += 1000; // the list is in order of time
  await addPasskey(visit, "Blue key");
  await signalledPasskeys(visit, 2);
  return { ...visit, authenticator: key };
}

export async function namesOf(page: Page): Promise<readonly string[]> {
  return await page.locator("#passkey-list h3 bdi").allTextContents();
}
