import { createECDH, createHash, createPrivateKey, createPublicKey, hkdfSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { toBase64url } from "../../lib/bytes.ts";
import { der, derBits, derObjectId, derText } from "../der-writer.ts";

/** Order of the P-256 base point (FIPS 186-5, SP 800-186 section 3.2.1.3). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

const OBJECT_IDS = {
  ecdsaWithSha256: "2a8648ce3d040302",
  commonName: "550403",
  organization: "55040a",
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  // Intel SGX PCK Certificate and CRL Profile, section 1.3.5.
  sgx: "2a864886f84d010d01",
} as const;

/** The organization in every certificate, so that none is mistaken for Intel's. */
const ORGANIZATION = "SIMULATED - NOT INTEL";

export interface SimulatedKey {
  readonly privateKey: KeyObject;
  /** x and y, 32 bytes each. */
  readonly publicKey: Uint8Array;
}

export interface Certified {
  readonly name: string;
  readonly key: SimulatedKey;
}

/** The keys of simulated quotes and their collateral, named like their real counterparts. */
export interface SimulatedPki {
  readonly attestation: SimulatedKey;
  readonly root: Certified;
  readonly platform: Certified;
  readonly pck: Certified;
  readonly tcbSigning: Certified;
  /** PEM certificates: PCK leaf, platform CA, root. */
  readonly chain: string;
  /** PEM certificates: TCB signing, root. */
  readonly signingChain: string;
  readonly rootCertificate: string;
}

/** The simulated platform's name and versions. The simulated TCB info knows no others. */
export const SIMULATED_PLATFORM = { fmspc: "53494d554c41", pceId: "0000", svn: 0 } as const;

function deriveKey(secret: Uint8Array, name: string): SimulatedKey {
  const material = new Uint8Array(hkdfSync("sha512", secret, "holdfast", `simulated-pki/v1/${name}`, 48));
  const scalar = BigInt("0x" + material.toHex()) % (ORDER - 1n) + 1n;
  const secretScalar = Uint8Array.fromHex(scalar.toString(16).padStart(64, "0"));
  const pair = createECDH("prime256v1");
  pair.setPrivateKey(secretScalar);
  const publicKey = Uint8Array.from(pair.getPublicKey()).subarray(1);
  const jwk = {
    kty: "EC",
    crv: "P-256",
    d: toBase64url(secretScalar),
    x: toBase64url(publicKey.subarray(0, 32)),
    y: toBase64url(publicKey.subarray(32)),
  };
  return { privateKey: createPrivateKey({ key: jwk, format: "jwk" }), publicKey };
}

/** Signs with ECDSA over P-256 and SHA-256. Returns r and s, 32 bytes each, as in quotes. */
export function signP256(key: SimulatedKey, data: Uint8Array): Uint8Array {
  return Uint8Array.from(sign("sha256", data, { key: key.privateKey, dsaEncoding: "ieee-p1363" }));
}

/** Encodes a name (RFC 5280 section 4.1.2.4) that contains SIMULATED twice. */
export function encodeName(commonName: string): Uint8Array {
  const attribute = (objectId: string, text: string): Uint8Array =>
    der("set", der("sequence", derObjectId(objectId), derText("utf8String", text)));
  return der(
    "sequence",
    attribute(OBJECT_IDS.commonName, commonName),
    attribute(OBJECT_IDS.organization, ORGANIZATION),
  );
}

function encodeExtension(objectId: string, value: Uint8Array): Uint8Array {
  const critical = Uint8Array.of(0x01, 0x01, 0xff);
  return der("sequence", derObjectId(objectId), critical, der("octetString", value));
}

function encodePlatform(): Uint8Array {
  const { fmspc, pceId, svn } = SIMULATED_PLATFORM;
  const pair = (id: string, value: Uint8Array): Uint8Array =>
    der("sequence", derObjectId(OBJECT_IDS.sgx + id), value);
  const octets = (hex: string): Uint8Array => der("octetString", Uint8Array.fromHex(hex));
  // 16 components, then the PCE.
  const versions = Array.from(
    { length: 17 },
    (_, index) => pair(`02${(index + 1).toString(16).padStart(2, "0")}`, der("integer", Uint8Array.of(svn))),
  );
  const pairs = [
    pair("02", der("sequence", ...versions)),
    pair("03", octets(pceId)),
    pair("04", octets(fmspc)),
  ];
  return encodeExtension(OBJECT_IDS.sgx, der("sequence", ...pairs));
}

type Role = "authority" | "signer" | "platform";

function encodeExtensions(role: Role): Uint8Array {
  const isAuthority = role === "authority";
  const constraints = der("sequence", isAuthority ? Uint8Array.of(0x01, 0x01, 0xff) : new Uint8Array());
  // keyCertSign and cRLSign, or digitalSignature (RFC 5280 section 4.2.1.3).
  const usage = isAuthority ? Uint8Array.of(0x03, 0x02, 0x01, 0x06) : Uint8Array.of(0x03, 0x02, 0x07, 0x80);
  return der(
    "context3",
    der(
      "sequence",
      encodeExtension(OBJECT_IDS.basicConstraints, constraints),
      encodeExtension(OBJECT_IDS.keyUsage, usage),
      role === "platform" ? encodePlatform() : new Uint8Array(),
    ),
  );
}

export const SIGNATURE_ALGORITHM = der("sequence", derObjectId(OBJECT_IDS.ecdsaWithSha256));

export function encodeSigned(content: Uint8Array, { key }: Certified): Uint8Array {
  const signature = sign("sha256", content, { key: key.privateKey, dsaEncoding: "der" });
  return der("sequence", content, SIGNATURE_ALGORITHM, derBits(Uint8Array.from(signature)));
}

/** Encodes a certificate (RFC 5280 section 4.1), valid from 2020 to the end of 2049, as PEM. */
function encodeCertificate(subject: Certified, issuer: Certified, role: Role): string {
  const spki = createPublicKey(subject.key.privateKey).export({ type: "spki", format: "der" });
  const serial = createHash("sha256").update(spki).digest().subarray(0, 16);
  // Positive and without a leading zero byte, as DER requires of an INTEGER.
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const content = der(
    "sequence",
    der("context0", der("integer", Uint8Array.of(2))),
    der("integer", serial),
    SIGNATURE_ALGORITHM,
    encodeName(issuer.name),
    der("sequence", derText("utcTime", "200101000000Z"), derText("utcTime", "491231235959Z")),
    encodeName(subject.name),
    spki,
    encodeExtensions(role),
  );
  const base64 = encodeSigned(content, issuer).toBase64();
  const lines = base64.match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/**
 * Derives keys and certificates from a secret. The same secret gives the same keys, so that a verifier may pin the
 * root's name and key. The certificates' signatures differ each time.
 */
export function makeSimulatedPki(secret: Uint8Array): SimulatedPki {
  const root = { name: "SIMULATED SGX Root CA", key: deriveKey(secret, "root") };
  const platform = { name: "SIMULATED SGX PCK Platform CA", key: deriveKey(secret, "platform") };
  const pck = { name: "SIMULATED SGX PCK Certificate", key: deriveKey(secret, "pck") };
  const tcbSigning = { name: "SIMULATED SGX TCB Signing", key: deriveKey(secret, "tcb-signing") };
  const rootCertificate = encodeCertificate(root, root, "authority");
  return {
    attestation: deriveKey(secret, "attestation"),
    root,
    platform,
    pck,
    tcbSigning,
    chain: encodeCertificate(pck, platform, "platform") + encodeCertificate(platform, root, "authority") +
      rootCertificate,
    signingChain: encodeCertificate(tcbSigning, root, "signer") + rootCertificate,
    rootCertificate,
  };
}
