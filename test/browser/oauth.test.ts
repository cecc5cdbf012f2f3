import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "../support/browser.ts";
import { type Service, startService } from "../support/service.ts";
import { type TemporaryFolder, temporaryFolder } from "../support/temporary.ts";

const LIMIT = { timeout: 60_000 };
/** RFC 7636 appendix B. */
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/** Nobody listens there: that the browser goes there is all there is to see. */
const HTTPS_CALLBACK = "https://localhost:1/cb";

/** The application: its start page opens a pop-up, its callback tells the opener. Another site than the service's. */
const APPLICATION = `<!doctype html><title>Books</title><button id="open">Sign in</button><output></output>
<script>
  document.querySelector("#open").onclick = () => open(new URLSearchParams(location.search).get("at"), "_blank", "popup");
  addEventListener("message", ({ data, origin }) => {
    if (origin === location.origin) document.querySelector("output").textContent = data;
  });
</script>`;
const CALLBACK = `<!doctype html><title>Signed in</title><p>Back</p>
<script>
  if (opener) { opener.postMessage(location.search, location.origin); close(); }
</script>`;

describe("signing in to an application in a real browser", () => {
  let browser: Browser;
  let folder: TemporaryFolder;
  let service: Service;
  let application: Server;
  let applicationUrl: string;
  let clientId: string;
  let people = 0;

  before(async () => {
    folder = temporaryFolder();
    application = createServer(({ url }, response) => {
      response.setHeader("Content-Type", "text/html; charset=utf-8");
      response.end(url?.startsWith("/cb") ? CALLBACK : APPLICATION);
    });
    await new Promise<void>((resolve) => application.listen(0, "127.0.0.1", resolve));
    applicationUrl = `http://127.0.0.1:${(application.address() as AddressInfo).port}`;
    [browser, service] = await Promise.all([
      launchBrowser(),
      startService({ runtime: "bun", dataDir: folder.path, env: { RATE_LIMITS: "off" } }),
    ]);
    clientId = await register();
  }, LIMIT);

  after(async () => {
    await browser.close();
    await service.stop();
    application.close();
    folder[Symbol.dispose]();
  });

  async function register(): Promise<string> {
    const adminKey = readFileSync(join(folder.path, "admin-api-key"), "utf8").trim();
    const answer = await fetch(`${service.baseUrl}/api/admin/oauth/clients`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({
        name: "Books",
        uri: "https://books.example",
        type: "spa",
        redirectUris: [`${applicationUrl}/cb`, HTTPS_CALLBACK],
      }),
    });
    assert.equal(answer.status, 201);
    return (await answer.json() as { client: { clientId: string } }).client.clientId;
  }

  function authorizeUrl(redirectUri: string): string {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      scope: "openid",
      state: "s",
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
    });
    return `${service.baseUrl}/api/auth/oauth2/authorize?${query}`;
  }

  async function readCode(email: string): Promise<string> {
    const answer = await fetch(`${service.baseUrl}/dev/outbox`, { headers: { accept: "application/json" } });
    const { messages } = await answer.json() as { messages: { to: string; text: string }[] };
    const code = /\b\d{6}\b/.exec(messages.find(({ to }) => to === email)?.text ?? "")?.[0];
    assert.ok(code !== undefined, "the outbox has the code");
    return code;
  }

  /** From the sign-in page on. */
  async function signUp(page: Page): Promise<void> {
    const email = `reader-${++people}@example.com`;
    await page.getByRole("link", { name: /make an account/i }).first().click();
    await page.getByLabel("E-mail address").fill(email);
    await page.getByRole("button", { name: "Send the code" }).click();
    const code = page.getByLabel("Code", { exact: true });
    await code.waitFor();
    await code.fill(await readCode(email));
    await page.getByRole("button", { name: "Check the code" }).click();
    await page.getByRole("button", { name: "Make a passkey" }).click();
  }

  async function newPage(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await addVirtualAuthenticator(page);
    return page;
  }

  test(
    "goes from the application over sign-up and consent back with a code that works; denied, with an error",
    LIMIT,
    async () => {
      const page = await newPage();
      const faults = collectPageFaults(page);
      const callback = `${applicationUrl}/cb`;
      await page.goto(applicationUrl);
      await page.evaluate((url) => location.assign(url), authorizeUrl(callback));
      await page.waitForURL(`${service.baseUrl}/sign-in?request=*`);
      await signUp(page);
      await page.waitForURL(`${service.baseUrl}/consent?request=*`);
      await page.getByRole("heading", { name: "Sign in to Books?" }).waitFor();
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(`${callback}?*`);
      const code = new URL(page.url()).searchParams.get("code")!;
      const answer = await fetch(`${service.baseUrl}/api/auth/oauth2/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: clientId,
          redirect_uri: callback,
          code,
          code_verifier: VERIFIER,
        }),
      });
      assert.equal(answer.status, 200);

      await page.goto(authorizeUrl(callback));
      await page.getByRole("button", { name: "Deny" }).click();
      await page.waitForURL(`${callback}?*`);
      assert.equal(new URL(page.url()).searchParams.get("error"), "access_denied");
      assert.deepEqual(faults, []);
      await page.context().close();
    },
  );

  test("asks once for https, and again when the person took it back", LIMIT, async () => {
    const page = await newPage();
    const seen: URL[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(HTTPS_CALLBACK)) seen.push(new URL(request.url()));
    });
    const arrive = () => page.waitForRequest((request) => request.url().startsWith(HTTPS_CALLBACK));
    await page.goto(authorizeUrl(HTTPS_CALLBACK));
    await signUp(page);
    const first = arrive();
    await page.getByRole("button", { name: "Allow" }).click();
    await first;
    const second = arrive();
    await page.goto(authorizeUrl(HTTPS_CALLBACK)).catch(() => {});
    await second;
    assert.equal(seen.length, 2);
    for (const url of seen) assert.ok(url.searchParams.has("code"));

    // Another tab, because this one shows that nobody listens at the application's address.
    const tab = await page.context().newPage();
    await tab.goto(`${service.baseUrl}/keys`);
    const status = await tab.evaluate(
      async (path) => (await fetch(path, { method: "DELETE" })).status,
      `/api/auth/grants/${clientId}`,
    );
    assert.equal(status, 204);
    await tab.goto(authorizeUrl(HTTPS_CALLBACK));
    await tab.getByRole("heading", { name: "Sign in to Books?" }).waitFor();
    await page.context().close();
  });

  test("works in a pop-up: the opener gets the answer", LIMIT, async () => {
    const page = await newPage();
    await page.goto(authorizeUrl(HTTPS_CALLBACK));
    await signUp(page);
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const at = encodeURIComponent(authorizeUrl(`${applicationUrl}/cb`));
    await page.goto(`${applicationUrl}/?at=${at}`);
    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Sign in" }).click();
    const popup = await opened;
    const closed = popup.waitForEvent("close");
    await popup.getByRole("button", { name: "Allow" }).click();
    await closed;
    await page.getByText(/[?&]code=/).waitFor();
    const answer = new URLSearchParams(await page.locator("output").textContent() ?? "");
    assert.deepEqual([...answer.keys()], ["code", "state", "iss"]);
    await page.context().close();
  });
});
