import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { shown } from "../parts.ts";
import { activityDays } from "../section/activity-list.ts";
import type { ActivityView } from "../section/activity-list.ts";
import { signaturePlot } from "../section/signature-plot.ts";
import type { DayCount } from "../section/signature-plot.ts";
import type { AccountView } from "../view.ts";

/** What a person looks for in their activity. */
export const ACTIVITY_KINDS = ["all", "signing", "sign-ins", "applications", "tokens"] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

const KIND_NAMES: Readonly<Record<ActivityKind, string>> = {
  all: "Everything",
  signing: "Signatures",
  "sign-ins": "Sign-ins",
  applications: "Applications",
  tokens: "Tokens",
};

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

function filters({ kind, key }: AuditPageData): Html {
  return html`
    <nav class="filters" aria-label="Show">
      ${ACTIVITY_KINDS.map((name) =>
        html`
          <a class="filter" href="${activityPath({ kind: name, key })}" ${name === kind &&
            html`
              aria-current="true"
            `}>${KIND_NAMES[name]}</a>
        `
      )}
      ${key !== undefined && html`
        <a class="filter" href="${activityPath({ kind, key: undefined })}"
          aria-current="true">Only ${shown(
            key.label,
          )}<span aria-hidden="true"> ×</span><span class="visually-hidden">, show all</span></a>
      `}
    </nav>
  `;
}

function headSection(head: AuditPageData["head"]): Html {
  return html`
    <section class="card stack" aria-labelledby="head">
      <h2 id="head">The end of the log</h2>
      ${head === null
        ? html`
          <p
            class="notice danger">The last entry was not written by this service: somebody has changed the log. Tell the operator.</p>
        `
        : html`<p><code class="mono">${head.seq}:${head.hash}</code></p>`}
      <p class="hint">Every entry is tied to the one before it; those of other accounts stand between yours, so the numbers have gaps. Keep this line somewhere that the operator of this service cannot change. Whoever runs <code>holdfast verify-audit --head</code> with it later sees whether the log still begins with the same entries, or was cut off or put back to an older state.</p>
    </section>
  `;
}

/** An account's own events in plain words, and the head of the log to keep elsewhere. Works without a script. */
export function auditPage(data: AuditPageData): Html {
  const { account, activity, days, now, unproven, head, isFirstPage, nextPath } = data;
  return layout({
    title: "Activity",
    account,
    place: "activity",
    script: "activity.client.js",
    content: html`
      <div class="stack-wide">
        <div>
          <h1>Activity</h1>
          <p class="lead">What happened in your account and to your keys, newest first.</p>
        </div>
        ${days !== undefined && signaturePlot(days)}
        ${filters(data)}
        ${unproven > 0 && html`
          <p
            class="notice danger">Left out here, because nothing proves that this service wrote them so: ${unproven}. Somebody has changed the log. Tell the operator.</p>
        `}
        ${activity.events.length === 0
          ? html`<p class="empty">${
            nextPath === undefined ? "No events to show." : "None among these: look further back."
          }</p>`
          : activityDays(activity, now, account.language)}
        ${(!isFirstPage || nextPath !== undefined) && html`
          <nav class="actions" aria-label="Pages">
            ${!isFirstPage && html`<a class="button" href="${activityPath(data)}">Newest events</a>`}
            ${nextPath !== undefined &&
              html`<a class="button" rel="next" href="${nextPath}">Older events</a>`}
          </nav>
        `}
        <p><a href="${activityPath(data, "/account/audit.csv")}" download>Save as CSV</a></p>
        ${headSection(head)}
      </div>
    `,
  });
}
