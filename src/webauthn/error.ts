/** The checks of a ceremony and their messages. The audit log records the code. */
const FAILURES = {
  // The JSON envelope
  malformed_response: "the response is not the JSON of a public key credential",
  credential_type: "the type is not public-key",
  credential_id: "the credential id is not 1 to 1023 bytes in base64url",
  raw_id: "id and rawId differ",
  transports: "the transports are not a short list of names",
  user_handle: "the user handle is not 1 to 64 bytes in base64url",
  user_handle_missing: "the user handle is missing",
  // Client data
  client_data: "the client data is not a JSON object",
  type: "the client data has another type",
  challenge: "the challenge differs",
  origin: "the origin differs",
  cross_origin: "the ceremony ran inside a frame of another origin",
  top_origin: "the ceremony ran below a page of another origin",
  // Authenticator data
  authenticator_data: "the authenticator data is not well-formed",
  rp_id: "the relying party id differs",
  user_presence: "the user was not present",
  user_verification: "the user was not verified",
  backup_state: "a credential that cannot be backed up claims to be",
  extensions: "the extension data is not one CBOR map that its flag announces",
  trailing_bytes: "bytes follow the authenticator data",
  // Registration
  attestation_object: "the attestation object is not well-formed",
  attested_credential: "the authenticator data carries no credential",
  credential_id_mismatch: "the id is not the one in the authenticator data",
  algorithm: "the algorithm was not offered",
  public_key: "the public key is not a valid key in its canonical encoding",
  attestation_format: "the attestation format is not supported",
  attestation_statement: "the attestation statement is not valid",
  // Authentication
  unknown_credential: "the credential is not the stored one",
  user_handle_mismatch: "the user handle is not the owner's",
  attested_credential_unexpected: "an assertion carries attested credential data",
  backup_eligibility: "the backup eligibility changed",
  signature: "the signature is not valid",
  sign_count: "the signature counter did not grow",
} as const satisfies Record<string, string>;

export type WebAuthnErrorCode = keyof typeof FAILURES;

/** A failed check of a response. `code` is for the audit log only: the client gets the same error for every code. */
export class WebAuthnError extends Error {
  readonly code: WebAuthnErrorCode;

  constructor(code: WebAuthnErrorCode, cause?: unknown) {
    super(`Cannot verify passkey: ${FAILURES[code]}`, { cause });
    this.name = "WebAuthnError";
    this.code = code;
  }
}

/** Throws a WebAuthnError with this code unless the condition holds. */
export function check(condition: boolean, code: WebAuthnErrorCode): asserts condition {
  if (!condition) throw new WebAuthnError(code);
}
