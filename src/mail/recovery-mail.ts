import type { Language } from "../lib/language.ts";
import { formatDateTime } from "../lib/date-time.ts";
import type { Instant } from "../lib/time.ts";
import { type MailPart, originText, renderMail } from "./render-mail.ts";
import type { Mail } from "./mailer.ts";
import { mailMessagesIn } from "./messages.ts";

/**
 * An event of an account's recovery: recovery started, still pending (reminder), ready to finish, cancelled, expired
 * or finished; or recovery codes created, or settings changed.
 */
export type RecoveryMailAct =
  | "begun"
  | "waits"
  | "ready"
  | "cancelled"
  | "lapsed"
  | "finished"
  | "codesMade"
  | "choicesChanged";

export interface RecoveryMailEvent {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  /** The origin of the start, for a pending recovery; otherwise of the event. So is `network`. */
  readonly device: string;
  readonly network: string;
  /** The time of the start, for a pending recovery; otherwise of the event. */
  readonly at: Instant;
  /** For a pending recovery, the time from which a new passkey can be created. */
  readonly readyAt?: Instant;
  /** For a pending recovery, the path to cancel it. */
  readonly cancelPath?: string;
  readonly choices?: { readonly delayHours: number; readonly emailAlone: boolean };
}

export function recoveryMail(act: RecoveryMailAct, event: RecoveryMailEvent): Mail {
  const { to, language, baseUrl, at, readyAt = at, cancelPath = "/account/recovery", choices } = event;
  const messages = mailMessagesIn(language).recovery;
  const { subject, event: says, next } = messages[act];
  const chosen = choices === undefined
    ? []
    : [messages.delay(choices.delayHours), choices.emailAlone ? messages.alone : messages.notAlone];
  const parts: readonly MailPart[] = [
    ...says(originText(event), formatDateTime(language, readyAt)),
    ...chosen,
    next,
    { link: `${baseUrl}${cancelPath}` },
  ];
  return renderMail({ to, language, subject, parts });
}

/**
 * Creates the mail with a code for a recovery, in the language of the requesting browser. An address without an
 * account receives the same mail. Contains no link, because a mail scanner would follow it.
 */
export function recoveryCodeMail(
  { to, language, baseUrl, code, service }: {
    readonly to: string;
    readonly language: Language;
    readonly baseUrl: string;
    /** In the format of `formatCode`. */
    readonly code: string;
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  const messages = mailMessagesIn(language).recovery.code;
  return renderMail({
    to,
    language,
    subject: messages.subject(service),
    parts: [messages.code(service, host), { code }, messages.once, messages.place(host), messages.notYou],
  });
}
