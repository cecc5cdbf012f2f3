import { appendAudit } from "../audit/log.ts";
import type { Db, PasskeyTable } from "../db/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { verifyAuthentication } from "../webauthn/authentication.ts";
import type { VerifiedAssertion } from "../webauthn/authentication.ts";
import { check, WebAuthnError } from "../webauthn/error.ts";
import { requestOptions } from "../webauthn/options.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../webauthn/options.ts";
import { presentedChallenge, readAuthenticationResponse } from "../webauthn/response.ts";
import type { AuthenticationResponse } from "../webauthn/response.ts";
import { findAccount } from "./account.ts";
import type { Account } from "./account.ts";
import { CHALLENGE_LIFETIME, consumeChallenge, issueChallenge } from "./challenge.ts";
import { findPasskeyRow, recordUse, storedCredential } from "./passkey.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { AccountServices } from "./services.ts";
import { issueSession } from "./session.ts";
import type { SignedIn } from "./session.ts";

/** Starts a sign-in in a browser: options for any discoverable passkey, alike for everybody. Throws `rate_limited`. */
export async function beginSignIn(
  db: Db,
  { authority, limits }: AccountServices,
  value: {
    browserHash: string;
    network: string;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { browserHash, network, relyingParty, now, random } = value;
  const challenge = await transaction(db, async (tx) => {
    await limits.take(tx, "passkey_ceremony", network, now);
    const holder = `browser:${browserHash}` as const;
    return await issueChallenge(tx, authority, { kind: "authentication", holder, now, random });
  });
  return requestOptions({ rpId: relyingParty.id, challenge, timeout: CHALLENGE_LIFETIME });
}

/** A browser's answer to the options of `beginSignIn`. */
export interface SignInAttempt {
  /** The body's `response`, unread. */
  readonly response: unknown;
  readonly browserHash: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * Finishes a sign-in by WebAuthn Level 3 section 7.2: the challenge is used up whatever comes of it, and counter,
 * session and audit event are one transaction. Throws `invalid_passkey` for every failure alike; the audit log knows
 * which check failed. `db` must be the outer handle. Has no rate limit of its own: nothing happens without a
 * challenge, and those are limited.
 */
export async function signIn(
  db: Db,
  services: AccountServices,
  attempt: SignInAttempt,
): Promise<SignedIn & { readonly token: string }> {
  const { response, challenge } = read(attempt);
  const holder = `browser:${attempt.browserHash}` as const;
  const outcome = await consumeChallenge(db, services.authority, {
    kind: "authentication",
    challenge,
    holder,
    now: attempt.now,
  });
  // Not recorded: no ceremony was under way, and anybody could fill the log with these.
  if (outcome === "absent") throw refusal(new WebAuthnError("challenge"));
  const passkey = await findPasskeyRow(db, services.authority, response.credentialId);
  try {
    check(outcome === "valid", "challenge");
    check(passkey !== undefined, "unknown_credential");
    const account = await findAccount(db, services.authority, passkey.account_id);
    check(account !== undefined, "unknown_credential");
    const assertion = verifyAuthentication(response, {
      challenge,
      origin: attempt.relyingParty.origin,
      rpId: attempt.relyingParty.id,
      credential: storedCredential(passkey),
    });
    return await transaction(db, (tx) => admit(tx, services, attempt, { account, passkey, assertion }));
  } catch (error) {
    if (!(error instanceof WebAuthnError)) throw error;
    // Of a passkey that nobody has, nothing is recorded: strangers could make the log grow for ever.
    if (passkey !== undefined) await recordRefusal(db, services, attempt, { passkey, error });
    throw refusal(error);
  }
}

function read(attempt: SignInAttempt): { response: AuthenticationResponse; challenge: string } {
  try {
    const response = readAuthenticationResponse(attempt.response);
    return { response, challenge: presentedChallenge(response) };
  } catch (error) {
    if (error instanceof WebAuthnError) throw refusal(error);
    throw error;
  }
}

function refusal(cause: WebAuthnError): ProtocolError {
  return new ProtocolError("invalid_passkey", "Cannot sign in: passkey refused", { cause });
}

async function admit(
  tx: Db,
  { vault, authority }: AccountServices,
  { now, random }: SignInAttempt,
  proven: { account: Account; passkey: PasskeyTable; assertion: VerifiedAssertion },
): Promise<SignedIn & { readonly token: string }> {
  const { account, passkey, assertion } = proven;
  check(await recordUse(tx, passkey, assertion, now), "sign_count");
  const issued = await issueSession(tx, authority, {
    accountId: account.id,
    passkeyId: passkey.id,
    now,
    random,
  });
  await appendAudit(tx, vault, now, {
    event: "signed_in",
    accountId: account.id,
    subject: issued.session.id,
    detail: { passkeyId: passkey.id },
  });
  return { ...issued, account };
}

async function recordRefusal(
  db: Db,
  { vault }: AccountServices,
  { now }: SignInAttempt,
  { passkey, error }: { passkey: PasskeyTable; error: WebAuthnError },
): Promise<void> {
  await transaction(db, (tx) =>
    appendAudit(tx, vault, now, {
      event: "sign_in_refused",
      accountId: passkey.account_id,
      subject: passkey.id,
      detail: { reason: error.code },
    }));
}
