import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deviceOf } from "../../../src/accounts/session/user-agent.ts";

const LIKE_SAFARI = "AppleWebKit/537.36 (KHTML, like Gecko)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";

const CLAIMS: Readonly<Record<string, string>> = {
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0": "Firefox on Linux",
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${LIKE_SAFARI} Chrome/140.0.0.0 Safari/537.36`]:
    "Chrome on Windows",
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${LIKE_SAFARI} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]:
    "Edge on Windows",
  [`${MAC} ${LIKE_SAFARI} Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0`]: "Opera on macOS",
  [`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15`]: "Safari on macOS",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1":
    "Safari on iPhone",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0.0.0 Mobile/15E148 Safari/604.1":
    "Chrome on iPhone",
  "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15":
    "Firefox on iPad",
  [`Mozilla/5.0 (Linux; Android 10; K) ${LIKE_SAFARI} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`]:
    "Samsung Internet on Android",
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${LIKE_SAFARI} Chrome/140.0.0.0 Safari/537.36`]:
    "Chrome on ChromeOS",
  "curl/8.5.0": "curl",
  "SomeApp/1.0 (Linux; Android 15)": "Unknown browser on Android",
  "a program": "Unknown device",
  "": "Unknown device",
};

describe("deviceOf()", () => {
  for (const [claim, device] of Object.entries(CLAIMS)) {
    test(`deviceOf() returns "${device}" for ${JSON.stringify(claim.slice(0, 80))}`, () => {
      assert.equal(deviceOf(claim), device);
    });
  }

  test('deviceOf() says "Unknown device" of no header and of one longer than any browser sends', () => {
    assert.equal(deviceOf(null), "Unknown device");
    assert.equal(deviceOf("Mozilla/5.0 (X11; Linux) Firefox/140.0 " + "x".repeat(1024)), "Unknown device");
  });

  test("deviceOf() never echoes its input", () => {
    const words = "Call 555-0100 Firefox/1 <b> Linux; your account is closed";
    assert.equal(deviceOf(words), "Firefox on Linux");
  });

  test("deviceOf() reads the worst text once", () => {
    const text = "Version/1" + " Mobile/1".repeat(100);
    for (let round = 0; round < 1000; round++) deviceOf(text);
  });
});
