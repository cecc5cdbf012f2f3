import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { shown } from "../../ui/parts.ts";
import { activityDays, type ActivityView } from "../../ui/section/activity-list.ts";
import * as activityScript from "./activity.client.js" with { type: "text" };
import { ACTIVITY_KINDS, type ActivityKind } from "./schema.ts";
import { signaturesSection, type SignaturesView } from "./signatures-section.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const ACTIVITY_SCRIPT: Script = defineScript("activity.client.js", {
  "activity.client.js": activityScript,
}, { en, de });

type ActivityMessages = typeof en.activity;

export interface AuditPageData {
  readonly account: AccountView;
  readonly activity: ActivityView;
  readonly kind: ActivityKind;
  readonly key: { readonly id: string; readonly label: string } | undefined;
  /** The signatures of the last days. Set on the first page only. */
  readonly signatures: SignaturesView | undefined;
  /** ISO 8601. */
  readonly now: string;
  /** The number of entries of this page left out because they fail verification. */
  readonly unverified: number;
  /** The last entry of the log, its hash in hex. Null if it fails verification. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  readonly isFirstPage: boolean;
  readonly nextPath?: string;
}

function activityPath(data: Pick<AuditPageData, "kind" | "key">, path = "/account/audit"): string {
  const query = new URLSearchParams({
    ...(data.kind !== "all" && { kind: data.kind }),
    ...(data.key !== undefined && { key: data.key.id }),
  });
  return query.size === 0 ? path : `${path}?${query}`;
}

function filters({ kind, key }: AuditPageData, messages: ActivityMessages): Html {
  return html`
    <nav class="filters" aria-label="${messages.show}">
      ${ACTIVITY_KINDS.map((name) =>
        html`
          <a class="filter" href="${activityPath({ kind: name, key })}" ${name === kind &&
            html`
              aria-current="true"
            `}>${messages.kinds[name]}</a>
        `
      )}
      ${key !== undefined && html`
        <a class="filter" href="${activityPath({ kind, key: undefined })}"
          aria-current="true">${messages.onlyKey(shown(key.label))}<span
          aria-hidden="true"> ×</span><span class="visually-hidden">${messages.showAll}</span></a>
      `}
    </nav>
  `;
}

function headSection(head: AuditPageData["head"], messages: ActivityMessages["head"]): Html {
  return html`
    <section class="card stack" aria-labelledby="head">
      <h2 id="head">${messages.title}</h2>
      ${head === null
        ? html`<p class="notice danger">${messages.changed}</p>`
        : html`<p><code class="mono">${head.seq}:${head.hash}</code></p>`}
      <p class="hint">${messages.hint(html`<code>holdfast verify-audit --head</code>`)}</p>
    </section>
  `;
}

/** Renders the events of an account, and the head of the log to store elsewhere. Works without a script. */
export function auditPage(data: AuditPageData): Html {
  const { account, activity, signatures, now, unverified, head, isFirstPage, nextPath } = data;
  const { language } = account;
  const messages = messagesIn(language, { en, de }).activity;
  return layout({
    title: messages.title,
    account,
    place: "activity",
    script: ACTIVITY_SCRIPT,
    content: html`
      <div class="stack-wide">
        <div>
          <h1>${messages.title}</h1>
          <p class="lead">${messages.lead}</p>
        </div>
        ${signatures !== undefined && signaturesSection(signatures, language)}
        ${filters(data, messages)}
        ${unverified > 0 && html`<p class="notice danger">${messages.unverified(unverified)}</p>`}
        ${activity.events.length === 0
          ? html`<p class="empty">${nextPath === undefined ? messages.none : messages.noneAmongThese}</p>`
          : activityDays(activity, now, language)}
        ${(!isFirstPage || nextPath !== undefined) && html`
          <nav class="actions" aria-label="${messages.pages}">
            ${!isFirstPage && html`<a class="button" href="${activityPath(data)}">${messages.newest}</a>`}
            ${nextPath !== undefined &&
              html`<a class="button" rel="next" href="${nextPath}">${messages.older}</a>`}
          </nav>
        `}
        <p><a href="${activityPath(data, "/account/audit.csv")}" download>${messages.csv}</a></p>
        ${headSection(head, messages.head)}
      </div>
    `,
  });
}
