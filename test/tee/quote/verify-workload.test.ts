import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { utf8 } from "../../../src/lib/bytes.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { keyQuoteReportData } from "../../../src/tee/report-data.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD, assertFaults, evidenceOf, faultsOf } from "./fixture.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

const KMS = { name: "kms", id: "3059a1" } as const;
const CLAIMS = utf8(
  JSON.stringify({
    nonce: "bm9uY2U",
    address: "0xAbCd000000000000000000000000000000000001",
    keyProvider: { ...KMS, verified: null },
  }),
);

describe("verifyQuote() with expectations of a workload", () => {
  const kit = makeQuoteKit({ reportData: keyQuoteReportData(CLAIMS), report: { mrConfigId: "c0" } });
  const registers = {
    mrTd: new Uint8Array(48).fill(0xd0),
    rtmr0: new Uint8Array(48).fill(0xe0),
    rtmr1: new Uint8Array(48).fill(0xe1),
    rtmr2: new Uint8Array(48).fill(0xe2),
    rtmr3: new Uint8Array(48).fill(0xe3),
    mrConfigId: new Uint8Array(48).with(0, 0xc0),
  };
  const expectations = {
    registers,
    nonce: "bm9uY2U",
    address: "0xabcd000000000000000000000000000000000001",
    keyProvider: KMS,
  } as const;
  const evidence = evidenceOf(kit, { claims: CLAIMS, expectations });
  const names = {
    mrTd: "mrtd",
    rtmr0: "rtmr0",
    rtmr1: "rtmr1",
    rtmr2: "rtmr2",
    rtmr3: "rtmr3",
    mrConfigId: "mrconfigid",
  } as const;

  test("passes when registers, claims, nonce and address are the expected ones", () => {
    assertFaults(verifyWithCache(evidence), []);
    assert.ok(verifyWithCache(evidence).checks.every(({ verdict }) => verdict === "passed"));
  });

  test("does not pass without expectations", () => {
    const { claims: _, ...without } = evidence;
    const found = verifyWithCache({ ...without, expectations: {} });
    assertFaults(found, [...Object.values(names), "report_data", "nonce", "address", "key_provider"]);
    assert.ok(faultsOf(found).every(({ verdict }) => verdict === "not_checked"));
  });

  for (const [register, name] of Object.entries(names)) {
    test(`refuses another ${name}, does not pass without it, and passes when it is waived`, () => {
      const { [register as keyof typeof registers]: value, ...others } = registers;
      const given = (expected: Uint8Array | "any"): QuoteVerification =>
        verifyWithCache({
          ...evidence,
          expectations: { ...expectations, registers: { ...others, [register]: expected } },
        });
      assertFaults(given(value.with(47, 1)), [name], /which is not expected/);
      assertFaults(given(value.slice(0, 47)), [name]);
      assertFaults(given(new Uint8Array()), [name]);
      assertFaults(given("any"), []);
      assertFaults(
        verifyWithCache({ ...evidence, expectations: { ...expectations, registers: others } }),
        [name],
        /No expected/,
      );
    });
  }

  test("refuses other claims, down to one byte, and claims that are not JSON", () => {
    for (let index = 0; index < CLAIMS.length; index++) {
      const claims = CLAIMS.with(index, CLAIMS[index]! ^ 1);
      assert.ok(
        faultsOf(verifyWithCache({ ...evidence, claims })).some(({ name }) => name === "report_data"),
      );
    }
    const claims = utf8("no JSON");
    const other = makeQuoteKit({ reportData: keyQuoteReportData(claims) });
    const given = evidenceOf(other, {
      claims,
      expectations: { ...ANY_WORKLOAD, reportData: undefined as never, nonce: "a", address: "b" },
    });
    assertFaults(verifyWithCache(given), ["nonce", "address"], /claims cannot be read/);
  });

  test("refuses another nonce and another address, and does not pass without them unless they are waived", () => {
    const given = (changes: object): QuoteVerification =>
      verifyWithCache({ ...evidence, expectations: { ...expectations, ...changes } });
    assertFaults(given({ nonce: "bm9uY2V" }), ["nonce"], /another nonce/);
    assertFaults(given({ nonce: "" }), ["nonce"]);
    assertFaults(
      given({ address: "0xabcd000000000000000000000000000000000002" }),
      ["address"],
      /another address/,
    );
    assertFaults(given({ nonce: undefined, address: undefined }), ["nonce", "address"], /No expected/);
    assertFaults(given({ nonce: "any", address: "any" }), []);
  });

  test("removes control characters and line ends of untrusted text", () => {
    const claims = utf8(JSON.stringify({ nonce: "a\nPASSED", address: "\u001b[2K\u202e0x01" }));
    const other = makeQuoteKit({ reportData: keyQuoteReportData(claims) });
    const { registers } = ANY_WORKLOAD;
    for (const expectations of [{ registers }, { registers, nonce: "any", address: "any" }] as const) {
      for (const { detail } of verifyWithCache(evidenceOf(other, { claims, expectations })).checks) {
        assert.match(detail, /^[\x20-\x7e]+$/);
      }
    }
  });

  test("refuses claims without a nonce when one is expected", () => {
    const claims = utf8(JSON.stringify({ nonce: null, address: "0x01" }));
    const other = makeQuoteKit({ reportData: keyQuoteReportData(claims) });
    const { registers } = ANY_WORKLOAD;
    const expected = { registers, nonce: "null", address: "any", keyProvider: "any" } as const;
    assertFaults(
      verifyWithCache(evidenceOf(other, { claims, expectations: expected })),
      ["nonce"],
      /have no nonce/,
    );
  });

  test("compares report data without claims with the given ones", () => {
    const given = (reportData: Uint8Array): QuoteVerification =>
      verifyWithCache({ ...evidence, expectations: { registers, reportData, keyProvider: "any" } });
    assertFaults(given(kit.reportData), []);
    assertFaults(
      given(kit.reportData.with(63, kit.reportData[63]! ^ 1)),
      ["report_data"],
      /other report data/,
    );
    assertFaults(given(kit.reportData.slice(0, 32)), ["report_data"]);
  });

  test("requires an event log if an application or its composition is expected", () => {
    const given = verifyWithCache({
      ...evidence,
      expectations: { ...expectations, appId: new Uint8Array(20), composeHash: new Uint8Array(32) },
    });
    assertFaults(given, ["event_log", "compose_hash", "app_id"], /There is no event log/);
  });
});
