import { fromBase64url, toBase64url, utf8 } from "../lib/bytes.ts";

/** A key pair on P-256. */
export interface PushKeyPair {
  /** A point, uncompressed: 65 bytes in base64url. */
  readonly publicKey: string;
  /** 32 bytes in base64url. */
  readonly privateKey: string;
}

/** The key pair that identifies this service to push services (VAPID, RFC 8292), and its contact. */
export interface PushKeys extends PushKeyPair {
  /** A `mailto:` or `https:` URL. */
  readonly contact: string;
}

const ECDSA = { name: "ECDSA", namedCurve: "P-256" } as const;
const ES256 = { name: "ECDSA", hash: "SHA-256" } as const;

export async function makePushKeyPair(): Promise<PushKeyPair> {
  const pair = await crypto.subtle.generateKey(ECDSA, true, ["sign", "verify"]);
  const { d } = await crypto.subtle.exportKey("jwk", pair.privateKey);
  const point = await crypto.subtle.exportKey("raw", pair.publicKey);
  return { publicKey: toBase64url(new Uint8Array(point)), privateKey: d! };
}

/** Returns true if both keys are valid, and one verifies what the other signs. */
export async function isPushKeyPair({ publicKey, privateKey }: PushKeyPair): Promise<boolean> {
  try {
    const point = fromBase64url(publicKey)!;
    const [x, y] = [toBase64url(point.subarray(1, 33)), toBase64url(point.subarray(33))];
    const jwk = { kty: "EC", crv: "P-256", x, y, d: privateKey };
    const signer = await crypto.subtle.importKey("jwk", jwk, ECDSA, false, ["sign"]);
    const verifier = await crypto.subtle.importKey("raw", point, ECDSA, false, ["verify"]);
    const message = utf8("push");
    const signature = await crypto.subtle.sign(ES256, signer, message);
    return await crypto.subtle.verify(ES256, verifier, signature, message);
  } catch {
    return false;
  }
}
