import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { concat, utf8 } from "../../src/lib/bytes.ts";
import { DAY } from "../../src/lib/time.ts";
import type { Instant } from "../../src/lib/time.ts";
import { der, derBits, derObjectId, derText } from "../../src/tee/der.ts";

/** When everything made here is in force, unless it is told otherwise. */
export const QUOTE_NOW: Instant = Date.UTC(2026, 5, 15);

/** The parties of a made-up platform. `stranger` is nobody's. */
export type Party = "root" | "platformCa" | "tcbSigning" | "pck" | "attestation" | "stranger";

const PARTIES: readonly Party[] = ["root", "platformCa", "tcbSigning", "pck", "attestation", "stranger"];

/** P-256 pairs, the same ones for as long as this module lives. */
const KEYS = Object.fromEntries(
  PARTIES.map((party) => [party, generateKeyPairSync("ec", { namedCurve: "P-256" })]),
) as Record<Party, { readonly privateKey: KeyObject; readonly publicKey: KeyObject }>;

/** Ends of a certificate, every one of which may be changed. */
export interface CertificateKnobs {
  readonly commonName: string;
  readonly subjectKey: Party;
  readonly issuerName: string;
  readonly signer: Party;
  /** In hex, positive and in its shortest form. */
  readonly serial: string;
  readonly notBefore: Instant;
  readonly notAfter: Instant;
  readonly isAuthority: boolean;
  readonly pathLength: number | undefined;
  /** keyCertSign and cRLSign, or digitalSignature; in hex, with the count of unused bits before. */
  readonly keyUsage: string;
  /** More extensions, as DER. */
  readonly extensions: readonly Uint8Array[];
}

/** What a revocation list says, every part of which may be changed. */
export interface RevocationKnobs {
  readonly issuerName: string;
  readonly signer: Party;
  readonly thisUpdate: Instant;
  readonly nextUpdate: Instant;
  /** Serial numbers in hex. */
  readonly serials: readonly string[];
  /** More extensions, as DER. */
  readonly extensions: readonly Uint8Array[];
}

/** What the SGX extension of a PCK certificate says. */
export interface PckKnobs {
  /** 16 numbers. */
  readonly components: readonly number[];
  readonly pceSvn: number;
  /** In hex. */
  readonly pceId: string;
  readonly fmspc: string;
}

/** Fields of the quoting enclave's report, little-endian where they are numbers. */
export interface QeReportKnobs {
  readonly miscSelect: string;
  readonly attributes: string;
  readonly mrSigner: string;
  readonly isvProdId: number;
  readonly isvSvn: number;
  /** In place of the hash that binds the attestation key. */
  readonly reportData: string | undefined;
}

/** Fields of a TD report in hex; each goes to its place, whatever its length. */
export type TdReportKnobs = Partial<Record<keyof typeof TD_REPORT, string>>;

type Json = Record<string, unknown>;

/** Everything that may be changed. Documents are changed before they are signed, `collateral` afterwards. */
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
  /** Who signs what. */
  readonly signers?: Partial<Record<"tcbInfo" | "qeIdentity" | "qeReport" | "quote", Party>>;
  /** PEM chain in the quote, instead of leaf, CA, root. */
  readonly chain?: (chain: readonly string[]) => readonly string[];
  /** Chain of the TCB signing certificate in the collateral, instead of leaf, root. */
  readonly tcbSigningChain?: (chain: readonly string[]) => readonly string[];
  readonly collateral?: (collateral: Partial<CollateralDocument>) => void;
}

/** The collateral's JSON, as it is passed around. */
export interface CollateralDocument {
  pck_crl_issuer_chain: string;
  root_ca_crl: string;
  pck_crl: string;
  tcb_info_issuer_chain: string;
  tcb_info: string;
  tcb_info_signature: string;
  qe_identity_issuer_chain: string;
  qe_identity: string;
  qe_identity_signature: string;
}

