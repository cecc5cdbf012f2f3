import { calculateJwkThumbprint } from "jose";
import type { TokenAlgorithm } from "../db/schema/oauth.ts";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import type { Signer, SigningParameters, VaultPrimitives } from "../lib/crypto.ts";

export interface SealedTokenKey {
  /** The RFC 7638 thumbprint of the public key. */
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  /** PKCS #8, sealed. */
  readonly sealed: Uint8Array;
}

export interface NewTokenKey extends SealedTokenKey {
  /** JSON of the public JWK (RFC 7517) with `kid`, `alg` and `use`. */
  readonly publicJwk: string;
}

/** The vault's seal for private keys. Opens only with the same additional data. */
export interface KeySeal {
  seal(additionalData: readonly Uint8Array[], plaintext: Uint8Array): Uint8Array;
  open(additionalData: readonly Uint8Array[], sealed: Uint8Array): Uint8Array<ArrayBuffer>;
}

interface Algorithm {
  readonly parameters: SigningParameters;
  /** Members of the public JWK, in the order of RFC 7638 section 3.2. */
  readonly members: readonly (keyof JsonWebKey)[];
}

const ALGORITHMS: Readonly<Record<TokenAlgorithm, Algorithm>> = {
  ES256: {
    parameters: { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" },
    members: ["crv", "kty", "x", "y"],
  },
  RS256: {
    parameters: {
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
    } as SigningParameters,
    members: ["e", "kty", "n"],
  },
  EdDSA: { parameters: { name: "Ed25519", hash: "SHA-256" }, members: ["crv", "kty", "x"] },
};

function context(kid: string, algorithm: TokenAlgorithm): Uint8Array[] {
  return [utf8(kid), utf8(algorithm)];
}

/** Creates a key pair, seals its private key and wipes the bytes. */
export async function makeTokenKey(
  { makeSigningKey }: Pick<VaultPrimitives, "makeSigningKey">,
  seal: KeySeal,
  algorithm: TokenAlgorithm,
): Promise<NewTokenKey> {
  const { parameters, members } = ALGORITHMS[algorithm];
  const { publicJwk, pkcs8 } = await makeSigningKey(parameters);
  try {
    const jwk = Object.fromEntries(members.map((name) => [name, publicJwk[name]])) as { kty: string };
    const kid = await calculateJwkThumbprint(jwk);
    const sealed = seal.seal(context(kid, algorithm), pkcs8);
    return {
      kid,
      algorithm,
      sealed,
      publicJwk: JSON.stringify({ ...jwk, kid, alg: algorithm, use: "sig" }),
    };
  } finally {
    pkcs8.fill(0);
  }
}

/** A private key that can sign and cannot be exported. */
export interface OpenTokenKey {
  readonly sign: Signer;
  /** The protected headers of its JWTs, encoded, by `typ`. */
  readonly headers: Map<string, string>;
}

/** Opens a sealed private key for signing. Throws `SealError` if the sealed bytes belong to another key. */
export async function openTokenKey(
  { importSigner }: Pick<VaultPrimitives, "importSigner">,
  seal: KeySeal,
  { kid, algorithm, sealed }: SealedTokenKey,
): Promise<OpenTokenKey> {
  const pkcs8 = seal.open(context(kid, algorithm), sealed);
  try {
    const signing = importSigner(ALGORITHMS[algorithm].parameters, pkcs8);
    return { sign: await signing, headers: new Map() };
  } finally {
    pkcs8.fill(0);
  }
}

/** Signs a JWT (RFC 7519) in compact serialization (RFC 7515 section 7.1). */
export async function signJwt(
  { sign, headers }: OpenTokenKey,
  { kid, algorithm, type }: { kid: string; algorithm: TokenAlgorithm; type: string },
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const header = headers.get(type) ?? encodePart({ alg: algorithm, typ: type, kid });
  headers.set(type, header);
  const content = `${header}.${encodePart(claims)}`;
  return `${content}.${toBase64url(await sign(utf8(content)))}`;
}

function encodePart(value: object): string {
  return toBase64url(utf8(JSON.stringify(value)));
}
