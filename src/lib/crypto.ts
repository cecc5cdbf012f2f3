/** Web Crypto's name of a signature algorithm, and its hash if the name does not imply one. */
export interface SigningParameters {
  readonly name: "ECDSA" | "RSASSA-PKCS1-v1_5" | "Ed25519";
  readonly hash: "SHA-256";
  readonly namedCurve?: string;
}

export interface AesGcmParts {
  /** 32 bytes. */
  readonly key: Uint8Array;
  /** 12 bytes, never used twice with the same key. */
  readonly nonce: Uint8Array;
  readonly additionalData: Uint8Array;
}

export interface NewSigningKey {
  readonly publicJwk: Readonly<JsonWebKey>;
  /** The private half (PKCS #8). The caller must wipe it. */
  readonly pkcs8: Uint8Array<ArrayBuffer>;
}

/** Signs bytes without exposing the private key. Signatures are in the form of JWS (RFC 7518). */
export type Signer = (data: Uint8Array<ArrayBuffer>) => Uint8Array | Promise<Uint8Array>;

/** A public key for ES256, Ed25519 or RS256 (RFC 7518 section 6, RFC 8037 section 2). */
export type PublicJwk =
  | { readonly kty: "EC"; readonly crv: "P-256"; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string }
  | { readonly kty: "RSA"; readonly n: string; readonly e: string };

/** The encoding of ECDSA signatures: ASN.1 (WebAuthn section 6.5.5), or R and S alone (RFC 7518 section 3.4). */
export type EcdsaEncoding = "der" | "ieee-p1363";

/**
 * Returns true if the signature over the message is valid: ECDSA with SHA-256, R and S in range, S low or high;
 * Ed25519; or RSASSA-PKCS1-v1_5 with SHA-256. Never throws.
 */
export type SignatureVerifier = (message: Uint8Array, signature: Uint8Array) => boolean;

/**
 * Imports a public key to verify signatures with. The composition root provides it. Synchronous, because Web Crypto
 * verifies in another thread, which takes a third more of the processor than the signature itself. Throws an Error if
 * the key is invalid, for example if a P-256 point is not on its curve. Does not check Ed25519 points.
 */
export type ImportVerifier = (jwk: PublicJwk, ecdsaEncoding: EcdsaEncoding) => SignatureVerifier;

/**
 * Hashes, HMAC (RFC 2104), HKDF (RFC 5869) and AES-256-GCM (NIST SP 800-38D): the composition root provides them.
 * Synchronous, because plain key bytes must not outlive the turn that made them. Each result is an array of the
 * caller's own.
 */
export interface VaultPrimitives {
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  /** Like `hmacSha256` but faster, for a result that is stored: copies may stay in memory. */
  storedHmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  /** SHA-256 (FIPS 180-4). */
  sha256(data: Uint8Array): Uint8Array<ArrayBuffer>;
  hkdfSha256(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array<ArrayBuffer>;
  /**
   * Encrypts one message and appends the tag of 16 bytes. Key, nonce and additional data may be wiped when this
   * returns.
   */
  prepareAesGcm(parts: AesGcmParts): (plaintext: Uint8Array) => Uint8Array<ArrayBuffer>;
  /** Decrypts and verifies a message. Throws an Error if it is not authentic, after wiping the plaintext. */
  openAesGcm(parts: AesGcmParts, sealed: Uint8Array): Uint8Array<ArrayBuffer>;
  makeSigningKey(parameters: SigningParameters): Promise<NewSigningKey>;
  /** Creates a signer from a PKCS #8 private key, whose bytes may be wiped when this returns. */
  importSigner(parameters: SigningParameters, pkcs8: Uint8Array<ArrayBuffer>): Promise<Signer>;
  hkdfSha512(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array<ArrayBuffer>;
}
