import type { Db } from "../../db/schema/schema.ts";
import { transaction } from "../../db/transaction.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { check, WebAuthnError } from "../../webauthn/error.ts";
import { creationOptions, type PublicKeyCredentialCreationOptionsJSON } from "../../webauthn/options.ts";
import { type RegisteredCredential, verifyRegistration } from "../../webauthn/registration.ts";
import { presentedChallenge, readRegistrationResponse } from "../../webauthn/response.ts";
import { CHALLENGE_LIFETIME, type ChallengeHolder, consumeChallenge, issueChallenge } from "./challenge.ts";
import { type Passkey, userHandleOf } from "./passkey.ts";
import type { AccountServices, RelyingParty } from "../services.ts";

/** Begins a registration ceremony with a challenge that only the holder can answer. Throws `rate_limited`. */
export async function beginRegistration(
  db: Db,
  { authority, limits }: AccountServices,
  value: {
    holder: ChallengeHolder;
    network: string;
    relyingParty: RelyingParty;
    accountId: string;
    /** The account name that the authenticator displays. */
    userName: string;
    /** The account's passkeys, so that an authenticator does not register twice. */
    existing: readonly Passkey[];
    now: Instant;
    random: RandomBytes;
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { holder, relyingParty, now, random } = value;
  const challenge = await transaction(db, async (tx) => {
    await limits.take(tx, "passkey_ceremony", value.network, now);
    return await issueChallenge(tx, authority, { kind: "registration", holder, now, random });
  });
  return creationOptions({
    rpId: relyingParty.id,
    rpName: relyingParty.name,
    challenge,
    userHandle: userHandleOf(value.accountId),
    userName: value.userName,
    displayName: value.userName,
    excludeCredentials: value.existing.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports,
    })),
    timeout: CHALLENGE_LIFETIME,
  });
}

/**
 * Verifies a registration response by WebAuthn Level 3 section 7.1 and returns its credential. The challenge is used
 * even if verification fails. Throws `invalid_passkey_registration` for every failure. Does not check that the
 * credential id is new: `insertPasskey` does. `db` must be the outer handle.
 */
export async function verifyNewPasskey(
  db: Db,
  authority: RowAuthority,
  value: { response: unknown; holder: ChallengeHolder; relyingParty: RelyingParty; now: Instant },
): Promise<RegisteredCredential> {
  const { holder, now } = value;
  try {
    const challenge = presentedChallenge(value.response);
    const { outcome } = await consumeChallenge(db, authority, {
      kind: "registration",
      challenge,
      holder,
      now,
    });
    check(outcome === "valid", "challenge");
    return verifyRegistration(readRegistrationResponse(value.response), {
      challenge,
      origin: value.relyingParty.origin,
      rpId: value.relyingParty.id,
      importVerifier: value.relyingParty.importVerifier,
    });
  } catch (error) {
    if (error instanceof WebAuthnError) throw registrationRefused(error);
    throw error;
  }
}

/** Returns the error for every fault of a registration response. The cause is for the log only. */
export function registrationRefused(cause: Error): ProtocolError {
  return new ProtocolError("invalid_passkey_registration", "Cannot register passkey: response refused", {
    cause,
  });
}
