import { hexOf } from "./encoding.ts";
export type QuoteFault =
  | "too_short"
  | "unknown_version"
  | "unknown_key_type"
  | "not_tdx"
  | "unknown_vendor"
  | "unknown_body"
  | "truncated";

/** Bytes that are not a known form of quote. The message names the position, never the content. */
export class QuoteFormatError extends Error {
  readonly code: QuoteFault;

  constructor(code: QuoteFault, message: string) {
    super(`Cannot read quote: ${message}`);
    this.name = "QuoteFormatError";
    this.code = code;
  }
}

/** Every field is a copy. */
export interface TdReport {
  readonly teeTcbSvn: Uint8Array;
  readonly mrSeam: Uint8Array;
  readonly mrSignerSeam: Uint8Array;
  readonly seamAttributes: Uint8Array;
  /** 8 bytes, little-endian: bit 0 is DEBUG. */
  readonly tdAttributes: Uint8Array;
  readonly xfam: Uint8Array;
  readonly mrTd: Uint8Array;
  readonly mrConfigId: Uint8Array;
  readonly mrOwner: Uint8Array;
  readonly mrOwnerConfig: Uint8Array;
  readonly rtmr0: Uint8Array;
  readonly rtmr1: Uint8Array;
  readonly rtmr2: Uint8Array;
  readonly rtmr3: Uint8Array;
  readonly reportData: Uint8Array;
}

/** Since TDX 1.5. */
export interface TdReport15 {
  readonly teeTcbSvn2: Uint8Array;
  readonly mrServiceTd: Uint8Array;
}

/** Unverified. */
export interface ParsedQuote {
  readonly version: 4 | 5;
  /** The quoting enclave's id and 4 more bytes, from the header. */
  readonly userData: Uint8Array;
  readonly report: TdReport;
  /** Undefined for a TDX 1.0 report. */
  readonly report15: TdReport15 | undefined;
  /** Header and body: exactly the bytes under the attestation key's signature. */
  readonly signed: Uint8Array;
  /** Signature, attestation key and certification data, unparsed and without their length. */
  readonly authentication: Uint8Array;
  /** Without the padding, which is not signed. */
  readonly length: number;
}

// Intel TDX DCAP Quoting Library API, appendix A.3 (quote format, versions 4 and 5). Numbers are little-endian.
const HEADER_LENGTH = 48;
/** Version 5 has a descriptor of the body between header and body. */
const DESCRIPTOR_LENGTH = 6;
const REPORT_LENGTH = 584;
const REPORT_15_LENGTH = 648;
const ECDSA_P256 = 2;
const TEE_TDX = 0x81;
const INTEL_QE_VENDOR = "939a7233f79c4ca9940a0db3957f0607";

/** Length of each body type of version 5. Type 1 is an SGX enclave's report. */
const BODY_LENGTHS: Readonly<Record<number, number>> = { 2: REPORT_LENGTH, 3: REPORT_15_LENGTH };

const REPORT_FIELDS = {
  teeTcbSvn: [0, 16],
  mrSeam: [16, 48],
  mrSignerSeam: [64, 48],
  seamAttributes: [112, 8],
  tdAttributes: [120, 8],
  xfam: [128, 8],
  mrTd: [136, 48],
  mrConfigId: [184, 48],
  mrOwner: [232, 48],
  mrOwnerConfig: [280, 48],
  rtmr0: [328, 48],
  rtmr1: [376, 48],
  rtmr2: [424, 48],
  rtmr3: [472, 48],
  reportData: [520, 64],
} as const satisfies Record<keyof TdReport, readonly [offset: number, length: number]>;

const REPORT_15_FIELDS = {
  teeTcbSvn2: [584, 16],
  mrServiceTd: [600, 48],
} as const satisfies Record<keyof TdReport15, readonly [offset: number, length: number]>;

function readFields<K extends string>(
  body: Uint8Array,
  fields: Readonly<Record<K, readonly [offset: number, length: number]>>,
): Readonly<Record<K, Uint8Array>> {
  const entries = Object.entries<readonly [number, number]>(fields);
  const read = entries.map(([name, [offset, length]]) => [name, body.slice(offset, offset + length)]);
  return Object.fromEntries(read) as Record<K, Uint8Array>;
}

function readVersion(view: DataView, bytes: Uint8Array): 4 | 5 {
  if (bytes.length < HEADER_LENGTH) throw new QuoteFormatError("too_short", "shorter than a header");
  const version = view.getUint16(0, true);
  if (version !== 4 && version !== 5) throw new QuoteFormatError("unknown_version", "version is not 4 or 5");
  if (view.getUint16(2, true) !== ECDSA_P256) {
    throw new QuoteFormatError("unknown_key_type", "attestation key is not ECDSA over P-256");
  }
  if (view.getUint32(4, true) !== TEE_TDX) throw new QuoteFormatError("not_tdx", "TEE type is not TDX");
  if (hexOf(bytes.slice(12, 28)) !== INTEL_QE_VENDOR) {
    throw new QuoteFormatError("unknown_vendor", "quoting enclave is not Intel's");
  }
  return version;
}

/** Returns the body's position. Version 5 names its kind and length, which must agree. */
function findBody(view: DataView, version: 4 | 5): { start: number; length: number } {
  if (version === 4) return { start: HEADER_LENGTH, length: REPORT_LENGTH };
  const start = HEADER_LENGTH + DESCRIPTOR_LENGTH;
  if (view.byteLength < start) throw new QuoteFormatError("too_short", "shorter than a header");
  const length = BODY_LENGTHS[view.getUint16(HEADER_LENGTH, true)];
  if (length === undefined || view.getUint32(HEADER_LENGTH + 2, true) !== length) {
    throw new QuoteFormatError("unknown_body", "body is not a TD report of a known length");
  }
  return { start, length };
}

/**
 * Parses a TDX quote of version 4 or 5 (Intel TDX DCAP Quoting Library API, appendix A.3). Checks every length and
 * throws `QuoteFormatError`. Does not verify signatures or certificates, and does not judge values such as DEBUG or
 * the measurements. Allows trailing bytes, which real quotes have and no signature covers: a quote's hash identifies
 * nothing.
 */
export function parseQuote(given: Uint8Array): ParsedQuote {
  // A copy, because a Buffer's `slice` is a view and the result outlives the call.
  const bytes = new Uint8Array(given);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = readVersion(view, bytes);
  const { start, length } = findBody(view, version);
  const end = start + length;
  if (bytes.length < end + 4) throw new QuoteFormatError("too_short", "shorter than a TD report");
  const authenticationEnd = end + 4 + view.getUint32(end, true);
  if (bytes.length < authenticationEnd) {
    throw new QuoteFormatError("truncated", "shorter than its authentication data");
  }
  const body = bytes.slice(start, end);
  return {
    version,
    userData: bytes.slice(28, HEADER_LENGTH),
    report: readFields(body, REPORT_FIELDS),
    report15: length === REPORT_15_LENGTH ? readFields(body, REPORT_15_FIELDS) : undefined,
    signed: bytes.slice(0, end),
    authentication: bytes.slice(end + 4, authenticationEnd),
    length: authenticationEnd,
  };
}

/** Returns true if any of the 8 TUD bits of TDATTRIBUTES is set, of which bit 0 is DEBUG. */
export function isUnderDebug(report: TdReport): boolean {
  return report.tdAttributes[0] !== 0;
}
