import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";
import { enqueueMail, sealMail } from "../mail/outbox.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";
import type { Account } from "./account.ts";
import { listFormerAddresses } from "./email/email-change.ts";
import type { RelyingParty } from "./services.ts";

/** A sealed mail to the owner of an account. Does nothing if the account has no address. */
export interface Notification {
  /** Queues the mail. Call it in the transaction of the event that it reports. */
  enqueue(tx: Db): Promise<void>;
  /** Notifies the mailer. Call it after the commit. */
  queued(): void;
}

export interface NotificationContext {
  readonly relyingParty: RelyingParty;
  readonly now: Instant;
  readonly random: RandomBytes;
}

export interface Heading {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly at: Instant;
}

/** Renders and seals a mail to an account's owner. Call it before the transaction that queues the mail. */
export function prepareNotification(
  { vault, mailer }: { readonly vault: Vault; readonly mailer: Mailer },
  { email, language }: Account,
  { relyingParty, now, random }: NotificationContext,
  write: (heading: Heading) => Mail,
): Notification {
  if (email === null) return { enqueue: () => Promise.resolve(), queued: () => {} };
  const mail = write({ to: email, language, baseUrl: relyingParty.origin, at: now });
  const sealed = sealMail(vault, mail, { now, random });
  return { enqueue: (tx) => enqueueMail(tx, sealed), queued: () => mailer.queued(mail) };
}

export interface NotifyingServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly mailer: Mailer;
}

/**
 * Like `prepareNotification`, for the current and all recently replaced addresses, because an attacker may have changed
 * the address. `db` must be the outer handle.
 */
export async function prepareNotificationToAllAddresses(
  db: Db,
  services: NotifyingServices,
  account: Account,
  context: NotificationContext,
  write: (heading: Heading) => Mail,
): Promise<Notification> {
  const place = { accountId: account.id, now: context.now };
  const addresses = new Set([account.email, ...await listFormerAddresses(db, services.authority, place)]);
  const notifications = [...addresses].map((email) =>
    prepareNotification(services, { ...account, email }, context, write)
  );
  return {
    enqueue: async (tx) => {
      for (const notification of notifications) await notification.enqueue(tx);
    },
    queued: () => {
      for (const notification of notifications) notification.queued();
    },
  };
}
