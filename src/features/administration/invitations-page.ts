import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { copyButton, shown, time } from "../../ui/parts.ts";
import { actButton, adminField, adminLayout, faultsIn, formIdInput } from "../../ui/section/admin-frame.ts";
import type { Of } from "../../api/value.ts";
import type { FrameView } from "../../ui/layout.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { AdminInvitation } from "./schema.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";

export type InvitationView = Of<typeof AdminInvitation> & { readonly isUnusable: boolean };

export interface AdminInvitationsData {
  readonly frame: FrameView;
  readonly rule: "open" | "invite" | "closed";
  readonly invitations: readonly InvitationView[];
  /** The link that was just made. Shown only once. */
  readonly link: string | undefined;
  readonly form: { readonly email: string; readonly uses: string; readonly days: string };
  /** The message for each invalid field, by its name. */
  readonly faults: Readonly<Record<string, string>>;
  readonly once: string;
  readonly next: string | undefined;
}

function invitationRow(invitation: InvitationView, { language }: FrameView): Html {
  const messages = messagesIn(language, { en, de }).guests;
  const { id, email, uses, used, expiresAt, isUnusable } = invitation;
  return html`
    <li class="row">
      <div class="row-main">
        <h2 class="row-title">${email === null ? messages.anyone : shown(email)} ${isUnusable &&
          html`<span class="badge">${messages.unusable}</span>`}</h2>
        <p class="facts-line"><span>${messages.used(used, uses)}</span><span>${messages.until} ${time(
          expiresAt,
          language,
        )}</span></p>
      </div>
      <div class="row-actions">${actButton(`/admin/invitations/${id}/withdraw`, messages.withdraw)}</div>
    </li>
  `;
}

function invitationForm({ frame, form, faults: given, once }: AdminInvitationsData): Html {
  const messages = messagesIn(frame.language, { en, de }).guests;
  const faults = faultsIn(frame.language, given);
  const field = (name: "email" | "uses" | "days", label: string, more: object = {}): Html =>
    adminField({ name, label, value: form[name], fault: faults[name], ...more });
  return html`
    <form class="card stack" method="post" action="/admin/invitations">
      ${formIdInput(once)}
      ${Object.keys(faults).length > 0 && html`<p class="notice danger" role="alert">${messages.wrong}</p>`}
      ${field("email", messages.email, { hint: messages.emailHint })}
      ${field("uses", messages.uses, { type: "number", more: html`min="1" max="1000" required` })}
      ${field("days", messages.days, { type: "number", more: html`min="1" max="365" required` })}
      <p class="actions"><button class="button primary" type="submit">${messages.make}</button></p>
    </form>
  `;
}

export function adminInvitationsPage(data: AdminInvitationsData): Html {
  const { frame, rule, invitations, link, next } = data;
  const { admin } = messagesIn(frame.language, { en: kitEn, de: kitDe });
  const messages = messagesIn(frame.language, { en, de }).guests;
  return adminLayout({
    frame,
    place: "invitations",
    title: admin.invitations,
    content: html`
      <h1>${admin.invitations}</h1>
      <p class="hint">${messages.rules[rule]}</p>
      ${link !== undefined && html`
        <div class="notice" role="status">
          <p>${messages.made}</p>
          <p class="copyable"><code id="link" class="mono">${link}</code> ${copyButton(
            "link",
            messages.link,
            frame.language,
          )}</p>
        </div>
      `}
      ${invitationForm(data)}
      ${invitations.length === 0
        ? html`<p class="empty">${messages.none}</p>`
        : html`<ul class="rows">${invitations.map((one) => invitationRow(one, frame))}</ul>`}
      ${next !== undefined && html`<p class="pager"><a class="button" href="${next}">${admin.more}</a></p>`}
    `,
  });
}
