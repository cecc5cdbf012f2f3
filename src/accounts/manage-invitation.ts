import { appendAudit } from "../audit/log.ts";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { foreignCursor, type InputFault, ProtocolError } from "../lib/error.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Language } from "../lib/language.ts";
import { DAY, type Instant } from "../lib/time.ts";
import { invitationMail } from "../mail/code-mail.ts";
import type { Mailer } from "../mail/mailer.ts";
import { enqueueMail, MAIL_LIFETIME, sealMail, withdrawMail } from "../mail/outbox.ts";
import { pageRows } from "../store/read.ts";
import type { Place } from "../store/lookups.ts";
import { consumeRow, insertRow } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { normaliseEmail } from "./email/email-address.ts";
import { type Invitation, toInvitation } from "./invitation.ts";
import type { AccountServices, RelyingParty } from "./services.ts";
import { formatToken, hashSecret, newToken } from "./session/bearer-secret.ts";

const INVITATION_LIFETIME = 7 * DAY;
const LONGEST_INVITATION = 365 * DAY;

export const MOST_USES = 1000;

type InvitationServices = Pick<AccountServices, "vault" | "authority"> & { readonly mailer: Mailer };

export interface InvitationSettings {
  /** The address as the administrator typed it. Undefined for every bearer of the link. */
  readonly email: string | undefined;
  /** Defaults to 1. Must be 1 for an address. */
  readonly uses: number | undefined;
  /** Defaults to 7 days from now. */
  readonly expiresAt: Instant | undefined;
}

/**
 * Prepares an invitation, and a mail with its link if it has an address and `mail` is `sent`. Only a hash of the
 * link's secret is stored. Call `make` in the transaction and `made` after the commit. Throws `invalid_request`. Does
 * not check whether the address has an account.
 */
export function prepareInvitation(
  { vault, authority, mailer }: InvitationServices,
  { settings, mail: sending, language, relyingParty, now, random }: {
    settings: InvitationSettings;
    mail: "sent" | "kept";
    /** The language of the mail. The invited person's language is unknown. */
    language: Language;
    relyingParty: RelyingParty;
    now: Instant;
    random: RandomBytes;
  },
): {
  readonly link: string;
  readonly make: (tx: Db) => Promise<Invitation>;
  readonly made: () => void;
} {
  const { email, uses, expiresAt } = readSettings(settings, now);
  const token = newToken("invitation", random);
  const link = `${relyingParty.origin}/sign-up?invitation=${formatToken(token)}`;
  const mail = email === null || sending === "kept" ? undefined : invitationMail({
    to: email,
    language,
    service: relyingParty.name,
    baseUrl: relyingParty.origin,
    link,
    expiresAt,
  });
  const lifetime = Math.min(MAIL_LIFETIME, expiresAt - now);
  const sealed = mail && sealMail(vault, mail, { now, random, lifetime, of: token.id });
  const make = async (tx: Db): Promise<Invitation> => {
    if (sealed !== undefined) await enqueueMail(tx, sealed);
    const kind = email === null ? "link" : "address";
    await appendAudit(tx, vault, now, {
      event: "invitation_made",
      accountId: null,
      subject: token.id,
      detail: { kind, uses },
    });
    const row = await insertRow(tx, authority, "invitation", {
      id: token.id,
      secret_hash: hashSecret(token.secret),
      email,
      uses,
      used: 0,
      created_at: now,
      expires_at: expiresAt,
    });
    return toInvitation(row);
  };
  const made = (): void => {
    if (mail !== undefined) mailer.queued(mail);
  };
  return { link, make, made };
}

function readSettings(
  { email, uses = 1, expiresAt = undefined }: InvitationSettings,
  now: Instant,
): Pick<Invitation, "email" | "uses" | "expiresAt"> {
  const faults: InputFault[] = [];
  if (email !== undefined && uses !== 1) {
    faults.push({ path: "/uses", message: "Expected 1: an address has one account" });
  }
  const end = expiresAt ?? now + INVITATION_LIFETIME;
  if (end <= now || end > now + LONGEST_INVITATION) {
    faults.push({ path: "/expiresAt", message: "Expected a time within the next 365 days" });
  }
  if (faults.length > 0) {
    const message = "Cannot create invitation: correct the members named in errors";
    throw new ProtocolError("invalid_request", message, { errors: faults });
  }
  return { email: email === undefined ? null : normaliseEmail(email), uses, expiresAt: end };
}

/** Returns a page of the invitations, oldest first. Includes those that ended within the last 30 days. */
export async function listInvitations(
  db: Db,
  authority: RowAuthority,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ invitations: Invitation[]; next: string | undefined }> {
  const place = { after: after === undefined ? undefined : readPosition(after), limit: limit + 1 };
  const rows = await pageRows(db, authority, "invitation", "all", {}, place);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    invitations: page.map(toInvitation),
    next: last === undefined ? undefined : `${last.created_at}.${last.id}`,
  };
}

function readPosition(text: string): Place<"invitation", "all"> {
  const match = /^(\d{1,15})\.(invitation_[0-9a-v]{26})$/.exec(text);
  if (match !== null) return { created_at: Number(match[1]), id: match[2]! };
  throw foreignCursor();
}

/**
 * Deletes an invitation and withdraws its queued mail. Users who opened the link but have no account yet cannot
 * create one. Throws `not_found`.
 */
export async function withdrawInvitation(
  db: Db,
  { vault, authority }: Pick<AccountServices, "vault" | "authority">,
  { invitationId, now }: { invitationId: string; now: Instant },
): Promise<void> {
  await transaction(db, async (tx) => {
    const row = await consumeRow(tx, authority, "invitation", "byId", { id: invitationId });
    if (row === undefined) throw new ProtocolError("not_found", "There is no such invitation");
    await withdrawMail(tx, row.id);
    await appendAudit(tx, vault, now, {
      event: "invitation_withdrawn",
      accountId: null,
      subject: row.id,
      detail: { used: row.used },
    });
  });
}
