import assert from "node:assert/strict";
import { test } from "node:test";
import { sha512 } from "@noble/hashes/sha2.js";
import { utf8 } from "../../src/lib/bytes.ts";
import { keyQuoteReportData } from "../../src/tee/report-data.ts";

const CLAIMS = utf8('{"address":"0x00","nonce":null}');

test("keyQuoteReportData() is SHA-512 over the tag, a zero byte and the claims", () => {
  const preimage = Uint8Array.of(...utf8("holdfast/key-quote/v1"), 0, ...CLAIMS);
  const reportData = keyQuoteReportData(CLAIMS);
  assert.deepEqual(reportData, sha512(preimage));
  assert.equal(reportData.length, 64);
  assert.equal(Object.getPrototypeOf(reportData), Uint8Array.prototype);
});

test("keyQuoteReportData() gives the golden value of no claims", () => {
  assert.equal(
    keyQuoteReportData(new Uint8Array()).toHex(),
    "bc91b229ca6d020601759d0b5f30afa281730f4d06d61381fad5d1f64758c413bbfc4210c4b6486a0d7935405b6a3923924e506f31b823f331144beddb6c12d3",
  );
});

test("keyQuoteReportData() differs when any byte of the claims differs", () => {
  const all = [...CLAIMS.keys()].map((index) => keyQuoteReportData(CLAIMS.with(index, 0)).toHex());
  assert.equal(new Set([...all, keyQuoteReportData(CLAIMS).toHex()]).size, CLAIMS.length + 1);
});
