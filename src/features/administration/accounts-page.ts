import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { shown, time } from "../../ui/parts.ts";
import { actButton, adminLayout, adminSearch, confirmedAct } from "../../ui/section/admin-frame.ts";
import type { Of } from "../../api/value.ts";
import type { FrameView } from "../../ui/layout.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { AdminAccount } from "./schema.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";

export interface AdminAccountsData {
  readonly frame: FrameView;
  readonly accounts: readonly Of<typeof AdminAccount>[];
  readonly search: string;
  readonly next: string | undefined;
  readonly ended: number | undefined;
}

function accountRow(
  { id, email, name, createdAt, disabledAt }: Of<typeof AdminAccount>,
  { language }: FrameView,
): Html {
  const messages = messagesIn(language, { en, de }).people;
  const path = `/admin/accounts/${id}`;
  return html`
    <li class="row">
      <div class="row-main">
        <h2 class="row-title"><a href="${path}">${shown(email ?? name ?? messages.withoutAddress)}</a></h2>
        <p class="facts-line">
          <span class="mono">${id}</span>
          <span>${messages.since} ${time(createdAt, language)}</span>
          ${disabledAt !== null &&
            html`<span class="badge">${messages.disabledSince} ${time(disabledAt, language)}</span>`}
        </p>
      </div>
      <div class="row-actions">
        ${disabledAt === null
          ? confirmedAct(`${path}/disable`, messages.disable, messages.disableMeans)
          : actButton(`${path}/enable`, messages.enable)}
        ${actButton(`${path}/end-sessions`, messages.endSessions)}
      </div>
    </li>
  `;
}

export function adminAccountsPage({ frame, accounts, search, next, ended }: AdminAccountsData): Html {
  const { admin } = messagesIn(frame.language, { en: kitEn, de: kitDe });
  const messages = messagesIn(frame.language, { en, de }).people;
  return adminLayout({
    frame,
    place: "accounts",
    title: admin.accounts,
    content: html`
      <h1>${admin.accounts}</h1>
      <p class="hint">${messages.note}</p>
      ${ended !== undefined && html`<p class="notice" role="status">${messages.ended(ended)}</p>`}
      ${adminSearch({
        action: "/admin/accounts",
        label: messages.find,
        text: search,
        hint: messages.findHint,
        button: admin.search,
      })}
      ${accounts.length === 0
        ? html`<p class="empty">${search === "" ? messages.none : messages.noneFound}</p>`
        : html`<ul class="rows">${accounts.map((account) => accountRow(account, frame))}</ul>`}
      ${next !== undefined && html`<p class="pager"><a class="button" href="${next}">${admin.more}</a></p>`}
    `,
  });
}
