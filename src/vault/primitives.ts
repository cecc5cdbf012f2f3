/**
 * HMAC (RFC 2104) and HKDF (RFC 5869) as synchronous functions: the composition root hands them in. Synchronous
 * because plain key bytes must not outlive the turn that made them. Each result is a fresh array of the caller's own.
 */
export interface VaultPrimitives {
  hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
  hkdfSha256(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array<ArrayBuffer>;
  hkdfSha512(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Uint8Array<ArrayBuffer>;
}
