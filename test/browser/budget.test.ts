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

  const PATHS = [
    ["nobody", "/"],
    ["nobody", "/sign-in"],
    ["nobody", "/sign-up"],
    ["account", "/keys"],
    ["account", "key"],
    ["account", "/requests"],
    ["account", "/account/audit"],
    ["account", "/developer"],
    ["account", "/account"],
    ["account", "/account/settings"],
    ["account", "/account/recovery"],
    ["nobody", "/recover"],
  ] as const;

  test("is at most 8 requests and 60 KiB", LIMIT, async () => {
    const { baseUrl } = stage.served;
    // In German, whose words are the longer ones.
    const visits = {
      account: await stage.newPerson({ language: "de" }),
      nobody: await newVisit(stage.browser, { language: "de" }),
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
