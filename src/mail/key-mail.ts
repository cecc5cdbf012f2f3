import { formatDateTime } from "../lib/date-time.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";
import { mailMessagesIn } from "./messages.ts";
import { type MailPart, originText, renderMail } from "./render-mail.ts";

export interface SignatureMailEvent {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly requestId: string;
  /** The name of the token or client. */
  readonly requesterName: string;
  readonly keyLabel: string;
  readonly network: string;
  readonly at: Instant;
}

/** Creates the mail about a pending signing request. The content to sign is shown only on the page. */
export function signatureRequestedMail(event: SignatureMailEvent): Mail {
  const { to, language, baseUrl, requestId, requesterName, keyLabel, network, at } = event;
  const messages = mailMessagesIn(language).signature;
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [
      messages.event(requesterName, keyLabel, originText({ language, network, at })),
      messages.approve,
      { link: `${baseUrl}/requests/${requestId}` },
      messages.all,
      { link: `${baseUrl}/requests` },
    ],
  });
}

/** Creates the mail about a program that tries again and again to leave its policy. The page names the program. */
export function refusalsMail(
  { to, language, baseUrl }: { readonly to: string; readonly language: Language; readonly baseUrl: string },
): Mail {
  const { subject, event, revoke } = mailMessagesIn(language).refusals;
  return renderMail({
    to,
    language,
    subject,
    parts: [event, { link: `${baseUrl}/account/audit` }, revoke, { link: `${baseUrl}/developer` }],
  });
}

export type PolicyAct = "tightened" | "loosened" | "asked" | "cancelled" | "took_effect";

export interface PolicyMailEvent {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly keyId: string;
  readonly label: string;
  /** Sentences that describe the policy: the present one, or the pending one. Undefined if it allows everything. */
  readonly rules: readonly string[] | undefined;
  readonly changeAt: Instant | undefined;
  /** The origin of the change; undefined if a pending change took effect. */
  readonly requestedFrom: { readonly device: string; readonly network: string } | undefined;
  readonly at: Instant;
}

export function policyMail(act: PolicyAct, event: PolicyMailEvent): Mail {
  const { to, language, baseUrl, keyId, label, rules, changeAt, requestedFrom, at } = event;
  const { anything, [act]: wording } = mailMessagesIn(language).policy;
  const { subject, heading, next } = wording;
  const what = wording.event(label, changeAt === undefined ? "" : formatDateTime(language, changeAt));
  const from = requestedFrom === undefined
    ? formatDateTime(language, at)
    : originText({ language, ...requestedFrom, at });
  const allowed: readonly MailPart[] = heading === undefined ? [] : [heading, ...(rules ?? [anything])];
  return renderMail({
    to,
    language,
    subject,
    parts: [`${what}: ${from}.`, ...allowed, next, { link: `${baseUrl}/keys/${keyId}#policy` }],
  });
}

export interface TokenMailEvent {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly name: string;
  readonly keys: "all" | readonly string[];
  readonly actions: readonly string[];
  readonly expiresAt: Instant;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

export function tokenAddedMail(event: TokenMailEvent): Mail {
  const { to, language, baseUrl, name, keys, actions, expiresAt } = event;
  const messages = mailMessagesIn(language).token;
  const which = keys === "all" ? messages.allKeys : messages.keys(keys.length);
  const rights = actions.map((action) => messages.actions[action] ?? action).join(", ");
  return renderMail({
    to,
    language,
    subject: messages.subject,
    parts: [
      messages.event(name, originText(event)),
      messages.rights(which, rights, formatDateTime(language, expiresAt)),
      messages.next,
      { link: `${baseUrl}/account` },
    ],
  });
}
