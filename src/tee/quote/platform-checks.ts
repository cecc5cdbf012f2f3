import { sha256 } from "@noble/hashes/sha2.js";
import { concat, constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { type Instant, toIso } from "../../lib/time.ts";
import { type Certificate, type ChainNames, publicKeyOf, verifyChain } from "./certificate.ts";
import type { SignedDocument } from "./collateral.ts";
import { hexOf } from "./encoding.ts";
import { CheckFault } from "./fault.ts";
import { isPoint } from "./signature.ts";
import type { ParsedEvidence } from "./parsed-evidence.ts";
import { verifyRevocation } from "./revocation.ts";
import { combineLevels, expectQe, findModuleLevel, findPlatformLevel, findQeLevel } from "./tcb.ts";
import type { PlatformTcb } from "./tcb.ts";
import type { CheckName, QuoteEvidence, QuotePolicy } from "./evidence.ts";

/** A check. Returns a sentence with the result, or throws. */
export type RunCheck = (parsed: ParsedEvidence, evidence: QuoteEvidence) => string;

const ROOT = ["SGX Root CA"];
const PCK_NAMES: ChainNames = [
  ["SGX PCK Certificate"],
  ["SGX PCK Platform CA", "SGX PCK Processor CA"],
  ROOT,
];
const SIGNING_NAMES: ChainNames = [["SGX TCB Signing"], ROOT];

function checkFormat({ quote, authentication }: ParsedEvidence): string {
  const { version, report15 } = quote.get();
  authentication.get();
  return `Version ${version}, TDX ${report15 === undefined ? "1.0" : "1.5"} report`;
}

function checkPckChain(
  { chain, authentication, platform, root, isSigned }: ParsedEvidence,
  { now }: QuoteEvidence,
): string {
  authentication.require();
  verifyChain(chain.get(), { root, names: PCK_NAMES, now, isSigned });
  return `Platform ${hexOf(platform.get().fmspc)}, certified by ${root.commonName}`;
}

function checkPckList({ chain, isSigned }: ParsedEvidence, { collateral, now }: QuoteEvidence): string {
  const [leaf, issuer] = chain.require();
  if (issuer === undefined) throw new CheckFault("The PCK certificate stands alone");
  verifyRevocation(collateral.pckCrl, { issuer, certificates: [leaf!], now, isSigned });
  return `${leaf!.commonName} is not revoked`;
}

function checkRootList(parsed: ParsedEvidence, { collateral, now }: QuoteEvidence): string {
  const { root, chain, tcbInfoSigners, qeIdentitySigners, isSigned } = parsed;
  const certificates = [
    ...chain.require().slice(1),
    ...tcbInfoSigners.require(),
    ...qeIdentitySigners.require(),
  ];
  verifyRevocation(collateral.rootCaCrl, { issuer: root, certificates, now, isSigned });
  return `None of ${certificates.length} certificates below ${root.commonName} is revoked`;
}

function toKey(coordinates: Uint8Array): Uint8Array {
  if (!isPoint(coordinates)) throw new CheckFault("The attestation key is not a point on P-256");
  return concat(Uint8Array.of(4), coordinates);
}

function checkQeReport({ authentication, chain, qeReport, isSigned }: ParsedEvidence): string {
  const { qeReport: bytes, qeReportSignature, attestationKey, qeAuthentication } = authentication.require();
  const [leaf] = chain.require();
  if (!isSigned({ publicKey: publicKeyOf(leaf!), data: bytes, signature: qeReportSignature })) {
    throw new CheckFault("The quoting enclave's report is not signed by the PCK certificate's key");
  }
  const bound = hexOf(sha256(concat(attestationKey, qeAuthentication)));
  if (hexOf(qeReport.require().reportData) !== bound + "00".repeat(32)) {
    throw new CheckFault("The quoting enclave vouches for another attestation key");
  }
  return "Signed by the platform; it vouches for the attestation key";
}

function checkQuoteSignature({ quote, authentication, isSigned }: ParsedEvidence): string {
  const { signature, attestationKey } = authentication.require();
  if (!isSigned({ publicKey: toKey(attestationKey), data: quote.require().signed, signature })) {
    throw new CheckFault("The quote is not signed by the attestation key");
  }
  return "Signed by the attestation key";
}

function verifyDocument(
  what: string,
  { text, signature, signers, document }: {
    readonly text: string;
    readonly signature: Uint8Array;
    readonly signers: readonly Certificate[];
    readonly document: SignedDocument;
  },
  { root, now, least, isSigned }: Pick<ParsedEvidence, "root" | "isSigned"> & {
    readonly now: Instant;
    readonly least: number;
  },
): void {
  verifyChain(signers, { root, names: SIGNING_NAMES, now, isSigned });
  if (!isSigned({ publicKey: publicKeyOf(signers[0]!), data: utf8(text), signature })) {
    throw new CheckFault(`${what} is not signed by ${signers[0]!.commonName}`);
  }
  const { issueDate, evaluation } = document;
  if (now < issueDate) throw new CheckFault(`${what} is of ${toIso(issueDate)}, which is in the future`);
  // Not `<`: an untyped caller may pass something other than a number.
  if (!(evaluation >= least)) {
    throw new CheckFault(`${what} has evaluation number ${evaluation}, less than ${least}`);
  }
}

/** Throws if a document has expired. Must be the last check of it, so that the age hides no other fault. */
function expectFresh(what: string, { nextUpdate }: SignedDocument, now: Instant): void {
  if (now >= nextUpdate) {
    throw new CheckFault(`${what} was due for renewal at ${toIso(nextUpdate)}`, {
      reason: "stale_collateral",
    });
  }
}

function checkTcbInfo(parsed: ParsedEvidence, { collateral, now, policy }: QuoteEvidence): string {
  const info = parsed.tcbInfo.get();
  const signed = {
    text: collateral.tcbInfo,
    signature: collateral.tcbInfoSignature,
    signers: parsed.tcbInfoSigners.get(),
    document: info,
  };
  verifyDocument("TCB info", signed, { ...parsed, now, least: policy.leastEvaluation });
  const { fmspc, pceId } = parsed.platform.require();
  if (hexOf(info.fmspc) !== hexOf(fmspc) || hexOf(info.pceId) !== hexOf(pceId)) {
    throw new CheckFault(`TCB info is of platform ${hexOf(info.fmspc)}, the quote of ${hexOf(fmspc)}`);
  }
  expectFresh("TCB info", info, now);
  return `Evaluation ${info.evaluation}, in force until ${toIso(info.nextUpdate)}`;
}

function checkQeIdentity(parsed: ParsedEvidence, { collateral, now, policy }: QuoteEvidence): string {
  const identity = parsed.qeIdentity.get();
  const signed = {
    text: collateral.qeIdentity,
    signature: collateral.qeIdentitySignature,
    signers: parsed.qeIdentitySigners.get(),
    document: identity,
  };
  verifyDocument("QE identity", signed, { ...parsed, now, least: policy.leastEvaluation });
  const report = parsed.qeReport.require();
  expectQe(report, identity);
  const { status } = findQeLevel(report, identity);
  expectFresh("QE identity", identity, now);
  return `As the root's owner signed it, version ${report.isvSvn}: ${status}`;
}

function checkModule({ quote, tcbInfo }: ParsedEvidence): string {
  const { report } = quote.require();
  const { status } = findModuleLevel(report, tcbInfo.require());
  return `As the root's owner signed it, version ${report.teeTcbSvn[1]}.${report.teeTcbSvn[0]}: ${status}`;
}

/** Returns the levels of platform, TDX module and quoting enclave. Throws if one is not found. */
export function readTcb({ quote, platform, tcbInfo, qeReport, qeIdentity }: ParsedEvidence): PlatformTcb {
  const { report } = quote.require();
  const info = tcbInfo.require();
  return combineLevels({
    platform: findPlatformLevel(platform.require(), report, info),
    module: findModuleLevel(report, info),
    quotingEnclave: findQeLevel(qeReport.require(), qeIdentity.require()),
  });
}

function checkStatus(parsed: ParsedEvidence, { policy }: QuoteEvidence): string {
  const { status, platform, module, quotingEnclave, advisories } = readTcb(parsed);
  const parts = `platform ${platform}, TDX module ${module}, quoting enclave ${quotingEnclave}`;
  const known = advisories.length === 0 ? "" : `; advisories ${advisories.join(", ")}`;
  const detail = `${status}: ${parts}${known}`;
  if (status === "Revoked" || !policy.statuses.includes(status)) {
    throw new CheckFault(`${detail}; not accepted`);
  }
  return detail;
}

/** TDATTRIBUTES: LASS, PKS, KL, TPA, PERFMON. All others except SEPT_VE_DISABLE and MIGRATABLE must be zero. */
const HARMLESS = (1n << 27n) | (1n << 30n) | (1n << 31n) | (1n << 62n) | (1n << 63n);
const SEPT_VE_DISABLE = 1n << 28n;
const MIGRATABLE = 1n << 29n;

function checkAttributes({ quote }: ParsedEvidence, { policy }: QuoteEvidence): string {
  const { report, report15 } = quote.require();
  const { serviceTd } = policy;
  const { tdAttributes } = report;
  const bits = new DataView(tdAttributes.buffer, tdAttributes.byteOffset, 8).getBigUint64(0, true);
  if ((bits & 1n) !== 0n) throw new CheckFault("The trust domain runs under debug: its memory can be read");
  const isMovable = (bits & MIGRATABLE) !== 0n;
  if (isMovable && !(serviceTd instanceof Uint8Array)) {
    throw new CheckFault("The trust domain may be moved to another machine");
  }
  if ((bits & ~(HARMLESS | SEPT_VE_DISABLE | MIGRATABLE)) !== 0n) {
    throw new CheckFault("TDATTRIBUTES has unknown bits");
  }
  if (policy.septVe !== "any" && (bits & SEPT_VE_DISABLE) === 0n) {
    throw new CheckFault("The host can remove memory without notice: SEPT_VE_DISABLE is not set");
  }
  checkServiceTd(report15?.mrServiceTd, serviceTd);
  return `Not under debug, ${isMovable ? "movable by the service domain's policy" : "not movable"}`;
}

/** Throws unless the service trust domain is as pinned, or absent if none is. TDX 1.0 does not report it. */
function checkServiceTd(found: Uint8Array | undefined, expected: QuotePolicy["serviceTd"]): void {
  if (expected instanceof Uint8Array) {
    if (found === undefined) {
      throw new CheckFault("The quote does not name the bound service trust domain");
    }
    if (constantTimeEqual(found, expected)) return;
    throw new CheckFault(`The service trust domain is ${hexOf(found)}, which is not expected`);
  }
  if (found?.some((byte) => byte !== 0)) {
    throw new CheckFault(`A service trust domain is bound to this one: ${hexOf(found)}`);
  }
}

export const PLATFORM_CHECKS: readonly (readonly [name: CheckName, run: RunCheck])[] = [
  ["quote_format", checkFormat],
  ["pck_chain", checkPckChain],
  ["pck_crl", checkPckList],
  ["root_crl", checkRootList],
  ["qe_report", checkQeReport],
  ["qe_identity", checkQeIdentity],
  ["quote_signature", checkQuoteSignature],
  ["tcb_info", checkTcbInfo],
  ["tdx_module", checkModule],
  ["tcb_status", checkStatus],
  ["td_attributes", checkAttributes],
];
