import * as v from "valibot";
import { Base64url, list } from "./value.ts";

const PublicKey = v.literal("public-key");
const Descriptor = v.strictObject({ type: PublicKey, id: Base64url, transports: list(v.string()) });

/** Input of `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn Level 3 section 5.1.9). */
export const CreationOptions = v.strictObject({
  rp: v.strictObject({ id: v.string(), name: v.string() }),
  user: v.strictObject({ id: Base64url, name: v.string(), displayName: v.string() }),
  challenge: Base64url,
  pubKeyCredParams: list(v.strictObject({ type: PublicKey, alg: v.number() })),
  timeout: v.pipe(v.number(), v.description("Milliseconds")),
  excludeCredentials: list(Descriptor),
  authenticatorSelection: v.strictObject({
    residentKey: v.literal("required"),
    requireResidentKey: v.literal(true),
    userVerification: v.literal("required"),
  }),
  attestation: v.literal("none"),
});

/** Input of `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn Level 3 section 5.1.10). */
export const RequestOptions = v.strictObject({
  challenge: Base64url,
  timeout: v.pipe(v.number(), v.description("Milliseconds")),
  rpId: v.string(),
  allowCredentials: list(Descriptor),
  userVerification: v.literal("required"),
});
