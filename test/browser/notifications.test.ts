import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { useStage, type Visit } from "../support/account-story.ts";
import { createPushBrowser, type PushBrowser } from "../support/push-service.ts";

const LIMIT = { timeout: 60_000 };

/** A notification that the worker shows. */
interface Shown {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly data: string;
}

describe("the page of notifications, in a real browser", () => {
  const stage = useStage();

  /** Opens the page in a browser that may notify. Without `answer`, its push service cannot be reached. */
  async function openPage(answer?: PushBrowser): Promise<Visit> {
    const visit = await stage.newAccount();
    const { baseUrl } = stage.served;
    await visit.context.grantPermissions(["notifications"], { origin: baseUrl });
    if (answer !== undefined) {
      await visit.page.addInitScript((keys) => {
        const subscription = {
          toJSON: () => ({ endpoint: "https://127.0.0.1/push", expirationTime: null, keys }),
        };
        Reflect.set(PushManager.prototype, "subscribe", () => Promise.resolve(subscription));
      }, answer.keys);
    }
    await visit.page.goto(`${baseUrl}/account`);
    await visit.page.getByRole("link", { name: "Notifications" }).click();
    return visit;
  }

  /** Delivers a message to the browser, as its push service does. Returns what its worker would show. */
  async function receive({ context, page }: Visit, data: string): Promise<Shown> {
    const session = await context.newCDPSession(page);
    const found = Promise.withResolvers<string>();
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [one] = registrations;
      if (one !== undefined) found.resolve(one.registrationId);
    });
    await session.send("ServiceWorker.enable");
    const registrationId = await found.promise;
    const [worker] = context.serviceWorkers();
    // This browser has no notifications.
    await worker!.evaluate(() => {
      const { registration } = globalThis as unknown as { readonly registration: ServiceWorkerRegistration };
      const shown = Promise.withResolvers<object>();
      Reflect.set(globalThis, "shown", shown.promise);
      registration.showNotification = (title, options) =>
        Promise.resolve(shown.resolve({ title, ...options }));
    });
    const origin = stage.served.baseUrl;
    await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
    return await worker!.evaluate(() => (globalThis as unknown as { readonly shown: Promise<Shown> }).shown);
  }

  test("has this browser notified, shows what it receives, and stops", LIMIT, async () => {
    const browser = await createPushBrowser();
    const visit = await openPage(browser);
    const { page } = visit;
    await page.getByRole("button", { name: "Notify this browser" }).click();
    await page.getByText("This browser is notified until you sign out here.").waitFor();
    await page.locator("#browsers .badge").getByText("This browser").waitFor();
    const requestId = `signing_${"a".repeat(26)}`;
    const message = { kind: "signature_asked", program: "Payroll", requestId, title: "T", text: "B" };
    assert.deepEqual(await receive(visit, JSON.stringify(message)), {
      title: "T",
      body: "B",
      tag: `signature_asked ${requestId}`,
      data: `/requests/${requestId}`,
    });
    await page.getByRole("button", { name: /^Stop/ }).click();
    await page.getByText("is not notified any more.").waitFor();
    await page.getByText("No browser is notified.").waitFor();
    assert.deepEqual(visit.faults, []);
    await visit.context.close();
  });

  test("has a manifest without a fault, which the policy of the page lets load", LIMIT, async () => {
    const visit = await openPage();
    const session = await visit.context.newCDPSession(visit.page);
    const { errors, data, url } = await session.send("Page.getAppManifest");
    assert.deepEqual([url, errors], [`${stage.served.baseUrl}/manifest.webmanifest`, []]);
    assert.equal(JSON.parse(data!).display, "standalone");
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    assert.deepEqual(installabilityErrors, []);
    await visit.context.close();
  });

  test("says so if the push service cannot be reached", LIMIT, async () => {
    const visit = await openPage();
    await visit.page.getByRole("button", { name: "Notify this browser" }).click();
    await visit.page.getByText("This browser did not reach its push service.").waitFor();
    await visit.page.getByText("No browser is notified.").waitFor();
    await visit.context.close();
  });
});
