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
export interface Part<T> {
  /** Throws the fault. For the check that reports it. */
  readonly get: () => T;
  /** Throws `NotChecked`. For a check that depends on the part. */
  readonly need: () => T;
}

/** All parsed parts of the evidence, unverified. */
export interface Material {
  readonly root: RootCertificate;
  readonly isSigned: IsSigned;
  readonly quote: Part<ParsedQuote>;
  readonly authentication: Part<Authentication>;
  /** PCK leaf, its authority, root. */
  readonly chain: Part<readonly Certificate[]>;
  readonly platform: Part<Platform>;
  readonly qeReport: Part<QeReport>;
  readonly tcbInfo: Part<TcbInfo>;
  readonly tcbInfoSigners: Part<readonly Certificate[]>;
  readonly qeIdentity: Part<QeIdentity>;
  readonly qeIdentitySigners: Part<readonly Certificate[]>;
}

function attempt<T>(what: string, read: () => T): Part<T> {
  try {
    const value = read();
    return { get: () => value, need: () => value };
  } catch (error) {
    if (!(error instanceof CheckFault || error instanceof QuoteFormatError || error instanceof NotChecked)) {
      throw error;
    }
    const missing = new NotChecked(`Needs ${what}, which cannot be read`);
    return {
      get: () => {
        throw error instanceof QuoteFormatError ? new CheckFault(error.message, { cause: error }) : error;
      },
      need: () => {
        throw missing;
      },
    };
  }
}

/** Parses the evidence. Never throws for untrusted input: each part reports its fault when it is read. */
export function readMaterial(
  { quote: bytes, collateral, root }: QuoteEvidence,
  isSigned: IsSigned,
): Material {
  const quote = attempt("the quote", () => parseQuote(bytes));
  const authentication = attempt("the quote", () => parseAuthentication(quote.need().authentication));
  const chain = attempt("the PCK chain", () => parseChain(authentication.need().chain));
  return {
    root: root ?? intelRoot(),
    isSigned,
    quote,
    authentication,
    chain,
    platform: attempt("the PCK certificate", () => readPlatform(chain.need()[0]!)),
    qeReport: attempt("the quote", () => readQeReport(authentication.need().qeReport)),
    tcbInfo: attempt("TCB info", () => parseTcbInfo(collateral.tcbInfo)),
    tcbInfoSigners: attempt("the chain of TCB info", () => parseChain(collateral.tcbInfoIssuerChain)),
    qeIdentity: attempt("QE identity", () => parseQeIdentity(collateral.qeIdentity)),
    qeIdentitySigners: attempt(
      "the chain of QE identity",
      () => parseChain(collateral.qeIdentityIssuerChain),
    ),
  };
}
