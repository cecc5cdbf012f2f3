import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Page } from "playwright-core";
import { newVisit, useStage } from "../support/account-story.ts";

const LIMIT = { timeout: 60_000 };
const KIB = 1024;

/** Returns the requests of a page that is not in the cache, and their bytes as transferred. */
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

describe("the cost of a page that is not in the cache, in a real browser", () => {
  const stage = useStage();

  const PATHS = [
    ["visitor", "/"],
    ["visitor", "/sign-in"],
    ["visitor", "/sign-up"],
    ["account", "/keys"],
    ["account", "key"],
    ["account", "/requests"],
    ["account", "/account/audit"],
    ["account", "/developer"],
    ["account", "/account"],
    ["account", "/account/settings"],
    ["account", "/account/recovery"],
    ["visitor", "/recover"],
  ] as const;

  test("is at most 8 requests and 60 KiB", LIMIT, async () => {
    const { baseUrl } = stage.served;
    // In German, because its words are longer.
    const visits = {
      account: await stage.newPerson({ language: "de" }),
      visitor: await newVisit(stage.browser, { language: "de" }),
    };
    await visits.account.page.goto(`${baseUrl}/keys`);
    const key = await visits.account.page.locator(".key-row").getAttribute("href");
    for (const [who, path] of PATHS) {
      const { requests, bytes } = await costOf(visits[who].page, baseUrl + (path === "key" ? key : path));
      assert.ok(requests <= 8, `${path}: ${requests} requests`);
      assert.ok(bytes <= 60 * KIB, `${path}: ${bytes} bytes`);
    }
    for (const { context } of Object.values(visits)) await context.close();
  });
});
