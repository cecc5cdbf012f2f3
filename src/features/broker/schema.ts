import * as v from "valibot";
import { Base64url, Count } from "../../api/value.ts";

export const ChallengeBody = v.strictObject({ workload: v.pipe(v.string(), v.maxLength(64)) });

export const ReleaseBody = v.strictObject({
  claims: v.pipe(v.string(), v.maxLength(1024)),
  quote: v.pipe(
    v.string(),
    // Not `v.base64()`: it ignores case by the rules of Unicode and admits an ſ, at which the transform throws.
    v.regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "Quote must be base64"),
    v.transform((text): Uint8Array => Uint8Array.fromBase64(text)),
  ),
});

export const ReleaseChallenge = v.strictObject({
  nonce: Base64url,
  exp: v.pipe(Count, v.description("Seconds since 1970")),
  brokerKeyId: Base64url,
});

export const ReleasedKey = v.strictObject({
  epkBroker: Base64url,
  ciphertext: Base64url,
  signature: Base64url,
});
