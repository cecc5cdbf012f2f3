import { type Instant, toIso } from "../../lib/time.ts";
import {
  DerError,
  expectDer,
  isDer,
  readDer,
  readDerBits,
  readDerBoolean,
  readDerChildren,
  readDerObjectId,
  readDerSmall,
  readDerTime,
  readDerUnsigned,
} from "./der-reader.ts";
import type { DerValue } from "./der-reader.ts";
import { bytesOfBase64, hexOf } from "./encoding.ts";
import { CheckFault } from "./fault.ts";
import { isPoint, type IsSigned, signatureOfDer } from "./signature.ts";

/** A parsed, unverified certificate (RFC 5280 section 4.1). */
export interface Certificate {
  /** The signed bytes. */
  readonly content: Uint8Array;
  readonly signature: Uint8Array;
  /** In hex, without leading zeros. */
  readonly serial: string;
  /** DER in hex, to be compared byte for byte. */
  readonly issuer: string;
  readonly subject: string;
  readonly commonName: string;
  readonly notBefore: Instant;
  readonly notAfter: Instant;
  readonly spki: Uint8Array;
  readonly isAuthority: boolean;
  /** Maximum of authorities below this one; undefined = unlimited. */
  readonly pathLength: number | undefined;
  /** The bits of key usage, the first bit highest: digitalSignature is 0x8000. */
  readonly keyUsage: number;
  readonly sgxExtension: Uint8Array | undefined;
}

/** A certificate that the caller trusts. */
export type RootCertificate = Certificate;

const OBJECT_IDS = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  /** 1.2.840.113741.1.13.1, Intel SGX PCK Certificate and CRL Profile, section 1.3.5. */
  sgx: "2a864886f84d010d01",
} as const;

const DIGITAL_SIGNATURE = 0x8000;
const CERTIFICATE_SIGN = 0x0400;
const CRL_SIGN = 0x0200;

/** Far above Intel's certificates of about 1,300 bytes. */
const MOST_CERTIFICATE = 8 * 1024;
const MOST_CHAIN_TEXT = 32 * 1024;
const MOST_CERTIFICATES = 4;

/** Runs a DER reader and converts its `DerError` to a `CheckFault` that names the input. */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    throw new CheckFault(`${what} is malformed: ${error.message}`, { cause: error });
  }
}

/** Throws `DerError` unless the algorithm is ECDSA with SHA-256 without parameters (RFC 5758 section 3.2). */
export function expectEcdsa(value: DerValue | undefined): void {
  const parts = readDerChildren(value, "sequence");
  if (readDerObjectId(parts[0]) !== OBJECT_IDS.ecdsaWithSha256 || parts.length !== 1) {
    throw new DerError("signature algorithm is not ECDSA with SHA-256");
  }
}

function readCommonName(name: DerValue | undefined): string {
  const attributes = readDerChildren(name, "sequence").flatMap((set) => readDerChildren(set, "set"))
    .map((attribute) => readDerChildren(attribute, "sequence"));
  const named = attributes.filter(([id]) => readDerObjectId(id) === OBJECT_IDS.commonName);
  const value = named[0]?.[1];
  if (named.length !== 1 || value === undefined) throw new DerError("not exactly one common name");
  const text = new TextDecoder().decode(
    expectDer(value, isDer(value, "utf8String") ? "utf8String" : "printableString"),
  );
  // It is shown to users before it is verified.
  if (!/^[\x20-\x7e]+$/.test(text)) throw new DerError("common name is not plain text");
  return text;
}

/** Throws for a critical extension that is not in `known` (RFC 5280 section 4.2). */
export function readExtensions(
  list: DerValue | undefined,
  known: readonly string[],
): ReadonlyMap<string, Uint8Array> {
  const extensions = new Map<string, Uint8Array>();
  for (const extension of readDerChildren(list, "sequence")) {
    const parts = readDerChildren(extension, "sequence");
    const id = readDerObjectId(parts[0]);
    const isCritical = isDer(parts[1], "boolean") && readDerBoolean(parts[1]);
    const value = expectDer(parts[isDer(parts[1], "boolean") ? 2 : 1], "octetString");
    if (isCritical && !known.includes(id)) throw new DerError("unknown critical extension");
    if (extensions.has(id)) throw new DerError("extension is there twice");
    extensions.set(id, value);
  }
  return extensions;
}

