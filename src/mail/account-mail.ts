import { formatDateTime } from "../lib/date-time.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";
import { type MailMessages, mailMessagesIn } from "./messages.ts";
import { originText, renderMail } from "./render-mail.ts";

interface Heading {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly at: Instant;
}

interface RequestOrigin {
  readonly device: string;
  readonly network: string;
}

/** Creates a mail like `codeMail`, for a new address of an existing account. */
export function emailChangeCodeMail(
  { to, language, baseUrl, code, service }: Omit<Heading, "at"> & {
    /** Six digits. */
    readonly code: string;
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  const { account: { addressCode: messages }, code: { subject, notYou } } = mailMessagesIn(language);
  return renderMail({
    to,
    language,
    subject: subject(service),
    parts: [
      messages.code(service, host),
      { code },
      messages.once,
      messages.place(host),
      notYou,
      `@${host} #${code}`,
    ],
  });
}

/** Creates a mail for the old address, and for earlier ones. Only the mail about a `first` change has the link. */
export function emailChangedMail(
  event: Heading & RequestOrigin & {
    readonly kind: "first" | "further" | "undo";
    /** The secret in the link. */
    readonly token: string;
    readonly until: Instant;
  },
): Mail {
  const { to, language, baseUrl, kind, token, until } = event;
  const messages = mailMessagesIn(language).account.emailChanged;
  const time = formatDateTime(language, until);
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [
      messages.event(originText(event)),
      messages.you,
      ...(kind === "first"
        ? [
          messages.notYou(time),
          { link: `${baseUrl}/take-back?${new URLSearchParams({ token })}` },
          messages.after,
        ]
        : [
          ...(kind === "further" ? [messages.earlierLink(time)] : []),
          messages.withoutLink,
          { link: `${baseUrl}/account` },
        ]),
    ],
  });
}

export function emailRevertedMail(
  event: Heading & RequestOrigin & {
    /** True if it is the account's present address. */
    readonly isOwn: boolean;
  },
): Mail {
  const { to, language, baseUrl, isOwn } = event;
  const messages = mailMessagesIn(language).account.emailReverted;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [
      isOwn ? messages.own(originText(event)) : messages.other(originText(event)),
      messages.next,
      { link: `${baseUrl}/account` },
    ],
  });
}

/** Creates a mail for each current or recently replaced address. */
export function deletionRequestedMail(
  event: Heading & RequestOrigin & {
    readonly dueAt: Instant;
    readonly keys: number;
  },
): Mail {
  const { to, language, baseUrl, dueAt, keys } = event;
  const messages = mailMessagesIn(language).account.deletionAsked;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [
      messages.event(originText(event)),
      messages.due(formatDateTime(language, dueAt)),
      ...(keys === 0 ? [] : [messages.keys(keys)]),
      messages.keep,
      { link: `${baseUrl}/sign-in` },
    ],
  });
}

export function accountExportedMail(event: Heading & RequestOrigin): Mail {
  const { to, language, baseUrl } = event;
  const messages = mailMessagesIn(language).account.exported;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [messages.event(originText(event)), messages.what, messages.notYou, {
      link: `${baseUrl}/account`,
    }],
  });
}

export function deletionStoppedMail({ to, language, baseUrl, at }: Heading): Mail {
  const messages = mailMessagesIn(language).account.deletionStopped;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [messages.event(formatDateTime(language, at)), messages.notYou, { link: `${baseUrl}/account` }],
  });
}

/** Contains no link, because no page is left to open. */
export function accountDeletedMail({ to, language, at }: Heading): Mail {
  const messages = mailMessagesIn(language).account.deleted;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [messages.event(formatDateTime(language, at)), messages.last],
  });
}

export function newDeviceMail(
  { to, language, baseUrl, device, network, at }: {
    readonly to: string;
    readonly language: Language;
    readonly baseUrl: string;
    readonly device: string;
    readonly network: string;
    readonly at: Instant;
  },
): Mail {
  const messages = mailMessagesIn(language).newDevice;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [messages.event(originText({ language, device, network, at })), messages.next, {
      link: `${baseUrl}/account`,
    }],
  });
}

export interface PasskeyMailEvent {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly name: string;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

export function passkeyAddedMail(event: PasskeyMailEvent): Mail {
  return passkeyMail("added", event);
}

export function passkeyRemovedMail(event: PasskeyMailEvent): Mail {
  return passkeyMail("removed", event);
}

function passkeyMail(act: "added" | "removed", event: PasskeyMailEvent): Mail {
  const { to, language, baseUrl, name } = event;
  const { [act]: messages, next } = mailMessagesIn(language).passkey;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [messages.event(name, originText(event)), next, { link: `${baseUrl}/account` }],
  });
}

export type AdministratorMailAct = keyof MailMessages["administrator"]["acts"];

/**
 * Creates a mail about an act of an administrator. `name` is that of the passkey, application or group; empty for an
 * act on the whole account. The mail about a disabled account has no link, because its owner cannot sign in.
 */
export function administratorMail(
  { to, language, baseUrl, act, name }: Omit<Heading, "at"> & {
    readonly act: AdministratorMailAct;
    readonly name: string;
  },
): Mail {
  const { subject, acts, ask, activity } = mailMessagesIn(language).administrator;
  const look = act === "account_disabled" ? [] : [activity, { link: `${baseUrl}/account/audit` }];
  const parts = [acts[act](name), ask, ...look];
  return renderMail({ to, language, subject, parts });
}
