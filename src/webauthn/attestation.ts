import { decodeCBORToNativeValueNoLeftoverBytes } from "@oslojs/cbor";
import { check, WebAuthnError } from "./error.ts";
import { type CredentialKey, isValidSignature } from "./signature.ts";

/** An attestation object (section 6.5), with the authenticator data byte for byte. */
export interface AttestationObject {
  readonly format: string;
  readonly statement: Readonly<Record<string, unknown>>;
  readonly authenticatorData: Uint8Array;
}

const MAX_CBOR_DEPTH = 4; // of CTAP2 canonical CBOR

/**
 * Step 13 of section 7.1. The order of the members is not checked: the object is the client's wrapping and old
 * clients wrote another one. Not the reader of @oslojs/webauthn, which does not hand out the bytes of `authData`.
 */
export function readAttestationObject(bytes: Uint8Array): AttestationObject {
  const decoded = decode(bytes);
  check(isMap(decoded), "attestation_object");
  const { fmt, attStmt, authData } = decoded;
  check(typeof fmt === "string", "attestation_object");
  check(isMap(attStmt), "attestation_object");
  check(authData instanceof Uint8Array, "attestation_object");
  return { format: fmt, statement: attStmt, authenticatorData: authData };
}

function decode(bytes: Uint8Array): unknown {
  try {
    return decodeCBORToNativeValueNoLeftoverBytes(bytes, MAX_CBOR_DEPTH);
  } catch (cause) {
    throw new WebAuthnError("attestation_object", cause);
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Uint8Array);
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
  statement: AttestationObject["statement"],
  key: CredentialKey,
  signedMessage: Uint8Array,
) => void;

const FORMATS: Readonly<Record<string, StatementVerifier>> = { none: verifyNone, packed: verifyPackedSelf };

/** Section 8.7: the statement is the empty map. */
function verifyNone(statement: AttestationObject["statement"]): void {
  check(Object.keys(statement).length === 0, "attestation_statement");
}

/** Section 8.2 without `x5c`: the new key signed for itself. A statement with certificates is refused. */
function verifyPackedSelf(
  statement: AttestationObject["statement"],
  key: CredentialKey,
  signedMessage: Uint8Array,
): void {
  check(Object.keys(statement).toSorted().join() === "alg,sig", "attestation_statement");
  check(statement.alg === key.algorithm, "attestation_statement");
  const { sig } = statement;
  check(sig instanceof Uint8Array && isValidSignature(key, signedMessage, sig), "attestation_statement");
}
