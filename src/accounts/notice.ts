import type { Db } from "../db/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";
import { enqueueMail, sealMail } from "../mail/outbox.ts";
import type { Vault } from "../vault/vault.ts";
import type { Account } from "./account.ts";
import type { RelyingParty } from "./relying-party.ts";

/** A mail to the owner of an account, ready to be queued with what it tells of; nothing where there is no address. */
export interface Notice {
  /** Queues it, in the transaction of what it tells of. */
  enqueue(tx: Db): Promise<void>;
  /** For after the commit: tells the mailer. */
  queued(): void;
}

/** Seals a mail to an account's owner beforehand: sealing waits for Web Crypto, and a transaction must not. */
export async function prepareNotice(
  { vault, mailer }: { readonly vault: Vault; readonly mailer: Mailer },
  { email, language }: Account,
  { relyingParty, now, random }: {
    readonly relyingParty: RelyingParty;
    readonly now: Instant;
    readonly random: RandomBytes;
  },
  write: (
    heading: {
      readonly to: string;
      readonly language: Language;
      readonly baseUrl: string;
      readonly at: Instant;
    },
  ) => Mail,
): Promise<Notice> {
  if (email === null) return { enqueue: () => Promise.resolve(), queued: () => {} };
  const mail = write({ to: email, language, baseUrl: relyingParty.origin, at: now });
  const sealed = await sealMail(vault, mail, { now, random });
  return { enqueue: (tx) => enqueueMail(tx, sealed), queued: () => mailer.queued(mail) };
}
