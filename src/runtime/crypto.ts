import { createHmac, hkdfSync } from "node:crypto";
import type { VaultPrimitives } from "../vault/primitives.ts";

/** HMAC and HKDF of node:crypto, the same functions on both runtimes. */
export const primitives: VaultPrimitives = {
  hmacSha256(key, data) {
    const digest = createHmac("sha256", key).update(data).digest();
    // A plain array and not a Buffer: callers compare, store and print Uint8Array.
    return new Uint8Array(digest.buffer, digest.byteOffset, digest.byteLength);
  },
  hkdfSha256(secret, salt, info, length) {
    return new Uint8Array(hkdfSync("sha256", secret, salt, info, length));
  },
  hkdfSha512(secret, salt, info, length) {
    return new Uint8Array(hkdfSync("sha512", secret, salt, info, length));
  },
};
