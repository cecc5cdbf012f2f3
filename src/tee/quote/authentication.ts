import { QuoteFormatError } from "./parse.ts";

/** The parsed, unverified authentication data of a quote. */
export interface Authentication {
  /** r and s, over header and body. */
  readonly signature: Uint8Array;
  /** x and y. */
  readonly attestationKey: Uint8Array;
  readonly qeReport: Uint8Array;
  readonly qeReportSignature: Uint8Array;
  readonly qeAuthentication: Uint8Array;
  /** PEM certificates, PCK leaf first. */
  readonly chain: string;
}

// Intel TDX DCAP Quoting Library API, appendix A.3.8 and following. Numbers are little-endian.
const SIGNATURE_LENGTH = 64;
const KEY_LENGTH = 64;
const QE_REPORT_LENGTH = 384;
const CERTIFICATION_PCK_CHAIN = 5;
const CERTIFICATION_QE_REPORT = 6;

interface Cursor {
  readonly take: (length: number) => Uint8Array;
  readonly uint16: () => number;
  readonly uint32: () => number;
  readonly end: () => void;
}

function fail(message: string): never {
  throw new QuoteFormatError("truncated", message);
}

function readFrom(given: Uint8Array): Cursor {
  // A copy, because a Buffer's `slice` is a view.
  const bytes = new Uint8Array(given);
  let at = 0;
  function take(length: number): Uint8Array {
    if (at + length > bytes.length) fail("authentication data end too early");
    at += length;
    return bytes.slice(at - length, at);
  }
  const view = (length: number): DataView => new DataView(take(length).buffer);
  return {
    take,
    uint16: () => view(2).getUint16(0, true),
    uint32: () => view(4).getUint32(0, true),
    end: () => at === bytes.length || fail("authentication data are too long"),
  };
}

function readCertification(cursor: Cursor, type: number): Uint8Array {
  if (cursor.uint16() !== type) {
    throw new QuoteFormatError("unknown_body", `certification data are not of type ${type}`);
  }
  const data = cursor.take(cursor.uint32());
  cursor.end();
  return data;
}

/**
 * Parses the authentication data of `parseQuote`: signature and attestation key, then certification data of type 6.
 * These are the quoting enclave's report and, as type 5, the PCK chain. Throws `QuoteFormatError` for anything else.
 * Verifies nothing.
 */
export function parseAuthentication(bytes: Uint8Array): Authentication {
  const outer = readFrom(bytes);
  const signature = outer.take(SIGNATURE_LENGTH);
  const attestationKey = outer.take(KEY_LENGTH);
  const inner = readFrom(readCertification(outer, CERTIFICATION_QE_REPORT));
  const qeReport = inner.take(QE_REPORT_LENGTH);
  const qeReportSignature = inner.take(SIGNATURE_LENGTH);
  const qeAuthentication = inner.take(inner.uint16());
  const chain = new TextDecoder().decode(readCertification(inner, CERTIFICATION_PCK_CHAIN));
  return { signature, attestationKey, qeReport, qeReportSignature, qeAuthentication, chain };
}
