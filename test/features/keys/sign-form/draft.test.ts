import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { findDraft, forgetDraft, keepDraft } from "../../../../src/features/keys/sign-form/draft.client.js";

const DRAFT = { kind: "raw", message: "0x", warning: "No", hasSessionEnded: false };
const real = Object.getOwnPropertyDescriptor(globalThis, "sessionStorage");
let held: Map<string, string>;

/** Replaces the session storage of the page. */
function stubStorage(get: () => unknown): void {
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get });
}

describe("drafts", () => {
  beforeEach(() => {
    held = new Map();
    stubStorage(() => ({
      getItem: (name: string) => held.get(name) ?? null,
      setItem(name: string, value: string) {
        if (value.length > 1000) throw new DOMException("Full", "QuotaExceededError");
        held.set(name, value);
      },
      removeItem: (name: string) => held.delete(name),
    }));
  });

  afterEach(() => {
    if (real === undefined) Reflect.deleteProperty(globalThis, "sessionStorage");
    else Object.defineProperty(globalThis, "sessionStorage", real);
  });

  test("keepDraft() stores one draft for each key, and no empty one", () => {
    keepDraft("key_1", DRAFT);
    keepDraft("key_2", { kind: "digest", message: "0x2" });
    assert.deepEqual(findDraft("key_1"), DRAFT);
    assert.equal(findDraft("key_2")?.message, "0x2");
    keepDraft("key_1", { kind: "raw", message: "" });
    assert.equal(findDraft("key_1"), undefined);
    forgetDraft("key_2");
    assert.equal(held.size, 0);
  });

  test("keepDraft() removes the earlier draft if the new one is too long", () => {
    keepDraft("key_1", DRAFT);
    keepDraft("key_1", { ...DRAFT, message: "a".repeat(1000) });
    assert.equal(findDraft("key_1"), undefined);
  });

  test("findDraft() ignores invalid entries", () => {
    for (const text of ["", "{", "null", "5", "{}", '{"kind":"raw"}', '{"kind":1,"message":""}']) {
      held.set("draft:key_1", text);
      assert.equal(findDraft("key_1"), undefined, text);
    }
    held.set("draft:key_1", '{"kind":"raw","message":"0x","warning":{},"hasSessionEnded":"yes"}');
    assert.deepEqual(findDraft("key_1"), { ...DRAFT, warning: undefined });
  });

  test("drafts work without a storage if the browser has none", () => {
    stubStorage(() => {
      throw new DOMException("No", "SecurityError");
    });
    keepDraft("key_1", DRAFT);
    forgetDraft("key_1");
    assert.equal(findDraft("key_1"), undefined);
  });
});
