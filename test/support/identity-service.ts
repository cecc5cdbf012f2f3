import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { ADMIN_KEY } from "./app.ts";
import { addVirtualAuthenticator, collectPageFaults, launchBrowser } from "./browser.ts";
import type { VirtualAuthenticator } from "./browser.ts";
import { findFreePort } from "./free-port.ts";
import { startRealUpstream, UPSTREAM_CLIENT } from "./real-upstream.ts";
import type { RealUpstream } from "./real-upstream.ts";
import { builtRuntime, startService } from "./service.ts";
import type { Service } from "./service.ts";
import { temporaryFolder } from "./temporary.ts";
import type { TemporaryFolder } from "./temporary.ts";
import { openWindow } from "./window.ts";

/** A page in a new window, with its own authenticator. */
export interface IdentityPage {
  readonly page: Page;
  readonly authenticator: VirtualAuthenticator;
  readonly faults: readonly string[];
}

/** A browser, and the service as its own process with a third-party identity provider. */
export interface IdentityService {
  readonly browser: Browser;
  readonly service: Service;
  newPage(): Promise<IdentityPage>;
}

/** Starts them before the tests of this `describe`, and ends them after. */
export function useIdentityService(): IdentityService {
  let browser: Browser;
  let folder: TemporaryFolder;
  let upstream: RealUpstream;
  let service: Service;
  before(async () => {
    folder = temporaryFolder();
    const port = await findFreePort();
    const redirectUri = `http://localhost:${port}/api/auth/identity/upstream/callback`;
    [browser, upstream] = await Promise.all([launchBrowser(), startRealUpstream(redirectUri)]);
    const providers = [
      { id: "upstream", name: "Upstream", issuer: upstream.issuer, ...UPSTREAM_CLIENT },
      { id: "github", clientId: "none", clientSecret: "none" },
    ];
    service = await startService({
      runtime: builtRuntime("deno"),
      dataDir: folder.path,
      env: {
        PORT: String(port),
        RATE_LIMITS: "off",
        ADMIN_API_KEY: ADMIN_KEY,
        IDENTITY_PROVIDERS: JSON.stringify(providers),
      },
    });
  }, { timeout: 60_000 });
  after(async () => {
    await browser.close();
    await service.stop();
    await upstream.close();
    folder[Symbol.dispose]();
  });
  return {
    get browser() {
      return browser;
    },
    get service() {
      return service;
    },
    async newPage() {
      const { page } = await openWindow(browser, { viewport: { width: 500, height: 800 } });
      const authenticator = await addVirtualAuthenticator(page);
      return { page, authenticator, faults: collectPageFaults(page) };
    },
  };
}

/** Goes to the identity provider by its button, and signs in there. */
export async function goThrough(page: Page, person: string): Promise<void> {
  await page.getByRole("link", { name: "Continue with Upstream" }).click();
  await page.getByRole("heading", { name: "Upstream" }).waitFor();
  await page.getByRole("button", { name: person }).click();
}
