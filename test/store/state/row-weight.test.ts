import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { weightOfRow } from "../../../src/store/state/kinds.ts";

describe("weightOfRow()", () => {
  test("counts a usual row as one, and a missing one as none", () => {
    const row = { id: "a".repeat(32), key_index: 7, address: new Uint8Array(20), policy: null };
    assert.deepEqual([weightOfRow(row), weightOfRow({}), weightOfRow(undefined)], [1, 1, 0]);
  });

  test("counts each KiB of text and bytes of any column as another row", () => {
    assert.equal(weightOfRow({ policy: "a".repeat(32_768), policy_change: "b".repeat(32_768) }), 65);
    assert.equal(weightOfRow({ document: new Uint8Array(1024 * 1024) }), 1025);
    assert.equal(weightOfRow({ one: "a".repeat(512), other: new Uint8Array(512) }), 2);
  });
});
