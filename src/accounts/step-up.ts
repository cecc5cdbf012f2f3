import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import { newSecret } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { replaceRow } from "../store/write.ts";
import { verifyAuthentication } from "../webauthn/authentication.ts";
import type { VerifiedAssertion } from "../webauthn/authentication.ts";
import { check, WebAuthnError } from "../webauthn/error.ts";
import { requestOptions } from "../webauthn/options.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../webauthn/options.ts";
import { presentedChallenge, readAuthenticationResponse } from "../webauthn/response.ts";
import { CHALLENGE_LIFETIME, consumeChallenge, issueChallenge } from "./passkey/challenge.ts";
import type { StepUpAction } from "./session/step-up-action.ts";
import { findPasskeyRow, listPasskeys, recordUse, storedCredential } from "./passkey/passkey.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { AccountServices } from "./services.ts";
import { toSession } from "./session/session.ts";
import type { Session, SignedIn } from "./session/session.ts";
import { formatToken, hashSecret, readToken, secretMatches } from "./session/token.ts";

/** Who steps up, and for what. */
export interface StepUp {
  readonly signedIn: SignedIn;
  readonly action: StepUpAction;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** A challenge is this session's and this action's: it signs nobody in and serves no other. */
function holderOf({ signedIn, action }: StepUp): `session:${string}` {
  return `session:${signedIn.session.id}/${action}`;
}

/** Starts a step-up: options for any of the account's passkeys, with user verification. Throws `rate_limited`. */
export async function beginStepUp(
  db: Db,
  { authority, limits }: AccountServices,
  stepUp: StepUp & { readonly network: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { signedIn: { account }, relyingParty, network, now, random } = stepUp;
  const passkeys = await listPasskeys(db, authority, account.id);
  const challenge = await transaction(db, async (tx) => {
    await limits.take(tx, "passkey_ceremony", network, now);
    return await issueChallenge(tx, authority, { kind: "step_up", holder: holderOf(stepUp), now, random });
  });
  return requestOptions({
    rpId: relyingParty.id,
    challenge,
    allowCredentials: passkeys.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    timeout: CHALLENGE_LIFETIME,
  });
}

/** A session that was stepped up. */
export interface SteppedUp {
  /** The session's new token: the one before is worth nothing any more. */
  readonly token: string;
  readonly session: Session;
}

/**
 * Finishes a step-up by WebAuthn Level 3 section 7.2 for a user who is known: the session may do this one thing, once,
 * within ten minutes, and gets a new token under its old id, so that what waits for the session goes on. When the
 * person signed in stays as it was. `token` is the one the session came with. The challenge is used up whatever comes
 * of it. Throws `invalid_passkey` for every failure alike; the audit log knows which check failed. `db` must be the
 * outer handle.
 */
export async function finishStepUp(
  db: Db,
  services: AccountServices,
  stepUp: StepUp & { readonly response: unknown; readonly token: string },
): Promise<SteppedUp> {
  const { authority } = services;
  const { signedIn: { account }, relyingParty, now } = stepUp;
  const challenge = readChallenge(stepUp);
  const outcome = await consumeChallenge(db, authority, {
    kind: "step_up",
    challenge,
    holder: holderOf(stepUp),
    now,
  });
  // Not recorded: no ceremony was under way.
  if (outcome === "absent") throw refusal(new WebAuthnError("challenge"));
  try {
    check(outcome === "valid", "challenge");
    const response = readAuthenticationResponse(stepUp.response);
    const passkey = await findPasskeyRow(db, authority, response.credentialId);
    check(passkey?.account_id === account.id, "unknown_credential");
    const assertion = verifyAuthentication(response, {
      challenge,
      origin: relyingParty.origin,
      rpId: relyingParty.id,
      credential: storedCredential(passkey),
      user: "identified",
    });
    return await transaction(db, (tx) => admit(tx, services, stepUp, { passkey, assertion }));
  } catch (error) {
    if (!(error instanceof WebAuthnError)) throw error;
    await recordRefusal(db, services, stepUp, error);
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

async function admit(
  tx: Db,
  { vault, authority }: AccountServices,
  { signedIn: { session, account }, action, token, now, random }: StepUp & { readonly token: string },
  { passkey, assertion }: { passkey: Authentic<"passkey">; assertion: VerifiedAssertion },
): Promise<SteppedUp> {
  await recordUse(tx, authority, passkey, { assertion, now });
  const which = { account_id: account.id, id: session.id };
  const row = await findRow(tx, authority, "session", "ofAccountById", which);
  const presented = readToken(token, "session");
  // It may have ended, or been given another token, since the request came in.
  const isHeld = row !== undefined && presented?.id === row.id &&
    secretMatches(presented.secret, row.secret_hash);
  if (!isHeld) throw new ProtocolError("authentication_required", "Sign in first");
  const secret = newSecret(random);
  const renewed = await replaceRow(tx, authority, "session", row, {
    secret_hash: hashSecret(secret),
    step_up_action: action,
    stepped_up_at: now,
    last_seen_at: now,
  });
  await appendAudit(tx, vault, now, {
    event: "stepped_up",
    accountId: account.id,
    subject: session.id,
    detail: { action, passkeyId: passkey.id },
  });
  return { token: formatToken({ id: row.id, secret }), session: toSession(renewed) };
}

async function recordRefusal(
  db: Db,
  { vault }: AccountServices,
  { signedIn: { session, account }, action, now }: StepUp,
  error: WebAuthnError,
): Promise<void> {
  await transaction(db, (tx) =>
    appendAudit(tx, vault, now, {
      event: "step_up_refused",
      accountId: account.id,
      subject: session.id,
      detail: { action, reason: error.code },
    }));
}
