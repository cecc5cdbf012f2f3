import assert from "node:assert/strict";
import { test } from "node:test";
import { asObject } from "../../src/lib/object.ts";

test("asObject() accepts objects only", () => {
  for (const value of [null, undefined, 1, "{}", [], true]) assert.equal(asObject(value), undefined);
  assert.deepEqual(asObject({ a: 1 }), { a: 1 });
});
