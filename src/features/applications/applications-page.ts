import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { shown, time } from "../../ui/parts.ts";
import { adminLayout, adminSearch } from "../../ui/section/admin-frame.ts";
import type { Of } from "../../api/value.ts";
import type { FrameView } from "../../ui/layout.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { OAuthClient } from "./schema.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";

export type ListedClientView = Pick<
  Of<typeof OAuthClient>,
  "clientId" | "name" | "uri" | "disabled" | "declared" | "createdAt"
>;

export interface AdminApplicationsData {
  readonly frame: FrameView;
  readonly applications: readonly ListedClientView[];
  readonly search: string;
  readonly next: string | undefined;
}

export function adminApplicationsPage({ frame, applications, search, next }: AdminApplicationsData): Html {
  const { admin } = messagesIn(frame.language, { en: kitEn, de: kitDe });
  const messages = messagesIn(frame.language, { en, de }).list;
  return adminLayout({
    frame,
    place: "applications",
    title: admin.applications,
    content: html`
      <div class="title-row">
        <h1>${admin.applications}</h1>
        <a class="button primary" href="/admin/applications/new">${messages.add}</a>
      </div>
      ${adminSearch({
        action: "/admin/applications",
        label: messages.findApplication,
        text: search,
        button: admin.search,
      })}
      ${applications.length === 0
        ? html`<p class="empty">${search === "" ? messages.none : messages.noneFound}</p>`
        : html`<ul class="rows">${
          applications.map(({ clientId, name, uri, disabled, declared, createdAt }) =>
            html`
              <li class="row">
                <div class="row-main">
                  <h2
                    class="row-title"><a href="/admin/applications/${clientId}">${shown(
                      name,
                    )}</a> ${disabled && html`<span class="badge">${messages.disabled}</span>`} ${declared &&
                      html`<span class="badge">${messages.declared}</span>`}</h2>
                  <p
                    class="facts-line"><span>${shown(
                      uri,
                    )}</span><span class="mono">${clientId}</span><span>${messages.made} ${time(
                      createdAt,
                      frame.language,
                    )}</span></p>
                </div>
              </li>
            `
          )
        }</ul>`}
      ${next !== undefined && html`<p class="pager"><a class="button" href="${next}">${admin.more}</a></p>`}
    `,
  });
}
