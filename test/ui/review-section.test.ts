import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Explanation } from "../../src/keys/explain.ts";
import { explanationSection } from "../../src/ui/section/explanation.ts";
import type { ShownMessage } from "../../src/ui/section/explanation.ts";
import { reviewSection } from "../../src/ui/section/review-section.ts";

const ADDRESS = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";
const INTENT = {
  kind: "text",
  recognisedBy: "EIP-191",
  sentence: "Sign the text “hello”.",
  chainId: null,
  contract: null,
  fields: [],
  effects: [],
  effectsComplete: true,
  warnings: [],
} as const;
const COMMON = {
  address: ADDRESS,
  digest: "0x11",
  refusal: null,
  decision: { outcome: "allow", rule: null, reason: "", policy: null, value: null },
} as unknown as Pick<Explanation, "address" | "digest" | "refusal" | "decision">;
const HELLO: ShownMessage = { kind: "text", text: "hello" };

function messageOf(intent: Partial<Explanation["intent"]> = {}): Explanation {
  return {
    ...COMMON,
    kind: "message",
    format: "personal_sign",
    encoding: "utf8",
    intent: { ...INTENT, ...intent },
  };
}

function transactionOf(intent: Partial<Explanation["intent"]>): Explanation {
  return {
    ...COMMON,
    kind: "transaction",
    transaction: { chainId: "1", to: ADDRESS },
    unsigned: "0xe9",
    maximumFee: "1",
    intent: { ...INTENT, kind: "native_transfer", sentence: "Send 1 ETH.", ...intent },
  } as Explanation;
}

function review(explanation: Explanation, message?: ShownMessage): string {
  return String(reviewSection(explanation, message, "en"));
}

/** Returns the values that the page's script reads. */
function valuesOf(text: string): unknown {
  return JSON.parse(/data-values="([^"]*)"/.exec(text)![1]!.replaceAll("&quot;", '"'));
}

function subjectOf(text: string): string {
  return /<p id="signed-what">(.*)<\/p>/.exec(text)![1]!.replace(/<[^>]*>/g, "");
}

describe("reviewSection()", () => {
  test("shows the sentence, then the warnings with their levels, then the fields", () => {
    const text = review(transactionOf({
      fields: [{ label: "To", format: "address", value: "Bob <b>", raw: "0x" }],
      warnings: [
        { level: "red", code: "delegate_call", text: "It runs code" },
        { level: "amber", code: "no_expiry", text: "It never ends" },
      ],
    } as unknown as Partial<Explanation["intent"]>));
    const places = [
      '<p class="intent"><bdi>Send 1 ETH.</bdi></p>',
      '<li class="notice danger"><strong>Danger: </strong><bdi>It runs code</bdi></li>',
      '<li class="notice"><strong>Take note: </strong><bdi>It never ends</bdi></li>',
      '<bdi class="field-value">Bob &lt;b&gt;</bdi>',
      "Recognised by: <bdi>EIP-191</bdi>",
      'id="review-all"',
      "Transaction",
      ADDRESS,
      "Unsigned bytes",
      'id="review-digest">0x11',
      'id="review-anyway-box"',
    ].map((part) => text.indexOf(part, text.indexOf('id="review-intent"')));
    assert.ok(!places.includes(-1), String(places));
    assert.deepEqual(places, places.toSorted((a, b) => a - b));
  });

  test("shows the text itself instead of the sentence, with hidden characters by name", () => {
    const text = review(messageOf(), { kind: "text", text: "a\u202Eb\n c" });
    assert.doesNotMatch(text, /class="intent"|review-fields|review-anyway|\u202E/);
    assert.match(text, /<div id="review-intent" class="stack"><\/div>/);
    assert.match(text, /<h3><bdi>This text<\/bdi><\/h3>/);
    assert.match(
      text,
      /<span class="signed-text"><bdi>a<span class="unseen">U\+202E<\/span>b\n c<\/bdi><\/span>/,
    );
    assert.match(review(messageOf(), { kind: "text", text: "" }), /<span class="unseen">empty<\/span>/);
  });

  test("collapses the fields unless there is nothing else to read", () => {
    assert.match(review(transactionOf({ kind: "native_transfer" })), /<details id="review-all" >/);
    for (const kind of ["contract_call", "contract_creation"] as const) {
      assert.match(review(transactionOf({ kind })), /<details id="review-all" open>/, kind);
    }
  });

  test("contains the values that the script sends and compares", () => {
    const common = { address: ADDRESS, digest: "0x11" };
    assert.deepEqual(valuesOf(review(messageOf(), HELLO)), { kind: "message", ...common });
    assert.deepEqual(valuesOf(review(transactionOf({}))), {
      kind: "transaction",
      ...common,
      unsigned: "0xe9",
    });
    const authorization = { chainId: "1", address: ADDRESS, nonce: "18446744073709551613" };
    const explanation = {
      ...COMMON,
      kind: "authorization",
      authorization,
      intent: { ...INTENT, kind: "delegation" },
    } as Explanation;
    assert.deepEqual(valuesOf(review(explanation)), { kind: "authorization", ...common, authorization });
  });

  test("states why the key refuses it, and then has no button to sign", () => {
    const warnings = [{ level: "red", code: "delegate_call", text: "It runs code" }] as const;
    const refusal = { code: "key_archived", detail: "Cannot sign: archived" } as const;
    const text = review({ ...transactionOf({ warnings }), refusal });
    assert.match(
      text,
      /<p id="review-refusal" class="notice danger"><bdi>Cannot sign: archived<\/bdi>\.<\/p>/,
    );
    assert.doesNotMatch(text, /review-anyway/);
  });

  test("shows afterwards what was signed: the beginning of a text, or the sentence", () => {
    assert.equal(subjectOf(review(messageOf(), HELLO)), "“hello”");
    assert.equal(
      subjectOf(review(messageOf(), { kind: "text", text: "😀".repeat(80) })),
      `“${"😀".repeat(80)}”`,
    );
    assert.equal(
      subjectOf(review(messageOf(), { kind: "text", text: "😀".repeat(81) })),
      `“${"😀".repeat(80)}…”`,
    );
    assert.equal(subjectOf(review(transactionOf({}))), "Send 1 ETH.");
  });
});

test("explanationSection() collapses a list of more than 20 items, and contains all of them", () => {
  const listOf = (length: number): string => {
    const items = Array.from(
      { length },
      (_, index) => ({ name: `${index}`, type: "string", value: `name ${index + 1}` }),
    );
    const message = { name: "", type: "Ballot", members: [{ name: "names", type: "string[]", items }] };
    const domain = { name: "", type: "EIP712Domain", members: [] };
    return String(explanationSection(
      {
        ...COMMON,
        kind: "typed_data",
        primaryType: "Ballot",
        encodeType: "",
        domainSeparator: "",
        structHash: "",
        domain,
        message,
        intent: INTENT,
      } as unknown as Explanation,
      undefined,
      "en",
    ));
  };
  assert.doesNotMatch(listOf(20), /Show all/);
  const text = listOf(21);
  const [before, after] = text.split(/<details>\s*<summary>Show all 21<\/summary>/);
  assert.match(before!, /No\. 20.*name 20/s);
  assert.doesNotMatch(before!, /name 21/);
  assert.match(after!, /No\. 21.*name 21/s);
});
