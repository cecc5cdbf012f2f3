import { concat } from "../../src/lib/bytes.ts";

/** The order of P-256. */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Splits a DER-encoded ECDSA signature into r and s. */
export function scalarsOf(signature: Uint8Array): readonly [bigint, bigint] {
  const rLength = signature[3]!;
  const sLength = signature[5 + rLength]!;
  const r = signature.slice(4, 4 + rLength);
  const s = signature.slice(6 + rLength, 6 + rLength + sLength);
  return [BigInt("0x" + r.toHex()), BigInt("0x" + s.toHex())];
}

/** Encodes any two integers in DER, including negative ones. */
export function derOf(r: bigint, s: bigint): Uint8Array {
  const body = concat(integer(r), integer(s));
  return concat(Uint8Array.of(0x30, body.length), body);
}

function integer(value: bigint): Uint8Array {
  let length = 1;
  while (BigInt.asIntN(8 * length, value) !== value) length++;
  const hex = BigInt.asUintN(8 * length, value).toString(16).padStart(2 * length, "0");
  return concat(Uint8Array.of(0x02, length), Uint8Array.fromHex(hex));
}
