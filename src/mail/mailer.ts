import type { Instant } from "../lib/time.ts";

/** A mail to one address. Its sender is configuration. */
export interface Mail {
  /** A plain address, as `accounts/email/email.ts` reads it. */
  readonly to: string;
  readonly subject: string;
  /** Plain text, lines ended by LF. */
  readonly text: string;
  /** The same as a page of its own that loads nothing. */
  readonly html: string;
}

/** A mail as it was queued. */
export interface QueuedMail extends Mail {
  readonly createdAt: Instant;
}

/**
 * Told of a mail once the transaction that queued it is committed: development prints it, a sender with a mail server
 * wakes up. Must not throw and is not waited for, so that a slow or broken server shows in no answer.
 */
export interface Mailer {
  queued(mail: Mail): void;
}

const HEADER_TEXT = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
const ADDRESS = /^[^\s\p{Cc}"(),:;<>@[\\\]]+@[^\s\p{Cc}"(),:;<>@[\\\]]+$/u;

/**
 * A mail whose header fields cannot become two: address and subject are one line without control characters, the
 * address is exactly one. Anything else is our mistake and throws TypeError. Does not check the address any further.
 */
export function createMail({ to, subject, text, html }: Mail): Mail {
  if (!ADDRESS.test(to)) throw new TypeError("Cannot create mail: not one plain address");
  if (!HEADER_TEXT.test(subject)) throw new TypeError("Cannot create mail: subject has a control character");
  return { to, subject, text, html };
}
