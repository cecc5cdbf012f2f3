import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId, newOrderedId, newTimedId } from "../../src/lib/id.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

describe("ids", () => {
  test("newId() and newTimedId() give ids of one shape", () => {
    for (const id of [newId("grant", random), newTimedId("grant", { now: NOW, random })]) {
      assert.match(id, /^grant_[0-9a-v]{26}$/);
    }
  });

  test("newTimedId() gives later ids that sort behind earlier ones, from the first millisecond on", () => {
    const instants = [0, 1, 31, 32, 1e12, NOW, NOW + 1, NOW + 32, Date.UTC(3000, 0)];
    const ids = instants.map((now) => newTimedId("code", { now, random }));
    assert.deepEqual(ids.toSorted(), ids);
    for (const id of ids) assert.equal(id.length, "code_".length + 26);
  });

  test("newTimedId() gives ids of one millisecond that differ in 85 random bits", () => {
    const lengths: number[] = [];
    const counted = (length: number): Uint8Array => (lengths.push(length), random(length));
    const ids = Array.from({ length: 1000 }, () => newTimedId("code", { now: NOW, random: counted }));
    assert.equal(new Set(ids).size, 1000);
    assert.equal(new Set(ids.map((id) => id.slice(0, "code_".length + 9))).size, 1);
    assert.deepEqual(new Set(lengths), new Set([17]));
  });

  test("newOrderedId() gives ids of one shape that sort as they were made, in one millisecond too", () => {
    const instants = [0, 1, 1, NOW, NOW, NOW, NOW + 1, ...new Array<number>(2000).fill(NOW + 2), NOW + 3];
    const ids = instants.map((now) => newOrderedId("mail", { now, random }));
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^mail_[0-9a-v]{26}$/);
  });
});