interface Level<T> {
  tcb: T;
  tcbDate: string;
  tcbStatus: string;
  advisoryIDs?: string[];
}

/** TCB info before it is signed. */
export interface TcbInfoDocument extends Json {
  issueDate: string;
  nextUpdate: string;
  fmspc: string;
  pceId: string;
  tcbEvaluationDataNumber: number;
  tdxModule: { mrsigner: string; attributes: string; attributesMask: string };
  tdxModuleIdentities: {
    id: string;
    mrsigner: string;
    attributes: string;
    attributesMask: string;
    tcbLevels: Level<{ isvsvn: number }>[];
  }[];
  tcbLevels: Level<
    { sgxtcbcomponents: { svn: number }[]; pcesvn: number; tdxtcbcomponents: { svn: number }[] }
  >[];
}

/** The quoting enclave's identity before it is signed. */
export interface QeIdentityDocument extends Json {
  issueDate: string;
  nextUpdate: string;
  tcbEvaluationDataNumber: number;
  miscselect: string;
  miscselectMask: string;
  attributes: string;
  attributesMask: string;
  mrsigner: string;
  isvprodid: number;
  tcbLevels: Level<{ isvsvn: number }>[];
}

/** A quote and what it takes to verify it. */
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

const OBJECT_IDS = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  crlNumber: "551d14",
  sgx: "2a864886f84d010d01",
} as const;

const AUTHORITY_USAGE = "0106";
const LEAF_USAGE = "0780";
export const NAMES = {
  root: "SYNTHETIC SGX Root CA",
  platformCa: "SYNTHETIC SGX PCK Platform CA",
  pck: "SYNTHETIC SGX PCK Certificate",
  tcbSigning: "SYNTHETIC SGX TCB Signing",
} as const;

/** Signs with ECDSA over SHA-256. */
export function signAs(party: Party, data: Uint8Array, dsaEncoding: "der" | "ieee-p1363"): Uint8Array {
  return Uint8Array.from(sign("sha256", data, { key: KEYS[party].privateKey, dsaEncoding }));
}

function encodeName(commonName: string): Uint8Array {
  return der(
    "sequence",
    der("set", der("sequence", derObjectId(OBJECT_IDS.commonName), derText("utf8String", commonName))),
  );
}

function encodeTime(instant: Instant): Uint8Array {
  return derText("utcTime", new Date(instant).toISOString().replace(/[-:T]|\.\d+/g, "").slice(2));
}

/** An extension as DER. */
export function encodeExtension(
  objectId: string,
  criticality: "critical" | "plain",
  value: Uint8Array,
): Uint8Array {
  const critical = criticality === "critical" ? Uint8Array.of(0x01, 0x01, 0xff) : new Uint8Array();
  return der("sequence", derObjectId(objectId), critical, der("octetString", value));
}

const ALGORITHM = der("sequence", derObjectId(OBJECT_IDS.ecdsaWithSha256));

function seal(content: Uint8Array, signer: Party): Uint8Array {
  return der("sequence", content, ALGORITHM, derBits(signAs(signer, content, "der")));
}

