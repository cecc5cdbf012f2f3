import { type CborMap, readCbor } from "./cbor.ts";
import { check, WebAuthnError } from "./error.ts";
import type { CredentialKey } from "./signature.ts";

/** An attestation object (section 6.5) with the original bytes of its authenticator data. */
export interface AttestationObject {
  readonly format: string;
  readonly statement: CborMap;
  readonly authenticatorData: Uint8Array;
}

/**
 * Decodes an attestation object (section 7.1 step 13). Throws WebAuthnError. Does not use @oslojs/webauthn, which
 * discards the bytes of `authData` and whose CBOR decoder loops forever on some inputs.
 */
export function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const { value, end } = readCbor(bytes, 0, "attestation_object");
  check(value instanceof Map && end === bytes.length, "attestation_object");
  const format = value.get("fmt");
  const statement = value.get("attStmt");
  const authenticatorData = value.get("authData");
  check(typeof format === "string", "attestation_object");
  check(statement instanceof Map, "attestation_object");
  check(authenticatorData instanceof Uint8Array, "attestation_object");
  return { format, statement, authenticatorData };
}

/**
 * Verifies an attestation statement (section 7.1 steps 21 to 24). The service requests no attestation, so the client
 * may send only `none` or `packed` self attestation (section 5.1.3). No certificate is ever trusted.
 */
export function verifyAttestation(
  { format, statement }: AttestationObject,
  key: CredentialKey,
  signedMessage: Uint8Array,
): void {
  const verify = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined; // step 21, case-sensitive
  if (verify === undefined) throw new WebAuthnError("attestation_format");
  verify(statement, key, signedMessage); // steps 22 and 24; without certificates step 23 has no trust anchors to obtain
}

type StatementVerifier = (
  statement: CborMap,
  key: CredentialKey,
  signedMessage: Uint8Array,
) => void;

const FORMATS: Readonly<Record<string, StatementVerifier>> = { none: verifyNone, packed: verifyPackedSelf };

/** Verifies the `none` format: an empty map (section 8.7). */
function verifyNone(statement: CborMap): void {
  check(statement.size === 0, "attestation_statement");
}

/** Verifies self attestation: a signature by the new key itself (section 8.2). Refuses a statement with `x5c`. */
function verifyPackedSelf(
  statement: CborMap,
  key: CredentialKey,
  signedMessage: Uint8Array,
): void {
  const sig = statement.get("sig");
  check(statement.size === 2, "attestation_statement"); // alg and sig
  check(statement.get("alg") === key.algorithm, "attestation_statement");
  check(sig instanceof Uint8Array && key.verify(signedMessage, sig), "attestation_statement");
}
