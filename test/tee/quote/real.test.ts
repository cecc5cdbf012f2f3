import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { DAY } from "../../../src/lib/time.ts";
import { parseAuthentication } from "../../../src/tee/quote/authentication.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import type { Collateral } from "../../../src/tee/quote/collateral.ts";
import { parseQuote, QuoteFormatError } from "../../../src/tee/quote/parse.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import type { QuoteEvidence } from "../../../src/tee/quote/evidence.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { ANY_WORKLOAD, faultsOf, isConsequence } from "./fixture.ts";
import { someOf } from "../../support/share.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

// Evidence of real hardware, with Intel's collateral of the time.

const VECTORS = new URL("../../../../shared/vectors/tdx/", import.meta.url);
const skip = existsSync(VECTORS) ? false : "The shared vectors are not here";
const COLLATERAL_90C06F = "fmspc-90c06f000000.collateral.2026-02-20.json";

function read(name: string): string {
  return readFileSync(new URL(name, VECTORS), "utf8");
}

interface Answer {
  readonly quote: string;
  readonly event_log: string;
}

function readAnswer(name: string): Answer {
  return JSON.parse(read(name)) as Answer;
}

interface Sample {
  readonly quote: string;
  readonly collateral: string;
  readonly at: string;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  "version 4": {
    quote: "phala-v4.quote.bin",
    collateral: "phala-v4.collateral.2025-06-20.json",
    at: "2025-06-20",
  },
  "version 5": { quote: "google-v5-td15.quote.bin", collateral: COLLATERAL_90C06F, at: "2026-02-20" },
  "version 4 of dstack": { quote: "dstack-v4.quote.bin", collateral: COLLATERAL_90C06F, at: "2026-02-20" },
};

function evidenceOf({ quote, collateral, at }: Sample): QuoteEvidence {
  return {
    quote: new Uint8Array(readFileSync(new URL(quote, VECTORS))),
    collateral: parseCollateral(read(collateral)),
    now: Date.parse(at),
    policy: STRICT_POLICY,
    expectations: ANY_WORKLOAD,
  };
}

function assertFaults(found: QuoteVerification, expected: readonly string[]): void {
  const faults = faultsOf(found).filter((check) => !isConsequence(check));
  assert.deepEqual(faults.map(({ name }) => name), expected);
  assert.equal(found.passed, expected.length === 0);
}

/** Avoids verifying Intel's documents again in tests of the quote's own bytes. */
const NO_COLLATERAL: Collateral = {
  rootCaCrl: new Uint8Array(),
  pckCrl: new Uint8Array(),
  tcbInfoIssuerChain: "",
  tcbInfo: "",
  tcbInfoSignature: new Uint8Array(),
  qeIdentityIssuerChain: "",
  qeIdentity: "",
  qeIdentitySignature: new Uint8Array(),
};

