import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { kindsOf, SERVICE } from "../../../src/store/state/kinds.ts";
import {
  addSums,
  copySets,
  EMPTY_SET,
  readSet,
  summandOf,
  sumOf,
  versionOfSet,
  writeSet,
} from "../../../src/store/state/set-hash.ts";
import type { RowSet } from "../../../src/store/state/set-hash.ts";
import { createTestAuthority, createTestVault } from "../../support/vault.ts";

const authority = createTestAuthority();
const OF_ACCOUNT = { owner: "account_1", kinds: kindsOf("account_1") };

/** Returns rows with different MACs. */
function rowsOf(count: number): { readonly mac: Uint8Array }[] {
  return Array.from({ length: count }, (_, index) => ({ mac: new Uint8Array(32).fill(index + 1) }));
}

function sum(rows: readonly { readonly mac: Uint8Array }[]): bigint {
  return sumOf(authority, rows);
}

/** Returns the bytes of sets in which one has this content. */
function encode(index: number, set: RowSet, of = OF_ACCOUNT): Uint8Array {
  const encoded = copySets(new Uint8Array(), of);
  writeSet(authority, of, encoded, index, set);
  return encoded;
}

describe("sumOf()", () => {
  test("does not depend on the order of the rows", () => {
    const rows = rowsOf(5);
    assert.equal(sum(rows), sum(rows.toReversed()));
    assert.equal(sum(rows), sum([...rows.slice(2), ...rows.slice(0, 2)]));
    assert.equal(sum([]), 0n);
  });

  test("differs if a row is missing, added, there twice or another", () => {
    const rows = rowsOf(5);
    const sums = [
      sum(rows),
      ...rows.map((_, index) => sum(rows.toSpliced(index, 1))),
      ...rows.map((row) => sum([...rows, row])),
      sum(rowsOf(6)),
      ...rows.flatMap((row, index) =>
        [0, 100, 255].map((bit) => {
          const mac = row.mac.slice();
          mac[bit >> 3]! ^= 1 << (bit & 7);
          return sum(rows.with(index, { mac }));
        })
      ),
    ];
    assert.equal(new Set(sums).size, sums.length);
  });

  test("is the sum of the summands modulo 2^128, each of which can be taken away", () => {
    const rows = rowsOf(40);
    let running = 0n;
    for (const row of rows) running = addSums(running, summandOf(authority, row));
    assert.equal(running, sum(rows));
    assert.ok(running < 2n ** 128n);
    for (const row of rows) running = addSums(running, -summandOf(authority, row));
    assert.equal(running, 0n);
  });

  test("differs between vaults over different seeds", () => {
    assert.notEqual(sumOf(createTestAuthority(createTestVault(8)), rowsOf(1)), sum(rowsOf(1)));
  });
});

describe("writeSet()", () => {
  test("stores what readSet() returns, for every kind and the largest sum", () => {
    for (const [index] of OF_ACCOUNT.kinds.entries()) {
      for (const set of [{ version: 1, sum: 0n }, { version: 2 ** 40, sum: 2n ** 128n - 1n }]) {
        const encoded = encode(index, set);
        assert.deepEqual(readSet(authority, OF_ACCOUNT, encoded, index), set);
        assert.equal(versionOfSet(encoded, index), set.version);
      }
    }
  });

  test("changes no other set", () => {
    const encoded = copySets(new Uint8Array(), OF_ACCOUNT);
    const sets = OF_ACCOUNT.kinds.map((_, index) => ({ version: index + 1, sum: BigInt(index) << 100n }));
    for (const [index, set] of sets.entries()) writeSet(authority, OF_ACCOUNT, encoded, index, set);
    writeSet(authority, OF_ACCOUNT, encoded, 3, { version: 99, sum: 7n });
    const expected = sets.with(3, { version: 99, sum: 7n });
    assert.deepEqual(
      OF_ACCOUNT.kinds.map((_, index) => readSet(authority, OF_ACCOUNT, encoded, index)),
      expected,
    );
  });

  test("writes into a part of a larger array", () => {
    const whole = new Uint8Array(10 + copySets(new Uint8Array(), OF_ACCOUNT).length);
    writeSet(authority, OF_ACCOUNT, whole.subarray(10), 0, { version: 5, sum: 6n });
    assert.deepEqual(readSet(authority, OF_ACCOUNT, whole.subarray(10), 0), { version: 5, sum: 6n });
    assert.deepEqual(whole.subarray(0, 10), new Uint8Array(10));
  });

  test("masks the sum differently for each owner, kind and version", () => {
    const others = [
      encode(0, { version: 1, sum: 9n }),
      encode(0, { version: 2, sum: 9n }),
      encode(1, { version: 1, sum: 9n }),
      encode(0, { version: 1, sum: 9n }, { owner: "account_2", kinds: OF_ACCOUNT.kinds }),
      encode(0, { version: 1, sum: 9n }, { owner: SERVICE, kinds: kindsOf(SERVICE) }),
    ];
    const masked = others.map((encoded, index) =>
      encoded.subarray(index === 2 ? 24 : 0).subarray(8, 24).toHex()
    );
    assert.equal(new Set(masked).size, others.length);
    assert.ok(!masked.includes((9n).toString(16).padStart(32, "0")));
  });
});

describe("readSet()", () => {
  test("returns another sum for the set of another owner, kind or version", () => {
    const encoded = encode(0, { version: 1, sum: 9n });
    const other = { owner: "account_2", kinds: OF_ACCOUNT.kinds };
    assert.notEqual(readSet(authority, other, encoded, 0).sum, 9n);
    const moved = copySets(encoded, OF_ACCOUNT);
    moved.copyWithin(24, 0, 24);
    assert.notEqual(readSet(authority, OF_ACCOUNT, moved, 1).sum, 9n);
    const renumbered = copySets(encoded, OF_ACCOUNT);
    renumbered[7] = 2;
    assert.notEqual(readSet(authority, OF_ACCOUNT, renumbered, 0).sum, 9n);
  });

  test("returns the empty set before the first change, and beyond the end of an older state", () => {
    assert.deepEqual(readSet(authority, OF_ACCOUNT, copySets(new Uint8Array(), OF_ACCOUNT), 2), EMPTY_SET);
    const encoded = encode(0, { version: 3, sum: 4n });
    for (const length of [0, 23, 24, 47]) {
      const older = encoded.subarray(0, length);
      const first = length < 24 ? EMPTY_SET : { version: 3, sum: 4n };
      assert.deepEqual(readSet(authority, OF_ACCOUNT, older, 0), first);
      assert.deepEqual(readSet(authority, OF_ACCOUNT, older, 1), EMPTY_SET);
      assert.equal(versionOfSet(older, 1), 0);
      assert.equal(versionOfSet(older, -1), 0);
    }
  });
});

describe("copySets()", () => {
  test("returns a copy with room for every kind", () => {
    const encoded = encode(0, { version: 3, sum: 4n });
    const copy = copySets(encoded.subarray(0, 24), OF_ACCOUNT);
    assert.equal(copy.length, OF_ACCOUNT.kinds.length * 24);
    writeSet(authority, OF_ACCOUNT, copy, 0, { version: 4, sum: 5n });
    assert.deepEqual(readSet(authority, OF_ACCOUNT, encoded, 0), { version: 3, sum: 4n });
  });
});
