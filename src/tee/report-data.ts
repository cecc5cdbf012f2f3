import { createHash } from "node:crypto";

const KEY_QUOTE = "holdfast/key-quote/v1\0";

/**
 * REPORTDATA of a key's quote: SHA-512 over the tag `holdfast/key-quote/v1`, a zero byte and the claims, which are the
 * exact bytes the caller gets. 64 bytes. The tag keeps a quote from being taken for one of another purpose.
 */
export function keyQuoteReportData(claims: Uint8Array): Uint8Array<ArrayBuffer> {
  const digest = createHash("sha512").update(KEY_QUOTE, "utf8").update(claims).digest();
  return Uint8Array.from(digest);
}
