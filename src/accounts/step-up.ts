import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { ProtocolError } from "../lib/error.ts";
import { newSecret } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { replaceRow } from "../store/write.ts";
import type { PublicKeyCredentialRequestOptionsJSON } from "../webauthn/options.ts";
import { beginConfirmation, finishConfirmation } from "./passkey-confirmation.ts";
import type { ConfirmationAnswer } from "./passkey-confirmation.ts";
import type { StepUpAction } from "./session/step-up-action.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { toSession } from "./session/session.ts";
import type { Session, SignedIn } from "./session/session.ts";
import { formatToken, hashSecret, readToken, secretMatches } from "./session/bearer-secret.ts";

/** Who steps up, and for what. */
export interface StepUp {
  readonly signedIn: SignedIn;
  readonly action: StepUpAction;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

/** Starts a step-up: options for any of the account's passkeys, with user verification. Throws `rate_limited`. */
export async function beginStepUp(
  db: Db,
  services: AccountServices,
  stepUp: StepUp & { readonly network: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return await beginConfirmation(db, services, { ...stepUp, what: stepUp.action });
}

/** A session that was stepped up. */
export interface SteppedUp {
  /** The session's new token: the one before is worth nothing any more. */
  readonly token: string;
  readonly session: Session;
}

/**
 * Finishes a step-up as `finishConfirmation` does: the session may do this one thing, once, within ten minutes, and gets
 * a new token under its old id, so that what waits for the session goes on. When the person signed in stays as it was.
 * `token` is the one the session came with. Throws `invalid_passkey` for every failure alike. `db` must be the outer
 * handle.
 */
export async function finishStepUp(
  db: Db,
  services: AccountServices & { readonly mailer: Mailer },
  stepUp: StepUp & ConfirmationAnswer & { readonly token: string },
): Promise<SteppedUp> {
  const { signedIn: { session, account }, action } = stepUp;
  return await finishConfirmation(db, services, { ...stepUp, what: action }, {
    admit: (tx, passkey) => admit(tx, services, stepUp, passkey),
    refused: (reason) => ({
      event: "step_up_refused",
      accountId: account.id,
      subject: session.id,
      detail: { action, reason },
    }),
  });
}

async function admit(
  tx: Db,
  { vault, authority }: AccountServices,
  { signedIn: { session, account }, action, token, now, random }: StepUp & { readonly token: string },
  passkey: Authentic<"passkey">,
): Promise<SteppedUp> {
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
