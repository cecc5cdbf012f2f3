import { createAssertionSignatureMessage } from "@oslojs/webauthn";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { ImportVerifier } from "../lib/crypto.ts";
import { readAuthenticatorData } from "./authenticator-data.ts";
import { readClientData, verifyClientData } from "./client-data.ts";
import type { CoseAlgorithm } from "./credential-key.ts";
import { check } from "./error.ts";
import type { AuthenticationResponse } from "./response.ts";
import { importCredentialKey } from "./signature.ts";

/** The stored credential that an assertion is verified against, with the user handle of its owner. */
export interface StoredCredential {
  readonly credentialId: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly algorithm: CoseAlgorithm;
  readonly signCount: number;
  readonly backupEligible: boolean;
  readonly userHandle: Uint8Array;
}

/**
 * How the relying party chose the credentials (section 7.2 step 6). With `identified` it knew the user before the
 * ceremony, and the authenticator may omit the user handle. The caller must have checked that the credential belongs to
 * that user.
 */
export type UserKnowledge = "identified" | "discoverable";

/** The new state of a credential after an assertion (section 7.2 step 24). */
export interface VerifiedAssertion {
  readonly signCount: number;
  readonly backedUp: boolean;
}

/**
 * Verifies the response to `requestOptions` (WebAuthn Level 3 section 7.2). The numbers below are its steps in the
 * draft of 2026-07-30. `challenge` is base64url; `origin` is compared as exact text.
 *
 * Guarantees that the credential's owner was present and verified, and signed this challenge for this origin. Does not
 * check that the challenge belongs to this ceremony, is fresh and is unused. Stores nothing. The caller must store the
 * new counter by compare-and-set; only that detects two concurrent assertions.
 *
 * Refuses a counter that does not grow, because the key may have been cloned. Step 22 leaves that to the relying party.
 * Throws WebAuthnError.
 */
export function verifyAuthentication(
  response: AuthenticationResponse,
  expected: {
    readonly challenge: string;
    readonly origin: string;
    readonly rpId: string;
    readonly importVerifier: ImportVerifier;
    readonly credential: StoredCredential;
    /** Defaults to `discoverable`, the stricter one. */
    readonly user?: UserKnowledge;
  },
): VerifiedAssertion {
  const { credential } = expected;
  check(constantTimeEqual(response.credentialId, credential.credentialId), "unknown_credential"); // 6
  verifyUserHandle(response, expected); // 6
  const clientData = readClientData(response.clientDataJSON); // 8, 9
  verifyClientData(clientData, { // 10 to 14
    type: "webauthn.get",
    challenge: expected.challenge,
    origin: expected.origin,
  });
  const data = readAuthenticatorData(response.authenticatorData);
  check(data.isForRelyingParty(expected.rpId), "rp_id"); // 15
  check(data.userPresent, "user_presence"); // 16
  check(data.userVerified, "user_verification"); // 17, always required
  check(data.backupEligible || !data.backedUp, "backup_state"); // 18
  check(data.backupEligible === credential.backupEligible, "backup_eligibility"); // 19
  check(data.attested === undefined, "attested_credential_unexpected"); // section 6.1: AT is not set
  const signed = createAssertionSignatureMessage(response.authenticatorData, response.clientDataJSON); // 20
  const key = importCredentialKey(credential.publicKey, credential.algorithm, expected.importVerifier);
  check(key.verify(signed, response.signature), "signature"); // 21
  const counts = data.signCount !== 0 || credential.signCount !== 0;
  check(!counts || data.signCount > credential.signCount, "sign_count"); // 22
  return { signCount: data.signCount, backedUp: data.backedUp }; // 24
}

/** Verifies a presented user handle even if the user was identified. */
function verifyUserHandle(
  { userHandle }: AuthenticationResponse,
  { credential, user }: { readonly credential: StoredCredential; readonly user?: UserKnowledge },
): void {
  check(userHandle !== undefined || user === "identified", "user_handle_missing");
  const presented = userHandle ?? credential.userHandle;
  check(constantTimeEqual(presented, credential.userHandle), "user_handle_mismatch");
}
