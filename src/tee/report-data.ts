import { sha512 } from "@noble/hashes/sha2.js";
import { concat, constantTimeEqual, utf8 } from "../lib/bytes.ts";

const KEY_QUOTE = "holdfast/key-quote/v2\0";
/** Version 1, whose claims have no policy. */
const KEY_QUOTE_V1 = "holdfast/key-quote/v1\0";
const RECOVERY_REQUEST = "holdfast/recovery-request/v1\0";
const SEAL_RELEASE = "holdfast/seal-release/v1\0";

function reportData(tag: string, claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return sha512(concat(utf8(tag), claims));
}

/**
 * Returns the report data of a key's quote: SHA-512 of the tag `holdfast/key-quote/v2`, a zero byte and the exact
 * bytes of the claims. The tag separates the purposes of quotes. Its version separates claims without a policy from
 * claims of a key without one.
 */
export function keyQuoteReportData(claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return reportData(KEY_QUOTE, claims);
}

/** Accepts the current and the previous version. */
export function isKeyQuoteReportData(found: Uint8Array, claims: Uint8Array): boolean {
  return [KEY_QUOTE, KEY_QUOTE_V1].some((tag) => constantTimeEqual(found, reportData(tag, claims)));
}

/** Like `keyQuoteReportData`, with the tag `holdfast/seal-release/v1`. */
export function sealReleaseReportData(claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return reportData(SEAL_RELEASE, claims);
}

/** Like `keyQuoteReportData`, with the tag `holdfast/recovery-request/v1`. */
export function recoveryReportData(claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return reportData(RECOVERY_REQUEST, claims);
}
