import { appendAudit } from "../audit/log.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { newDeviceMail } from "../mail/account-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { type VerifiedAssertion, verifyAuthentication } from "../webauthn/authentication.ts";
import { check, WebAuthnError } from "../webauthn/error.ts";
import { type PublicKeyCredentialRequestOptionsJSON, requestOptions } from "../webauthn/options.ts";
import { presentedChallenge, readAuthenticationResponse } from "../webauthn/response.ts";
import type { AuthenticationResponse } from "../webauthn/response.ts";
import type { SignInOrigin } from "./session/known-browser.ts";
import { type Account, findAccount, findAnyAccount } from "./account.ts";
import { notifyDeletionStopped, stopDeletion } from "./request-deletion.ts";
import { CHALLENGE_LIFETIME, consumeChallenge, issueChallenge } from "./passkey/challenge.ts";
import type { ChallengeHolder } from "./passkey/challenge.ts";
import { prepareNotification } from "./notification.ts";
import type { AnsweredChallenge } from "./passkey/answered-challenges.ts";
import { findPasskeyRow, listPasskeys, recordUse, storedCredential } from "./passkey/passkey.ts";
import { prepareRecoveryCancellation } from "./cancel-recovery-on-use.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { findRemovedPasskey, type RemovedPasskey } from "./passkey/removed-passkey.ts";
import { type IssuedSession, issueSession, type SignedIn } from "./session/session.ts";

