import { intelRoot } from "./intel-root.ts";
import { type Authentication, parseAuthentication } from "./authentication.ts";
import { type Certificate, parseChain, type RootCertificate } from "./certificate.ts";
import { parseQeIdentity, parseTcbInfo, type QeIdentity, type TcbInfo } from "./collateral.ts";
import { CheckFault, NotChecked } from "./fault.ts";
import { type ParsedQuote, parseQuote, QuoteFormatError } from "./parse.ts";
import { type Platform, readPlatform } from "./pck.ts";
import type { IsSigned } from "./signature.ts";
import { type QeReport, readQeReport } from "./tcb.ts";
import type { QuoteEvidence } from "./evidence.ts";

/** A parsed part of the evidence, or its fault. */
export interface ParsedPart<T> {
  /** Throws the fault. For the check that reports it. */
  readonly get: () => T;
  /** Throws `NotChecked`. For a check that depends on the part. */
  readonly require: () => T;
}

/** All parsed parts of the evidence, unverified. */
export interface ParsedEvidence {
  readonly root: RootCertificate;
  readonly isSigned: IsSigned;
  readonly quote: ParsedPart<ParsedQuote>;
  readonly authentication: ParsedPart<Authentication>;
  /** PCK leaf, its authority, root. */
  readonly chain: ParsedPart<readonly Certificate[]>;
  readonly platform: ParsedPart<Platform>;
  readonly qeReport: ParsedPart<QeReport>;
  readonly tcbInfo: ParsedPart<TcbInfo>;
  readonly tcbInfoSigners: ParsedPart<readonly Certificate[]>;
  readonly qeIdentity: ParsedPart<QeIdentity>;
  readonly qeIdentitySigners: ParsedPart<readonly Certificate[]>;
}

function tryParse<T>(what: string, read: () => T): ParsedPart<T> {
  try {
    const value = read();
    return { get: () => value, require: () => value };
  } catch (error) {
    if (!(error instanceof CheckFault || error instanceof QuoteFormatError || error instanceof NotChecked)) {
      throw error;
    }
    const missing = new NotChecked(`Needs ${what}, which cannot be read`);
    return {
      get: () => {
        throw error instanceof QuoteFormatError ? new CheckFault(error.message, { cause: error }) : error;
      },
      require: () => {
        throw missing;
      },
    };
  }
}

/** Parses the evidence. Never throws for untrusted input: each part reports its fault when it is read. */
export function parseEvidence(
  { quote: bytes, collateral, root }: QuoteEvidence,
  isSigned: IsSigned,
): ParsedEvidence {
  const quote = tryParse("the quote", () => parseQuote(bytes));
  const authentication = tryParse("the quote", () => parseAuthentication(quote.require().authentication));
  const chain = tryParse("the PCK chain", () => parseChain(authentication.require().chain));
  return {
    root: root ?? intelRoot(),
    isSigned,
    quote,
    authentication,
    chain,
    platform: tryParse("the PCK certificate", () => readPlatform(chain.require()[0]!)),
    qeReport: tryParse("the quote", () => readQeReport(authentication.require().qeReport)),
    tcbInfo: tryParse("TCB info", () => parseTcbInfo(collateral.tcbInfo)),
    tcbInfoSigners: tryParse("the chain of TCB info", () => parseChain(collateral.tcbInfoIssuerChain)),
    qeIdentity: tryParse("QE identity", () => parseQeIdentity(collateral.qeIdentity)),
    qeIdentitySigners: tryParse(
      "the chain of QE identity",
      () => parseChain(collateral.qeIdentityIssuerChain),
    ),
  };
}
