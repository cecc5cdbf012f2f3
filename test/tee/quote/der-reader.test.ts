import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseCertificate } from "../../../src/tee/quote/certificate.ts";
import {
  DerError,
  readDer,
  readDerBits,
  readDerBoolean,
  readDerList,
  readDerSmall,
  readDerTime,
  readDerUnsigned,
} from "../../../src/tee/quote/der-reader.ts";
import type { DerValue } from "../../../src/tee/quote/der-reader.ts";
import { CheckFault } from "../../../src/tee/quote/fault.ts";
import { isSignedNatively } from "../../../src/tee/quote/verify.ts";
import { verifyRevocation } from "../../../src/tee/quote/revocation.ts";
import { QUOTE_NOW } from "../../support/quote-certificates.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import type { QuoteKit } from "../../support/quote-pki.ts";
import { runs } from "../../support/share.ts";

function read(hex: string): DerValue {
  return readDer(Uint8Array.fromHex(hex));
}

describe("readDer()", () => {
  test("reads one value with its content and its full encoding", () => {
    const value = read("0403010203");
    assert.deepEqual([value.tag, value.content.toHex(), value.whole.toHex()], [4, "010203", "0403010203"]);
  });

  for (const length of [0, 127, 128, 255, 256, 65535, 65536]) {
    test(`reads a length of ${length} in its shortest form only`, () => {
      const shortest = length < 128 ? length.toString(16).padStart(2, "0") : undefined;
      const digits = length.toString(16).padStart(2 * Math.ceil(length.toString(16).length / 2), "0");
      const header = shortest ?? (0x80 + digits.length / 2).toString(16) + digits;
      const content = "61".repeat(length);
      assert.equal(read(`04${header}${content}`).content.length, length);
      const longer = (0x80 + digits.length / 2 + 1).toString(16) + "00" + digits;
      assert.throws(() => read(`04${longer}${content}`), DerError);
      if (length < 128) assert.throws(() => read(`0481${digits}${content}`), DerError);
    });
  }

  const wrong = {
    "nothing": "",
    "a tag alone": "04",
    "a length that is not all there": "0482ff",
    "a value that is not all there": "040201",
    "a value with something behind it": "0401010500",
    "an indefinite length": "048000000000",
    "a length of four bytes": "04840000000101",
    "a tag of several bytes": "1f8101",
    "a length with only its first byte": "0481",
  };
  for (const [name, hex] of Object.entries(wrong)) {
    test(`refuses ${name}`, () => assert.throws(() => read(hex), DerError));
  }
});

describe("values of DER", () => {
  test("readDerUnsigned() accepts only positive integers in shortest form", () => {
    assert.deepEqual(
      ["020100", "02017f", "02020080", "020300ffff"].map((hex) => readDerUnsigned(read(hex))),
      [
        "00",
        "7f",
        "80",
        "ffff",
      ],
    );
    for (const hex of ["0200", "0201ff", "020180", "02020001", "0202007f", "040100"]) {
      assert.throws(() => readDerUnsigned(read(hex)), DerError, hex);
    }
  });

  test("readDerSmall() accepts up to 65535", () => {
    assert.equal(readDerSmall(read("020300ffff")), 65535);
    assert.throws(() => readDerSmall(read("0203010000")), DerError);
  });

  test("readDerBoolean() accepts 00 and FF", () => {
    assert.deepEqual([readDerBoolean(read("010100")), readDerBoolean(read("0101ff"))], [false, true]);
    for (const hex of ["010101", "0100", "0102ffff", "0201ff"]) {
      assert.throws(() => readDerBoolean(read(hex)), DerError, hex);
    }
  });

  test("readDerBits() accepts whole bytes", () => {
    assert.equal(readDerBits(read("0303000102")).toHex(), "0102");
    for (const hex of ["0300", "03020180", "040100"]) {
      assert.throws(() => readDerBits(read(hex)), DerError, hex);
    }
  });

  const time = (tag: string, text: string): DerValue =>
    read(tag + text.length.toString(16).padStart(2, "0") + new TextEncoder().encode(text).toHex());

  test("readDerTime() reads both kinds, to the second and in UTC", () => {
    assert.equal(readDerTime(time("17", "260615000000Z")), QUOTE_NOW);
    assert.equal(readDerTime(time("18", "20260615000000Z")), QUOTE_NOW);
    assert.equal(readDerTime(time("17", "491231235959Z")), Date.UTC(2049, 11, 31, 23, 59, 59));
    assert.equal(readDerTime(time("17", "500101000000Z")), Date.UTC(1950, 0, 1));
  });

  for (
    const text of [
      "2606150000Z",
      "260615000000",
      "260615000000+0100",
      "260631000000Z",
      "260230000000Z",
      "261301000000Z",
      "260615240000Z",
      "260615006000Z",
      "",
    ]
  ) {
    test(`readDerTime() refuses "${text}"`, () => {
      assert.throws(() => readDerTime(time("17", text)), DerError);
    });
  }

  test("readDerTime() refuses an invalid time", () => {
    assert.throws(() => readDerTime(read("020100")), DerError);
    assert.throws(() => readDerTime(undefined), DerError);
  });
});

