import { sha512 } from "@noble/hashes/sha2.js";
import { concat, constantTimeEqual, utf8 } from "../lib/bytes.ts";

const KEY_QUOTE = "holdfast/key-quote/v2\0";
/** Its claims said nothing of policies. */
const KEY_QUOTE_V1 = "holdfast/key-quote/v1\0";
const SEAL_RELEASE = "holdfast/seal-release/v1\0";

function reportData(tag: string, claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return sha512(concat(utf8(tag), claims));
}

/**
 * REPORTDATA of a key's quote: SHA-512 over the tag `holdfast/key-quote/v2`, a zero byte and the claims, which are the
 * exact bytes the caller gets. 64 bytes. The tag keeps a quote from being taken for one of another purpose, and claims
 * that say nothing of a policy from being taken for claims of a key without one.
 */
export function keyQuoteReportData(claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return reportData(KEY_QUOTE, claims);
}

/** Whether these are the report data of a key's quote over these claims, as it is made now or was before. */
export function isKeyQuoteReportData(found: Uint8Array, claims: Uint8Array): boolean {
  return [KEY_QUOTE, KEY_QUOTE_V1].some((tag) => constantTimeEqual(found, reportData(tag, claims)));
}

/** REPORTDATA of the quote that asks a broker for the sealing key: the same under the tag `holdfast/seal-release/v1`. */
export function sealReleaseReportData(claims: Uint8Array): Uint8Array<ArrayBuffer> {
  return reportData(SEAL_RELEASE, claims);
}
