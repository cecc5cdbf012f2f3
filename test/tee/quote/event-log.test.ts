import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseRoot } from "../../../src/tee/quote/certificate.ts";
import { parseCollateral } from "../../../src/tee/quote/collateral.ts";
import { STRICT_POLICY } from "../../../src/tee/quote/evidence.ts";
import type { Expectations } from "../../../src/tee/quote/evidence.ts";
import type { QuoteVerification } from "../../../src/tee/quote/verify.ts";
import { dstackEvent as dstack, firmwareEvent as firmware, replayOf } from "../../support/event-log.ts";
import type { LogEvent } from "../../support/event-log.ts";
import { makeQuoteKit } from "../../support/quote-pki.ts";
import { ANY_WORKLOAD, faultsOf, isConsequence } from "./fixture.ts";
import { verifyWithCache } from "./verify-with-cache.ts";

const APP_ID = "11".repeat(20);
const COMPOSE_HASH = "22".repeat(32);
/** `{"name":"kms","id":"3059"}`. */
const KEY_PROVIDER = "7b226e616d65223a226b6d73222c226964223a2233303539227d";
const LOG: readonly LogEvent[] = [
  firmware(0, "board"),
  firmware(1, "kernel"),
  firmware(0, "tables"),
  firmware(2, "initrd"),
  dstack("system-preparing", ""),
  dstack("app-id", APP_ID),
  dstack("compose-hash", COMPOSE_HASH, 2),
  dstack("instance-id", "33".repeat(20)),
  dstack("boot-mr-done", ""),
  dstack("key-provider", KEY_PROVIDER),
  dstack("system-ready", ""),
  dstack("of the workload", "44"),
];

/** Verifies a valid quote of a machine that logged `booted`, presented with the log `shown`. */
function verifyLog(
  booted: readonly LogEvent[],
  shown: unknown = booted,
  expectations: Partial<Expectations> = {},
): QuoteVerification {
  const kit = makeQuoteKit({
    report: replayOf(booted),
  });
  return verifyWithCache({
    quote: kit.quote,
    collateral: parseCollateral(kit.collateral),
    now: kit.now,
    root: parseRoot(kit.root),
    policy: STRICT_POLICY,
    eventLog: typeof shown === "string" ? shown : JSON.stringify(shown),
    expectations: { ...ANY_WORKLOAD, ...expectations },
  });
}

function assertRefused(found: QuoteVerification, detail: RegExp): void {
  const [fault, ...rest] = faultsOf(found);
  assert.deepEqual([fault?.name, fault?.verdict], ["event_log", "failed"]);
  assert.ok(rest.every(isConsequence));
  assert.match(faultsOf(found)[0]!.detail, detail);
  assert.equal(found.workload, undefined);
  assert.equal(found.passed, false);
}

