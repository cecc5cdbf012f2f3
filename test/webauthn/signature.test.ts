import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { describe, test } from "node:test";
import { concat, fromBase64url } from "../../src/lib/bytes.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { readCredentialKey } from "../../src/webauthn/credential-key.ts";
import { importNewCredentialKey } from "../../src/webauthn/signature.ts";
import {
  coseKey,
  createAuthenticator,
  newPrivateKey,
  p256PrivateKey,
  signWith,
} from "../support/authenticator.ts";
import { authenticate, outcome, register } from "./ceremony.ts";

const bytes = (hex: string): Uint8Array => Uint8Array.fromHex(hex);

describe("Ed25519 points (A.2 46)", () => {
  const low = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    // the same points, not canonical
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    // y of p + 3 and 2^255 - 1: not canonical, whatever the order
    "f0ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    // y of 2: not on the curve
    "0200000000000000000000000000000000000000000000000000000000000000",
  ];

  for (const point of low) {
    test(`verifyRegistration() refuses ${point}`, async () => {
      assert.equal(
        await outcome(() =>
          register(createAuthenticator({ algorithm: -8 }), {
            publicKey: (honest) => concat(honest.slice(0, 10), bytes(point)),
          })
        ),
        "public_key",
      );
    });
  }

  test("importNewCredentialKey() accepts 200 honest keys and finds half of their neighbours off the curve", () => {
    let refused = 0;
    for (let round = 0; round < 200; round++) {
      const key = coseKey(newPrivateKey(-8), -8);
      assert.equal(importNewCredentialKey(key, -8, importVerifier).algorithm, -8);
      const neighbour = key.with(20, key[20]! ^ 1);
      try {
        importNewCredentialKey(neighbour, -8, importVerifier);
      } catch {
        refused++;
      }
    }
    assert.ok(refused > 60 && refused < 140, `${refused} of 200`); // 100 plus or minus five standard deviations
  });
});

describe("coordinates with leading zeros (A.2 47)", () => {
  const pinned = [
    [
      "x",
      "06fb361cbbf87fdab9bbef8c35136715abd7d36724a39cb79209a2f8e86bd4d8",
      "002690f2475937a5066c31ca0fb98df195e944028771fdaa3f22e0cf36f1e669",
      "f401783dee4614880ba84b10c69086892cf8b61fe5df7c6747315569b5579212",
    ],
    [
      "y",
      "ad6362acbf41eef88ccb08a132f62b79ce152ae8564aaf713d1ddbb5f4e5fba8",
      "75658fa46cbdcab98a8b2450b52dd17ab38750a890908a0526958d19811852fc",
      "0097033e34004fb660238b9705f2c2da2ebc3c375f1849651ef6502bad879a5a",
    ],
    [
      "two bytes of x",
      "d3acb6cb98dcc30898c17d5ce159ed74bab18c3053071810dfc7319130a3d77a",
      "00003c632c726c7985654087f9d7818bf802465ae8e2f7ddcc0cd7df3f409593",
      "7f83530472012a5877230a070dc27ca08a053cdbdc2287bb70b3a68f7a1c2ee3",
    ],
    [
      "two bytes of y",
      "c4350da493061173b4cf8c92d0b5ee490f3e5951134ea4b7b6c489607c8d5b2a",
      "a1e3d417db86487a5153920441cd78f976d829afbc51ddca09a87b4feec3f2e4",
      "00007a93485c9c5719bbeb2f470a0d3664e0f79f711c623ae3f41c0ee92859f4",
    ],
  ] as const;

  for (const [what, d, x, y] of pinned) {
    test(`a key with a leading zero in ${what} registers and signs in`, async () => {
      const authenticator = createAuthenticator();
      const record = await register(authenticator, {
        privateKey: p256PrivateKey(bytes(d), bytes(x), bytes(y)),
      });
      assert.equal(record.publicKey.toHex(), `a5010203262001215820${x}225820${y}`);
      assert.equal(await outcome(() => authenticate(authenticator, record)), "accepted");
    });
  }

  test(
    "2 000 random keys come back whole, and those with a leading zero sign in",
    { timeout: 60_000 },
    async () => {
      for (let round = 0; round < 2_000; round++) {
        const privateKey = newPrivateKey(-7);
        const cose = coseKey(privateKey, -7);
        const own = createPublicKey(privateKey).export({ format: "jwk" });
        assert.deepEqual(readCredentialKey(cose, -7), own);
        const signature = signWith({ algorithm: -7, privateKey }, cose);
        assert.equal(importNewCredentialKey(cose, -7, importVerifier).verify(cose, signature), true);
        if (fromBase64url(own.x!)![0] !== 0 && fromBase64url(own.y!)![0] !== 0) continue;
        const authenticator = createAuthenticator();
        const record = await register(authenticator, { privateKey });
        assert.equal(await outcome(() => authenticate(authenticator, record)), "accepted");
      }
    },
  );
});

describe("CredentialKey.verify()", () => {
  const message = bytes("00112233");
  for (const algorithm of [-7, -8, -257] as const) {
    const privateKey = newPrivateKey(algorithm);
    const key = importNewCredentialKey(coseKey(privateKey, algorithm), algorithm, importVerifier);
    const signature = signWith({ algorithm, privateKey }, message);

    test(
      `accepts the signature of ${algorithm} and no signature with one bit changed`,
      { timeout: 60_000 },
      () => {
        assert.equal(key.verify(message, signature), true);
        for (let bit = 0; bit < signature.length * 8; bit += 5) {
          const bent = signature.with(bit >> 3, signature[bit >> 3]! ^ (1 << (bit & 7)));
          assert.equal(key.verify(message, bent), false, `bit ${bit}`);
        }
      },
    );

    test(`answers no for ${algorithm} to signatures of any other length`, { timeout: 60_000 }, () => {
      for (let length = 0; length < signature.length; length++) {
        assert.equal(key.verify(message, signature.slice(0, length)), false);
      }
      assert.equal(key.verify(message, concat(signature, Uint8Array.of(0))), false);
      assert.equal(key.verify(message, new Uint8Array(70_000)), false);
    });
  }
});
