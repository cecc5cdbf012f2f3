import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { auditWords } from "../audit-words.ts";
import { layout } from "../layout.ts";
import { time } from "../parts.ts";
import type { AccountView } from "../view.ts";

/** An event as the page shows it; the API's own shape of one fits. */
export interface AuditEventView {
  readonly seq: number;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly event: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What the page of events shows. */
export interface AuditPageData {
  readonly account: AccountView;
  /** Newest first. */
  readonly events: readonly AuditEventView[];
  /** How many of this page are left out because they are not as the service wrote them. */
  readonly unproven: number;
  /** The end of the chain, its hash in hex; null where the service did not write it. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  /** Whether these are the newest events. */
  readonly isFirstPage: boolean;
  /** The path of the page with older events, if there are any. */
  readonly nextPath?: string;
}

function subjectText(subject: string): Html {
  return subject.startsWith("key_")
    ? html`<a class="mono" href="/keys/${subject}">${subject}</a>`
    : html`<span class="mono">${subject}</span>`;
}

/** One event in plain words, an item of a list. */
export function auditEventItem({ seq, at, event, subject, detail }: AuditEventView): Html {
  return html`
    <li class="audit-event">
      <p>${auditWords(event, detail)}</p>
      <p class="fine">${time(at)} · entry ${seq}${subject !== null && html`
        · ${subjectText(subject)}
      `}</p>
    </li>
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
      <p class="hint">Every entry is tied to the one before it. Keep this line somewhere that the operator of this service cannot change. Whoever runs <code>holdfast verify-audit --head</code> with it later sees whether the log still begins with the same entries, or was cut off or put back to an older state.</p>
    </section>
  `;
}

/** An account's own events in plain words, and the head of the log to keep elsewhere. Works without a script. */
export function auditPage(data: AuditPageData): Html {
  const { account, events, unproven, head, isFirstPage, nextPath } = data;
  return layout({
    title: "Activity",
    account,
    place: "activity",
    content: html`
      <div class="stack-wide">
        <div>
          <h1>Activity</h1>
          <p class="lead">What happened in your account and to your keys, newest first. Entries of other accounts stand between yours, so the numbers have gaps.</p>
        </div>
        ${unproven > 0 && html`
          <p
            class="notice danger">Left out here, because nothing proves that this service wrote them so: ${unproven}. Somebody has changed the log. Tell the operator.</p>
        `}
        ${events.length === 0
          ? html`<p class="empty">No events to show.</p>`
          : html`<ol class="audit-list">${events.map(auditEventItem)}</ol>`}
        ${(!isFirstPage || nextPath !== undefined) && html`
          <nav class="actions" aria-label="Pages">
            ${!isFirstPage && html`<a href="/account/audit">Newest events</a>`}
            ${nextPath !== undefined && html`<a rel="next" href="${nextPath}">Older events</a>`}
          </nav>
        `}
        ${headSection(head)}
        <p><a href="/account">Back to your account</a></p>
      </div>
    `,
  });
}
