import { constantTimeEqual } from "../lib/bytes.ts";
import { isUnderDebug, parseQuote } from "./quote/parse.ts";

/** Signature and attestation key, QE report with its signature, and the headers of certification data around them. */
const SHORTEST_AUTHENTICATION = 64 + 64 + 6 + 384 + 64 + 2 + 6;

export type OwnQuoteFault = "under_debug" | "other_report_data" | "no_signature";

export class OwnQuoteError extends Error {
  readonly code: OwnQuoteFault;

  constructor(code: OwnQuoteFault, message: string) {
    super(`Cannot use quote: ${message}`);
    this.name = "OwnQuoteError";
    this.code = code;
  }
}

/**
 * Checks a quote that this TEE made for `reportData` and removes its padding. Throws `QuoteFormatError` if it is
 * malformed. Throws `OwnQuoteError` if it is over other report data, under debug or too short for a signature. Does
 * not verify the signature: the recipient does, with Intel's collateral.
 */
export function readOwnQuote(bytes: Uint8Array, reportData: Uint8Array): Uint8Array {
  const { report, authentication, length } = parseQuote(bytes);
  if (!constantTimeEqual(report.reportData, reportData)) {
    throw new OwnQuoteError("other_report_data", "for other report data");
  }
  if (isUnderDebug(report)) {
    throw new OwnQuoteError("under_debug", "the trust domain runs under debug, its memory can be read");
  }
  if (authentication.length < SHORTEST_AUTHENTICATION) {
    throw new OwnQuoteError("no_signature", "too short to be signed");
  }
  return bytes.slice(0, length);
}
