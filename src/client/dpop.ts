export interface Proved {
  readonly method: string;
  readonly url: string;
  readonly token: string;
  /** The newest nonce of the service; undefined before the first. */
  readonly nonce: string | undefined;
}

const encoder = new TextEncoder();

function toBase64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function encode(value: object): string {
  return toBase64url(encoder.encode(JSON.stringify(value)));
}

/** Creates a DPoP proof for one request (RFC 9449 section 4.2), signed with ES256. */
export async function makeProof(
  { publicKey, privateKey }: CryptoKeyPair,
  { method, url, token, nonce }: Proved,
): Promise<string> {
  const { subtle } = crypto;
  const { kty, crv, x, y } = await subtle.exportKey("jwk", publicKey);
  const ath = toBase64url(new Uint8Array(await subtle.digest("SHA-256", encoder.encode(token))));
  const payload = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: url.replace(/[?#].*$/, ""),
    iat: Math.floor(Date.now() / 1000),
    ath,
    nonce,
  };
  const signed = `${encode({ typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } })}.${encode(payload)}`;
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await subtle.sign(algorithm, privateKey, encoder.encode(signed));
  return `${signed}.${toBase64url(new Uint8Array(signature))}`;
}