describe("verifyQuote() with an event log", () => {
  test("passes when it replays, and returns the measured values", () => {
    const found = verifyLog(LOG, LOG, {
      appId: Uint8Array.fromHex(APP_ID),
      composeHash: Uint8Array.fromHex(COMPOSE_HASH),
    });
    assert.deepEqual(faultsOf(found), []);
    assert.equal(found.passed, true);
    assert.equal(found.workload?.appId?.toHex(), APP_ID);
    assert.equal(found.workload?.composeHash?.toHex(), COMPOSE_HASH);
    assert.equal(found.workload?.keyProvider?.toHex(), KEY_PROVIDER);
    assert.equal(found.workload?.osImageHash, undefined);
  });

  test("recomputes the digests of dstack's events: given ones are ignored, and may be missing", () => {
    const without = LOG.map((event) => event.imr === 3 ? { ...event, digest: "" } : event);
    assert.equal(verifyLog(LOG, without).passed, true);
    const wrong = LOG.map((event) => event.imr === 3 ? { ...event, digest: "ff".repeat(48) } : event);
    assert.equal(verifyLog(LOG, wrong).passed, true);
  });

  test("refuses an event whose payload was changed and whose digest was not", () => {
    const shown = LOG.map((event) =>
      event.event === "app-id" ? { ...event, event_payload: "12".repeat(20) } : event
    );
    assertRefused(verifyLog(LOG, shown), /does not replay to RTMR3/);
  });

  test("refuses a log with any one event omitted, inserted or swapped", () => {
    for (let index = 0; index < LOG.length; index++) {
      const register = LOG[index]!.imr;
      assertRefused(verifyLog(LOG, LOG.toSpliced(index, 1)), new RegExp(`RTMR${register}`));
      assertRefused(verifyLog(LOG, LOG.toSpliced(index, 0, LOG[index]!)), new RegExp(`RTMR${register}`));
    }
    assertRefused(verifyLog(LOG, LOG.with(5, LOG[6]!).with(6, LOG[5]!)), /RTMR3/);
    assertRefused(verifyLog(LOG, []), /RTMR0/);
  });

  test("refuses a log that hides an event by moving the colon after its name", () => {
    // The digest of `app-id`, colon, `1:2` equals that of `app-id:1`, colon, `2`.
    const twice = LOG.toSpliced(6, 0, dstack("app-id", "313a32"));
    const shown = twice.with(6, { ...twice[6]!, event: "app-id:1", event_payload: "32" });
    assertRefused(verifyLog(twice, shown), /\[6\]\.event has a colon/);
  });

  test("refuses a firmware event with another digest", () => {
    assertRefused(verifyLog(LOG, LOG.with(1, firmware(1, "other kernel"))), /RTMR1/);
  });

  test("refuses a log in which boot repeats an event or does not end", () => {
    const twice = LOG.toSpliced(6, 0, dstack("app-id", "55".repeat(20)));
    assertRefused(verifyLog(twice), /app-id twice/);
    const endless = LOG.filter(({ event }) => event !== "system-ready");
    assertRefused(verifyLog(endless), /no system-ready/);
  });

  test("ignores events of the workload after boot", () => {
    const late = [...LOG.filter(({ event }) => event !== "app-id"), dstack("app-id", APP_ID)];
    const found = verifyLog(late, late, { appId: Uint8Array.fromHex(APP_ID) });
    assert.deepEqual(faultsOf(found).map(({ name }) => name), ["app_id"]);
    assert.equal(found.workload?.appId, undefined);
    const again = [...LOG, dstack("app-id", "55".repeat(20))];
    assert.equal(verifyLog(again).workload?.appId?.toHex(), APP_ID);
  });

  test("refuses another application and another composition than the expected ones", () => {
    const found = verifyLog(LOG, LOG, { appId: new Uint8Array(20), composeHash: new Uint8Array(32) });
    assert.deepEqual(faultsOf(found).map(({ name, verdict }) => [name, verdict]), [
      ["compose_hash", "failed"],
      ["app_id", "failed"],
    ]);
  });

  const malformed: Readonly<Record<string, unknown>> = {
    "no JSON": "[",
    "no list": {},
    "a list of something else": [1],
    "a register 4": [{ ...LOG[0], imr: 4 }],
    "a register as text": [{ ...LOG[0], imr: "0" }],
    "a firmware event in RTMR3": [{ ...LOG[0], imr: 3 }],
    "a digest of 47 bytes": [{ ...LOG[0], digest: "00".repeat(47) }],
    "a firmware event without digest": [{ ...LOG[0], digest: "" }],
    "a payload that is no hex": [{ ...LOG[5], event_payload: "0g" }],
    "an event without name": [{ ...LOG[5], event: null }],
    "an event name with a colon": [{ ...LOG[5], event: "app-id:", event_payload: "11".repeat(19) }],
    "an event name with half a surrogate": [{ ...LOG[5], event: "\ud800" }],
    "an event of version 3": [{ ...LOG[5], version: 3 }],
    "too much": " ".repeat(4 * 1024 * 1024) + "[]",
  };
  for (const [name, shown] of Object.entries(malformed)) {
    test(`refuses ${name}`, () =>
      assertRefused(verifyLog(LOG, shown), /event log (?:cannot be read|is too long)/));
  }
});
