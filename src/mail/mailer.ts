import type { Instant } from "../lib/time.ts";

/** A mail to one address. The sender is configured. */
export interface Mail {
  /** A plain address, as `accounts/email/email-address.ts` reads it. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, lines ended by LF. */
  readonly text: string;
  /** An HTML document with the same content that loads nothing. */
  readonly html: string;
}

export interface QueuedMail extends Mail {
  readonly createdAt: Instant;
}

/**
 * Notified of a mail after the transaction that queued it. In development it prints the mail; with a mail server it
 * wakes the sender. Must not throw and is not awaited, so that a slow or broken server does not affect a response.
 */
export interface Mailer {
  queued(mail: Mail): void;
}

const HEADER_TEXT = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
const ADDRESS = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u;

/**
 * Validates a mail against header injection: address and subject must be one line without control characters, and the
 * address exactly one. Throws TypeError otherwise, which is a bug. Does not check the address any further.
 */
export function createMail({ to, subject, text, html }: Mail): Mail {
  if (!ADDRESS.test(to)) throw new TypeError("Cannot create mail: not one plain address");
  if (!HEADER_TEXT.test(subject)) throw new TypeError("Cannot create mail: subject has a control character");
  return { to, subject, text, html };
}
