import { type Html, html, type HtmlValue } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { ADMIN_SCRIPT } from "../assets.ts";
import { type FrameView, layout } from "../layout.ts";
import { de } from "../messages.de.ts";
import { en } from "../messages.en.ts";

const PLACES = ["applications", "accounts", "groups", "invitations", "webhooks"] as const;

export interface AdminPage {
  readonly frame: FrameView;
  readonly place: (typeof PLACES)[number];
  readonly title: string;
  readonly content: HtmlValue;
}

export function adminLayout({ frame, place, title, content }: AdminPage): Html {
  const messages = messagesIn(frame.language, { en, de }).admin;
  return layout({
    title: `${title} · ${messages.administration}`,
    frame,
    script: ADMIN_SCRIPT,
    content: html`
      <nav class="filters admin-places" aria-label="${messages.administration}">
        ${PLACES.map((name) =>
          html`
            <a class="filter" href="/admin/${name}" ${name === place && html`
              aria-current="page"
            `}>${messages[name]}</a>
          `
        )}
        <form method="post" action="/admin/leave"><button class="button small" type="submit">${messages
          .leave}</button></form>
      </nav>
      <div class="stack-wide">${content}</div>
    `,
  });
}

export interface AdminField {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly fault?: string | undefined;
  readonly hint?: string;
  readonly type?: "text" | "url" | "number" | "password";
  readonly more?: Html;
}

export function adminField({ name, label, value, fault, hint, type = "text", more }: AdminField): Html {
  const about = [
    ...(fault === undefined ? [] : [`${name}-fault`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ];
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      <input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="off" spellcheck="false"
        autocapitalize="none" ${more} ${about.length > 0 &&
          html`aria-describedby="${about.join(" ")}"`} ${fault !== undefined && html`aria-invalid="true"`}>
      ${fault !== undefined && html`<p id="${name}-fault" class="notice danger">${fault}</p>`}
      ${hint !== undefined && html`<p id="${name}-hint" class="hint">${hint}</p>`}
    </div>
  `;
}

/** Translates faults, which are in the service's own sentences, by field name. */
export function faultsIn(
  language: Language,
  faults: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const known = messagesIn(language, { en, de }).admin.faults;
  return Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, known[fault] ?? fault]));
}

export function formIdInput(once: string): Html {
  return html`<input type="hidden" name="once" value="${once}">`;
}

/** Renders a button with a form of its own. */
export function actButton(action: string, label: string, kind: "plain" | "danger" = "plain"): Html {
  return html`
    <form method="post"
      action="${action}"><button class="button small${kind === "danger" &&
        " danger"}" type="submit">${label}</button></form>
  `;
}

/** Renders a button like `actButton` that first explains the effect and requires a second click. */
export function confirmedAct(action: string, label: string, meaning: string): Html {
  return html`
    <details class="confirm">
      <summary class="button small">${label}…</summary>
      <p>${meaning}</p>
      ${actButton(action, label, "danger")}
    </details>
  `;
}

export function adminSearch(
  { action, label, text, hint, button }: {
    readonly action: string;
    readonly label: string;
    readonly text: string;
    readonly hint?: string;
    readonly button: string;
  },
): Html {
  return html`
    <form class="admin-search" method="get" action="${action}" role="search">
      ${adminField({ name: "search", label, value: text, ...(hint !== undefined && { hint }) })}
      <button class="button" type="submit">${button}</button>
    </form>
  `;
}
