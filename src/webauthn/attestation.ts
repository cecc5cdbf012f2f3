import { type CborMap, readCbor } from "./cbor.ts";
import { check, WebAuthnError } from "./error.ts";
import type { CredentialKey } from "./signature.ts";

/** An attestation object (section 6.5), with the authenticator data byte for byte. */
export interface AttestationObject {
  readonly format: string;
  readonly statement: CborMap;
  readonly authenticatorData: Uint8Array;
}

/**
 * Step 13 of section 7.1. Not the reader of @oslojs/webauthn: it does not hand out the bytes of `authData`, and its
 * CBOR decoder does not end on every input. Throws WebAuthnError.
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
 * Steps 21 to 24 of section 7.1. The service asks for no attestation, and then a client may pass on two formats
 * only: `none`, or `packed` with self attestation (section 5.1.3). No certificate is ever a reason to trust.
 */
export function verifyAttestation(
  { format, statement }: AttestationObject,
  key: CredentialKey,
  signedMessage: Uint8Array,
): void {
  const verify = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined; // step 21, case-sensitive
  if (verify === undefined) throw new WebAuthnError("attestation_format");
  verify(statement, key, signedMessage); // steps 22 and 24; without certificates step 23 has nothing to obtain
}

type StatementVerifier = (
  statement: CborMap,
  key: CredentialKey,
  signedMessage: Uint8Array,
) => void;

const FORMATS: Readonly<Record<string, StatementVerifier>> = { none: verifyNone, packed: verifyPackedSelf };

/** Section 8.7: the statement is the empty map. */
function verifyNone(statement: CborMap): void {
  check(statement.size === 0, "attestation_statement");
}

/** Section 8.2 without `x5c`: the new key signed for itself. A statement with certificates is refused. */
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
