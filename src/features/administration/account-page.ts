import type { Of } from "../../api/value.ts";
import { type Html, html, type HtmlValue } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { FrameView } from "../../ui/layout.ts";
import { shown, time } from "../../ui/parts.ts";
import { adminLayout, confirmedAct } from "../../ui/section/admin-frame.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { AdminAccess, AdminAccount, AdminGroup, AdminPasskey } from "./schema.ts";

export interface AdminAccountData {
  readonly frame: FrameView;
  readonly account: Of<typeof AdminAccount>;
  readonly passkeys: readonly Of<typeof AdminPasskey>[];
  readonly applications: readonly Of<typeof AdminAccess>[];
  readonly groups: readonly Of<typeof AdminGroup>[];
}

function row(title: HtmlValue, facts: Html, actions: Html | undefined): Html {
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${title}</h3>
        <p class="facts-line">${facts}</p>
      </div>
      ${actions !== undefined && html`<div class="row-actions">${actions}</div>`}
    </li>
  `;
}

function section(title: string, none: string, rows: readonly Html[]): Html {
  return html`
    <section class="stack">
      <h2>${title}</h2>
      ${rows.length === 0 ? html`<p class="empty">${none}</p>` : html`<ul class="rows">${rows}</ul>`}
    </section>
  `;
}

/** Renders an account with what an administrator can end. Its only passkey has no button. */
export function adminAccountPage(
  { frame, account, passkeys, applications, groups }: AdminAccountData,
): Html {
  const { language } = frame;
  const messages = messagesIn(language, { en, de }).person;
  const title = account.email ?? account.name ?? messages.withoutAddress;
  const path = `/admin/accounts/${account.id}`;
  const passkeyRows = passkeys.map(({ id, name, createdAt }) =>
    row(
      shown(name),
      html`<span>${messages.since} ${time(createdAt, language)}</span>`,
      passkeys.length < 2
        ? undefined
        : confirmedAct(`${path}/passkeys/${id}/remove`, messages.removePasskey, messages.removeMeans),
    )
  );
  const accessRows = applications.map(({ clientId, name, scope, consentedAt }) =>
    row(
      shown(name),
      html`<span class="mono">${scope}</span><span>${messages.since} ${time(consentedAt, language)}</span>`,
      confirmedAct(
        `${path}/applications/${encodeURIComponent(clientId)}/end`,
        messages.endAccess,
        messages.endMeans,
      ),
    )
  );
  const groupRows = groups.map(({ id, name }) =>
    row(
      html`<a href="/admin/groups/${id}">${shown(name)}</a>`,
      html`<span class="mono">${id}</span>`,
      undefined,
    )
  );
  return adminLayout({
    frame,
    place: "accounts",
    title,
    content: html`
      <h1>${shown(title)}</h1>
      <p class="facts-line"><span class="mono">${account.id}</span></p>
      <p class="hint">${messages.note}</p>
      ${section(messages.passkeys, messages.noPasskeys, passkeyRows)}
      ${section(messages.applications, messages.noApplications, accessRows)}
      ${section(messages.groups, messages.noGroups, groupRows)}
    `,
  });
}
