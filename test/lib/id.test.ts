import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { newId, newOrderedId, newSecret, newTimedId, SECRET_LENGTH } from "../../src/lib/id.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

describe("ids", () => {
  test("newId() and newTimedId() return ids of one format", () => {
    for (const id of [newId("grant", random), newTimedId("grant", { now: NOW, random })]) {
      assert.match(id, /^grant_[0-9a-v]{26}$/);
    }
  });

  test("newTimedId() returns ids that sort after earlier ones, from the first millisecond on", () => {
    const instants = [0, 1, 31, 32, 1e12, NOW, NOW + 1, NOW + 32, Date.UTC(3000, 0)];
    const ids = instants.map((now) => newTimedId("code", { now, random }));
    assert.deepEqual(ids.toSorted(), ids);
    for (const id of ids) assert.equal(id.length, "code_".length + 26);
  });

  test("newTimedId() returns ids of one millisecond that differ in 85 random bits", () => {
    const lengths: number[] = [];
    const counted = (length: number): Uint8Array => (lengths.push(length), random(length));
    const ids = Array.from({ length: 1000 }, () => newTimedId("code", { now: NOW, random: counted }));
    assert.equal(new Set(ids).size, 1000);
    assert.equal(new Set(ids.map((id) => id.slice(0, "code_".length + 9))).size, 1);
    assert.deepEqual(new Set(lengths), new Set([17]));
  });

  test("newOrderedId() returns ids of one format that sort in the order of creation, in one millisecond too", () => {
    const instants = [0, 1, 1, NOW, NOW, NOW, NOW + 1, ...new Array<number>(2000).fill(NOW + 2), NOW + 3];
    const ids = instants.map((now) => newOrderedId("mail", { now, random }));
    assert.deepEqual(ids.toSorted(), ids);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^mail_[0-9a-v]{26}$/);
  });
});

describe("newSecret()", () => {
  test("newSecret() maps four bytes of 248 to each of 62 characters, and draws the other eight again", () => {
    const bytesFor: Record<string, number> = {};
    const drawnAgain: number[] = [];
    for (let byte = 0; byte < 256; byte++) {
      let draws = 0;
      const secret = newSecret((length) => new Uint8Array(length).fill(draws++ === 0 ? byte : 0));
      const [character] = secret;
      assert.equal(secret, character!.repeat(SECRET_LENGTH));
      if (draws > 1) drawnAgain.push(byte);
      else bytesFor[character!] = (bytesFor[character!] ?? 0) + 1;
    }
    assert.equal(drawnAgain.length, 8);
    assert.match(Object.keys(bytesFor).join(""), /^[A-Za-z0-9]{62}$/);
    assert.deepEqual(new Set(Object.values(bytesFor)), new Set([4]));
  });

  test("newSecret() fills rejected characters from the next draw", () => {
    const draws = [new Uint8Array(SECRET_LENGTH).fill(255).with(0, 1), new Uint8Array(SECRET_LENGTH).fill(2)];
    assert.equal(newSecret(() => draws.shift()!), "B" + "C".repeat(SECRET_LENGTH - 1));
  });
});
