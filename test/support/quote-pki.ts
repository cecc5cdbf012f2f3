import { createHash } from "node:crypto";
import { concat, utf8 } from "../../src/lib/bytes.ts";
import type { Instant } from "../../src/lib/time.ts";
import {
  AUTHORITY,
  encodeSgxExtension,
  LEAF,
  LISTED,
  makeCertificate,
  makeRevocationList,
  NAMES,
  PCK,
  QUOTE_NOW,
  rawKey,
  signAs,
} from "./quote-certificates.ts";
import type { CertificateKnobs, Party, PckKnobs, RevocationKnobs } from "./quote-certificates.ts";
import { makeQeIdentity, makeTcbInfo } from "./quote-documents.ts";
import type { CollateralDocument, QeIdentityDocument, TcbInfoDocument } from "./quote-documents.ts";

export { QUOTE_NOW };
// Quotes of a synthetic platform, with everything needed to verify them.

/** Fields of the quoting enclave's report; numbers are little-endian. */
export interface QeReportKnobs {
  readonly miscSelect: string;
  readonly attributes: string;
  readonly mrSigner: string;
  readonly isvProdId: number;
  readonly isvSvn: number;
  /** Replaces the hash that binds the attestation key. */
  readonly reportData: string | undefined;
}

/** Fields of a TD report in hex. Each is written at its offset, whatever its length. */
export type TdReportKnobs = Partial<Record<keyof typeof TD_REPORT, string>>;

/** The parts that may be changed. Documents are changed before they are signed, `collateral` afterwards. */
export interface QuoteKnobs {
  readonly version?: 4 | 5;
  /** 2 is TDX 1.0, 3 is TDX 1.5; version 4 has only the first. */
  readonly bodyType?: 2 | 3;
  /** 64 bytes. */
  readonly reportData?: Uint8Array;
  readonly report?: TdReportKnobs;
  readonly root?: Partial<CertificateKnobs>;
  readonly platformCa?: Partial<CertificateKnobs>;
  readonly pckCertificate?: Partial<CertificateKnobs>;
  readonly tcbSigning?: Partial<CertificateKnobs>;
  readonly pck?: Partial<PckKnobs>;
  /** False for a PCK certificate without the SGX extension. */
  readonly hasSgxExtension?: boolean;
  readonly rootCrl?: Partial<RevocationKnobs>;
  readonly pckCrl?: Partial<RevocationKnobs>;
  readonly qeReport?: Partial<QeReportKnobs>;
  readonly tcbInfo?: (info: TcbInfoDocument) => void;
  readonly qeIdentity?: (identity: QeIdentityDocument) => void;
  /** The signer of each part. */
  readonly signers?: Partial<Record<"tcbInfo" | "qeIdentity" | "qeReport" | "quote", Party>>;
  /** PEM chain in the quote, instead of leaf, CA, root. */
  readonly chain?: (chain: readonly string[]) => readonly string[];
  /** Chain of the TCB signing certificate in the collateral, instead of leaf, root. */
  readonly tcbSigningChain?: (chain: readonly string[]) => readonly string[];
  readonly collateral?: (collateral: Partial<CollateralDocument>) => void;
}

/** A quote, with everything needed to verify it. */
export interface QuoteKit {
  readonly quote: Uint8Array;
  /** The collateral as JSON. */
  readonly collateral: string;
  /** The root certificate as PEM. */
  readonly root: string;
  readonly now: Instant;
  readonly reportData: Uint8Array;
  /** The PCK certificate's serial number, in hex, to be revoked. */
  readonly pckSerial: string;
}

/** The offsets of the fields in a TD report. */
const TD_REPORT = {
  teeTcbSvn: 0,
  mrSeam: 16,
  mrSignerSeam: 64,
  seamAttributes: 112,
  tdAttributes: 120,
  xfam: 128,
  mrTd: 136,
  mrConfigId: 184,
  mrOwner: 232,
  mrOwnerConfig: 280,
  rtmr0: 328,
  rtmr1: 376,
  rtmr2: 424,
  rtmr3: 472,
  teeTcbSvn2: 584,
  mrServiceTd: 600,
} as const;

