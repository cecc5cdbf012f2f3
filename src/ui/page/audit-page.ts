import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript } from "../assets.ts";
import type { Script } from "../assets.ts";
import * as activityScript from "../browser/activity.client.js" with { type: "text" };
import { layout } from "../layout.ts";
import { shown } from "../parts.ts";
import { activityDays } from "../section/activity-list.ts";
import type { ActivityView } from "../section/activity-list.ts";
import { signaturePlot } from "../section/signature-plot.ts";
import type { DayCount } from "../section/signature-plot.ts";
import type { AccountView } from "../view.ts";
import { de } from "../words/activity.de.ts";
import { en } from "../words/activity.en.ts";

export const ACTIVITY_SCRIPT: Script = defineScript("activity.client.js", {
  "activity.client.js": activityScript,
}, { en, de });

type ActivityWords = typeof en.activity;

/** What a person looks for in their activity. */
export const ACTIVITY_KINDS = ["all", "signing", "sign-ins", "applications", "tokens"] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

/** What the page of events shows. */
export interface AuditPageData {
  readonly account: AccountView;
  readonly activity: ActivityView;
  readonly kind: ActivityKind;
  /** The one key whose events are shown. */
  readonly key: { readonly id: string; readonly label: string } | undefined;
  /** The signatures of the last days, the oldest first; on the first page. */
  readonly days: readonly DayCount[] | undefined;
  /** ISO 8601. */
  readonly now: string;
  /** How many of this page are left out because they are not as the service wrote them. */
  readonly unproven: number;
  /** The end of the chain, its hash in hex; null where the service did not write it. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  /** Whether these are the newest events. */
  readonly isFirstPage: boolean;
  /** The path of the page with older events, if there are any. */
  readonly nextPath?: string;
}

function activityPath(data: Pick<AuditPageData, "kind" | "key">, path = "/account/audit"): string {
  const query = new URLSearchParams({
    ...(data.kind !== "all" && { kind: data.kind }),
    ...(data.key !== undefined && { key: data.key.id }),
  });
  return query.size === 0 ? path : `${path}?${query}`;
}

function filters({ kind, key }: AuditPageData, words: ActivityWords): Html {
  return html`
    <nav class="filters" aria-label="${words.show}">
      ${ACTIVITY_KINDS.map((name) =>
        html`
          <a class="filter" href="${activityPath({ kind: name, key })}" ${name === kind &&
            html`
              aria-current="true"
            `}>${words.kinds[name]}</a>
        `
      )}
      ${key !== undefined && html`
        <a class="filter" href="${activityPath({ kind, key: undefined })}"
          aria-current="true">${words.onlyKey(shown(key.label))}<span
          aria-hidden="true"> ×</span><span class="visually-hidden">${words.showAll}</span></a>
      `}
    </nav>
  `;
}

function headSection(head: AuditPageData["head"], words: ActivityWords["head"]): Html {
  return html`
    <section class="card stack" aria-labelledby="head">
      <h2 id="head">${words.title}</h2>
      ${head === null
        ? html`<p class="notice danger">${words.changed}</p>`
        : html`<p><code class="mono">${head.seq}:${head.hash}</code></p>`}
      <p class="hint">${words.hint(html`<code>holdfast verify-audit --head</code>`)}</p>
    </section>
  `;
}

/** An account's own events in plain words, and the head of the log to keep elsewhere. Works without a script. */
export function auditPage(data: AuditPageData): Html {
  const { account, activity, days, now, unproven, head, isFirstPage, nextPath } = data;
  const { language } = account;
  const words = messagesIn(language, { en, de }).activity;
  return layout({
    title: words.title,
    account,
    place: "activity",
    script: ACTIVITY_SCRIPT,
    content: html`
      <div class="stack-wide">
        <div>
          <h1>${words.title}</h1>
          <p class="lead">${words.lead}</p>
        </div>
        ${days !== undefined && signaturePlot(days, language)}
        ${filters(data, words)}
        ${unproven > 0 && html`<p class="notice danger">${words.unproven(unproven)}</p>`}
        ${activity.events.length === 0
          ? html`<p class="empty">${nextPath === undefined ? words.none : words.noneAmongThese}</p>`
          : activityDays(activity, now, language)}
        ${(!isFirstPage || nextPath !== undefined) && html`
          <nav class="actions" aria-label="${words.pages}">
            ${!isFirstPage && html`<a class="button" href="${activityPath(data)}">${words.newest}</a>`}
            ${nextPath !== undefined &&
              html`<a class="button" rel="next" href="${nextPath}">${words.older}</a>`}
          </nav>
        `}
        <p><a href="${activityPath(data, "/account/audit.csv")}" download>${words.csv}</a></p>
        ${headSection(head, words.head)}
      </div>
    `,
  });
}