/** Accepts any discoverable passkey, or those of the account that a provider identified. Throws `rate_limited`. */
export async function beginSignIn(
  db: Db,
  { authority, limits, groupCommit }: AccountServices & Pick<SignInServices, "groupCommit">,
  value: {
    browserHash: string;
    accountId?: string;
    network: string;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { accountId, network, relyingParty, now, random } = value;
  const challenge = await groupCommit.run(async (tx) => {
    await limits.take(tx, "passkey_ceremony", network, now);
    const holder = challengeHolder(value);
    return await issueChallenge(tx, authority, { kind: "authentication", holder, now, random });
  });
  const passkeys = accountId === undefined ? [] : await listPasskeys(db, authority, accountId);
  const allowCredentials = passkeys.map(({ credentialId: id, transports }) => ({ id, transports }));
  return requestOptions({ rpId: relyingParty.id, challenge, allowCredentials, timeout: CHALLENGE_LIFETIME });
}

function challengeHolder(
  { browserHash, accountId }: { browserHash: string; accountId?: string },
): ChallengeHolder {
  return accountId === undefined ? `browser:${browserHash}` : `browser:${browserHash}/${accountId}`;
}

export interface SignInAttempt {
  /** True on a shared computer. */
  readonly isShared?: boolean;
  readonly response: unknown;
  readonly browserHash: string;
  readonly from: SignInOrigin;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

export type SignInServices = AccountServices & {
  readonly mailer: Mailer;
  readonly groupCommit: GroupCommit;
};

/**
 * Verifies a sign-in by WebAuthn Level 3 section 7.2. The challenge is used even if verification fails. One
 * transaction records the counter, session and audit event, cancels a pending recovery, and queues the mails to the
 * owner.
 *
 * Throws `invalid_passkey` for every failure; the audit log records which check failed. After a valid response of a
 * removed passkey, `errors` names the credential. After a valid response for a disabled account, throws
 * `account_disabled`. Has no rate limit of its own: `beginSignIn` limits the challenges. `db` must be the outer
 * handle.
 */
export async function signIn(
  db: Db,
  services: SignInServices,
  attempt: SignInAttempt,
): Promise<SignedIn & { readonly token: string }> {
  const { response, challenge } = await read(services, attempt);
  const passkey = await findPasskeyRow(db, services.authority, response.credentialId);
  const { browserHash } = attempt;
  const presented = {
    kind: "authentication",
    challenge,
    holder: challengeHolder({ browserHash }),
    ...(passkey === undefined
      ? {}
      : { orHolder: challengeHolder({ browserHash, accountId: passkey.account_id }) }),
    now: attempt.now,
  } as const;
  // Committed before the response is verified.
  const consumed = await services.groupCommit.run((tx) =>
    consumeChallenge(tx, services.authority, presented)
  );
  const { outcome } = consumed;
  // Not recorded: no ceremony was pending, and an attacker could fill the log.
  if (outcome === "absent") throw refusal(new WebAuthnError("challenge"));
  if (passkey === undefined && outcome === "valid") {
    const removed = await findRemovedPasskey(db, services.authority, { ...attempt, response, challenge });
    if (removed !== undefined) await refuseRemoved(services, attempt, removed);
  }
  try {
    check(outcome === "valid" || outcome === "valid_as_other", "challenge");
    check(passkey !== undefined, "unknown_credential");
    const account = await findAnyAccount(db, services.authority, passkey.account_id);
    check(account !== undefined, "unknown_credential");
    const assertion = verifyAuthentication(response, {
      challenge,
      origin: attempt.relyingParty.origin,
      rpId: attempt.relyingParty.id,
      importVerifier: attempt.relyingParty.importVerifier,
      credential: storedCredential(passkey),
      // The provider has identified the user of a challenge for one account.
      user: outcome === "valid" ? "discoverable" : "identified",
    });
    return await startSession(db, services, attempt, {
      account,
      passkey,
      assertion,
      challenge: consumed,
    });
  } catch (error) {
    if (passkey !== undefined && isDisabled(error)) {
      const { id, account_id: accountId } = passkey;
      await recordRefusal(services, attempt, { id, accountId, reason: "account_disabled" });
    }
    if (!(error instanceof WebAuthnError)) throw error;
    // An unknown passkey is not recorded, because an attacker could grow the log without limit.
    if (passkey !== undefined) {
      const { id, account_id: accountId } = passkey;
      await recordRefusal(services, attempt, { id, accountId, reason: error.code });
    }
    throw refusal(error);
  }
}

/** Parses the response and the challenge that it names. Uses the challenge even if the rest is malformed. */
async function read(
  { authority, groupCommit }: SignInServices,
  { response: json, browserHash, now }: SignInAttempt,
): Promise<{ response: AuthenticationResponse; challenge: string }> {
  try {
    const challenge = presentedChallenge(json);
    try {
      return { response: readAuthenticationResponse(json), challenge };
    } catch (error) {
      const holder = challengeHolder({ browserHash });
      const presented = { kind: "authentication", challenge, holder, now } as const;
      await groupCommit.run((tx) => consumeChallenge(tx, authority, presented));
      throw error;
    }
  } catch (error) {
    if (error instanceof WebAuthnError) throw refusal(error);
    throw error;
  }
}

function refusal(cause: WebAuthnError): ProtocolError {
  return new ProtocolError("invalid_passkey", "Cannot sign in: passkey refused", { cause });
}

/** Shown only after the passkey was verified. */
function accountDisabled(): ProtocolError {
  return new ProtocolError(
    "account_disabled",
    "Cannot sign in: this account is disabled. Contact the operator of this service",
  );
}

function isDisabled(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === "account_disabled";
}

/** Throws `invalid_passkey` with `errors` that name the credential, so that the browser can delete it. */
async function refuseRemoved(
  services: SignInServices,
  attempt: SignInAttempt,
  { id, accountId }: RemovedPasskey,
): Promise<never> {
  await recordRefusal(services, attempt, { id, accountId, reason: "removed_credential" });
  throw new ProtocolError("invalid_passkey", "Cannot sign in: passkey refused", {
    errors: [{ path: "/response/id", message: "This passkey was removed from its account" }],
  });
}

/** A verified assertion, with its passkey and account. */
interface VerifiedSignIn {
  readonly account: Account;
  readonly passkey: Authentic<"passkey">;
  readonly assertion: VerifiedAssertion;
  readonly challenge: AnsweredChallenge;
}

/** Creates the session and queues the mail about a new browser. Renders the mail before the transaction. */
async function startSession(
  db: Db,
  services: SignInServices,
  attempt: SignInAttempt,
  verified: VerifiedSignIn,
): Promise<SignedIn & { readonly token: string }> {
  const { account } = verified;
  const { device, network } = attempt.from;
  const notification = prepareNotification(
    services,
    account,
    attempt,
    (heading) => newDeviceMail({ ...heading, device, network }),
  );
  const passkeyUse = { ...attempt, ...attempt.from, act: "cancelled_by_sign_in" } as const;
  const cancellation = await prepareRecoveryCancellation(db, services, account, passkeyUse);
  const issued = await services.groupCommit.run(async (tx) => {
    const session = await recordSignIn(tx, services, attempt, verified);
    if (session.isNewDevice) await notification.enqueue(tx);
    await cancellation.cancel(tx);
    return session;
  });
  if (issued.isNewDevice) notification.queued();
  cancellation.onCommit();
  if (issued.stoppedDeletion) await notifyDeletionStopped(db, services, account, attempt);
  return { token: issued.token, session: issued.session, account };
}

async function recordSignIn(
  tx: Db,
  { vault, authority, sessionLifetimes: lifetimes }: AccountServices,
  { from, isShared, now, random }: SignInAttempt,
  { account, passkey, assertion, challenge }: VerifiedSignIn,
): Promise<IssuedSession & { readonly stoppedDeletion: boolean }> {
  if (await findAccount(tx, authority, account.id) === undefined) throw accountDisabled();
  await recordUse(tx, authority, passkey, { assertion, challenge, now });
  const issued = await issueSession(tx, authority, {
    accountId: account.id,
    passkeyId: passkey.id,
    from,
    lifetimes,
    isShared,
    now,
    random,
  });
  await appendAudit(tx, vault, now, {
    event: "signed_in",
    accountId: account.id,
    subject: issued.session.id,
    detail: { passkeyId: passkey.id },
  });
  const stoppedDeletion = await stopDeletion(tx, { vault, authority }, {
    accountId: account.id,
    by: "sign_in",
    now,
  });
  return { ...issued, stoppedDeletion };
}

async function recordRefusal(
  { vault, groupCommit }: SignInServices,
  { now }: SignInAttempt,
  { id, accountId, reason }: { id: string; accountId: string; reason: string },
): Promise<void> {
  await groupCommit.run((tx) =>
    appendAudit(tx, vault, now, {
      event: "sign_in_refused",
      accountId,
      subject: id,
      detail: { reason },
    })
  );
}
