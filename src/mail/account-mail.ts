import { momentIn } from "../lib/date-time.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./messages.ts";
import { letter, placeWords } from "./render-mail.ts";

/** What a mail about an account begins with. */
interface Heading {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly at: Instant;
}

/** From where it was done. */
interface Place {
  readonly device: string;
  readonly network: string;
}

/** The code that proves an address for an account that there is. As `codeMail`, but that it says what it would do. */
export function emailChangeCodeMail(
  { to, language, baseUrl, code, service }: Omit<Heading, "at"> & {
    /** Six digits. */
    readonly code: string;
    /** The name people know the service by. */
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  const { account: { addressCode: words }, code: { subject, notYou } } = mailWordsIn(language);
  return letter({
    to,
    language,
    subject: subject(service),
    parts: [
      words.code(service, host),
      { code },
      words.once,
      words.place(host),
      notYou,
      `@${host} #${code}`,
    ],
  });
}

/** Tells an address that it is an account's no more, and how that is taken back. */
export function emailChangedMail(
  news: Heading & Place & {
    /** What the link carries. */
    readonly token: string;
    readonly until: Instant;
  },
): Mail {
  const { to, language, baseUrl, token, until } = news;
  const words = mailWordsIn(language).account.emailChanged;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [
      words.news(placeWords(news)),
      words.you,
      words.notYou(momentIn(language, until)),
      { link: `${baseUrl}/take-back?${new URLSearchParams({ token })}` },
      words.after,
    ],
  });
}

/** Tells an address that a change was taken back: the one that the account has again, or one that it had meanwhile. */
export function emailTakenBackMail(
  news: Heading & Place & {
    /** Whether it is the address that the account has now. */
    readonly isOwn: boolean;
  },
): Mail {
  const { to, language, baseUrl, isOwn } = news;
  const words = mailWordsIn(language).account.takenBack;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [
      isOwn ? words.own(placeWords(news)) : words.other(placeWords(news)),
      words.next,
      { link: `${baseUrl}/account` },
    ],
  });
}

/** Tells that an account is to be deleted, to each address that is or lately was its own. */
export function deletionAskedMail(
  news: Heading & Place & {
    readonly dueAt: Instant;
    /** How many keys go with it. */
    readonly keys: number;
  },
): Mail {
  const { to, language, baseUrl, dueAt, keys } = news;
  const words = mailWordsIn(language).account.deletionAsked;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [
      words.news(placeWords(news)),
      words.due(momentIn(language, dueAt)),
      ...(keys === 0 ? [] : [words.keys(keys)]),
      words.keep,
      { link: `${baseUrl}/sign-in` },
    ],
  });
}

/** Tells that all data of an account went out as a file, to each address that is or lately was its own. */
export function accountExportedMail(news: Heading & Place): Mail {
  const { to, language, baseUrl } = news;
  const words = mailWordsIn(language).account.exported;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(placeWords(news)), words.what, words.notYou, { link: `${baseUrl}/account` }],
  });
}

/** Tells that an account stays. */
export function deletionStoppedMail({ to, language, baseUrl, at }: Heading): Mail {
  const words = mailWordsIn(language).account.deletionStopped;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(momentIn(language, at)), words.notYou, { link: `${baseUrl}/account` }],
  });
}

/** Tells that an account is gone. There is nothing left to open. */
export function accountDeletedMail({ to, language, at }: Heading): Mail {
  const words = mailWordsIn(language).account.deleted;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(momentIn(language, at)), words.last],
  });
}

/** Tells the owner of an account that somebody signed in to it from a browser that it did not know. */
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
  const words = mailWordsIn(language).newDevice;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(placeWords({ language, device, network, at })), words.next, {
      link: `${baseUrl}/account`,
    }],
  });
}

/** What became of a passkey, and from where. */
export interface PasskeyNews {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  /** The passkey's. */
  readonly name: string;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of an account that a passkey was added. */
export function passkeyAddedMail(news: PasskeyNews): Mail {
  return passkeyMail("added", news);
}

/** Tells the owner of an account that a passkey was removed. */
export function passkeyRemovedMail(news: PasskeyNews): Mail {
  return passkeyMail("removed", news);
}

function passkeyMail(act: "added" | "removed", news: PasskeyNews): Mail {
  const { to, language, baseUrl, name } = news;
  const { [act]: words, next } = mailWordsIn(language).passkey;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(name, placeWords(news)), next, { link: `${baseUrl}/account` }],
  });
}
