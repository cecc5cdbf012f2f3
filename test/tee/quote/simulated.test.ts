import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import { verifyQuote } from "../../../src/tee/quote/verify.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { makeSimulatedCollateral } from "../../../src/tee/simulated/simulated-collateral.ts";
import { makeSimulatedPki } from "../../../src/tee/simulated/simulated-pki.ts";
import type { SimulatedPki } from "../../../src/tee/simulated/simulated-pki.ts";
import { makeSimulatedQuote } from "../../../src/tee/simulated/simulated-quote.ts";
import { ANY_WORKLOAD, faultsOf } from "./fixture.ts";

const REPORT_DATA = new Uint8Array(64).fill(9);
const SECRET = new Uint8Array(32).fill(1);
const NOW = Date.UTC(2026, 0, 31);

function verifySimulated(quoter: SimulatedPki, publisher: SimulatedPki, now = NOW): QuoteVerification {
  return verifyQuote({
    quote: makeSimulatedQuote(quoter, REPORT_DATA),
    collateral: parseCollateral(makeSimulatedCollateral(publisher)),
    now,
    root: parseRoot(publisher.rootCertificate),
    policy: STRICT_POLICY,
    expectations: { ...ANY_WORKLOAD, reportData: REPORT_DATA },
  });
}

describe("makeSimulatedCollateral()", () => {
  test("verifies quotes of the same secret, also with recreated certificates", () => {
    assert.deepEqual(faultsOf(verifySimulated(makeSimulatedPki(SECRET), makeSimulatedPki(SECRET))), []);
    assert.ok(
      verifySimulated(makeSimulatedPki(SECRET), makeSimulatedPki(SECRET), Date.UTC(2049, 0, 1)).passed,
    );
  });

  test("verifies none of another secret, and none after its expiry", () => {
    const other = makeSimulatedPki(SECRET.with(0, 2));
    const found = verifySimulated(makeSimulatedPki(SECRET), other);
    assert.deepEqual(faultsOf(found).map(({ name }) => name), ["pck_chain", "pck_crl"]);
    assert.equal(verifySimulated(other, other, Date.UTC(2050, 0, 1)).passed, false);
  });

  test("does not pass for Intel's certificates", () => {
    const pki = makeSimulatedPki(SECRET);
    const found = verifyQuote({
      quote: makeSimulatedQuote(pki, REPORT_DATA),
      collateral: parseCollateral(makeSimulatedCollateral(pki)),
      now: NOW,
      policy: STRICT_POLICY,
      expectations: ANY_WORKLOAD,
    });
    assert.deepEqual(faultsOf(found).map(({ name }) => name), [
      "pck_chain",
      "root_crl",
      "qe_identity",
      "tcb_info",
      "tdx_module",
      "tcb_status",
    ]);
  });
});