function toPem(bytes: Uint8Array): string {
  const lines = bytes.toBase64().match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function encodeConstraints({ isAuthority, pathLength }: CertificateKnobs): Uint8Array {
  return der(
    "sequence",
    isAuthority ? Uint8Array.of(0x01, 0x01, 0xff) : new Uint8Array(),
    pathLength === undefined ? new Uint8Array() : der("integer", Uint8Array.of(pathLength)),
  );
}

function makeCertificate(knobs: CertificateKnobs): string {
  const content = der(
    "sequence",
    der("context0", der("integer", Uint8Array.of(2))),
    der("integer", Uint8Array.fromHex(knobs.serial)),
    ALGORITHM,
    encodeName(knobs.issuerName),
    der("sequence", encodeTime(knobs.notBefore), encodeTime(knobs.notAfter)),
    encodeName(knobs.commonName),
    Uint8Array.from(KEYS[knobs.subjectKey].publicKey.export({ type: "spki", format: "der" })),
    der(
      "context3",
      der(
        "sequence",
        encodeExtension(OBJECT_IDS.basicConstraints, "critical", encodeConstraints(knobs)),
        encodeExtension(
          OBJECT_IDS.keyUsage,
          "critical",
          der("bitString", Uint8Array.fromHex(knobs.keyUsage)),
        ),
        ...knobs.extensions,
      ),
    ),
  );
  return toPem(seal(content, knobs.signer));
}

function makeRevocationList(knobs: RevocationKnobs): Uint8Array {
  const entries = knobs.serials.map((serial) =>
    der("sequence", der("integer", Uint8Array.fromHex(serial)), encodeTime(knobs.thisUpdate))
  );
  const content = der(
    "sequence",
    der("integer", Uint8Array.of(1)),
    ALGORITHM,
    encodeName(knobs.issuerName),
    encodeTime(knobs.thisUpdate),
    encodeTime(knobs.nextUpdate),
    entries.length === 0 ? new Uint8Array() : der("sequence", ...entries),
    der(
      "context0",
      der(
        "sequence",
        encodeExtension(OBJECT_IDS.crlNumber, "plain", der("integer", Uint8Array.of(1))),
        ...knobs.extensions,
      ),
    ),
  );
  return seal(content, knobs.signer);
}

function encodeNumber(value: number): Uint8Array {
  const hex = value.toString(16);
  const bytes = Uint8Array.fromHex(hex.length % 2 === 0 ? hex : `0${hex}`);
  return der("integer", bytes[0]! >= 0x80 ? concat(Uint8Array.of(0), bytes) : bytes);
}

function encodeSgxExtension({ components, pceSvn, pceId, fmspc }: PckKnobs): Uint8Array {
  const item = (id: string, value: Uint8Array): Uint8Array =>
    der("sequence", derObjectId(`${OBJECT_IDS.sgx}${id}`), value);
  const octets = (hex: string): Uint8Array => der("octetString", Uint8Array.fromHex(hex));
  const tcb = [
    ...components.map((svn, index) =>
      item(`02${(index + 1).toString(16).padStart(2, "0")}`, encodeNumber(svn))
    ),
    item("0211", encodeNumber(pceSvn)),
    item("0212", octets(Uint8Array.from(components).toHex())),
  ];
  return encodeExtension(
    OBJECT_IDS.sgx,
    "plain",
    der(
      "sequence",
      item("01", octets("00".repeat(16))),
      item("02", der("sequence", ...tcb)),
      item("03", octets(pceId)),
      item("04", octets(fmspc)),
      item("05", Uint8Array.of(0x0a, 0x01, 0x00)),
    ),
  );
}

/** Where the fields of a TD report lie, from its beginning. */
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

const PCK: PckKnobs = {
  components: [3, 3, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0],
  pceSvn: 13,
  pceId: "0000",
  fmspc: "90c06f000000",
};

const QE_REPORT: QeReportKnobs = {
  miscSelect: "00000000",
  attributes: "11000000000000000000000000000000",
  mrSigner: "dc".repeat(32),
  isvProdId: 2,
  isvSvn: 4,
  reportData: undefined,
};

const OFTEN = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2049, 11, 31), extensions: [] } as const;
const AUTHORITY = { ...OFTEN, isAuthority: true, keyUsage: AUTHORITY_USAGE } as const;
const LEAF = { ...OFTEN, isAuthority: false, pathLength: undefined, keyUsage: LEAF_USAGE } as const;
const LISTED = {
  thisUpdate: QUOTE_NOW - 5 * DAY,
  nextUpdate: QUOTE_NOW + 25 * DAY,
  serials: [],
  extensions: [],
} as const;

