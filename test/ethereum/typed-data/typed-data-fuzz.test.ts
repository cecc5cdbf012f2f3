import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseTypedData, TypedDataError } from "../../../src/ethereum/typed-data/typed-data.ts";
import {
  type ExplainedValue,
  explainTypedData,
  type TypedDataExplanation,
} from "../../../src/ethereum/typed-data/typed-data-explain.ts";
import { LIBRARIES, ourDigest } from "../libraries.ts";
import { mutate } from "../mutate.ts";
import { type DocumentJson, documents } from "./typed-data-documents.ts";
import { runs, runsOf } from "../../support/share.ts";

const DOCUMENTS = runsOf(2_000);
const MUTANTS_EACH = 10;

/** Returns the value of an explanation in the form that a document has. */
function valueOf(explained: ExplainedValue): unknown {
  if ("value" in explained) return explained.value;
  if ("items" in explained) return explained.items.map(valueOf);
  // JSON.parse creates own members for every name, including __proto__.
  const members = explained.members.map((member) =>
    `${JSON.stringify(member.name)}:${JSON.stringify(valueOf(member))}`
  );
  return JSON.parse(`{${members.join(",")}}`);
}

/** Returns the explanation of a document, or undefined if it is refused. Rethrows any other error. */
function explainOrRefuse(document: unknown): TypedDataExplanation | undefined {
  try {
    return explainTypedData(parseTypedData(document));
  } catch (error) {
    if (!(error instanceof TypedDataError)) throw error;
    assert.equal(pointsInto(document, error.path), true, error.path);
    assert.ok(error.message.length < 200, error.message);
    return undefined;
  }
}

/** Returns true if a pointer names a place in the document, or a missing member of an object in it. */
function pointsInto(document: unknown, path: string): boolean {
  const keys = path.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = keys.pop();
  let value = document;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return last === undefined || (typeof value === "object" && value !== null);
}

/** Returns the digest of eth-sig-util. It agrees on what we accept once EIP712Domain is declared. */
function secondDigest(document: DocumentJson, explained: TypedDataExplanation): string | undefined {
  // It drops structs with $ in their names, and reads prototypes.
  if (Object.keys(document.types).some((name) => name.includes("$"))) return undefined;
  if (JSON.stringify(document).includes("__proto__")) return undefined;
  const members = "members" in explained.domain ? explained.domain.members : [];
  const types = { EIP712Domain: members.map(({ name, type }) => ({ name, type })), ...document.types };
  return LIBRARIES["eth-sig-util"]({ ...document, types } as never);
}

describe("parseTypedData() under mutation", () => {
  test("parseTypedData() returns an agreeing digest or a TypedDataError when 20,000 documents are mutated", {
    timeout: 240_000,
  }, () => {
    const outcomes = { refused: 0, accepted: 0, compared: 0 };
    const tapes = fc.uint32Array({ minLength: 12 * MUTANTS_EACH, maxLength: 12 * MUTANTS_EACH });
    fc.assert(
      fc.property(documents("with-recursion"), tapes, (document, tape) => {
        let position = 0;
        const draw = (bound: number) => tape[position++ % tape.length]! % bound;
        for (let count = 0; count < MUTANTS_EACH; count++) {
          const mutant = mutate(document, draw);
          const explained = explainOrRefuse(mutant);
          outcomes[explained === undefined ? "refused" : "accepted"]++;
          if (explained === undefined) continue;
          const domain = valueOf(explained.domain);
          const message = explained.message === null ? {} : valueOf(explained.message);
          assert.equal(ourDigest({ ...mutant as DocumentJson, domain, message }), explained.digest);
          // The second digest takes most of the time, so only each third document has one.
          if (outcomes.accepted % 3 !== 0) continue;
          const second = secondDigest(mutant as DocumentJson, explained);
          if (second === undefined) continue;
          assert.equal(second, explained.digest);
          outcomes.compared++;
        }
      }),
      runs(2_000, 50),
    );
    assert.equal(outcomes.refused + outcomes.accepted, DOCUMENTS * MUTANTS_EACH);
    // Both counts must be high: a test whose mutants are all refused or all accepted proves little.
    assert.ok(outcomes.refused > runsOf(8_000), JSON.stringify(outcomes));
    assert.ok(outcomes.compared > runsOf(1_200), JSON.stringify(outcomes));
  });

  test("parseTypedData() returns a TypedDataError when the document is any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        assert.equal(explainOrRefuse(value), undefined);
        assert.equal(
          explainOrRefuse({ types: value, primaryType: "T", domain: value, message: value }),
          undefined,
        );
      }),
      runs(2_000, 8259),
    );
  });

  test("parseTypedData() returns a TypedDataError when values are nested deeper than any stack", () => {
    const deep = JSON.parse("[".repeat(5_000) + "]".repeat(5_000));
    for (const member of ["types", "primaryType", "domain", "message"]) {
      const document = {
        types: { T: [{ name: "x", type: "T[]" }] },
        primaryType: "T",
        domain: {},
        message: { x: [] },
      };
      assert.equal(explainOrRefuse({ ...document, [member]: deep }), undefined, member);
    }
  });
});
