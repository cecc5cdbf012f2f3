import assert from "node:assert/strict";
import { test } from "node:test";
import { policyMessagesIn } from "../../src/policy/messages.ts";
import { localizeReason, reason, translateReason } from "../../src/policy/reason.ts";

const GIVEN = {
  at: "/message/x",
  most: "12345",
  seconds: 678,
  member: "chainId",
  format: "digest",
  signature: "f(uint8)",
};

const english = policyMessagesIn("en").reasons;
const german = policyMessagesIn("de").reasons;

test("reasons have the same values in German and English", () => {
  assert.deepEqual(Object.keys(german).toSorted(), Object.keys(english).toSorted());
  for (const code of Object.keys(english) as (keyof typeof english)[]) {
    const [translated, original] = [german[code], english[code]].map((one) =>
      typeof one === "string" ? one : one(GIVEN as never)
    );
    assert.notEqual(translated, original);
    assert.doesNotMatch(translated!, /\b(?:the|of|to|and|from|with|is|are|any|may|no)\b/i, code);
    for (const value of Object.values(GIVEN).map(String)) {
      assert.equal(translated!.includes(value), original!.includes(value), `${code}: ${value}`);
    }
  }
});

test("localizeReason() and translateReason() format a reason in a language, and keep an unknown text", () => {
  const most = reason("moreThan", { at: "/value", most: "5" });
  assert.equal(localizeReason(most, "en"), "The value at /value is more than 5");
  assert.equal(localizeReason(most, "de"), "Der Wert bei /value ist mehr als 5");
  const kept = localizeReason(reason("asks"), "en");
  assert.equal(translateReason(kept, "en"), kept);
  assert.equal(translateReason(kept, "de"), "Die Richtlinie verlangt die Freigabe des Eigentümers");
  assert.equal(translateReason("Another version said this", "de"), "Another version said this");
});
