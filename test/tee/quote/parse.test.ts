import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { concat } from "../../../src/lib/bytes.ts";
import { OwnQuoteError, readOwnQuote } from "../../../src/tee/trim-quote.ts";
import type { OwnQuoteFault } from "../../../src/tee/trim-quote.ts";
import { isUnderDebug, parseQuote, QuoteFormatError } from "../../../src/tee/quote/parse.ts";
import type { QuoteFault } from "../../../src/tee/quote/parse.ts";
import { makeSimulatedPki } from "../../../src/tee/simulated/simulated-pki.ts";
import { makeSimulatedQuote } from "../../../src/tee/simulated/simulated-quote.ts";

const VECTORS = new URL("../../../../shared/vectors/tdx/", import.meta.url);
const REPORT_DATA = Uint8Array.from({ length: 64 }, (_, index) => index + 100);
const V4 = makeSimulatedQuote(makeSimulatedPki(new Uint8Array(32).fill(1)), REPORT_DATA);

/** Converts a quote to version 5. Keeps version 4's signature, which these tests do not verify. */
function toV5(quote: Uint8Array, type: 2 | 3): Uint8Array {
  const length = type === 2 ? 584 : 648;
  const descriptor = Uint8Array.of(type, 0, length & 0xff, length >> 8, 0, 0);
  const added = Uint8Array.from({ length: length - 584 }, (_, index) => index + 1);
  const header = quote.slice(0, 48).with(0, 5);
  return concat(header, descriptor, quote.slice(48, 632), added, quote.slice(632));
}

const QUOTES = { "version 4": V4, "version 5, TDX 1.0": toV5(V4, 2), "version 5, TDX 1.5": toV5(V4, 3) };

/** Returns a quote whose report bytes encode their position. */
function numbered(): Uint8Array {
  const quote = V4.slice();
  for (let offset = 0; offset < 584; offset++) quote[48 + offset] = offset % 251;
  return quote;
}

function fault(code: QuoteFault): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof QuoteFormatError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

function ownFault(code: OwnQuoteFault): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof OwnQuoteError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

describe("parseQuote()", () => {
  for (const [name, quote] of Object.entries(QUOTES)) {
    test(`reads ${name}`, () => {
      const parsed = parseQuote(quote);
      assert.equal(parsed.version, quote[0]);
      assert.deepEqual(parsed.report.reportData, REPORT_DATA);
      assert.equal(parsed.report.tdAttributes.toHex(), "0000001000000000");
      assert.equal(parsed.length, quote.length);
      assert.deepEqual(parsed.authentication, V4.slice(636));
      assert.deepEqual(
        concat(parsed.signed, quote.slice(parsed.signed.length, parsed.signed.length + 4)),
        quote.slice(0, quote.length - parsed.authentication.length),
      );
      assert.equal(new TextDecoder().decode(parsed.userData.subarray(0, 16)), "SIMULATED NO TEE");
    });

    test(`throws only QuoteFormatError for any shorter length of ${name}`, () => {
      for (let length = 0; length < quote.length; length++) {
        assert.throws(() => parseQuote(quote.slice(0, length)), QuoteFormatError, `at ${length}`);
      }
    });

    test(`accepts ${name} with bytes after it, and omits them`, () => {
      for (const padding of [new Uint8Array(1), new Uint8Array(70), new Uint8Array(39).fill(0xff)]) {
        assert.equal(parseQuote(concat(quote, padding)).length, quote.length);
      }
    });

    test(`does not depend on where ${name} is in its buffer`, () => {
      const inside = concat(new Uint8Array(13), quote, new Uint8Array(5)).subarray(13, 13 + quote.length);
      assert.deepEqual(parseQuote(inside), parseQuote(quote));
    });
  }

  test("reads each field from its place, as copies", () => {
    const quote = numbered();
    const { report } = parseQuote(quote);
    const places: Record<keyof typeof report, readonly [number, number]> = {
      teeTcbSvn: [0, 16],
      mrSeam: [16, 64],
      mrSignerSeam: [64, 112],
      seamAttributes: [112, 120],
      tdAttributes: [120, 128],
      xfam: [128, 136],
      mrTd: [136, 184],
      mrConfigId: [184, 232],
      mrOwner: [232, 280],
      mrOwnerConfig: [280, 328],
      rtmr0: [328, 376],
      rtmr1: [376, 424],
      rtmr2: [424, 472],
      rtmr3: [472, 520],
      reportData: [520, 584],
    };
    const expected = Object.entries(places).map(([name, [start, end]]) => [
      name,
      Uint8Array.from({ length: end - start }, (_, index) => (start + index) % 251),
    ]);
    quote.fill(0);
    assert.deepEqual(report, Object.fromEntries(expected));
  });

  test("reads the members that TDX 1.5 adds, and only there", () => {
    const added = parseQuote(QUOTES["version 5, TDX 1.5"]).report15!;
    assert.deepEqual(added.teeTcbSvn2, Uint8Array.from({ length: 16 }, (_, index) => index + 1));
    assert.deepEqual(added.mrServiceTd, Uint8Array.from({ length: 48 }, (_, index) => index + 17));
    assert.equal(parseQuote(QUOTES["version 5, TDX 1.0"]).report15, undefined);
    assert.equal(parseQuote(V4).report15, undefined);
  });

  const wrong: readonly (readonly [name: string, offset: number, byte: number, code: QuoteFault])[] = [
    ["version 3", 0, 3, "unknown_version"],
    ["version 6", 0, 6, "unknown_version"],
    ["version 4 + 256", 1, 1, "unknown_version"],
    ["key type 3 (P-384)", 2, 3, "unknown_key_type"],
    ["key type 2 + 256", 3, 1, "unknown_key_type"],
    ["an SGX quote", 4, 0, "not_tdx"],
    ["TEE type with a high byte", 7, 1, "not_tdx"],
    ["another vendor", 12, 0, "unknown_vendor"],
    ["another vendor's last byte", 27, 0, "unknown_vendor"],
    ["a length of authentication data beyond the end", 635, 0xff, "truncated"],
    ["one byte more of authentication data", 632, V4[632]! + 1, "truncated"],
  ];
  for (const [name, offset, byte, code] of wrong) {
    test(`refuses ${name}`, () => {
      assert.throws(() => parseQuote(V4.with(offset, byte)), fault(code));
    });
  }

  const wrongV5: readonly (readonly [name: string, offset: number, byte: number])[] = [
    ["of body type 1, an enclave's report", 48, 1],
    ["of body type 4", 48, 4],
    ["of body type 0", 48, 0],
    ["of body type 3 + 256", 49, 1],
    ["whose body says another length", 50, 0x49],
    ["whose body is of type 2 with the length of type 3", 48, 2],
    ["whose body says a huge length", 53, 0xff],
  ];
  for (const [name, offset, byte] of wrongV5) {
    test(`refuses a version 5 quote ${name}`, () => {
      assert.throws(() => parseQuote(QUOTES["version 5, TDX 1.5"].with(offset, byte)), fault("unknown_body"));
    });
  }

  test("refuses a version 4 quote that claims to be of version 5, and the reverse", () => {
    assert.throws(() => parseQuote(V4.with(0, 5)), fault("unknown_body"));
    assert.throws(() => parseQuote(QUOTES["version 5, TDX 1.5"].with(0, 4)), QuoteFormatError);
  });
});

