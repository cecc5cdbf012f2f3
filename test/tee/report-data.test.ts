import assert from "node:assert/strict";
import { test } from "node:test";
import { sha512 } from "@noble/hashes/sha2.js";
import { utf8 } from "../../src/lib/bytes.ts";
import { keyQuoteReportData } from "../../src/tee/report-data.ts";

const CLAIMS = utf8('{"address":"0x00","nonce":null}');

test("keyQuoteReportData() is SHA-512 over the tag, a zero byte and the claims", () => {
  const preimage = Uint8Array.of(...utf8("holdfast/key-quote/v2"), 0, ...CLAIMS);
  const reportData = keyQuoteReportData(CLAIMS);
  assert.deepEqual(reportData, sha512(preimage));
  assert.equal(reportData.length, 64);
  assert.equal(Object.getPrototypeOf(reportData), Uint8Array.prototype);
});

test("keyQuoteReportData() returns the golden value of no claims", () => {
  assert.equal(
    keyQuoteReportData(new Uint8Array()).toHex(),
    "b31e540972e97aab8eef7418ea6e1d1ca53694ea857d5ef5ff5749fd6371229f66b6e393785b41750a0ee3b431779b4db8bd1f9979c34bb0658de68045bb36c6",
  );
});

test("keyQuoteReportData() differs when any byte of the claims differs", () => {
  const all = [...CLAIMS.keys()].map((index) => keyQuoteReportData(CLAIMS.with(index, 0)).toHex());
  assert.equal(new Set([...all, keyQuoteReportData(CLAIMS).toHex()]).size, CLAIMS.length + 1);
});
