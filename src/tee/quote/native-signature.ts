import { createPublicKey, verify } from "node:crypto";
import { toBase64url } from "../../lib/bytes.ts";
import type { IsSigned } from "./signature.ts";

/** Verifies by the runtime's own cryptography; false as well for what is no key and no signature. */
export const isSignedNatively: IsSigned = ({ publicKey, data, signature }) => {
  const [x, y] = [publicKey.subarray(1, 33), publicKey.subarray(33)].map(toBase64url);
  try {
    const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x!, y: y! } });
    return verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false;
  }
};
