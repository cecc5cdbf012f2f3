import { createAssertionSignatureMessage } from "@oslojs/webauthn";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { ImportVerifier } from "../lib/crypto.ts";
import { readAttestationObject, verifyAttestation } from "./attestation.ts";
import { type AttestedCredential, readAuthenticatorData } from "./authenticator-data.ts";
import { readClientData, verifyClientData } from "./client-data.ts";
import { ALGORITHMS, type CoseAlgorithm } from "./credential-key.ts";
import { check, WebAuthnError } from "./error.ts";
import type { RegistrationResponse } from "./response.ts";
import { importNewCredentialKey } from "./signature.ts";

/** A new credential record (section 4). */
export interface RegisteredCredential {
  readonly credentialId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly algorithm: CoseAlgorithm;
  readonly signCount: number;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  /** The authenticator's model as a UUID. Unauthenticated: use it for display only. */
  readonly aaguid: string;
  /** Sent by the client, unsigned. A hint for later options. */
  readonly transports: readonly string[];
}

/**
 * Verifies the response to `creationOptions` (WebAuthn Level 3 section 7.1). The numbers below are its steps in the
 * draft of 2026-07-30. `challenge` is base64url; `origin` is compared as exact text.
 *
 * Guarantees that the user was verified and that `verifyAuthentication` can use the key. Does not check that the
 * challenge belongs to this ceremony, is fresh and is unused, or that the credential id is new (step 26). Those checks
 * need the database. Throws WebAuthnError.
 */
export function verifyRegistration(
  response: RegistrationResponse,
  expected: {
    readonly challenge: string;
    readonly origin: string;
    readonly rpId: string;
    readonly importVerifier: ImportVerifier;
  },
): RegisteredCredential {
  const clientData = readClientData(response.clientDataJSON); // 5, 6
  verifyClientData(clientData, { // 7 to 11
    type: "webauthn.create",
    challenge: expected.challenge,
    origin: expected.origin,
  });
  const attestation = readAttestationObject(response.attestationObject); // 13
  const data = readAuthenticatorData(attestation.authenticatorData);
  check(data.isForRelyingParty(expected.rpId), "rp_id"); // 14
  check(data.userPresent, "user_presence"); // 15, never mediated conditionally
  check(data.userVerified, "user_verification"); // 16, always required
  check(data.backupEligible || !data.backedUp, "backup_state"); // 17; 18 and 19 have no policy to apply
  const { attested } = data;
  if (attested === undefined) throw new WebAuthnError("attested_credential"); // section 6.1: AT is set
  const algorithm = offeredAlgorithm(attested); // 20
  // Refuses a key that could not be used to sign in.
  const key = importNewCredentialKey(attested.publicKey, algorithm, expected.importVerifier);
  const signed = createAssertionSignatureMessage(attestation.authenticatorData, response.clientDataJSON); // 12
  verifyAttestation(attestation, key, signed); // 21 to 24
  const { credentialId } = attested;
  check(credentialId.length >= 1 && credentialId.length <= 1023, "credential_id"); // 25
  check(constantTimeEqual(credentialId, response.credentialId), "credential_id_mismatch"); // the envelope is unsigned
  return { // 27
    credentialId,
    publicKey: attested.publicKey,
    algorithm,
    signCount: data.signCount,
    backupEligible: data.backupEligible,
    backedUp: data.backedUp,
    aaguid: uuid(attested.aaguid),
    transports: response.transports,
  };
}

function offeredAlgorithm({ decodedKey }: AttestedCredential): CoseAlgorithm {
  let presented: number;
  try {
    presented = decodedKey.algorithm();
  } catch (cause) {
    throw new WebAuthnError("algorithm", cause);
  }
  const algorithm = ALGORITHMS.find((offered) => offered === presented);
  if (algorithm === undefined) throw new WebAuthnError("algorithm");
  return algorithm;
}

function uuid(bytes: Uint8Array): string {
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
