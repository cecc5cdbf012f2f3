import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { newVisit } from "../support/account-story.ts";
import type { Visit } from "../support/account-story.ts";
import { launchBrowser } from "../support/browser.ts";
import { signUp } from "../support/client.ts";
import { makeAccount } from "../support/made-account.ts";
import { serveOverTls } from "../support/tls-app.ts";
import type { TlsApp } from "../support/tls-app.ts";

const LIMIT = { timeout: 60_000 };
const OURS = "wallet.example.localhost";
const SIBLING = "blog.example.localhost";
/** Paths of a cookie that browsers send before ours (RFC 6265 section 5.4). */
const PATHS = ["/", "/account", "/api", "/api/auth", "/sign-in", "/keys"];

describe("another host of the same registered domain, over TLS, in a real browser", () => {
  let browser: Browser;
  let served: TlsApp;
  /** The `Set-Cookie` headers of the sibling's responses. */
  let planted: readonly string[] = [];

  function neighbour(_request: IncomingMessage, response: ServerResponse): void {
    response.setHeader("content-type", "text/html");
    response.setHeader("set-cookie", planted);
    response.end("<!doctype html><title>Blog</title>");
  }

  before(async () => {
    served = await serveOverTls(OURS, neighbour);
    browser = await launchBrowser(served.flags);
  }, { timeout: 60_000 });
  after(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });

  /** Returns each cookie of a session as `Set-Cookie` headers for the whole domain, under every name and path. */
  function cookiesOf(cookies: ReadonlyMap<string, string>): readonly string[] {
    return [...cookies].flatMap(([name, value]) =>
      PATHS.flatMap((path) => [
        `${name}=${value}; Domain=example.localhost; Path=${path}; Secure`,
        `${name}=${value}; Path=${path}; Secure`,
      ])
    );
  }

  async function visitSibling(page: Page): Promise<void> {
    await page.goto(served.baseUrl.replace(OURS, SIBLING));
  }

  async function whoIs(page: Page): Promise<string | null> {
    const { account } = await page.evaluate(async () => (await fetch("/api/auth/session")).json());
    return account?.email ?? null;
  }

  /** Signs in on the page, which asks for the passkey by itself. */
  async function signInHere({ page }: Visit): Promise<void> {
    await page.goto(`${served.baseUrl}/sign-in?next=/account`);
    await page.waitForURL(`${served.baseUrl}/account`);
  }

  async function attack(): Promise<void> {
    const attacker = served.app.client();
    await signUp(attacker, `mallory${Math.random()}@example.com`);
    planted = cookiesOf(attacker.cookies);
  }

  test("cannot sign a user in to another account, or prevent a sign-in", LIMIT, async () => {
    await attack();
    const ada = await newVisit(browser);
    const stage = { app: served.app, baseUrl: served.baseUrl, stop: () => Promise.resolve() };
    await makeAccount(stage, ada);
    await ada.context.clearCookies();
    await visitSibling(ada.page);
    const sent = (await ada.context.cookies(served.baseUrl)).filter(({ domain }) =>
      domain === ".example.localhost"
    );
    assert.ok(sent.some(({ name }) => name === "service.session_token"), "nothing was planted");
    // Not with /account: it redirects to a page that asks for the passkey and signs in.
    await ada.page.goto(`${served.baseUrl}/signed-out`);
    assert.equal(await whoIs(ada.page), null);
    const led = await ada.page.evaluate(async () => (await fetch("/account")).url);
    assert.match(led, /\/sign-in\?/);
    await visitSibling(ada.page);
    await signInHere(ada);
    assert.equal(await whoIs(ada.page), ada.email);
    await ada.context.close();
  });

  test("changes nothing for a signed-in user, however often they visit it", LIMIT, async () => {
    await attack();
    const bob = await newVisit(browser);
    const stage = { app: served.app, baseUrl: served.baseUrl, stop: () => Promise.resolve() };
    await makeAccount(stage, bob);
    for (const path of ["/account", "/keys", "/account"]) {
      await visitSibling(bob.page);
      await bob.page.goto(served.baseUrl + path);
      assert.equal(bob.page.url(), served.baseUrl + path);
      assert.equal(await whoIs(bob.page), bob.email);
    }
    await visitSibling(bob.page);
    await bob.page.goto(`${served.baseUrl}/account`);
    await bob.page.evaluate(() => fetch("/api/auth/sign-out", { method: "POST" }));
    assert.equal(await whoIs(bob.page), null);
    await visitSibling(bob.page);
    await signInHere(bob);
    assert.equal(await whoIs(bob.page), bob.email);
    await bob.context.close();
  });
});
