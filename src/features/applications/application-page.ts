import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { copyButton, shown, time } from "../../ui/parts.ts";
import { actButton, adminLayout, confirmedAct, formIdInput } from "../../ui/section/admin-frame.ts";
import { type ApplicationForm, applicationForm, type GroupChoice } from "./application-form.ts";
import type { FrameView } from "../../ui/layout.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export interface ConnectionView {
  readonly issuer: string;
  readonly clientId: string;
  /** Shown only once. */
  readonly secret: string | undefined;
  readonly authentication: string;
  readonly endpoints: readonly (readonly [name: string, url: string])[];
  readonly environment: string;
  readonly snippet: string;
}

export interface AdminApplicationData {
  readonly frame: FrameView;
  readonly form: ApplicationForm;
  readonly connection: ConnectionView;
  readonly isPublic: boolean;
  readonly isDisabled: boolean;
  /** The groups that can be chosen. */
  readonly groups: readonly GroupChoice[];
  /** True if the declaration file defines it. It can be changed only there. */
  readonly isDeclared: boolean;
  /** The time until which the previous secret is valid, ISO 8601. Null if there is none. */
  readonly previousSecretEnd: string | null;
  readonly isSaved: boolean;
  /** True if the form was not saved, because the application was changed since it was opened. */
  readonly isStale: boolean;
  readonly once: string;
}

export function adminNewApplicationPage(
  { frame, form, groups, once }: Pick<AdminApplicationData, "frame" | "form" | "groups" | "once">,
): Html {
  const messages = messagesIn(frame.language, { en, de }).form;
  return adminLayout({
    frame,
    place: "applications",
    title: messages.newTitle,
    content: html`<h1>${messages.newTitle}</h1>${
      applicationForm({ form, groups, action: "/admin/applications", language: frame.language, once })
    }`,
  });
}

function copyableField(id: string, label: string, value: string, { language }: FrameView): Html {
  return html`
    <div class="field"><span class="label">${label}</span>
      <p class="copyable"><code id="${id}" class="mono">${value}</code> ${copyButton(id, label, language)}</p>
    </div>
  `;
}

function copiedLines(id: string, label: string, value: string, { language }: FrameView): Html {
  return html`
    <div
      class="copyable"><pre id="${id}" tabindex="0" role="group" aria-label="${label}">${value}</pre> ${copyButton(
        id,
        label,
        language,
      )}</div>
  `;
}

function connectionSection({ frame, connection, isPublic }: AdminApplicationData): Html {
  const messages = messagesIn(frame.language, { en, de }).connection;
  const { issuer, clientId, secret, authentication, endpoints, environment, snippet } = connection;
  const withoutSecret = isPublic ? messages.isPublic : messages.ownKeys;
  const secretHint = authentication === "client_secret_basic" ? messages.noSecret : withoutSecret;
  return html`
    <section class="card stack" aria-labelledby="connection">
      <h2 id="connection">${messages.title}</h2>
      <p class="hint">${messages.hint}</p>
      ${copyableField("issuer", messages.issuer, issuer, frame)} ${copyableField(
        "client-id",
        messages.clientId,
        clientId,
        frame,
      )}
      ${secret !== undefined &&
        html`<div class="notice" role="status"><p>${messages.secretOnce}</p>${
          copyableField("client-secret", messages.secret, secret, frame)
        }</div>`}
      ${secret === undefined && html`<p class="hint">${secretHint}</p>`}
      <p class="facts-line"><span>${messages.authentication}: <code>${authentication}</code></span></p>
      <details><summary>${messages.endpoints}</summary><dl class="facts">${endpoints.map(([name, url]) =>
        html`
          <div class="fact-wide">
            <dt><code>${name}</code></dt>
            <dd class="mono">${url}</dd>
          </div>
        `
      )}</dl></details>
      <details><summary>${messages
        .environment}</summary>${copiedLines(
          "environment",
          messages.environment,
          environment,
          frame,
        )}</details>
      <details><summary>${messages
        .snippet}</summary>${copiedLines("snippet", messages.snippet, snippet, frame)}</details>
    </section>
  `;
}

function secretSection(
  { frame, connection, previousSecretEnd, once }: AdminApplicationData,
): Html | undefined {
  if (connection.authentication !== "client_secret_basic") return undefined;
  const messages = messagesIn(frame.language, { en, de }).secret;
  const path = `/admin/applications/${connection.clientId}/secret`;
  return html`
    <section class="card stack" aria-labelledby="secret">
      <h2 id="secret">${messages.title}</h2>
      ${previousSecretEnd !== null &&
        html`<p class="notice">${messages.previous(time(previousSecretEnd, frame.language))}</p>${
          actButton(`${path}/end`, messages.end)
        }`}
      <form class="stack" method="post" action="${path}">
        ${formIdInput(once)}
        <div class="field">
          <label for="overlap">${messages.overlap}</label>
          <select id="overlap" name="overlap" autocomplete="off">${Object.entries(messages.overlaps).map((
            [seconds, text],
          ) =>
            html`<option value="${seconds}" ${seconds === "86400" && html`selected`}>${text}</option>`
          )}</select>
        </div>
        <p class="actions"><button class="button" type="submit">${messages.rotate}</button></p>
      </form>
    </section>
  `;
}

function dangerSection({ frame, connection, isDisabled }: AdminApplicationData): Html {
  const messages = messagesIn(frame.language, { en, de }).danger;
  const path = `/admin/applications/${connection.clientId}`;
  return html`
    <section class="card stack" aria-labelledby="danger">
      <h2 id="danger">${messages.title}</h2>
      ${isDisabled
        ? html`<p class="notice danger">${messages.isDisabled}</p>${
          actButton(`${path}/enable`, messages.enable)
        }`
        : confirmedAct(`${path}/disable`, messages.disable, messages.disableMeans)}
      ${confirmedAct(`${path}/delete`, messages.remove, messages.removeMeans)}
    </section>
  `;
}

/** Renders the sections that change an application. A declared application has none. */
function changeSections(data: AdminApplicationData): Html {
  const { frame, form, groups, connection, isDeclared, isDisabled } = data;
  const { danger, declared } = messagesIn(frame.language, { en, de });
  if (isDeclared) {
    return html`<p class="notice">${declared}</p>${
      isDisabled && html`<p class="notice danger">${danger.isDisabled}</p>`
    }`;
  }
  const action = `/admin/applications/${connection.clientId}`;
  return html`${applicationForm({ form, groups, action, language: frame.language })} ${secretSection(data)} ${
    dangerSection(data)
  }`;
}

export function adminApplicationPage(data: AdminApplicationData): Html {
  const { frame, form, isSaved, isStale } = data;
  const messages = messagesIn(frame.language, { en, de }).form;
  return adminLayout({
    frame,
    place: "applications",
    title: form.name,
    content: html`
      <h1>${shown(form.name)}</h1>
      ${isSaved && html`<p class="notice" role="status">${messages.saved}</p>`}
      ${isStale && html`<p class="notice danger" role="alert">${messages.stale}</p>`}
      ${connectionSection(data)} ${changeSections(data)}
    `,
  });
}
