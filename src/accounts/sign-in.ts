import { appendAudit } from "../audit/log.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import { newDeviceMail } from "../mail/account-mail.ts";
import type { Authentic } from "../store/authentic.ts";
import { verifyAuthentication } from "../webauthn/authentication.ts";
import type { VerifiedAssertion } from "../webauthn/authentication.ts";
import { check, WebAuthnError } from "../webauthn/error.ts";
import { requestOptions } from "../webauthn/options.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../webauthn/options.ts";
import { presentedChallenge, readAuthenticationResponse } from "../webauthn/response.ts";
import type { AuthenticationResponse } from "../webauthn/response.ts";
import type { Whereabouts } from "./session/known-browser.ts";
import { findAccount, findAnyAccount } from "./account.ts";
import { stopDeletion, tellDeletionStopped } from "./request-deletion.ts";
import type { Account } from "./account.ts";
import { CHALLENGE_LIFETIME, consumeChallenge, issueChallenge } from "./passkey/challenge.ts";
import type { ChallengeHolder } from "./passkey/challenge.ts";
import { prepareNotice } from "./notification.ts";
import { findPasskeyRow, listPasskeys, recordUse, storedCredential } from "./passkey/passkey.ts";
import { preparePresence } from "./cancel-recovery-on-use.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { findRemovedPasskey } from "./passkey/removed-passkey.ts";
import type { RemovedPasskey } from "./passkey/removed-passkey.ts";
import { issueSession } from "./session/session.ts";
import type { IssuedSession, SignedIn } from "./session/session.ts";

/**
 * Starts a sign-in in a browser: options for any discoverable passkey, alike for everybody; or, where another provider
 * has named the person, for the passkeys of that account, and no other is then accepted. Throws `rate_limited`.
 */
export async function beginSignIn(
  db: Db,
  { authority, limits, groupCommit }: AccountServices & Pick<SignInServices, "groupCommit">,
  value: {
    browserHash: string;
    /** Whose passkey is asked for. */
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
    const holder = holderOf(value);
    return await issueChallenge(tx, authority, { kind: "authentication", holder, now, random });
  });
  const passkeys = accountId === undefined ? [] : await listPasskeys(db, authority, accountId);
  const allowCredentials = passkeys.map(({ credentialId: id, transports }) => ({ id, transports }));
  return requestOptions({ rpId: relyingParty.id, challenge, allowCredentials, timeout: CHALLENGE_LIFETIME });
}

/** The browser; with the account where only its passkeys will do. */
function holderOf({ browserHash, accountId }: { browserHash: string; accountId?: string }): ChallengeHolder {
  return accountId === undefined ? `browser:${browserHash}` : `browser:${browserHash}/${accountId}`;
}

/** A browser's answer to the options of `beginSignIn`. */
export interface SignInAttempt {
  /** The body's `response`, unread. */
  readonly response: unknown;
  readonly browserHash: string;
  readonly from: Whereabouts;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** What a sign-in needs besides the database: it may send a mail, and shares its commits with others'. */
export type SignInServices = AccountServices & {
  readonly mailer: Mailer;
  readonly groupCommit: GroupCommit;
};

/**
 * Finishes a sign-in by WebAuthn Level 3 section 7.2: the challenge that the response names is used up whatever comes of
 * it, and counter, session, audit event, the end of a recovery that waits for the account and, of that and of a browser
 * that the account did not know, mails to its owner are one transaction.
 * Throws `invalid_passkey` for every failure alike, but that whoever proves to hold a passkey that was removed is told;
 * the audit log knows which check failed. `db` must be the outer handle. Has no rate limit of its own: nothing happens
 * without a challenge, and those are limited.
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
    holder: holderOf({ browserHash }),
    ...(passkey === undefined ? {} : { orHolder: holderOf({ browserHash, accountId: passkey.account_id }) }),
    now: attempt.now,
  } as const;
  // Durable before anything comes of it.
  const outcome = await services.groupCommit.run((tx) => consumeChallenge(tx, services.authority, presented));
  // Not recorded: no ceremony was under way, and anybody could fill the log with these.
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
      // A challenge for the passkeys of one account says whom another provider named.
      user: outcome === "valid" ? "discoverable" : "identified",
    });
    return await welcome(db, services, attempt, { account, passkey, assertion });
  } catch (error) {
    if (passkey !== undefined && isDisabled(error)) {
      const { id, account_id: accountId } = passkey;
      await recordRefusal(services, attempt, { id, accountId, reason: "account_disabled" });
    }
    if (!(error instanceof WebAuthnError)) throw error;
    // Of a passkey that nobody has, nothing is recorded: strangers could make the log grow for ever.
    if (passkey !== undefined) {
      const { id, account_id: accountId } = passkey;
      await recordRefusal(services, attempt, { id, accountId, reason: error.code });
    }
    throw refusal(error);
  }
}

/** The response and the challenge that it names; what cannot be read whole uses that challenge up all the same. */
async function read(
  { authority, groupCommit }: SignInServices,
  { response: json, browserHash, now }: SignInAttempt,
): Promise<{ response: AuthenticationResponse; challenge: string }> {
  try {
    const challenge = presentedChallenge(json);
    try {
      return { response: readAuthenticationResponse(json), challenge };
    } catch (error) {
      const holder = holderOf({ browserHash });
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

/** For whoever has proven to hold the account's passkey: nobody else hears of it. */
function accountDisabled(): ProtocolError {
  return new ProtocolError(
    "account_disabled",
    "Cannot sign in: this account is disabled. Ask whoever runs this service",
  );
}

function isDisabled(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === "account_disabled";
}

/** The same refusal; its `errors` name the credential, which the browser may then have forgotten. */
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

interface Proven {
  readonly account: Account;
  readonly passkey: Authentic<"passkey">;
  readonly assertion: VerifiedAssertion;
}

/** The mail is made beforehand, and queued where the browser turns out to be new. */
async function welcome(
  db: Db,
  services: SignInServices,
  attempt: SignInAttempt,
  proven: Proven,
): Promise<SignedIn & { readonly token: string }> {
  const { account } = proven;
  const { device, network } = attempt.from;
  const notice = prepareNotice(
    services,
    account,
    attempt,
    (heading) => newDeviceMail({ ...heading, device, network }),
  );
  const presence = { ...attempt, ...attempt.from, act: "cancelled_by_sign_in" } as const;
  const settlement = await preparePresence(db, services, account, presence);
  const issued = await services.groupCommit.run(async (tx) => {
    const session = await admit(tx, services, attempt, proven);
    if (session.isNewDevice) await notice.enqueue(tx);
    await settlement.settle(tx);
    return session;
  });
  if (issued.isNewDevice) notice.queued();
  settlement.settled();
  if (issued.stoppedDeletion) await tellDeletionStopped(db, services, account, attempt);
  return { token: issued.token, session: issued.session, account };
}

async function admit(
  tx: Db,
  { vault, authority }: AccountServices,
  { from, now, random }: SignInAttempt,
  { account, passkey, assertion }: Proven,
): Promise<IssuedSession & { readonly stoppedDeletion: boolean }> {
  if (await findAccount(tx, authority, account.id) === undefined) throw accountDisabled();
  await recordUse(tx, authority, passkey, { assertion, now });
  const issued = await issueSession(tx, authority, {
    accountId: account.id,
    passkeyId: passkey.id,
    from,
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
