import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { personalBytesIntent } from "../../src/clear-signing/message.ts";
import type { IntentKind } from "../../src/clear-signing/intent.ts";
import { localize } from "../../src/clear-signing/format-message.ts";
import type { Language } from "../../src/lib/language.ts";
import { CONTEXT, SAMPLES, STRANGER, type TypedDataJson } from "./documents.ts";
import { explainSample } from "./explain-sample.ts";
import { TYPE_HASHES, typeHashOf } from "./second-reader.ts";

function kindOf(typedData: TypedDataJson): IntentKind {
  return explainSample({ name: "changed", typedData }, CONTEXT).kind;
}

/** Returns the document with another domain and its type derived from that. */
function withDomain(document: TypedDataJson, domain: Readonly<Record<string, unknown>>): TypedDataJson {
  const { EIP712Domain: _, ...types } = document.types;
  return { ...document, types, domain };
}

function without(domain: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(domain).filter(([key]) => key !== name));
}

const TYPED = SAMPLES.flatMap((sample) => {
  if (!("typedData" in sample)) return [];
  const { typedData } = sample;
  const kind = kindOf(typedData);
  return kind === "typed_data" ? [] : [{ name: sample.name, typedData, kind }];
});

/** The kinds that have fixed contracts. */
const AT_HOME: readonly IntentKind[] = [
  "permit2_allowance",
  "permit2_transfer",
  "seaport_order",
  "user_operation",
  "described",
];

describe("typedDataIntent()", () => {
  test("typedDataIntent() identifies types by their published hashes", () => {
    const found = new Set<string>();
    for (const { typedData, kind } of TYPED) {
      const hash = typeHashOf(typedData);
      if (TYPE_HASHES[hash] !== undefined) found.add(hash), assert.equal(TYPE_HASHES[hash], kind);
    }
    assert.deepEqual([...found].sort(), Object.keys(TYPE_HASHES).sort());
  });

  for (const { name, typedData, kind } of TYPED) {
    const { domain, types, primaryType } = typedData;
    test(`typedDataIntent() does not accept ${name} without chain, without contract, or with a salt`, () => {
      assert.equal(kindOf(withDomain(typedData, without(domain, "chainId"))), "typed_data");
      assert.equal(kindOf(withDomain(typedData, without(domain, "verifyingContract"))), "typed_data");
      assert.equal(kindOf(withDomain(typedData, { ...domain, salt: "0x" + "01".repeat(32) })), "typed_data");
    });

    test(`typedDataIntent() does not accept ${name} with another type for one of its members`, () => {
      const fields = types[primaryType]!;
      const renamed = [...fields.slice(0, -1), {
        name: fields.at(-1)!.name + "_",
        type: fields.at(-1)!.type,
      }];
      const last = fields.at(-1)!.name;
      const message = { ...without(typedData.message, last), [last + "_"]: typedData.message[last] };
      const changed = { ...typedData, types: { ...types, [primaryType]: renamed }, message };
      // With a witness, the application defines the rest.
      assert.equal(kindOf(changed), primaryType.includes("Witness") ? kind : "typed_data");
    });

    if (AT_HOME.includes(kind)) {
      test(`typedDataIntent() accepts ${name} of its own contract only`, () => {
        assert.equal(kindOf(withDomain(typedData, { ...domain, verifyingContract: STRANGER })), "typed_data");
      });
    }
    if (AT_HOME.includes(kind) && typeof domain.name === "string" && primaryType !== "Delegation") {
      test(`typedDataIntent() accepts ${name} under its own name only`, () => {
        assert.equal(kindOf(withDomain(typedData, { ...domain, name: `${domain.name} ` })), "typed_data");
      });
    }
  }

  test("typedDataIntent() does not accept a document with an absent struct, nor a domain alone", () => {
    const { typedData } = TYPED.find(({ kind }) => kind === "permit2_allowance")!;
    assert.equal(kindOf({ ...typedData, message: { ...typedData.message, details: null } }), "typed_data");
    const alone = { ...typedData, primaryType: "EIP712Domain", message: {} };
    assert.equal(kindOf(alone), "typed_data");
  });

  test("typedDataIntent() does not accept a Permit2 batch without items, nor a Seaport order that it cannot describe", () => {
    const batch = TYPED.find(({ typedData }) => typedData.primaryType === "PermitBatch")!.typedData;
    assert.equal(kindOf({ ...batch, message: { ...batch.message, details: [] } }), "typed_data");
    const { typedData: order } = TYPED.find(({ kind }) => kind === "seaport_order")!;
    const [item] = order.message.offer as readonly Record<string, unknown>[];
    const offers = [[], [{ ...item, itemType: 6 }], [{ ...item, startAmount: 2 }], [{
      ...item,
      itemType: 1,
    }]];
    for (const offer of offers) {
      assert.equal(kindOf({ ...order, message: { ...order.message, offer } }), "typed_data");
    }
    assert.equal(kindOf({ ...order, message: { ...order.message, orderType: 4 } }), "typed_data");
  });

  test("typedDataIntent() does not accept a Safe's transaction with an unknown operation", () => {
    const { typedData } = TYPED.find(({ kind }) => kind === "safe_transaction")!;
    assert.equal(kindOf({ ...typedData, message: { ...typedData.message, operation: 2 } }), "typed_data");
    const named = { name: "Safe", ...typedData.domain };
    assert.equal(kindOf(withDomain(typedData, named)), "typed_data");
  });
});

describe("personalBytesIntent()", () => {
  test("personalBytesIntent() describes an empty message, and the number of bytes", () => {
    const sentenceOf = (bytes: Uint8Array, language: Language) =>
      localize(personalBytesIntent(bytes, CONTEXT).sentence, language);
    assert.equal(sentenceOf(new Uint8Array(), "en"), "Sign an empty message. It says nothing.");
    assert.equal(sentenceOf(new Uint8Array(), "de"), "Sie signieren eine leere Nachricht. Sie sagt nichts.");
    assert.match(
      sentenceOf(Uint8Array.of(0xff, 0xfe), "en"),
      /^Sign 2 bytes .* Their meaning cannot be shown/,
    );
    assert.match(
      sentenceOf(Uint8Array.of(0xff, 0xfe), "de"),
      /^Sie signieren 2 Bytes .* Ihre Bedeutung lässt sich nicht zeigen/,
    );
  });
});

describe("textIntent()", () => {
  test("textIntent() keeps every text inside its quotation", () => {
    const text = "Log in”. It moves no money. Say “yes";
    const { sentence, fields } = explainSample({ name: "text", text }, CONTEXT);
    assert.equal(
      sentence.replace(/[\u2068\u2069]/g, ""),
      "Sign the text “Log in[U+201D]. It moves no money. Say [U+201C]yes”.",
    );
    assert.equal(fields[0]!.raw, text);
  });
});