function readConstraints(
  value: Uint8Array | undefined,
): { isAuthority: boolean; pathLength: number | undefined } {
  if (value === undefined) throw new DerError("no basic constraints");
  const parts = readDerChildren(readDer(value), "sequence");
  const isAuthority = isDer(parts[0], "boolean") && readDerBoolean(parts[0]);
  const length = parts[isDer(parts[0], "boolean") ? 1 : 0];
  return { isAuthority, pathLength: length === undefined ? undefined : readDerSmall(length) };
}

function readKeyUsage(value: Uint8Array | undefined): number {
  if (value === undefined) throw new DerError("no key usage");
  const [, first = 0, second = 0] = expectDer(readDer(value), "bitString");
  return (first << 8) | second;
}

function readCertificate(bytes: Uint8Array): Certificate {
  const [content, algorithm, signature] = readDerChildren(readDer(bytes), "sequence");
  const [version, serial, inner, issuer, validity, subject, spki, ...rest] = readDerChildren(
    content,
    "sequence",
  );
  if (readDerUnsigned(readDer(expectDer(version, "context0"))) !== "02") throw new DerError("not version 3");
  expectEcdsa(algorithm);
  expectEcdsa(inner);
  const [notBefore, notAfter] = readDerChildren(validity, "sequence");
  // Unique identifiers could precede the extensions; Intel uses none.
  const list = readDer(expectDer(rest[0], "context3"));
  const extensions = readExtensions(list, [OBJECT_IDS.basicConstraints, OBJECT_IDS.keyUsage, OBJECT_IDS.sgx]);
  return {
    content: content!.whole,
    signature: readDerBits(signature),
    serial: readDerUnsigned(serial),
    issuer: hexOf(issuer!.whole),
    subject: hexOf(subject!.whole),
    commonName: readCommonName(subject),
    notBefore: readDerTime(notBefore),
    notAfter: readDerTime(notAfter),
    spki: spki!.whole,
    ...readConstraints(extensions.get(OBJECT_IDS.basicConstraints)),
    keyUsage: readKeyUsage(extensions.get(OBJECT_IDS.keyUsage)),
    sgxExtension: extensions.get(OBJECT_IDS.sgx),
  };
}

/** Parses one certificate. Throws `CheckFault`. Verifies nothing. */
export function parseCertificate(bytes: Uint8Array): Certificate {
  if (bytes.length > MOST_CERTIFICATE) throw new CheckFault("A certificate is too long");
  return reading("A certificate", () => readCertificate(bytes));
}

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]*?)-----END CERTIFICATE-----/g;

/** Throws `CheckFault`. Ignores other text, such as the NUL byte that Intel appends. */
export function parseChain(text: string): readonly Certificate[] {
  if (text.length > MOST_CHAIN_TEXT) throw new CheckFault("A certificate chain is too long");
  const found = [...text.matchAll(PEM)];
  if (found.length === 0) throw new CheckFault("There is no certificate");
  if (found.length > MOST_CERTIFICATES) throw new CheckFault("There are too many certificates");
  return found.map(([, base64]) => {
    try {
      return bytesOfBase64(base64!);
    } catch (error) {
      throw new CheckFault("A certificate is not base64", { cause: error });
    }
  }).map(parseCertificate);
}

/** Throws `CheckFault` unless the text is one certificate of an authority. */
export function parseRoot(text: string): RootCertificate {
  const [root, ...rest] = parseChain(text);
  if (rest.length > 0) throw new CheckFault("There is more than one certificate");
  if (!root!.isAuthority) throw new CheckFault("The certificate is not an authority's");
  return root!;
}

/** SubjectPublicKeyInfo of a P-256 key up to its uncompressed point (RFC 5480 section 2). */
const P256_HEAD = "3059301306072a8648ce3d020106082a8648ce3d03010703420004";

