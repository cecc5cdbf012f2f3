import { generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { concat } from "../../src/lib/bytes.ts";
import { DAY } from "../../src/lib/time.ts";
import type { Instant } from "../../src/lib/time.ts";
import { der, derBits, derObjectId, derText } from "../../src/tee/der-writer.ts";

// Certificates and revocation lists of a synthetic Intel. Each part can be changed.

/** The time at which everything made here is valid by default. */
export const QUOTE_NOW: Instant = Date.UTC(2026, 5, 15);

/** The parties of a synthetic platform. `stranger` belongs to no chain. */
export type Party = "root" | "platformCa" | "tcbSigning" | "pck" | "attestation" | "stranger";

const PARTIES: readonly Party[] = ["root", "platformCa", "tcbSigning", "pck", "attestation", "stranger"];

/** P-256 key pairs, the same for the lifetime of this module. */
const KEYS = Object.fromEntries(
  PARTIES.map((party) => [party, generateKeyPairSync("ec", { namedCurve: "P-256" })]),
) as Record<Party, { readonly privateKey: KeyObject; readonly publicKey: KeyObject }>;

/** The parts of a certificate. Each may be changed. */
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
  /** keyCertSign and cRLSign, or digitalSignature; in hex, after the count of unused bits. */
  readonly keyUsage: string;
  /** More extensions, as DER. */
  readonly extensions: readonly Uint8Array[];
}

/** The parts of a revocation list. Each may be changed. */
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

/** The values of the SGX extension of a PCK certificate. */
export interface PckKnobs {
  /** 16 numbers. */
  readonly components: readonly number[];
  readonly pceSvn: number;
  /** In hex. */
  readonly pceId: string;
  readonly fmspc: string;
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
/** Common names that end as Intel's do. */
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

/** Makes a certificate as PEM. */
export function makeCertificate(knobs: CertificateKnobs): string {
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

/** Makes a revocation list as DER. */
export function makeRevocationList(knobs: RevocationKnobs): Uint8Array {
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

/** Encodes the extension of a PCK certificate that identifies its platform. */
export function encodeSgxExtension({ components, pceSvn, pceId, fmspc }: PckKnobs): Uint8Array {
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

const OFTEN = { notBefore: Date.UTC(2020, 0, 1), notAfter: Date.UTC(2049, 11, 31), extensions: [] } as const;
/** The knobs of a valid authority's certificate. */
export const AUTHORITY = { ...OFTEN, isAuthority: true, keyUsage: AUTHORITY_USAGE } as const;
/** The knobs of a valid certificate that signs data. */
export const LEAF = { ...OFTEN, isAuthority: false, pathLength: undefined, keyUsage: LEAF_USAGE } as const;
/** The knobs of an empty revocation list. */
export const LISTED = {
  thisUpdate: QUOTE_NOW - 5 * DAY,
  nextUpdate: QUOTE_NOW + 25 * DAY,
  serials: [],
  extensions: [],
} as const;

/** A platform that is up to date. */
export const PCK: PckKnobs = {
  components: [3, 3, 2, 2, 4, 1, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0],
  pceSvn: 13,
  pceId: "0000",
  fmspc: "90c06f000000",
};

/** Returns x and y of a party's key. */
export function rawKey(party: Party): Uint8Array {
  return Uint8Array.from(KEYS[party].publicKey.export({ type: "spki", format: "der" }).subarray(-64));
}
