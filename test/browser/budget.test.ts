import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisit, useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const KIB = 1024;

/** What a page costs that was never seen: requests, and bytes as they come over the wire. */
async function costOf(
  page: Page,
  url: string,
): Promise<{ readonly requests: number; readonly bytes: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.clearBrowserCache");
  let [requests, bytes] = [0, 0];
  session.on(
    "Network.requestWillBeSent",
    ({ request }) => requests += request.url.startsWith("http") ? 1 : 0,
  );
  session.on("Network.loadingFinished", ({ encodedDataLength }) => bytes += encodedDataLength);
  await page.goto(url, { waitUntil: "networkidle" });
  await session.detach();
  return { requests, bytes };
}

describe("what pages cost that were never seen, in a real browser", () => {
  const stage = useStage();

  // A key's page alone has all that recognises and explains what is signed.
  const BUDGETS = [
    ["nobody", "/", 4, 60],
    ["nobody", "/sign-in", 12, 60],
    ["nobody", "/sign-up", 12, 60],
    ["account", "/keys", 13, 60],
    ["account", "key", 31, 88],
    ["account", "/requests", 8, 60],
    ["account", "/account/audit", 8, 60],
    ["account", "/developer", 17, 60],
    ["account", "/account", 20, 60],
  ] as const;

  test("is within its budget of requests and KiB", LIMIT, async () => {
    const { baseUrl } = stage.served;
    const visits = { account: await stage.newAccount(), nobody: await newVisit(stage.browser) };
    await visits.account.page.goto(`${baseUrl}/keys`);
    const key = await visits.account.page.locator(".key-row").getAttribute("href");
    for (const [who, path, mostRequests, mostKib] of BUDGETS) {
      const { requests, bytes } = await costOf(visits[who].page, baseUrl + (path === "key" ? key : path));
      assert.ok(requests <= mostRequests, `${path}: ${requests} requests`);
      assert.ok(bytes <= mostKib * KIB, `${path}: ${bytes} bytes`);
    }
    for (const { context } of Object.values(visits)) await context.close();
  });
});
