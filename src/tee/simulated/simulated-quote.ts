import { createHash } from "node:crypto";
import { concat, utf8 } from "../../lib/bytes.ts";
import { requireReportData } from "../hardware.ts";
import { signP256, type SimulatedPki } from "./simulated-pki.ts";

// Layout of a quote, version 4: Intel TDX DCAP Quoting Library API, appendix A.3. All numbers are little-endian.
const HEADER_LENGTH = 48;
const BODY_LENGTH = 584;
const QE_REPORT_LENGTH = 384;
const QE_VENDOR = Uint8Array.fromHex("939a7233f79c4ca9940a0db3957f0607");
const ECDSA_P256 = 2;
const TEE_TDX = 0x81;
const CERTIFICATION_PCK_CHAIN = 5;
const CERTIFICATION_QE_REPORT = 6;
/** Only SEPT_VE_DISABLE; above all not DEBUG. */
const TD_ATTRIBUTES = Uint8Array.fromHex("0000001000000000");
const XFAM = Uint8Array.fromHex("e702060000000000");
/** Replaces the QE's id, so that the first bytes of a quote reveal it. */
const QE_ID = utf8("SIMULATED NO TEE");
const QE_AUTHENTICATION = new Uint8Array(32);

/** The simulated quoting enclave, of version 0. The signer is the word SIMULATED, twice. */
export const SIMULATED_QE = {
  attributes: "11000000000000000000000000000000",
  mrSigner: "53494d554c4154454453494d554c415445440000000000000000000000000000",
  isvProdId: 2,
} as const;

/** Offsets of the measurements in the TD report body. */
const MEASUREMENTS = {
  MRSEAM: 16,
  MRTD: 136,
  RTMR0: 328,
  RTMR1: 376,
  RTMR2: 424,
  RTMR3: 472,
} as const;

function uint16le(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >> 8);
}

function uint32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

function place(
  length: number,
  fields: readonly (readonly [offset: number, bytes: Uint8Array])[],
): Uint8Array {
  const whole = new Uint8Array(length);
  for (const [offset, bytes] of fields) whole.set(bytes, offset);
  return whole;
}

function encodeHeader(): Uint8Array {
  return place(HEADER_LENGTH, [
    [0, uint16le(4)],
    [2, uint16le(ECDSA_P256)],
    [4, uint32le(TEE_TDX)],
    [12, QE_VENDOR],
    [28, QE_ID],
  ]);
}

function encodeBody(reportData: Uint8Array): Uint8Array {
  const measurements = Object.entries(MEASUREMENTS).map(([name, offset]) =>
    [offset, createHash("sha384").update(`SIMULATED ${name}`).digest()] as const
  );
  return place(BODY_LENGTH, [[120, TD_ATTRIBUTES], [128, XFAM], ...measurements, [520, reportData]]);
}

function encodeQeReport(attestationKey: Uint8Array): Uint8Array {
  const binding = createHash("sha256").update(attestationKey).update(QE_AUTHENTICATION).digest();
  const { attributes, mrSigner, isvProdId } = SIMULATED_QE;
  return place(QE_REPORT_LENGTH, [
    [48, Uint8Array.fromHex(attributes)],
    [128, Uint8Array.fromHex(mrSigner)],
    [256, uint16le(isvProdId)],
    [320, binding],
  ]);
}

function encodeCertification(type: number, data: Uint8Array): Uint8Array {
  return concat(uint16le(type), uint32le(data.length), data);
}

/**
 * Creates a well-formed quote over 64 bytes of report data. Its attestation key and chain verify up to a root named
 * SIMULATED. All measurements are invented. It is not evidence.
 */
export function makeSimulatedQuote(pki: SimulatedPki, reportData: Uint8Array): Uint8Array {
  requireReportData(reportData);
  const signed = concat(encodeHeader(), encodeBody(reportData));
  const qeReport = encodeQeReport(pki.attestation.publicKey);
  const certification = concat(
    qeReport,
    signP256(pki.pck.key, qeReport),
    uint16le(QE_AUTHENTICATION.length),
    QE_AUTHENTICATION,
    encodeCertification(CERTIFICATION_PCK_CHAIN, utf8(pki.chain)),
  );
  const signature = concat(
    signP256(pki.attestation, signed),
    pki.attestation.publicKey,
    encodeCertification(CERTIFICATION_QE_REPORT, certification),
  );
  return concat(signed, uint32le(signature.length), signature);
}
