import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { newSecret, type RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { replaceRow } from "../store/write.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../webauthn/options.ts";
import { beginConfirmation, type ConfirmationResponse, finishConfirmation } from "./passkey-confirmation.ts";
import type { StepUpAction } from "./session/step-up-action.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { type Session, type SignedIn, toSession } from "./session/session.ts";
import { formatSessionToken, hashSecret, readSessionToken, secretMatches } from "./session/bearer-secret.ts";

export interface StepUp {
  readonly signedIn: SignedIn;
  readonly action: StepUpAction;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** Begins a step-up with any of the account's passkeys. Throws `rate_limited`. */
export async function beginStepUp(
  db: Db,
  services: AccountServices,
  stepUp: StepUp & { readonly network: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return await beginConfirmation(db, services, { ...stepUp, purpose: stepUp.action });
}

export interface SteppedUp {
  /** The session's new token. The previous one is invalid. */
  readonly token: string;
  readonly session: Session;
}

/**
 * Verifies a step-up as `finishConfirmation` does. The session may perform this action once within ten minutes. It
 * gets a new token but keeps its id, so that pending operations of the session continue. Its sign-in time does not
 * change. `token` is the session's current token. Throws `invalid_passkey` for every failure. `db` must be the outer
 * handle.
 */
export async function finishStepUp(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  stepUp: StepUp & ConfirmationResponse & { readonly token: string },
): Promise<SteppedUp> {
  const { signedIn: { session, account }, action } = stepUp;
  return await finishConfirmation(db, services, { ...stepUp, purpose: action }, {
    perform: (tx, passkey) => perform(tx, services, stepUp, passkey),
    refused: (reason) => ({
      event: "step_up_refused",
      accountId: account.id,
      subject: session.id,
      detail: { action, reason },
    }),
  });
}

async function perform(
  tx: Db,
  { vault, authority }: AccountServices,
  { signedIn: { session, account }, action, token, now, random }: StepUp & { readonly token: string },
  passkey: Authentic<"passkey">,
): Promise<SteppedUp> {
  const which = { account_id: account.id, id: session.id };
  const row = await findRow(tx, authority, "session", "ofAccountById", which);
  const presented = readSessionToken(token);
  // The session may have ended or got another token during the request.
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
  return {
    token: formatSessionToken({ id: row.id, secret, accountId: account.id }),
    session: toSession(renewed),
  };
}
