import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { utf8 } from "../../../src/lib/bytes.ts";
import type { Expectations } from "../../../src/tee/quote/evidence.ts";
import { formatKeyProvider, readKeyProvider } from "../../../src/tee/quote/key-provider.ts";
import type { Check, QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { keyQuoteReportData } from "../../../src/tee/report-data.ts";
import type { KeyProvider } from "../../../src/tee/tee.ts";
import { dstackEvent, replayOf } from "../../support/event-log.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { assertFaults, evidenceOf } from "./fixture.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

const KMS: KeyProvider = { name: "kms", id: "3059a1" };
const OTHER_KMS: KeyProvider = { name: "kms", id: "3059a2" };
const [APP_ID, COMPOSE_HASH] = ["11".repeat(20), "22".repeat(32)];
/** Measurements of both guests, except RTMR3, which differs for each instance. */
const REGISTERS = {
  mrTd: new Uint8Array(48).fill(0xd0),
  rtmr0: new Uint8Array(48),
  rtmr1: new Uint8Array(48),
  rtmr2: new Uint8Array(48),
  rtmr3: "any",
  mrConfigId: Uint8Array.fromHex(`01${COMPOSE_HASH}${"00".repeat(15)}`),
} as const;

interface Guest {
  /** The provider in the event log; absent = no log. */
  readonly logged?: KeyProvider | string;
  /** The provider in the claims. */
  readonly claimed?: unknown;
}

/** Verifies a quote of a guest that meets all expectations, except perhaps for its key provider. */
function verifyGuest(
  { logged, claimed }: Guest,
  keyProvider: Expectations["keyProvider"],
  shown: "log" | "no log" = "log",
): QuoteVerification {
  const claims = utf8(JSON.stringify({ nonce: "n", address: "0x01", keyProvider: claimed }));
  const payload = typeof logged === "string" ? logged : JSON.stringify(logged);
  const log = [
    dstackEvent("app-id", APP_ID),
    dstackEvent("compose-hash", COMPOSE_HASH),
    ...(logged === undefined ? [] : [dstackEvent("key-provider", utf8(payload).toHex())]),
    dstackEvent("system-ready", ""),
  ];
  const report = { ...replayOf(log), mrConfigId: REGISTERS.mrConfigId.toHex() };
  const kit = makeQuoteKit({ reportData: keyQuoteReportData(claims), report });
  const hasLog = shown === "log";
  return verifyWithCache(evidenceOf(kit, {
    claims,
    ...(hasLog ? { eventLog: JSON.stringify(log) } : {}),
    expectations: {
      registers: REGISTERS,
      nonce: "n",
      address: "0x01",
      ...(hasLog ? { appId: Uint8Array.fromHex(APP_ID), composeHash: Uint8Array.fromHex(COMPOSE_HASH) } : {}),
      ...(keyProvider === undefined ? {} : { keyProvider }),
    },
  }));
}

function checkOf({ checks }: QuoteVerification): Check {
  return checks.find(({ name }) => name === "key_provider")!;
}

describe("verifyQuote() with a key provider", () => {
  test("distinguishes two guests that differ only in their KMS", () => {
    for (const [mine, other] of [[KMS, OTHER_KMS], [OTHER_KMS, KMS]] as const) {
      assertFaults(verifyGuest({ logged: mine, claimed: mine }, mine), []);
      const found = verifyGuest({ logged: other, claimed: other }, mine);
      assertFaults(found, ["key_provider"], /The key provider is kms:3059a., which is not expected/);
      assert.deepEqual(found.keyProvider, other);
    }
  });

  test("does not pass without an expectation, and can be waived explicitly", () => {
    assertFaults(verifyGuest({ logged: KMS }, undefined), ["key_provider"], /No expected key provider/);
    const waived = verifyGuest({ logged: KMS }, "any");
    assertFaults(waived, []);
    assert.deepEqual(checkOf(waived).verdict, "waived");
    assert.match(checkOf(waived).detail, /it is kms:3059a1$/);
  });

  test("uses only the log, or only the claims if there is no log", () => {
    const byLog = verifyGuest({ logged: KMS }, KMS);
    assertFaults(byLog, []);
    assert.match(checkOf(byLog).detail, /by the event log/);
    const byClaims = verifyGuest({ claimed: { ...KMS, verified: null } }, KMS, "no log");
    assertFaults(byClaims, []);
    assert.match(checkOf(byClaims).detail, /by the claims/);
    assertFaults(verifyGuest({ claimed: OTHER_KMS }, KMS, "no log"), ["key_provider"], /3059a2/);
    const broker = { name: "broker", id: "AbC-_" } as const;
    assertFaults(verifyGuest({ claimed: broker }, broker, "no log"), []);
    assertFaults(verifyGuest({ claimed: broker }, { ...broker, id: "abc-_" }, "no log"), ["key_provider"]);
    const file = { name: "file", id: "" } as const;
    assertFaults(verifyGuest({ claimed: file }, file, "no log"), []);
  });

  test("refuses a log and claims that contradict each other, whichever of them is expected", () => {
    for (const expected of [KMS, OTHER_KMS]) {
      const found = verifyGuest({ logged: KMS, claimed: OTHER_KMS }, expected);
      assertFaults(found, ["key_provider"], /The event log has the key provider kms:3059a1, the claims/);
      assert.equal(found.keyProvider, undefined);
    }
  });

  test("refuses a provider of another name with the same id, and a missing one if one is expected", () => {
    assertFaults(verifyGuest({ logged: { ...KMS, name: "local-sgx" } }, KMS), ["key_provider"], /local-sgx/);
    assertFaults(verifyGuest({ logged: { name: "none", id: "" } }, KMS), ["key_provider"], /is none, which/);
  });

  test("does not pass if nothing names it: a log without it, or neither log nor claims", () => {
    assertFaults(verifyGuest({ claimed: KMS }, KMS), ["key_provider"], /event log has no key-provider/);
    assertFaults(verifyGuest({}, KMS, "no log"), ["key_provider"], /Neither an event log nor claims/);
  });

  test("ignores claims that the quote does not cover", () => {
    const kit = makeQuoteKit();
    const claims = utf8(JSON.stringify({ keyProvider: KMS }));
    const found = verifyWithCache(evidenceOf(kit, {
      claims,
      expectations: { registers: REGISTERS, reportData: kit.reportData, keyProvider: KMS },
    }));
    assert.deepEqual(checkOf(found).verdict, "not_checked");
  });

  const malformed: Readonly<Record<string, string>> = {
    "no JSON": "kms",
    "a list": "[]",
    "no name": '{"id":"3059a1"}',
    "a name with a colon": '{"name":"kms:3059a1","id":""}',
    "an empty name": '{"name":"","id":"kms:3059a1"}',
    "an id that is no text": '{"name":"kms","id":1}',
  };
  for (const [name, logged] of Object.entries(malformed)) {
    test(`refuses a provider in the log that is ${name}`, () => {
      assertFaults(verifyGuest({ logged }, KMS), ["key_provider"], /cannot be read/);
    });
  }
});

test("readKeyProvider() reads what formatKeyProvider() wrote", () => {
  for (const provider of [KMS, OTHER_KMS, { name: "file", id: "" }, { name: "broker", id: "a:b" }]) {
    assert.deepEqual(readKeyProvider(formatKeyProvider(provider)), provider);
  }
});