/** Returns a certificate's key as a point of 65 bytes. Throws `CheckFault` if it is not on P-256. */
export function publicKeyOf({ spki, commonName }: Certificate): Uint8Array {
  const point = spki.subarray(P256_HEAD.length / 2 - 1);
  if (!hexOf(spki).startsWith(P256_HEAD)) throw new CheckFault(`The key of ${commonName} is not on P-256`);
  if (!isPoint(point.subarray(1))) throw new CheckFault(`The key of ${commonName} cannot be read`);
  return point;
}

/** Throws `CheckFault` unless the issuer signed these bytes. The signature is DER. */
export function expectSigned(
  { issuer, data, signature }: {
    readonly issuer: Certificate;
    readonly data: Uint8Array;
    readonly signature: Uint8Array;
  },
  isSigned: IsSigned,
  message: string,
): void {
  const publicKey = publicKeyOf(issuer);
  const isGood = isSigned({
    publicKey,
    data,
    signature: reading("A signature", () => signatureOfDer(signature)),
  });
  if (!isGood) throw new CheckFault(message);
}

/** Throws `CheckFault` unless the certificate is valid at `now` (RFC 5280 section 4.1.2.5). */
function expectValid({ commonName, notBefore, notAfter }: Certificate, now: Instant): void {
  if (now < notBefore) throw new CheckFault(`${commonName} is not valid before ${toIso(notBefore)}`);
  if (now > notAfter) throw new CheckFault(`${commonName} expired at ${toIso(notAfter)}`);
}

function expectIssued(subject: Certificate, issuer: Certificate, isSigned: IsSigned): void {
  if (subject.issuer !== issuer.subject) {
    throw new CheckFault(`${subject.commonName} names another issuer than ${issuer.commonName}`);
  }
  const signed = { issuer, data: subject.content, signature: subject.signature };
  expectSigned(signed, isSigned, `${subject.commonName} is not signed by ${issuer.commonName}`);
}

function expectAuthority(
  { commonName, isAuthority, pathLength, keyUsage }: Certificate,
  below: number,
): void {
  const signs = CERTIFICATE_SIGN | CRL_SIGN;
  if (!isAuthority || (keyUsage & signs) !== signs) {
    throw new CheckFault(`${commonName} may not sign certificates and revocation lists`);
  }
  if (pathLength !== undefined && pathLength < below) {
    throw new CheckFault(`${commonName} may not have authorities below it`);
  }
}

/** Accepted endings of the common names, leaf first. Intel's begin with `Intel`; other roots choose a prefix. */
export type ChainNames = readonly (readonly string[])[];

/**
 * Verifies a chain, leaf first and root last (RFC 5280 section 6.1). Each certificate must have its name from
 * `names`, be valid at `now`, and be issued and signed by the next. The last must have the name and key of `root`.
 * Throws `CheckFault`. Does not check revocation.
 */
export function verifyChain(
  chain: readonly Certificate[],
  { root, names, now, isSigned }: {
    readonly root: RootCertificate;
    readonly names: ChainNames;
    readonly now: Instant;
    readonly isSigned: IsSigned;
  },
): void {
  if (chain.length !== names.length) {
    throw new CheckFault(`There are ${chain.length} certificates instead of ${names.length}`);
  }
  const last = chain[chain.length - 1]!;
  if (last.subject !== root.subject || hexOf(last.spki) !== hexOf(root.spki)) {
    throw new CheckFault(`The chain ends in another root than ${root.commonName}`);
  }
  chain.forEach((certificate, index) => {
    const { commonName, isAuthority, keyUsage } = certificate;
    if (!names[index]!.some((name) => commonName.endsWith(name))) {
      throw new CheckFault(`${commonName} is in the place of ${names[index]!.join(" or ")}`);
    }
    expectValid(certificate, now);
    expectIssued(certificate, chain[index + 1] ?? root, isSigned);
    if (index > 0) expectAuthority(certificate, index - 1);
    else if (isAuthority || (keyUsage & DIGITAL_SIGNATURE) === 0) {
      throw new CheckFault(`${commonName} may not sign data`);
    }
  });
}
