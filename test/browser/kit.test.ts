import { after, before, describe, test } from "node:test";
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "../support/browser.ts";
import { openWindow } from "../support/window.ts";

// The ground under the other browser tests: Chromium from npm, and its virtual authenticator.
describe("the browser kit", { timeout: 60_000 }, () => {
  let browser: Browser;
  let server: Server;
  let origin: string;

  before(async () => {
    server = createServer((_, response) => {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.setHeader("Content-Security-Policy", "default-src 'none'");
      response.end("<!doctype html><title>Kit</title><h1>Kit</h1>");
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    origin = `http://localhost:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
  }, { timeout: 60_000 });

  after(async () => {
    await browser.close();
    server.close();
  });

  async function openPage(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(origin);
    return page;
  }

  /** Registers a passkey in the page: its id and the flags byte of its authenticator data. */
  function createPasskey(page: Page): Promise<{ readonly id: string; readonly flags: number }> {
    return page.evaluate(async () => {
      const credential = await navigator.credentials.create({
        publicKey: {
          challenge: new Uint8Array(32),
          rp: { name: "Kit" },
          user: { id: new Uint8Array(16).fill(7), name: "ada", displayName: "Ada" },
          pubKeyCredParams: [{ type: "public-key", alg: -7 }],
          authenticatorSelection: { residentKey: "required", userVerification: "required" },
        },
      }) as PublicKeyCredential;
      const response = credential.response as AuthenticatorAttestationResponse;
      return { id: credential.id, flags: new Uint8Array(response.getAuthenticatorData())[32]! };
    });
  }

  /** Signs in with whichever passkey there is: its id and the owner it names. */
  function usePasskey(page: Page): Promise<{ readonly id: string; readonly owner: readonly number[] }> {
    return page.evaluate(async () => {
      const credential = await navigator.credentials.get({
        publicKey: { challenge: new Uint8Array(32), userVerification: "required" },
      }) as PublicKeyCredential;
      const response = credential.response as AuthenticatorAssertionResponse;
      return { id: credential.id, owner: [...new Uint8Array(response.userHandle!)] };
    });
  }

  test("addVirtualAuthenticator() registers and uses a discoverable passkey", async () => {
    const page = await openPage();
    const authenticator = await addVirtualAuthenticator(page);
    const { id, flags } = await createPasskey(page);
    assert.equal(flags, 0x45);
    assert.deepEqual(await usePasskey(page), { id, owner: Array(16).fill(7) });
    const [credential] = await authenticator.credentials();
    assert.equal(credential?.rpId, "localhost");
    assert.ok(credential.signCount > 0);
    await page.context().close();
  });

  test("addVirtualAuthenticator() marks a passkey as backed up when asked to", async () => {
    const page = await openPage();
    await addVirtualAuthenticator(page, { isBackedUp: true });
    assert.equal((await createPasskey(page)).flags, 0x5d);
    await page.context().close();
  });

  test("addVirtualAuthenticator() refuses when the owner is not recognized", async () => {
    const page = await openPage();
    const authenticator = await addVirtualAuthenticator(page);
    await createPasskey(page);
    await authenticator.setUserVerified(false);
    await assert.rejects(usePasskey(page), /NotAllowedError/);
    await page.context().close();
  });

  test("addVirtualAuthenticator() has nothing left when its credential was removed", async () => {
    const page = await openPage();
    const authenticator = await addVirtualAuthenticator(page);
    await createPasskey(page);
    const [credential] = await authenticator.credentials();
    await authenticator.removeCredential(credential!.credentialId);
    await assert.rejects(usePasskey(page), /NotAllowedError/);
    await authenticator.addCredential(credential!);
    assert.deepEqual((await usePasskey(page)).owner, Array(16).fill(7));
    await page.context().close();
  });

  test("collectPageFaults() reports what the page's policy refused", async () => {
    const page = await openPage();
    const faults = collectPageFaults(page);
    const reported = page.waitForEvent("console");
    await page.evaluate(() => {
      document.head.append(Object.assign(document.createElement("script"), { textContent: "1" }));
    });
    await reported;
    assert.match(faults.join("\n"), /Content Security Policy/);
    await page.context().close();
  });

  /** Returns what a page has of its origin's storage, its history and a passkey, after it has added to each. */
  function addToAll(page: Page): Promise<unknown> {
    return page.evaluate(async () => {
      const before = {
        cookie: document.cookie,
        local: localStorage.length,
        session: sessionStorage.length,
        caches: await caches.keys(),
        databases: await indexedDB.databases(),
        history: history.length,
      };
      document.cookie = "a=1; max-age=1000";
      localStorage.setItem("a", "1");
      sessionStorage.setItem("a", "1");
      await caches.open("a");
      await new Promise((resolve) => indexedDB.open("a").onsuccess = resolve);
      history.pushState(null, "", "/a");
      return before;
    });
  }

  test("openWindow() opens a closed window again, without what was stored in it", async () => {
    const options = { viewport: { width: 333, height: 444 } };
    const window = await openWindow(browser, options);
    const { context, page } = window;
    await page.goto(origin);
    const first = await addToAll(page);
    await addVirtualAuthenticator(page);
    await createPasskey(page);
    await page.evaluate(() => Reflect.get(globalThis, "reportSignal")("a", 1));
    assert.equal(window.signals.length, 1);
    await context.newPage();
    await context.close();

    const again = await openWindow(browser, options);
    assert.equal(again.context, context);
    assert.notEqual(again.page, page);
    assert.deepEqual(context.pages(), [again.page]);
    assert.deepEqual(again.signals, []);
    await again.page.goto(origin);
    assert.deepEqual(await addToAll(again.page), first);
    await addVirtualAuthenticator(again.page);
    await assert.rejects(usePasskey(again.page), /NotAllowedError/);
    assert.notEqual((await openWindow(browser, options)).context, context, "while it is open");
    await context.close();
  });

  test("openWindow() does not open a window again that a test has changed for good", async () => {
    const options = { viewport: { width: 444, height: 333 } };
    const { context } = await openWindow(browser, options);
    await context.grantPermissions(["notifications"]);
    await context.close();
    assert.notEqual((await openWindow(browser, options)).context, context);
  });
});
