import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";
import { calculateJwkThumbprint, compactVerify, importJWK } from "jose";
import type { TokenAlgorithm } from "../../src/db/schema/oauth.ts";
import { utf8 } from "../../src/lib/bytes.ts";
import { SealError } from "../../src/vault/error.ts";
import { createTestVault } from "../support/vault.ts";

const ALGORITHMS: readonly TokenAlgorithm[] = ["ES256", "RS256", "EdDSA"];
const MEMBERS: Readonly<Record<TokenAlgorithm, string[]>> = {
  ES256: ["crv", "kty", "x", "y"],
  RS256: ["e", "kty", "n"],
  EdDSA: ["crv", "kty", "x"],
};

for (const algorithm of ALGORITHMS) {
  describe(`makeTokenKey() of ${algorithm}`, { timeout: 30_000 }, () => {
    test("publishes public members only, named by their thumbprint (RFC 7638, T120)", async () => {
      const { kid, publicJwk } = await createTestVault().makeTokenKey(algorithm);
      const jwk = JSON.parse(publicJwk);
      assert.deepEqual(Object.keys(jwk).sort(), [...MEMBERS[algorithm], "alg", "kid", "use"].sort());
      assert.equal(kid, await calculateJwkThumbprint(jwk));
      assert.deepEqual([jwk.kid, jwk.alg, jwk.use], [kid, algorithm, "sig"]);
    });

    test("creates a key whose signatures the public key verifies, in every vault with the seed", async () => {
      const key = await createTestVault().makeTokenKey(algorithm);
      const publicKey = await importJWK(JSON.parse(key.publicJwk), algorithm);
      for (const vault of [createTestVault(), createTestVault()]) {
        const jwt = await vault.signJwt(key, "at+jwt", { sub: "account_1" });
        const { payload, protectedHeader } = await compactVerify(jwt, publicKey, { algorithms: [algorithm] });
        assert.deepEqual(protectedHeader, { alg: algorithm, typ: "at+jwt", kid: key.kid });
        assert.deepEqual(JSON.parse(new TextDecoder().decode(payload)), { sub: "account_1" });
      }
    });

    test("encrypts the private key, bound to vault, id and algorithm", async () => {
      const key = await createTestVault().makeTokenKey(algorithm);
      const other = ALGORITHMS.find((name) => name !== algorithm)!;
      const strangers = [
        [createTestVault(8), key],
        [createTestVault(), { ...key, kid: "other" }],
        [createTestVault(), { ...key, algorithm: other }],
        [createTestVault(), { ...key, sealed: key.sealed.with(40, key.sealed[40]! ^ 1) }],
      ] as const;
      for (const [vault, stranger] of strangers) {
        await assert.rejects(vault.signJwt(stranger, "JWT", {}), SealError);
      }
    });
  });
}

test("signJwt() tries to open a key again after a failure", async () => {
  const vault = createTestVault();
  const key = await vault.makeTokenKey("EdDSA");
  await assert.rejects(vault.signJwt({ ...key, sealed: new Uint8Array(99) }, "JWT", {}), SealError);
  assert.match(await vault.signJwt(key, "JWT", {}), /^[\w-]+\.[\w-]+\.[\w-]+$/);
});

test("open() never opens a private key", async () => {
  const vault = createTestVault();
  const { kid, algorithm, sealed } = await vault.makeTokenKey("ES256");
  for (const purpose of ["token-key", "token-answer", "outbox", "seed"] as const) {
    assert.throws(() => vault.open(purpose, [utf8(kid), utf8(algorithm)], sealed), SealError);
  }
});

test("a vault reveals none of the keys that it opened", async () => {
  const vault = createTestVault();
  await vault.signJwt(await vault.makeTokenKey("ES256"), "JWT", {});
  assert.equal(inspect(vault, { depth: 9, showHidden: true }), "[Vault]");
  assert.deepEqual(Reflect.ownKeys(vault), []);
});
