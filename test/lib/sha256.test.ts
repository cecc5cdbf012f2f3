import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareHashing, sha256 } from "../../src/lib/sha256.ts";

/** FIPS 180-4's first example, "abc". */
const ABC = new TextEncoder().encode("abc");
const HASH_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

test("sha256() is the one that prepareHashing() was given first, and the same bytes without", () => {
  assert.equal(sha256(ABC).toHex(), HASH_OF_ABC);
  const given: Uint8Array[] = [];
  prepareHashing((data) => {
    given.push(data);
    return Uint8Array.fromHex(HASH_OF_ABC);
  });
  prepareHashing(() => new Uint8Array(32));
  assert.equal(sha256(ABC).toHex(), HASH_OF_ABC);
  assert.deepEqual(given, [ABC]);
});