const REPORT: TdReportKnobs = {
  teeTcbSvn: "05010200000000000000000000000000",
  mrSeam: "a1".repeat(48),
  tdAttributes: "0000001000000000",
  xfam: "e702060000000000",
  mrTd: "d0".repeat(48),
  rtmr0: "e0".repeat(48),
  rtmr1: "e1".repeat(48),
  rtmr2: "e2".repeat(48),
  rtmr3: "e3".repeat(48),
};

const QE_REPORT: QeReportKnobs = {
  miscSelect: "00000000",
  attributes: "11000000000000000000000000000000",
  mrSigner: "dc".repeat(32),
  isvProdId: 2,
  isvSvn: 4,
  reportData: undefined,
};

function uint16le(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >> 8);
}

function uint32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function makeBody(knobs: QuoteKnobs, reportData: Uint8Array): Uint8Array {
  const body = new Uint8Array(knobs.bodyType === 3 ? 648 : 584);
  for (const [name, hex] of Object.entries({ ...REPORT, ...knobs.report })) {
    body.set(Uint8Array.fromHex(hex), TD_REPORT[name as keyof typeof TD_REPORT]);
  }
  body.set(reportData, 520);
  return body;
}

function makeSigned(knobs: QuoteKnobs, reportData: Uint8Array): Uint8Array {
  const version = knobs.version ?? 4;
  const header = concat(
    uint16le(version),
    uint16le(2),
    uint32le(0x81),
    new Uint8Array(4),
    Uint8Array.fromHex("939a7233f79c4ca9940a0db3957f0607"),
    new Uint8Array(20),
  );
  const body = makeBody(knobs, reportData);
  const descriptor = concat(uint16le(knobs.bodyType ?? 2), uint32le(body.length));
  return concat(header, version === 5 ? descriptor : new Uint8Array(), body);
}

const QE_AUTHENTICATION = Uint8Array.from({ length: 32 }, (_, index) => index);

function makeQeReport(changes: Partial<QeReportKnobs> | undefined): Uint8Array {
  const knobs = { ...QE_REPORT, ...changes };
  const bound = createHash("sha256").update(rawKey("attestation")).update(QE_AUTHENTICATION).digest();
  const report = new Uint8Array(384);
  report.set(Uint8Array.fromHex(knobs.miscSelect), 16);
  report.set(Uint8Array.fromHex(knobs.attributes), 48);
  report.set(Uint8Array.fromHex(knobs.mrSigner), 128);
  report.set(uint16le(knobs.isvProdId), 256);
  report.set(uint16le(knobs.isvSvn), 258);
  report.set(knobs.reportData === undefined ? bound : Uint8Array.fromHex(knobs.reportData), 320);
  return report;
}

function certification(type: number, data: Uint8Array): Uint8Array {
  return concat(uint16le(type), uint32le(data.length), data);
}

const SERIALS = { root: "01", platformCa: "0200aa", pck: "0300bb01", tcbSigning: "0400cc" } as const;

/** A platform whose certificates and collateral are made once. Quotes are made on demand. */
export interface QuotePlatform {
  readonly root: string;
  readonly collateral: string;
  readonly quote: (reportData: Uint8Array, report?: TdReportKnobs) => Uint8Array;
}