function toIntelTime(instant: Instant): string {
  return new Date(instant).toISOString().replace(".000Z", "Z");
}

const WINDOW = {
  issueDate: toIntelTime(QUOTE_NOW - 5 * DAY),
  nextUpdate: toIntelTime(QUOTE_NOW + 25 * DAY),
  tcbEvaluationDataNumber: 18,
} as const;

const MODULE = {
  mrsigner: "00".repeat(48),
  attributes: "00".repeat(8),
  attributesMask: "FF".repeat(8),
} as const;

function toComponents(svns: readonly number[]): { svn: number }[] {
  return Array.from({ length: 16 }, (_, index) => ({ svn: svns[index] ?? 0 }));
}

/** TCB info in which the platform is up to date, one step back is `OutOfDate`, and modules 1 and 3 are known. */
export function makeTcbInfo(): TcbInfoDocument {
  const level = (svn: number, status: string): TcbInfoDocument["tcbLevels"][number] => ({
    tcb: {
      sgxtcbcomponents: toComponents([svn, svn, 2, 2, 3, 1, 0, 5]),
      pcesvn: 13,
      tdxtcbcomponents: toComponents([5, 0, 2]),
    },
    tcbDate: "2026-01-01T00:00:00Z",
    tcbStatus: status,
    ...(status === "UpToDate" ? {} : { advisoryIDs: ["INTEL-SA-00001"] }),
  });
  const modules = [["TDX_03", 3], ["TDX_01", 4]] as const;
  return {
    id: "TDX",
    version: 3,
    ...WINDOW,
    fmspc: "90C06F000000",
    pceId: "0000",
    tcbType: 0,
    tdxModule: { ...MODULE },
    tdxModuleIdentities: modules.map(([id, isvsvn]) => ({
      id,
      ...MODULE,
      tcbLevels: [
        { tcb: { isvsvn }, tcbDate: "2026-01-01T00:00:00Z", tcbStatus: "UpToDate" },
        { tcb: { isvsvn: 2 }, tcbDate: "2025-01-01T00:00:00Z", tcbStatus: "OutOfDate" },
      ],
    })),
    tcbLevels: [level(3, "UpToDate"), level(2, "OutOfDate")],
  };
}

function makeQeIdentity(): QeIdentityDocument {
  return {
    id: "TD_QE",
    version: 2,
    ...WINDOW,
    miscselect: "00000000",
    miscselectMask: "FFFFFFFF",
    attributes: "11000000000000000000000000000000",
    attributesMask: "FBFFFFFFFFFFFFFF0000000000000000",
    mrsigner: "DC".repeat(32),
    isvprodid: 2,
    tcbLevels: [
      { tcb: { isvsvn: 4 }, tcbDate: "2026-01-01T00:00:00Z", tcbStatus: "UpToDate" },
      { tcb: { isvsvn: 2 }, tcbDate: "2025-01-01T00:00:00Z", tcbStatus: "OutOfDate" },
    ],
  };
}

function uint16le(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >> 8);
}

function uint32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** x and y of a party's key. */
function rawKey(party: Party): Uint8Array {
  return Uint8Array.from(KEYS[party].publicKey.export({ type: "spki", format: "der" }).subarray(-64));
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

/** A platform whose certificates and collateral are made once; quotes of it are made when they are asked for. */
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

/** Certificates from a made-up root down, collateral, and quotes. With no knobs turned everything is in order. */
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

/** One quote with everything it takes to verify it at `QUOTE_NOW`. */
export function makeQuoteKit(knobs: QuoteKnobs = {}): QuoteKit {
  const reportData = knobs.reportData ?? new Uint8Array(64).fill(7);
  const { root, collateral, quote } = makeQuotePlatform(knobs);
  return { quote: quote(reportData), collateral, root, now: QUOTE_NOW, reportData, pckSerial: SERIALS.pck };
}
