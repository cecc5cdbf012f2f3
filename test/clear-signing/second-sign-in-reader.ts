import assert from "node:assert/strict";
import { parseSiweMessage } from "viem/siwe";
import type { LocalizedIntent } from "../../src/clear-signing/intent.ts";
import { SIGNER } from "./documents.ts";

/** Checks the sentence about a sign-in against the message as viem reads it. */
export function readSignInSentence(text: string, intent: LocalizedIntent): void {
  const message = parseSiweMessage(text);
  const [, domain, who, until] =
    /^Sign in to (\S+) as (this key|0x\w{40}|your key “\w+” \(0x\w{40}\))(?:, until (.+))?\.$/
      .exec(intent.sentence) ?? [];
  assert.equal(domain, message.domain, intent.sentence);
  assert.equal(who === "this key", message.address === SIGNER);
  if (who !== "this key") assert.ok(who?.includes(message.address!));
  assert.equal(until === undefined, message.expirationTime === undefined);
  if (message.expirationTime !== undefined) {
    const second = new Date(Math.floor(message.expirationTime.getTime() / 1000) * 1000).toISOString();
    assert.equal(until, second.replace("T", " ").replace(".000Z", " UTC"));
  }
  assert.equal(intent.chainId, String(message.chainId));
  const host = URL.parse(message.uri!)?.host;
  const isOnSite = host === message.domain?.toLowerCase();
  const warns = intent.warnings.some(({ code }) => code === "sign_in_host");
  // The default port of a scheme may be present or omitted.
  if (!/:\d+/.test(message.domain! + message.uri)) assert.equal(warns, !isOnSite, text);
}
