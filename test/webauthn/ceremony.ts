import { utf8 } from "../../src/lib/bytes.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { type VerifiedAssertion, verifyAuthentication } from "../../src/webauthn/authentication.ts";
import { WebAuthnError } from "../../src/webauthn/error.ts";
import {
  creationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  requestOptions,
} from "../../src/webauthn/options.ts";
import { type RegisteredCredential, verifyRegistration } from "../../src/webauthn/registration.ts";
import { readAuthenticationResponse, readRegistrationResponse } from "../../src/webauthn/response.ts";
import type { AuthenticateTamper, RegisterTamper, SoftwareAuthenticator } from "../support/authenticator.ts";

export const RP_ID = "example.org";
export const ORIGIN = "https://example.org";
export const USER_HANDLE: Uint8Array = utf8("0123456789abcdef");
/** Contains both characters in which base64url differs from the standard alphabet. */
const CHALLENGE = Uint8Array.fromHex("fbff00112233445566778899aabbccddeeff00112233445566778899aabbccdd");

export const CREATION: PublicKeyCredentialCreationOptionsJSON = creationOptions({
  rpId: RP_ID,
  rpName: "Example",
  challenge: CHALLENGE,
  userHandle: USER_HANDLE,
  userName: "ada@example.org",
  displayName: "Ada",
  excludeCredentials: [],
  timeout: 300_000,
});

export const REQUEST: PublicKeyCredentialRequestOptionsJSON = requestOptions({
  rpId: RP_ID,
  challenge: CHALLENGE,
  allowCredentials: [],
  timeout: 300_000,
});

/** The expected values of both ceremonies. */
export const EXPECTED = {
  challenge: CREATION.challenge,
  origin: ORIGIN,
  rpId: RP_ID,
  importVerifier,
} as const;

/** Runs the registration ceremony from the options to the record. */
export async function register(
  authenticator: SoftwareAuthenticator,
  tamper: Partial<RegisterTamper> = {},
): Promise<RegisteredCredential> {
  const json = await authenticator.register(CREATION, { origin: ORIGIN, ...tamper });
  return verifyRegistration(readRegistrationResponse(json), EXPECTED);
}

/** Runs the authentication ceremony from the options to the new state. */
export async function authenticate(
  authenticator: SoftwareAuthenticator,
  credential: RegisteredCredential,
  tamper: Partial<AuthenticateTamper> = {},
): Promise<VerifiedAssertion> {
  const own = authenticator.credentials.find(({ id }) => id.toHex() === credential.credentialId.toHex())!;
  const json = await authenticator.authenticate(REQUEST, { origin: ORIGIN, credential: own, ...tamper });
  return verifyAuthentication(readAuthenticationResponse(json), {
    ...EXPECTED,
    credential: { ...credential, userHandle: USER_HANDLE },
  });
}

/**
 * Returns `accepted` or the error code. Rethrows any other error, because the service must throw only WebAuthnErrors.
 */
export async function outcome(ceremony: () => unknown): Promise<string> {
  try {
    await ceremony();
    return "accepted";
  } catch (error) {
    if (error instanceof WebAuthnError) return error.code;
    throw error;
  }
}
