import { constantTimeEqual } from "../lib/bytes.ts";
import { isUnderDebug, parseQuote } from "./quote/parse.ts";

/** Signature and attestation key, QE report with its signature, and the headers of certification data around them. */
const SHORTEST_AUTHENTICATION = 64 + 64 + 6 + 384 + 64 + 2 + 6;

/** Why a quote that was made for us is not one we hand on. */
export type OwnQuoteFault = "under_debug" | "other_report_data" | "no_signature";

/** The quote is well formed, but not what was asked for. */
export class OwnQuoteError extends Error {
  readonly code: OwnQuoteFault;

  constructor(code: OwnQuoteFault, message: string) {
    super(`Cannot use quote: ${message}`);
    this.name = "OwnQuoteError";
    this.code = code;
  }
}

/**
 * A quote that this TEE made for `reportData`, without the padding behind it. Throws `QuoteFormatError` when it is
 * none, `OwnQuoteError` when it is over other report data, under debug or too short to be signed. Verifies no
 * signature: whoever gets the quote does, with Intel's collateral.
 */
export function readOwnQuote(bytes: Uint8Array, reportData: Uint8Array): Uint8Array {
  const { report, authentication, length } = parseQuote(bytes);
  if (!constantTimeEqual(report.reportData, reportData)) {
    throw new OwnQuoteError("other_report_data", "made over other report data");
  }
  if (isUnderDebug(report)) {
    throw new OwnQuoteError("under_debug", "the trust domain runs under debug, its memory can be read");
  }
  if (authentication.length < SHORTEST_AUTHENTICATION) {
    throw new OwnQuoteError("no_signature", "too short to be signed");
  }
  return bytes.slice(0, length);
}
