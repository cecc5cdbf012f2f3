import { fromBase64url } from "../lib/bytes.ts";
import { readClientData } from "./client-data.ts";
import { check, WebAuthnError, type WebAuthnErrorCode } from "./error.ts";

/** The decoded result of `navigator.credentials.create`, not yet verified. */
export interface RegistrationResponse {
  readonly credentialId: Uint8Array;
  /** The original bytes. Hashes and signatures cover these, never a re-encoding. */
  readonly clientDataJSON: Uint8Array;
  readonly attestationObject: Uint8Array;
  readonly transports: readonly string[];
}

/** The decoded result of `navigator.credentials.get`, not yet verified. */
export interface AuthenticationResponse {
  readonly credentialId: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly authenticatorData: Uint8Array;
  readonly signature: Uint8Array;
  readonly userHandle: Uint8Array | undefined;
}

/** Bounds the input of the parsers, in bytes. A 4096-bit key with its own signature takes less than 3 000. */
const MAX_MEMBER_LENGTH = 8192;
const MAX_CREDENTIAL_ID_LENGTH = 1023; // section 4, credential id
const MAX_USER_HANDLE_LENGTH = 64; // section 4, user handle
const MAX_TRANSPORTS = 16;
const TRANSPORT = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * Decodes a RegistrationResponseJSON (section 5.1.6) with strict base64url. Ignores unneeded members: only the
 * attestation object and the client data are signed. Throws WebAuthnError.
 */
export function readRegistrationResponse(json: unknown): RegistrationResponse {
  const { credentialId, response } = readEnvelope(json);
  return {
    credentialId,
    clientDataJSON: readBytes(response.clientDataJSON, "client_data"),
    attestationObject: readBytes(response.attestationObject, "attestation_object"),
    transports: readTransports(response.transports),
  };
}

/**
 * Decodes an AuthenticationResponseJSON (section 5.1.7) with strict base64url. The user handle is optional (section
 * 5.2.2); `verifyAuthentication` decides if it may be absent. Throws WebAuthnError.
 */
export function readAuthenticationResponse(json: unknown): AuthenticationResponse {
  const { credentialId, response } = readEnvelope(json);
  return {
    credentialId,
    clientDataJSON: readBytes(response.clientDataJSON, "client_data"),
    authenticatorData: readBytes(response.authenticatorData, "authenticator_data"),
    signature: readBytes(response.signature, "signature"),
    userHandle: readUserHandle(response.userHandle),
  };
}

/**
 * Returns the base64url challenge in the client data of a registration or authentication response. Use it only to find
 * the stored challenge: it is unverified until the ceremony compares it. Ignores all other members, so that a response
 * with any other fault also uses up its challenge. Throws WebAuthnError.
 */
export function presentedChallenge(json: unknown): string {
  check(isRecord(json) && isRecord(json.response), "malformed_response");
  const { challenge } = readClientData(readBytes(json.response.clientDataJSON, "client_data"));
  check(typeof challenge === "string" && challenge !== "", "challenge");
  check(fromBase64url(challenge) !== undefined, "challenge");
  return challenge;
}

interface Envelope {
  readonly credentialId: Uint8Array;
  readonly response: Readonly<Record<string, unknown>>;
}

function readEnvelope(json: unknown): Envelope {
  check(isRecord(json), "malformed_response");
  check(json.type === "public-key", "credential_type");
  const credentialId = readBytes(json.id, "credential_id");
  check(credentialId.length <= MAX_CREDENTIAL_ID_LENGTH, "credential_id");
  check(json.rawId === json.id, "raw_id");
  check(isRecord(json.response), "malformed_response");
  return { credentialId, response: json.response };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readBytes(value: unknown, code: WebAuthnErrorCode): Uint8Array {
  const bytes = typeof value === "string" ? fromBase64url(value) : undefined;
  if (bytes === undefined || bytes.length === 0 || bytes.length > MAX_MEMBER_LENGTH) {
    throw new WebAuthnError(code);
  }
  return bytes;
}

/** Treats an empty string as absent: a browser was reported to send it instead of null. */
function readUserHandle(value: unknown): Uint8Array | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const userHandle = readBytes(value, "user_handle");
  check(userHandle.length <= MAX_USER_HANDLE_LENGTH, "user_handle");
  return userHandle;
}

/** Keeps unknown names (section 5.8.4). Their format and number are limited because they are stored. */
function readTransports(value: unknown): readonly string[] {
  if (value === undefined) return [];
  check(Array.isArray(value) && value.length <= MAX_TRANSPORTS, "transports");
  const names: string[] = [];
  for (const name of value as readonly unknown[]) {
    check(typeof name === "string" && TRANSPORT.test(name), "transports");
    if (!names.includes(name)) names.push(name);
  }
  return names;
}
