import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { toBase64url, utf8 } from "../../../src/lib/bytes.ts";
import {
  brokerKeyIdOf,
  deriveWrappingKey,
  encodeReleaseClaims,
  isWorkloadName,
  makeEphemeralKey,
  readReleaseClaims,
  transcriptOf,
} from "../../../src/tee/broker/broker-protocol.ts";
import { sealReleaseReportData } from "../../../src/tee/report-data.ts";

/** Returns constant bytes in place of random ones. */
function fixed(byte: number): (length: number) => Uint8Array {
  return (length) => new Uint8Array(length).fill(byte);
}

const CLAIMS = {
  nonce: toBase64url(fixed(1)(32)),
  brokerKeyId: toBase64url(fixed(2)(32)),
  epk: toBase64url(fixed(3)(32)),
  workload: "holdfast",
};

const PARTS = {
  exp: 1_781_481_600,
  claims: encodeReleaseClaims(CLAIMS),
  quote: fixed(4)(100),
  epkBroker: fixed(5)(32),
  ciphertext: fixed(6)(48),
};

describe("the broker's protocol", () => {
  test("formats and parses claims in one form", () => {
    assert.equal(
      encodeReleaseClaims(CLAIMS),
      `{"nonce":"${CLAIMS.nonce}","brokerKeyId":"${CLAIMS.brokerKeyId}","epk":"${CLAIMS.epk}","workload":"holdfast"}`,
    );
    assert.deepEqual(readReleaseClaims(encodeReleaseClaims(CLAIMS)), CLAIMS);
  });

  test("hashes claims under their own tag", () => {
    const digest = createHash("sha512").update("holdfast/seal-release/v1\0").update(PARTS.claims).digest(
      "hex",
    );
    assert.equal(sealReleaseReportData(utf8(PARTS.claims)).toHex(), digest);
  });

  test("returns the same wrapping key to both sides, and another for any other report data or key", () => {
    const [guest, broker] = [makeEphemeralKey(fixed(7)), makeEphemeralKey(fixed(8))];
    const said = { epkBroker: broker.publicKey, reportData: fixed(9)(64) };
    const one = deriveWrappingKey(guest, { ...said, peer: broker.publicKey })!;
    assert.deepEqual(deriveWrappingKey(broker, { ...said, peer: guest.publicKey }), one);
    // A change here makes guest and broker incompatible.
    assert.equal(
      createHash("sha256").update(one.key).update(one.nonce).digest("hex"),
      "5533b8ed4a1be9f79d02af29df40a294d913ad895ee7242275b0a0021b1b2536",
    );
    const others = [
      deriveWrappingKey(guest, { ...said, peer: broker.publicKey, reportData: fixed(10)(64) }),
      deriveWrappingKey(guest, { ...said, peer: broker.publicKey, epkBroker: guest.publicKey }),
      deriveWrappingKey(guest, { ...said, peer: makeEphemeralKey(fixed(11)).publicKey }),
    ];
    for (const other of others) assert.notDeepEqual(other!.key, one.key);
  });

  test("refuses a point of low order", () => {
    const own = makeEphemeralKey(fixed(7));
    for (const point of ["00".repeat(32), "01" + "00".repeat(31), "ed" + "ff".repeat(30) + "7f"]) {
      const peer = Uint8Array.fromHex(point);
      const said = { peer, epkBroker: peer, reportData: fixed(9)(64) };
      assert.equal(deriveWrappingKey(own, said), undefined);
    }
  });

  test("signs the whole exchange, without ambiguous parts", () => {
    const whole = transcriptOf(PARTS).toHex();
    const changed = [
      { ...PARTS, exp: PARTS.exp + 1 },
      { ...PARTS, claims: PARTS.claims.replace("holdfast", "holdfist") },
      { ...PARTS, quote: fixed(4)(101) },
      { ...PARTS, epkBroker: fixed(6)(32), ciphertext: fixed(5)(48) },
      { ...PARTS, ciphertext: fixed(7)(48) },
      { ...PARTS, quote: fixed(4)(99), epkBroker: Uint8Array.of(4, ...PARTS.epkBroker) },
    ];
    const all = new Set([whole, ...changed.map((parts) => transcriptOf(parts).toHex())]);
    assert.equal(all.size, changed.length + 1);
  });

  test("names brokers by a hash of their key", () => {
    assert.match(brokerKeyIdOf(fixed(1)(32)), /^[\w-]{43}$/);
    assert.notEqual(brokerKeyIdOf(fixed(1)(32)), brokerKeyIdOf(fixed(2)(32)));
  });
});

test("isWorkloadName() accepts 1 to 64 lower-case letters, digits, dots and hyphens", () => {
  for (const name of ["a", "holdfast", "wallet-2.eu", "w".repeat(64)]) {
    assert.equal(isWorkloadName(name), true);
  }
  for (const name of ["", "-a", ".a", "A", "a b", "a\n", "ä", "w".repeat(65), "a/b", "a_b"]) {
    assert.equal(isWorkloadName(name), false, name);
  }
});