/** Runs a reader and rethrows any other kind of error. */
function onlyThrows(kind: typeof DerError | typeof CheckFault, run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
  }
}

const KIT = makeQuoteKit();
const ROOT = Uint8Array.fromBase64(KIT.root.replaceAll(/-----[A-Z ]+-----|\s/g, ""));

function rootListOf({ collateral }: QuoteKit): Uint8Array {
  return Uint8Array.fromHex((JSON.parse(collateral) as { root_ca_crl: string }).root_ca_crl);
}

const LIST = rootListOf(KIT);
const REVOKING = rootListOf(makeQuoteKit({ rootCrl: { serials: ["0200aa"] } }));

/** Replaces the first occurrence of a hex text. */
function replaceIn(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const hex = bytes.toHex();
  assert.ok(hex.includes(from), from);
  return Uint8Array.fromHex(hex.replace(from, to));
}

describe("hostile DER", () => {
  test("readDerList() terminates, and throws only its own error, for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        onlyThrows(DerError, () => {
          const values = readDerList(bytes);
          assert.equal(values.reduce((sum, { whole }) => sum + whole.length, 0), bytes.length);
        });
      }),
      runs(2_000, 1),
    );
  });

  test("parseCertificate() throws only CheckFault for random bytes and for a certificate with a few changed", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        onlyThrows(CheckFault, () => parseCertificate(bytes));
      }),
      runs(100, 2),
    );
    const change = fc.tuple(fc.nat(ROOT.length - 1), fc.nat(255));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const bytes = ROOT.slice();
        for (const [at, byte] of changes) bytes[at] = byte;
        onlyThrows(CheckFault, () => parseCertificate(bytes));
      }),
      runs(500, 3),
    );
  });

  test("parseCertificate() throws CheckFault for a certificate of any shorter length, and for one too long", () => {
    for (let length = 0; length < ROOT.length; length++) {
      assert.throws(() => parseCertificate(ROOT.slice(0, length)), CheckFault, String(length));
    }
    assert.throws(() => parseCertificate(new Uint8Array(9000)), CheckFault);
  });

  test("verifyRevocation() refuses a list with any one bit changed, and one of any shorter length", () => {
    const given = {
      issuer: parseCertificate(ROOT),
      certificates: [],
      now: QUOTE_NOW,
      isSigned: isSignedNatively,
    };
    verifyRevocation(LIST, given);
    for (let at = 0; at < LIST.length; at++) {
      const changed = LIST.with(at, LIST[at]! ^ (1 << (at % 8)));
      assert.throws(() => verifyRevocation(changed, given), CheckFault, String(at));
      assert.throws(() => verifyRevocation(LIST.slice(0, at), given), CheckFault, String(at));
    }
  });

  const lists: Readonly<Record<string, readonly [bytes: Uint8Array, message: RegExp]>> = {
    "of version 1": [replaceIn(LIST, "020101", "020100"), /not version 2/],
    "that says to be signed with another algorithm": [
      replaceIn(LIST, "2a8648ce3d040302", "2a8648ce3d040303"),
      /not ECDSA with SHA-256/,
    ],
    "with an entry without date": [replaceIn(REVOKING, "02030200aa170d", "02030200aa180d"), /no|time/],
    "with something for a date": [replaceIn(REVOKING, "02030200aa170d32", "02030200aa170d78"), /time is/],
    "that is too long": [new Uint8Array(1024 * 1024 + 1), /too long/],
  };
  for (const [name, [bytes, message]] of Object.entries(lists)) {
    test(`verifyRevocation() refuses a list ${name}`, () => {
      const given = {
        issuer: parseCertificate(ROOT),
        certificates: [],
        now: QUOTE_NOW,
        isSigned: isSignedNatively,
      };
      assert.throws(() => verifyRevocation(bytes, given), (error) => {
        assert.ok(error instanceof CheckFault, String(error));
        assert.match(error.message, message);
        return true;
      });
    });
  }
});
