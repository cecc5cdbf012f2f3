import { DerError, readDer, readDerChildren, readDerUnsigned } from "./der-reader.ts";
import { bytesOfHex, hexOf } from "./encoding.ts";

/** A signature to verify: ECDSA over P-256 with SHA-256 (FIPS 186-5 section 6), as Intel always uses. */
export interface SignedData {
  /** A point of the curve, in 65 bytes: 04, x, y (SEC 1 section 2.3.3). */
  readonly publicKey: Uint8Array;
  readonly data: Uint8Array;
  /** r and s, 32 bytes each. */
  readonly signature: Uint8Array;
}

/** Verifies a signature. A parameter, because platforms differ and some are asynchronous. */
export type IsSigned = (signed: SignedData) => boolean;

const P = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** Returns true for a point on P-256 (SEC 2 section 2.4.2). Not every platform checks it. */
export function isPoint(coordinates: Uint8Array): boolean {
  if (coordinates.length !== 64) return false;
  const [x, y] = [coordinates.subarray(0, 32), coordinates.subarray(32)].map((half) =>
    BigInt(`0x${hexOf(half)}`)
  );
  return x! < P && y! < P && (y! * y! - (x! * x! * x! - 3n * x! + B)) % P === 0n;
}

/** Converts a SEQUENCE of two INTEGERs (RFC 3279 section 2.2.3). Throws `DerError` if it is malformed. */
export function signatureOfDer(bytes: Uint8Array): Uint8Array {
  const numbers = readDerChildren(readDer(bytes), "sequence").map(readDerUnsigned);
  const [r, s] = numbers.map((hex) => hex.padStart(64, "0"));
  if (numbers.length !== 2 || r!.length > 64 || s!.length > 64) {
    throw new DerError("signature is not one of P-256");
  }
  return bytesOfHex(r! + s!);
}
