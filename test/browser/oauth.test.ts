import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { Browser, Page } from "playwright-core";
import type { Visit } from "../support/account-story.ts";
import { ADMIN_KEY } from "../support/app.ts";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "../support/browser.ts";
import { readCode } from "../support/client.ts";
import { makeAccount } from "../support/made-account.ts";
import { authorizePath, exchange, pkcePair, providerAt, registerClient, userinfo } from "../support/oauth.ts";
import type { Fields, Pkce, Provider, Registered } from "../support/oauth.ts";
import { answerInPlaceOf, startRelyingParty } from "../support/relying-party.ts";
import type { RelyingParty } from "../support/relying-party.ts";
import { builtRuntime, startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary.ts";
import type { TemporaryFolder } from "../support/temporary.ts";
import { openWindow } from "../support/window.ts";

const LIMIT = { timeout: 60_000 };
const HTTPS = "https://books.example";

describe("an application that signs people in, in a real browser", () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let service: Service;
  let relyingParty: RelyingParty;
  let provider: Provider;
  let client: Registered;
  let visitors = 0;

  before(async () => {
    folder = temporaryFolder();
    const env = { RATE_LIMITS: "off", ADMIN_API_KEY: ADMIN_KEY };
    [browser, service, relyingParty] = await Promise.all([
      launchBrowser(),
      startService({ runtime: builtRuntime("bun"), dataDir: folder.path, env }),
      startRelyingParty(),
    ]);
    provider = providerAt(service.baseUrl);
    client = await registerClient(provider, {
      redirectUris: [`${relyingParty.origin}/cb`, `${HTTPS}/cb`],
      postLogoutRedirectUris: [`${relyingParty.origin}/`],
    });
  }, LIMIT);

  after(async () => {
    await browser.close();
    relyingParty.close();
    await service.stop();
    folder[Symbol.dispose]();
  });

  async function newPage(): Promise<Visit> {
    const { context, page } = await openWindow(browser, { viewport: { width: 500, height: 800 } });
    await answerInPlaceOf(page, HTTPS);
    const authenticator = await addVirtualAuthenticator(page);
    const faults = collectPageFaults(page);
    return { context, page, authenticator, email: newEmail(), language: "en", faults, signals: [] };
  }

  function requestUrl(pkce: Pkce, change: Fields = {}): string {
    return service.baseUrl + authorizePath(client, pkce, change);
  }

  function newEmail(): string {
    return `person-${++visitors}@example.com`;
  }

  /** Signs up, starting at the sign-in page of a pending request. The browser continues by itself. */
  async function signUpFrom(page: Page, email: string): Promise<void> {
    await page.getByRole("link", { name: "Create an account" }).click();
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    await code.fill(await readCode(provider.client(), email));
    await page.getByRole("button", { name: "Check the code" }).click();
    await page.getByRole("button", { name: "Create a passkey" }).click();
    await page.getByRole("link", { name: "Later" }).click();
  }

  /** Signs a new user up inside an authorization request, up to the consent page. */
  async function signUpInside(page: Page, pkce: Pkce, change: Fields = {}): Promise<string> {
    const email = newEmail();
    await page.goto(requestUrl(pkce, change));
    await signUpFrom(page, email);
    await page.waitForURL(`${service.baseUrl}/consent?request=*`);
    return email;
  }

  /** Opens the consent page of a request as a new user who is signed in. */
  async function signedInAt(visit: Visit, pkce: Pkce): Promise<void> {
    await makeAccount({ baseUrl: service.baseUrl }, visit);
    await visit.page.goto(requestUrl(pkce));
    await visit.page.waitForURL(`${service.baseUrl}/consent?request=*`);
  }

  async function arrived(page: Page, origin = relyingParty.origin): Promise<URLSearchParams> {
    await page.waitForURL(`${origin}/cb?*`);
    return new URL(page.url()).searchParams;
  }

  async function allow(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Allow" }).click();
  }

  test("gets a code from a sign-up inside its request, and an ID token for it", LIMIT, async () => {
    const { context, page, faults } = await newPage();
    const pkce = pkcePair();
    const email = await signUpInside(page, pkce, { nonce: "a nonce" });
    await page.getByRole("heading", { name: "Sign in to Books?" }).waitFor();
    const main = await page.getByRole("main").innerText();
    for (const shown of [HTTPS, "http://localhost on this device", email]) {
      assert.ok(main.includes(shown), `${shown} in ${main}`);
    }
    assert.equal(await page.title(), "Sign in to Books · Holdfast");
    await page.setViewportSize({ width: 320, height: 700 });
    assert.ok(
      await page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      "nothing to scroll aside",
    );
    await allow(page);

    const parameters = await arrived(page);
    assert.deepEqual([...parameters.keys()], ["code", "state", "iss"]);
    assert.equal(parameters.get("state"), "the state");
    assert.equal(parameters.get("iss"), service.baseUrl);
    const given = { code: parameters.get("code")!, redirectUri: client.redirectUris[0]!, ...pkce };
    const { body } = await exchange(provider, client, given);
    const keys = createRemoteJWKSet(new URL(`${service.baseUrl}/api/auth/jwks`));
    const { payload } = await jwtVerify(body.id_token, keys, {
      issuer: service.baseUrl,
      audience: client.clientId,
      algorithms: ["ES256"],
    });
    assert.deepEqual([payload["email"], payload["nonce"]], [email, "a nonce"]);
    assert.equal((await userinfo(provider, body.access_token)).body.sub, payload.sub);
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(
    "is asked about again on loopback, and over https only until the person takes it back",
    LIMIT,
    async () => {
      const visit = await newPage();
      const { context, page } = visit;
      await signedInAt(visit, pkcePair());
      await allow(page);
      await arrived(page);
      await page.goto(requestUrl(pkcePair()));
      await allow(page);
      await arrived(page);

      const overHttps = { redirect_uri: `${HTTPS}/cb` };
      await page.goto(requestUrl(pkcePair(), overHttps));
      await allow(page);
      assert.ok((await arrived(page, HTTPS)).has("code"));
      await page.goto("about:blank");
      await page.goto(requestUrl(pkcePair(), overHttps));
      assert.ok((await arrived(page, HTTPS)).has("code"), "not asked again");

      await page.goto(`${service.baseUrl}/keys`);
      const status = await page.evaluate(
        `fetch("/api/auth/grants/${client.clientId}", { method: "DELETE" }).then(({ status }) => status)`,
      );
      assert.equal(status, 204);
      await page.goto(requestUrl(pkcePair(), overHttps));
      await page.waitForURL(`${service.baseUrl}/consent?request=*`);
      await context.close();
    },
  );

  test("is told access_denied when the person declines, with state and iss", LIMIT, async () => {
    const visit = await newPage();
    const { context, page, faults } = visit;
    await signedInAt(visit, pkcePair());
    const asked = page.url();
    await page.getByRole("button", { name: "Deny" }).click();
    const parameters = await arrived(page);
    assert.equal(parameters.get("error"), "access_denied");
    assert.equal(parameters.get("state"), "the state");
    assert.equal(parameters.get("iss"), service.baseUrl);
    assert.equal(parameters.has("code"), false);
    assert.deepEqual(faults, []);
    // Going back to the page must not make a second decision.
    const again = await page.goto(asked);
    assert.equal(again!.status(), 400);
    await page.getByText("return to the application").waitFor();
    await context.close();
  });

  test("is allowed in one tab after the same person signed in again in another", LIMIT, async () => {
    const visit = await newPage();
    const { context, page, authenticator } = visit;
    const pkce = pkcePair();
    await signedInAt(visit, pkce);
    const other = await context.newPage();
    const [passkey] = await authenticator.credentials();
    await (await addVirtualAuthenticator(other)).addCredential(passkey!);
    await other.goto(requestUrl(pkcePair(), { prompt: "login" }));
    await other.waitForURL(`${service.baseUrl}/consent?request=*`);
    // The session of this tab ended without a decision, so the same request is shown again.
    const asked = page.url();
    await allow(page);
    await page.waitForURL((url) => url.pathname === "/consent" && url.href !== asked);
    await allow(page);
    const code = (await arrived(page)).get("code")!;
    const redirectUri = client.redirectUris[0]!;
    assert.equal((await exchange(provider, client, { code, redirectUri, ...pkce })).status, 200);
    await context.close();
  });

  test("gets the account that the person switched to", LIMIT, async () => {
    const visit = await newPage();
    const { context, page, authenticator, email: first } = visit;
    const pkce = pkcePair();
    await signedInAt(visit, pkce);
    // Otherwise it would give the first account's passkey to the sign-in page before the user can choose.
    await authenticator.remove();
    await addVirtualAuthenticator(page);
    await page.getByRole("link", { name: "Use another account" }).click();
    const second = newEmail();
    await signUpFrom(page, second);
    await page.waitForURL(`${service.baseUrl}/consent?request=*`);
    const main = await page.getByRole("main").innerText();
    assert.ok(main.includes(second) && !main.includes(first), main);
    await allow(page);
    const code = (await arrived(page)).get("code")!;
    const { body } = await exchange(provider, client, {
      code,
      redirectUri: client.redirectUris[0]!,
      ...pkce,
    });
    assert.equal((await userinfo(provider, body.access_token)).body.email, second);
    await context.close();
  });

  test("signs in by a pop-up, which keeps its opener all the way", LIMIT, async () => {
    const { context, page } = await newPage();
    await page.goto(`${relyingParty.origin}/?popup=${encodeURIComponent(requestUrl(pkcePair()))}`);
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in" }).click();
    const popup = await opened;
    const faults = collectPageFaults(popup);
    await addVirtualAuthenticator(popup);
    await popup.waitForURL(`${service.baseUrl}/sign-in?request=*`);
    assert.equal(await popup.evaluate("opener !== null"), true);
    await signUpFrom(popup, newEmail());
    await popup.waitForURL(`${service.baseUrl}/consent?request=*`);
    assert.equal(await popup.evaluate("opener !== null"), true);
    await allow(popup);
    await page.locator("output", { hasText: "code=" }).waitFor();
    const told = new URLSearchParams((await page.locator("output").textContent())!);
    assert.equal(told.get("state"), "the state");
    assert.ok(told.has("code"));
    assert.deepEqual(faults, []);
    await context.close();
  });

  test(
    "signs out by a pop-up, which keeps its opener all the way back and where it stays here",
    LIMIT,
    async () => {
      const home = `${relyingParty.origin}/`;
      for (
        const [way, end] of [["back", `${home}?state=bye`], [
          "here",
          `${service.baseUrl}/signed-out`,
        ]] as const
      ) {
        const visit = await newPage();
        const { context, page } = visit;
        const pkce = pkcePair();
        await signedInAt(visit, pkce);
        await allow(page);
        const code = (await arrived(page)).get("code")!;
        const redirectUri = client.redirectUris[0]!;
        const { body } = await exchange(provider, client, { code, redirectUri, ...pkce });
        const hint = { id_token_hint: body.id_token, state: "bye" };
        const fields = way === "back" ? { ...hint, post_logout_redirect_uri: home } : hint;
        const endSession = `${service.baseUrl}/api/auth/oauth2/end-session?${new URLSearchParams(fields)}`;
        await page.goto(`${home}?popup=${encodeURIComponent(endSession)}`);
        const opened = context.waitForEvent("page");
        await page.getByRole("button", { name: "Sign in" }).click();
        const popup = await opened;
        await popup.waitForURL(end);
        assert.equal(await popup.evaluate("opener !== null"), true, way);
        await context.close();
      }
    },
  );

  test("is allowed without JavaScript by a signed-in user", LIMIT, async () => {
    const visit = await newPage();
    const { context } = visit;
    await signedInAt(visit, pkcePair());
    const storageState = await context.storageState();
    const plain = await browser.newContext({ javaScriptEnabled: false, storageState });
    plain.setDefaultTimeout(15_000);
    const scriptless = await plain.newPage();
    await scriptless.goto(requestUrl(pkcePair()));
    await allow(scriptless);
    assert.ok((await arrived(scriptless)).has("code"));
    await plain.close();
    await context.close();
  });

  test("signs the person out: at once by their own ID token, else after they confirm", LIMIT, async () => {
    const visit = await newPage();
    const { context, page, email, faults } = visit;
    const pkce = pkcePair();
    await signedInAt(visit, pkce);
    await allow(page);
    const code = (await arrived(page)).get("code")!;
    const { body } = await exchange(provider, client, {
      code,
      redirectUri: client.redirectUris[0]!,
      ...pkce,
    });
    const home = `${relyingParty.origin}/`;
    const hint = { id_token_hint: body.id_token, state: "bye", post_logout_redirect_uri: home };
    const endSession = `${service.baseUrl}/api/auth/oauth2/end-session`;
    const hinted = `${endSession}?${new URLSearchParams(hint)}`;

    await page.goto(endSession);
    await page.getByRole("heading", { name: "Sign out?" }).waitFor();
    assert.ok((await page.getByRole("main").innerText()).includes(email));
    await page.getByRole("button", { name: "Stay signed in" }).click();
    await page.waitForURL(`${service.baseUrl}/keys`);
    await page.goto(hinted);
    await page.waitForURL(`${home}?state=bye`);
    await page.goto(`${service.baseUrl}/keys`);
    await page.waitForURL(`${service.baseUrl}/sign-in?*`);
    assert.deepEqual(faults, []);
    await context.close();

    const other = await newPage();
    await signedInAt(other, pkcePair());
    await other.page.goto(hinted);
    await other.page.getByText("Books asks to sign").waitFor();
    await other.page.getByRole("main").getByRole("button", { name: "Sign out" }).click();
    await other.page.waitForURL(`${home}?state=bye`);
    await other.page.goto(`${service.baseUrl}/keys`);
    await other.page.waitForURL(`${service.baseUrl}/sign-in?*`);
    assert.deepEqual(other.faults, []);
    await other.context.close();
  });
});
