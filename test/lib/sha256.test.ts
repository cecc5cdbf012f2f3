import assert from "node:assert/strict";
import { test } from "node:test";

/** FIPS 180-4's first example, "abc". */
const ABC = new TextEncoder().encode("abc");
const HASH_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/** A separate instance of the module, because the first call affects every test of the process. */
const ALONE = "../../src/lib/sha256.ts?alone";

test("sha256() uses the first function given to prepareHashing(), and returns the same bytes without one", async () => {
  const { prepareHashing, sha256 }: typeof import("../../src/lib/sha256.ts") = await import(ALONE);
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
