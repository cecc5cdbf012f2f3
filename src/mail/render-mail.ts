import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import type { Language } from "../lib/language.ts";
import { momentIn } from "../lib/date-time.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";

/** A part of a letter: a paragraph, a code to be typed, or an address of ours to be opened. */
export type LetterPart = string | { readonly code: string } | { readonly link: string };

/** A text from elsewhere on one line: whatever would begin another becomes a space. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}

function textOf(part: LetterPart): string {
  if (typeof part === "string") return oneLine(part);
  return "code" in part ? `    ${part.code}` : part.link;
}

function htmlOf(part: LetterPart): Html {
  if (typeof part === "string") return html`<p>${oneLine(part)}</p>\n`;
  if ("code" in part) return html`<p><strong>${part.code}</strong></p>\n`;
  return html`<p><a href="${part.link}">${part.link}</a></p>\n`;
}

/**
 * A mail whose text and HTML say the same: paragraphs without styles, pictures or anything that would be loaded.
 * Each part is one line, so that a name somebody chose cannot pass for a part of its own. Links are taken as they
 * are: they must be made from the service's own address.
 */
export function letter(
  { to, language, subject, parts }: {
    readonly to: string;
    readonly language: Language;
    readonly subject: string;
    readonly parts: readonly LetterPart[];
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

/** Where and when something was done, as mails say it. */
export function placeWords({ language, device, network, at }: {
  readonly language: Language;
  readonly device?: string;
  readonly network: string;
  readonly at: Instant;
}): string {
  return [...(device === undefined ? [] : [device]), network, momentIn(language, at)].join(", ");
}
