import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { emailChangeCodeMail, emailChangedMail } from "../mail/account-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { type Account, changeProfile, findAccount, isAddressTaken } from "./account.ts";
import { consumeCode, drawCode, sendCode, wrongCode } from "./email/code.ts";
import {
  drawEmailChange,
  emailChangeKind,
  formatRevertToken,
  recordEmailChange,
  REVERT_LIFETIME,
} from "./email/email-change.ts";
import { normaliseEmail } from "./email/email-address.ts";
import { prepareNotificationToAllAddresses } from "./notification.ts";
import { cancelPendingRecovery, requireNoCooldown } from "./recovery/recovery-state.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { consumeFreshness, requireFreshSession } from "./session/fresh-session.ts";
import type { Session, SignedIn } from "./session/session.ts";
import { hashSecret } from "./session/bearer-secret.ts";

type MailingServices = AccountServices & { readonly mailer: Mailer };

export interface EmailChangeRequest {
  readonly signedIn: SignedIn;
  /** The address as the user typed it. */
  readonly email: string;
  readonly network: string;
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

const PURPOSE = "change_email";

/** Binds the code to one session: other sessions of the account cannot redeem it. */
function sessionHash({ id }: Session): string {
  return hashSecret(id);
}

/**
 * Sends a code to the new address. The response does not reveal whether an account has that address. Throws
 * `fresh_session_required`, `recently_recovered` and `rate_limited`. Throws `invalid_request` for an invalid address
 * and for the account's current one.
 */
export async function beginEmailChange(
  db: Db,
  services: MailingServices,
  { signedIn: { session, account }, ...request }: EmailChangeRequest,
): Promise<void> {
  requireFreshSession({ session, action: PURPOSE, now: request.now });
  await requireNoCooldown(db, services, { accountId: account.id, now: request.now });
  const email = normaliseEmail(request.email);
  if (email === account.email) throw ownAddress();
  const { name: service, origin: baseUrl } = request.relyingParty;
  const code = drawCode(request.random);
  await sendCode(db, services, {
    ...request,
    email,
    purpose: PURPOSE,
    holderHash: sessionHash(session),
    code,
    mail: emailChangeCodeMail({ to: email, language: account.language, baseUrl, code, service }),
  });
}

function ownAddress(): ProtocolError {
  const message = "This is already your e-mail address";
  return new ProtocolError("invalid_request", message, { errors: [{ path: "/email", message }] });
}

/**
 * Changes the account's address to the one that the code verifies. Notifies the old address. Its mail has a link that
 * reverts the change within seven days, unless a link to an earlier address does. So an attacker who changed the
 * address gets no link when the owner changes it again. Until then no other account can take the old address. Changing
 * back to it reverts the change. Cancels a pending recovery, because codes now go to another address.
 *
 * Throws `fresh_session_required`, `recently_recovered` and `rate_limited`. Throws `invalid_request` for the
 * account's own address and `invalid_code` for every fault of the code. Throws `account_exists` after a correct code
 * if another account has the address. `db` must be the outer handle: the attempt is counted before the error is
 * thrown.
 */
export async function finishEmailChange(
  db: Db,
  services: MailingServices,
  request: EmailChangeRequest & { readonly code: string; readonly device: string },
): Promise<Account> {
  const { signedIn: { session, account }, code, device, network, now, random } = request;
  requireFreshSession({ session, action: PURPOSE, now });
  const email = normaliseEmail(request.email);
  // Another session may have verified the same address in the meantime.
  if (email === account.email) throw ownAddress();
  const { vault, authority } = services;
  const token = drawEmailChange(random);
  const change = { accountId: account.id, to: email, now };
  const kind = await emailChangeKind(db, authority, change);
  const notification = await prepareNotificationToAllAddresses(
    db,
    services,
    account,
    request,
    (heading) =>
      emailChangedMail({
        ...heading,
        device,
        network,
        kind,
        token: formatRevertToken(token),
        until: now + REVERT_LIFETIME,
      }),
  );
  const outcome = await transaction(db, async (tx) => {
    const place = { email, purpose: PURPOSE, holderHash: sessionHash(session) } as const;
    if (!await consumeCode(tx, services, { ...place, code, network, now })) return "wrong_code";
    if (await isAddressTaken(tx, authority, { email, now, except: account.id })) return "taken";
    await consumeFreshness(tx, authority, { session, action: PURPOSE, now });
    await requireNoCooldown(tx, services, { accountId: account.id, now });
    const before = await findAccount(tx, authority, account.id);
    // The mail is already sealed for the address that the account had before this transaction.
    if (before?.email !== account.email) return "changed_meanwhile";
    if (await emailChangeKind(tx, authority, change) !== kind) return "changed_meanwhile";
    const changed = await changeProfile(tx, authority, account.id, { email, emailProvedBy: "code" }, now);
    await recordEmailChange(tx, authority, { ...change, token, from: before });
    await cancelPendingRecovery(tx, services, {
      accountId: account.id,
      act: "cancelled_by_new_address",
      now,
    });
    await notification.enqueue(tx);
    await appendAudit(tx, vault, now, {
      event: "email_changed",
      accountId: account.id,
      subject: token.id,
      detail: { version: changed.version },
    });
    return changed;
  });
  if (outcome === "wrong_code" || outcome === "changed_meanwhile") throw wrongCode();
  if (outcome === "taken") {
    throw new ProtocolError("account_exists", "Cannot change e-mail address: another account has it");
  }
  notification.queued();
  return outcome;
}