for (const [title, sample] of Object.entries(SAMPLES)) {
  describe(`verifyQuote() of a real quote of ${title}`, { skip }, () => {
    test("passes with Intel's root at the right time", () => {
      const found = verifyWithCache(evidenceOf(sample));
      assertFaults(found, []);
      assert.equal(found.tcb?.status, "UpToDate");
    });

    test("refuses it before and after its collateral is in force", () => {
      const evidence = evidenceOf(sample);
      for (const days of [-3, 31]) {
        const found = verifyWithCache({ ...evidence, now: evidence.now + days * DAY });
        assertFaults(found, ["pck_crl", "qe_identity", "tcb_info"]);
        const stale = faultsOf(found).filter(({ reason }) => reason === "stale_collateral");
        assert.equal(stale.length, days > 0 ? faultsOf(found).length : 0, String(days));
      }
    });

    test("refuses it without revocation lists, with each other's and with changed ones", () => {
      const evidence = evidenceOf(sample);
      const { pckCrl, rootCaCrl } = evidence.collateral;
      const given = (lists: Partial<Collateral>): QuoteVerification =>
        verifyWithCache({ ...evidence, collateral: { ...evidence.collateral, ...lists } });
      assertFaults(given({ pckCrl: new Uint8Array() }), ["pck_crl"]);
      assertFaults(given({ rootCaCrl: new Uint8Array() }), ["root_crl"]);
      assertFaults(given({ pckCrl: rootCaCrl, rootCaCrl: pckCrl }), ["pck_crl", "root_crl"]);
      for (let at = 0; at < pckCrl.length; at += 401) {
        assertFaults(given({ pckCrl: pckCrl.with(at, pckCrl[at]! ^ 4) }), ["pck_crl"]);
      }
      for (let at = 0; at < rootCaCrl.length; at += 53) {
        assertFaults(given({ rootCaCrl: rootCaCrl.with(at, rootCaCrl[at]! ^ 4) }), ["root_crl"]);
      }
    });

    test("refuses it when Intel's documents were changed", () => {
      const evidence = evidenceOf(sample);
      const { tcbInfo, qeIdentity } = evidence.collateral;
      const given = (documents: Partial<Collateral>): QuoteVerification =>
        verifyWithCache({ ...evidence, collateral: { ...evidence.collateral, ...documents } });
      assertFaults(given({ tcbInfo: tcbInfo.replace('"OutOfDate"', '"UpToDate"') }), ["tcb_info"]);
      assertFaults(given({ tcbInfo: ` ${tcbInfo}` }), ["tcb_info"]);
      assertFaults(given({ qeIdentity: qeIdentity.replace('"isvsvn":4', '"isvsvn":3') }), ["qe_identity"]);
    });

    test("refuses it with any byte of the signed region changed", { timeout: 60_000 }, () => {
      const evidence = { ...evidenceOf(sample), collateral: NO_COLLATERAL };
      const { signed } = parseQuote(evidence.quote);
      for (const at of someOf(signed.keys())) {
        const quote = evidence.quote.with(at, evidence.quote[at]! ^ (1 << (at % 8)));
        const names = faultsOf(verifyWithCache({ ...evidence, quote })).map(({ name }) => name);
        assert.ok(names.includes("quote_format") || names.includes("quote_signature"), String(at));
      }
    });

    test("refuses it with any byte of its authentication changed that matters", { timeout: 60_000 }, () => {
      const evidence = evidenceOf(sample);
      const { signed, length } = parseQuote(evidence.quote);
      // The byte after the chain's last certificate is ignored.
      for (let at = signed.length; at < length - 2; at += 199) {
        const quote = evidence.quote.with(at, evidence.quote[at]! ^ 1);
        assert.equal(verifyWithCache({ ...evidence, quote }).passed, false, String(at));
      }
    });

    test("refuses it of any shorter length, with its own error", { timeout: 60_000 }, () => {
      const evidence = { ...evidenceOf(sample), collateral: NO_COLLATERAL };
      const { length } = parseQuote(evidence.quote);
      for (let end = 0; end < length; end++) {
        const quote = evidence.quote.subarray(0, end);
        assert.throws(
          () => parseAuthentication(parseQuote(quote).authentication),
          QuoteFormatError,
          String(end),
        );
      }
      for (let end = 0; end < length; end += 301) {
        const found = verifyWithCache({ ...evidence, quote: evidence.quote.subarray(0, end) });
        assert.equal(found.checks.find(({ name }) => name === "quote_format")?.verdict, "failed");
      }
    });
  });
}

describe("verifyQuote() with evidence of real hardware and dstack", { skip }, () => {
  test("replays a real event log, and returns its application", () => {
    const { quote, event_log } = readAnswer("dstack-v4.getquote-response.json");
    const evidence = { ...evidenceOf(SAMPLES["version 4 of dstack"]!), quote: Uint8Array.fromHex(quote) };
    const found = verifyWithCache({ ...evidence, eventLog: event_log });
    assertFaults(found, []);
    assert.equal(found.workload?.appId?.toHex(), "3763bc34552cf3a27ff71ad5f7a90471562a1a2d");
    const changed = event_log.replaceAll(
      '3763bc34552cf3a27ff71ad5f7a90471562a1a2d"',
      '3763bc34552cf3a27ff71ad5f7a90471562a1a2e"',
    );
    assert.notEqual(changed, event_log);
    assertFaults(verifyWithCache({ ...evidence, eventLog: changed }), ["event_log"]);
  });

  test("replays the log of a newer dstack, which omits digests, and whose PCK certificate is not valid yet", () => {
    const { quote, event_log } = readAnswer("dstack-v4-lite.getquote-response.json");
    const evidence = { ...evidenceOf(SAMPLES["version 4 of dstack"]!), quote: Uint8Array.fromHex(quote) };
    const found = verifyWithCache({ ...evidence, eventLog: event_log });
    assertFaults(found, ["pck_chain"]);
    const { mrConfigId } = found.quote!.report;
    // MRCONFIGID of version 1: 01, the compose hash, zeros.
    assert.equal(mrConfigId.toHex(), `01${found.workload!.composeHash!.toHex()}${"00".repeat(15)}`);
  });

  test("refuses a real quote of a trust domain under debug", () => {
    const sample = { quote: "neg.v4-DEBUG-td.quote.bin", collateral: COLLATERAL_90C06F, at: "2026-02-20" };
    const found = verifyWithCache(evidenceOf(sample));
    assert.match(found.checks.find(({ name }) => name === "td_attributes")!.detail, /under debug/);
    assertFaults(found, ["tcb_info", "td_attributes"]);
  });

  test("refuses one platform's quote with another's collateral", () => {
    const found = verifyWithCache(
      evidenceOf({ ...SAMPLES["version 4"]!, collateral: COLLATERAL_90C06F, at: "2026-02-20" }),
    );
    assert.ok(faultsOf(found).some(({ name }) => name === "tcb_info"));
    assert.equal(found.passed, false);
  });
});
