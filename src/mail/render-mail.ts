import { type Html, html } from "../lib/html.ts";
import type { Language } from "../lib/language.ts";
import { formatDateTime } from "../lib/date-time.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";

/** A part of a mail: a paragraph, a code to type, or a link to the service. */
export type MailPart = string | { readonly code: string } | { readonly link: string };

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

function textOf(part: MailPart): string {
  if (typeof part === "string") return oneLine(part);
  return "code" in part ? `    ${part.code}` : part.link;
}

function htmlOf(part: MailPart): Html {
  if (typeof part === "string") return html`<p>${oneLine(part)}</p>\n`;
  if ("code" in part) return html`<p><strong>${part.code}</strong></p>\n`;
  return html`<p><a href="${part.link}">${part.link}</a></p>\n`;
}

/**
 * Creates a mail whose text and HTML have the same content: paragraphs without styles, images or other loaded
 * resources. Each part is one line, so that a name chosen by an attacker cannot pass for a part of its own. Links are
 * not checked: the caller must build them from the service's own address.
 */
export function renderMail(
  { to, language, subject, parts }: {
    readonly to: string;
    readonly language: Language;
    readonly subject: string;
    readonly parts: readonly MailPart[];
  },
): Mail {
  const page = html`
    <!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8">
        <title>${subject}</title>
      </head>
      <body>
    ${parts.map(htmlOf)}</body>
    </html>
  `;
  return { to, subject, text: parts.map(textOf).join("\n\n") + "\n", html: `${page}` };
}

export function originText({ language, device, network, at }: {
  readonly language: Language;
  readonly device?: string;
  readonly network: string;
  readonly at: Instant;
}): string {
  return [...(device === undefined ? [] : [device]), network, formatDateTime(language, at)].join(", ");
}
