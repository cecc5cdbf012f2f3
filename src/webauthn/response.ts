import { fromBase64url } from "../lib/bytes.ts";
import { readClientData } from "./client-data.ts";
import { check, WebAuthnError, type WebAuthnErrorCode } from "./error.ts";

/** What `navigator.credentials.create` answered, decoded and not yet verified. */
export interface RegistrationResponse {
  readonly credentialId: Uint8Array;
  /** The bytes as they came: hashes and signatures are over these, never over a re-encoding. */
  readonly clientDataJSON: Uint8Array;
  readonly attestationObject: Uint8Array;
  readonly transports: readonly string[];
}

/** What `navigator.credentials.get` answered, decoded and not yet verified. */
export interface AuthenticationResponse {
  readonly credentialId: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly authenticatorData: Uint8Array;
  readonly signature: Uint8Array;
  /** Undefined where the authenticator left it out. */
  readonly userHandle: Uint8Array | undefined;
}

/** Far above any honest member (a key of 4096 bits with its own signature is below 3 000), to bound the parsers. */
const MAX_MEMBER_LENGTH = 8192;
const MAX_CREDENTIAL_ID_LENGTH = 1023; // section 4, credential id
const MAX_USER_HANDLE_LENGTH = 64; // section 4, user handle
const MAX_TRANSPORTS = 16;
const TRANSPORT = /^[a-z][a-z0-9-]{0,31}$/;

/**
 * Reads a RegistrationResponseJSON (section 5.1.6) with strict base64url. Members that are not needed are ignored:
 * nothing outside the attestation object and the client data is vouched for by anybody.
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
 * Reads an AuthenticationResponseJSON (section 5.1.7) with strict base64url. An authenticator may leave the user handle
 * out (section 5.2.2); whether it may here, `verifyAuthentication` says.
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
 * The base64url challenge that the client data of either response names, to look up the one that was given out. Reads
 * nothing else, so that a response with another fault uses up its challenge too. It is the other side's word: the
 * ceremony compares it again, and only a challenge found in storage means anything.
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

/** An empty text, which a browser was reported to send in place of null, names nobody either. */
function readUserHandle(value: unknown): Uint8Array | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const userHandle = readBytes(value, "user_handle");
  check(userHandle.length <= MAX_USER_HANDLE_LENGTH, "user_handle");
  return userHandle;
}

/** Unknown names are kept, as section 5.8.4 asks; they are stored, so their shape and number are bounded. */
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
