import * as v from "valibot";
import { Base64url, Count } from "./value.ts";

// What a release broker answers: a process of its own, which the description of the service leaves out.

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
