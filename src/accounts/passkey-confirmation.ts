import { appendAudit } from "../audit/log.ts";
import type { AuditEvent } from "../audit/event.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Authentic } from "../store/authentic.ts";
import { verifyAuthentication } from "../webauthn/authentication.ts";
import { check, WebAuthnError } from "../webauthn/error.ts";
import { type PublicKeyCredentialRequestOptionsJSON, requestOptions } from "../webauthn/options.ts";
import { presentedChallenge, readAuthenticationResponse } from "../webauthn/response.ts";
import { CHALLENGE_LIFETIME, consumeChallenge, hasBoundData, issueChallenge } from "./passkey/challenge.ts";
import { findPasskeyRow, listPasskeys, recordUse, storedCredential } from "./passkey/passkey.ts";
import { prepareRecoveryCancellation } from "./cancel-recovery-on-use.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import type { SignedIn } from "./session/session.ts";

export interface Confirmation {
  readonly signedIn: SignedIn;
  /** A text that is unique to the act. The challenge is bound to it and to the session. */
  readonly purpose: string;
  /** Bytes that the passkey signs as part of the challenge. Defaults to none. */
  readonly boundData?: Uint8Array;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

const NOTHING = new Uint8Array();

function challengeHolder({ signedIn, purpose }: Confirmation): `session:${string}` {
  return `session:${signedIn.session.id}/${purpose}`;
}

/** Begins a confirmation. The challenge cannot sign in or confirm another act. Throws `rate_limited`. */
export async function beginConfirmation(
  db: Db,
  { authority, limits }: AccountServices,
  confirmation: Confirmation & { readonly network: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { signedIn: { account }, boundData = NOTHING, relyingParty, network, now, random } = confirmation;
  const passkeys = await listPasskeys(db, authority, account.id);
  const challenge = await transaction(db, async (tx) => {
    await limits.take(tx, "passkey_ceremony", network, now);
    const holder = challengeHolder(confirmation);
    return await issueChallenge(tx, authority, { kind: "step_up", holder, boundData, now, random });
  });
  return requestOptions({
    rpId: relyingParty.id,
    challenge,
    allowCredentials: passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    timeout: CHALLENGE_LIFETIME,
  });
}

export interface ConfirmationResponse {
  readonly response: unknown;
  readonly device: string;
  readonly network: string;
}

/** The confirmed act, and the audit event of a refusal. `reason` is the check that failed. */
export interface Confirmed<T> {
  readonly perform: (tx: Db, passkey: Authentic<"passkey">) => Promise<T>;
  readonly refused: (reason: WebAuthnError["code"]) => AuditEvent;
}

/**
 * Verifies a passkey by WebAuthn Level 3 section 7.2 for an identified user and performs the confirmed act. One
 * transaction records the use, cancels a pending recovery and runs `perform`. The challenge is used even if
 * verification fails. Throws `invalid_passkey` for every failure; the audit log records which check failed. Does not
 * check that the session still exists. `db` must be the outer handle.
 */
export async function finishConfirmation<T>(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  confirmation: Confirmation & ConfirmationResponse,
  { perform, refused }: Confirmed<T>,
): Promise<T> {
  const { vault, authority } = services;
  const { signedIn: { account }, boundData = NOTHING, relyingParty, now } = confirmation;
  const challenge = readChallenge(confirmation);
  const consumed = await consumeChallenge(db, authority, {
    kind: "step_up",
    challenge,
    holder: challengeHolder(confirmation),
    now,
  });
  // Not recorded: no ceremony was pending.
  if (consumed.outcome === "absent") throw refusal(new WebAuthnError("challenge"));
  try {
    check(consumed.outcome === "valid" && hasBoundData(challenge, boundData), "challenge");
    const response = readAuthenticationResponse(confirmation.response);
    const passkey = await findPasskeyRow(db, authority, response.credentialId);
    check(passkey?.account_id === account.id, "unknown_credential");
    const assertion = verifyAuthentication(response, {
      challenge,
      origin: relyingParty.origin,
      rpId: relyingParty.id,
      importVerifier: relyingParty.importVerifier,
      credential: storedCredential(passkey),
      user: "identified",
    });
    const passkeyUse = { ...confirmation, act: "cancelled_by_passkey" } as const;
    const cancellation = await prepareRecoveryCancellation(db, services, account, passkeyUse);
    const result = await transaction(db, async (tx) => {
      await recordUse(tx, authority, passkey, { assertion, challenge: consumed, now });
      await cancellation.cancel(tx);
      return await perform(tx, passkey);
    });
    cancellation.onCommit();
    return result;
  } catch (error) {
    if (!(error instanceof WebAuthnError)) throw error;
    await transaction(db, (tx) => appendAudit(tx, vault, now, refused(error.code)));
    throw refusal(error);
  }
}

function readChallenge({ response }: { readonly response: unknown }): string {
  try {
    return presentedChallenge(response);
  } catch (error) {
    if (error instanceof WebAuthnError) throw refusal(error);
    throw error;
  }
}

function refusal(cause: WebAuthnError): ProtocolError {
  return new ProtocolError("invalid_passkey", "Cannot confirm: passkey refused", { cause });
}