function makeCollateral(
  knobs: QuoteKnobs,
  certificates: { root: string; platformCa: string; signing: readonly string[] },
): string {
  const { signers, tcbInfo = () => {}, qeIdentity = () => {} } = knobs;
  const info = makeTcbInfo();
  const identity = makeQeIdentity();
  tcbInfo(info);
  qeIdentity(identity);
  const infoText = JSON.stringify(info);
  const identityText = JSON.stringify(identity);
  const signText = (text: string, party: Party): string => signAs(party, utf8(text), "ieee-p1363").toHex();
  const rootCrl = { ...LISTED, issuerName: NAMES.root, signer: "root", ...knobs.rootCrl } as const;
  const pckCrl = { ...LISTED, issuerName: NAMES.platformCa, signer: "platformCa", ...knobs.pckCrl } as const;
  const document: CollateralDocument = {
    pck_crl_issuer_chain: certificates.platformCa + certificates.root,
    root_ca_crl: makeRevocationList(rootCrl).toHex(),
    pck_crl: makeRevocationList(pckCrl).toHex(),
    tcb_info_issuer_chain: certificates.signing.join(""),
    tcb_info: infoText,
    tcb_info_signature: signText(infoText, signers?.tcbInfo ?? "tcbSigning"),
    qe_identity_issuer_chain: certificates.signing.join(""),
    qe_identity: identityText,
    qe_identity_signature: signText(identityText, signers?.qeIdentity ?? "tcbSigning"),
  };
  knobs.collateral?.(document);
  return JSON.stringify(document);
}

/** Makes certificates from a synthetic root down, collateral, and quotes. Without knobs everything is valid. */
export function makeQuotePlatform(knobs: QuoteKnobs = {}): QuotePlatform {
  const { signers, chain = (list) => list, tcbSigningChain = (list) => list } = knobs;
  const sgx = knobs.hasSgxExtension === false ? [] : [encodeSgxExtension({ ...PCK, ...knobs.pck })];
  const of = (party: "root" | "platformCa" | "pck" | "tcbSigning", signer: "root" | "platformCa") => ({
    commonName: NAMES[party],
    subjectKey: party,
    issuerName: NAMES[signer],
    signer,
    serial: SERIALS[party],
  } as const);
  const root = makeCertificate({ ...AUTHORITY, pathLength: 1, ...of("root", "root"), ...knobs.root });
  const platformCa = makeCertificate({
    ...AUTHORITY,
    pathLength: 0,
    ...of("platformCa", "root"),
    ...knobs.platformCa,
  });
  const pck = makeCertificate({
    ...LEAF,
    ...of("pck", "platformCa"),
    extensions: sgx,
    ...knobs.pckCertificate,
  });
  const signing = makeCertificate({ ...LEAF, ...of("tcbSigning", "root"), ...knobs.tcbSigning });
  const chainText = utf8(chain([pck, platformCa, root]).join("") + "\0");

  function quote(reportData: Uint8Array, report: TdReportKnobs = {}): Uint8Array {
    const signed = makeSigned({ ...knobs, report: { ...knobs.report, ...report } }, reportData);
    const qeReport = makeQeReport(knobs.qeReport);
    const evidence = concat(
      qeReport,
      signAs(signers?.qeReport ?? "pck", qeReport, "ieee-p1363"),
      uint16le(QE_AUTHENTICATION.length),
      QE_AUTHENTICATION,
      certification(5, chainText),
    );
    const authentication = concat(
      signAs(signers?.quote ?? "attestation", signed, "ieee-p1363"),
      rawKey("attestation"),
      certification(6, evidence),
    );
    return concat(signed, uint32le(authentication.length), authentication);
  }

  return {
    root,
    collateral: makeCollateral(knobs, { root, platformCa, signing: tcbSigningChain([signing, root]) }),
    quote,
  };
}

/** Makes a quote with everything needed to verify it at `QUOTE_NOW`. */
export function makeQuoteKit(knobs: QuoteKnobs = {}): QuoteKit {
  const reportData = knobs.reportData ?? new Uint8Array(64).fill(7);
  const { root, collateral, quote } = makeQuotePlatform(knobs);
  return { quote: quote(reportData), collateral, root, now: QUOTE_NOW, reportData, pckSerial: SERIALS.pck };
}