describe("isUnderDebug()", () => {
  for (let bit = 0; bit < 64; bit++) {
    const isDebug = bit < 8;
    test(`returns ${isDebug} for bit ${bit} of TDATTRIBUTES`, () => {
      const quote = V4.slice().fill(0, 168, 176);
      quote[168 + (bit >> 3)] = 1 << (bit & 7);
      assert.equal(isUnderDebug(parseQuote(quote).report), isDebug);
    });
  }
});

describe("readOwnQuote()", () => {
  test("returns the quote without the bytes after it", () => {
    assert.deepEqual(readOwnQuote(concat(V4, new Uint8Array(70)), REPORT_DATA), V4);
  });

  test("refuses report data that differ in any one byte", () => {
    for (let index = 0; index < 64; index++) {
      const other = REPORT_DATA.with(index, REPORT_DATA[index]! ^ 0x80);
      assert.throws(() => readOwnQuote(V4, other), ownFault("other_report_data"));
    }
  });

  test("refuses a prefix of the report data", () => {
    assert.throws(() => readOwnQuote(V4, REPORT_DATA.slice(0, 32)), ownFault("other_report_data"));
  });

  test("refuses a quote under debug", () => {
    assert.throws(() => readOwnQuote(V4.with(168, 1), REPORT_DATA), ownFault("under_debug"));
  });

  test("refuses a quote too short to be signed, and an invalid one", () => {
    const unsigned = concat(V4.slice(0, 632), new Uint8Array(4));
    assert.throws(() => readOwnQuote(unsigned, REPORT_DATA), ownFault("no_signature"));
    assert.throws(() => readOwnQuote(new Uint8Array(), REPORT_DATA), fault("too_short"));
  });
});

/** Contents of the real quotes by their publishers. */
const REAL = {
  "phala-v4.quote.bin": { version: 4, padding: 70, is15: false, isDebug: false },
  "dstack-v4.quote.bin": { version: 4, padding: undefined, is15: false, isDebug: false },
  "google-v5-td15.quote.bin": { version: 5, padding: undefined, is15: true, isDebug: false },
  "neg.v4-DEBUG-td.quote.bin": { version: 4, padding: undefined, is15: false, isDebug: true },
} as const;

for (const [name, expected] of Object.entries(REAL)) {
  const file = new URL(name, VECTORS);
  const skip = existsSync(file) ? false : "The shared vectors are not here";
  test(`parseQuote() reads a quote of real hardware: ${name}`, { skip }, () => {
    const quote = new Uint8Array(readFileSync(file));
    const { version, report, report15, length, authentication } = parseQuote(quote);
    assert.equal(version, expected.version);
    assert.equal(report15 !== undefined, expected.is15);
    assert.equal(isUnderDebug(report), expected.isDebug);
    assert.ok(report.mrSignerSeam.every((byte) => byte === 0));
    assert.ok(authentication.length > 4000);
    if (expected.padding !== undefined) assert.equal(quote.length - length, expected.padding);
    if (expected.isDebug) {
      assert.throws(() => readOwnQuote(quote, report.reportData), ownFault("under_debug"));
    } else {
      assert.equal(readOwnQuote(quote, report.reportData).length, length);
    }
  });
}
