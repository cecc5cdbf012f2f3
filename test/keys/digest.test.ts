import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type CheckedSignRequest, checkTask } from "../../src/keys/digest.ts";
import { MAIL } from "../ethereum/mail.ts";

const KIB = 1024;

/** Checks typed data. Returns the result, or the code of the refusal, and the number of parts. */
function check(typedData: unknown): { readonly result: CheckedSignRequest | string; readonly parts: number } {
  const work = checkTask({ kind: "typed_data", typedData });
  for (let parts = 1;; parts++) {
    try {
      const { done, value } = work.next();
      if (done) return { result: value, parts };
    } catch (error) {
      return { result: (error as { code: string }).code, parts };
    }
  }
}

describe("typed data as JSON text", () => {
  test("has the digest of the object that it is", () => {
    const fromText = check(JSON.stringify(MAIL)).result;
    const fromObject = check(MAIL).result;
    assert.ok(typeof fromText === "object" && typeof fromObject === "object");
    assert.deepEqual(fromText.digest, fromObject.digest);
  });

  test("is refused as JSON or as typed data", () => {
    assert.equal(check("{").result, "invalid_json");
    assert.equal(check('{"types":{},"types":{}}').result, "invalid_json");
    assert.equal(check("[]").result, "invalid_typed_data");
    assert.equal(check(JSON.stringify(JSON.stringify(MAIL))).result, "invalid_typed_data");
  });

  test("takes a part for each 128 KiB, also if it is refused", () => {
    const text = (length: number): string => "{".padEnd(length);
    assert.deepEqual(check(text(128 * KIB)), { result: "invalid_json", parts: 1 });
    assert.deepEqual(check(text(128 * KIB + 1)), { result: "invalid_json", parts: 2 });
    assert.deepEqual(check(text(1024 * KIB)), { result: "invalid_json", parts: 8 });
  });
});

test("checkTask() yields early, because all calls of a batch begin in one turn of the event loop", () => {
  const list = (length: number): unknown => ({
    domain: { name: "Lists" },
    primaryType: "List",
    types: { List: [{ name: "items", type: "uint256[]" }] },
    message: { items: Array.from({ length }, () => "1") },
  });
  assert.equal(check(list(20)).parts, 1);
  assert.equal(check(list(100)).parts, 2);
});
