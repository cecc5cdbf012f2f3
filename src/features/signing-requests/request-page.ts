import type { Explanation } from "../../keys/explain.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { translateReason } from "../../policy/reason.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as requestScript from "./request.client.js" with { type: "text" };
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, needsScript, shown, statusRegion, time } from "../../ui/parts.ts";
import { requesterText } from "./requests-page.ts";
import { explanationSection, isDangerous, refusalMessage } from "../../ui/section/explanation.ts";
import type { ShownMessage } from "../../ui/section/explanation.ts";
import type { KeyView } from "../../api/key.ts";
import type { SigningRequestView } from "../../api/signing-request.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const REQUEST_SCRIPT: Script = defineScript("request.client.js", {
  "request.client.js": requestScript,
});

type RequestMessages = typeof en.requests;

export interface RequestPageData {
  readonly account: AccountView;
  readonly request: SigningRequestView;
  /** The host of the requesting application's home page. Null for others, and if the application was deleted. */
  readonly askedBy: string | null;
  readonly key: KeyView;
  /** The explanation of what is or was to be signed. Undefined if the request ended without a signature. */
  readonly review:
    | { readonly explanation: Explanation; readonly message: ShownMessage | undefined }
    | undefined;
  /** The members of the signature. Undefined unless it was signed. */
  readonly signed: readonly (readonly [name: string, value: string])[] | undefined;
}

function facts(
  { request, askedBy, key }: RequestPageData,
  language: Language,
): Html {
  const { asker, network, createdAt, expiresAt, reason, purpose } = request;
  const messages = messagesIn(language, { en, de }).requests;
  const link = html`<a href="/keys/${key.id}">${shown(key.label)}</a>`;
  return html`
    <section class="card" aria-label="${messages.whoAsks}">
      <p>${messages.asksFor(requesterText(asker, language, askedBy), link)}</p>
      ${purpose !== null && html`<p class="notice">${messages.purpose(shown(purpose))}</p>`}
      <dl class="facts">
        <div class="fact-wide">
          <dt>${messages.address}</dt>
          <dd><code>${key.address}</code></dd>
        </div>
        <div>
          <dt>${messages.from}</dt>
          <dd>${network}</dd>
        </div>
        <div>
          <dt>${messages.requestedAt}</dt>
          <dd>${time(createdAt, language)}</dd>
        </div>
        <div>
          <dt>${messages.ends}</dt>
          <dd>${time(expiresAt, language)}</dd>
        </div>
        <div class="fact-wide">
          <dt>${messages.why}</dt>
          <dd>${shown(translateReason(reason, language))}</dd>
        </div>
      </dl>
    </section>
  `;
}

function decision(
  { id }: SigningRequestView,
  { intent, refusal, decision }: Explanation,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).requests;
  const obstacle = refusal === null
    ? (decision.outcome === "deny" ? decision.reason : undefined)
    : refusalMessage(refusal, language);
  if (obstacle !== undefined) {
    return html`
      <p class="notice danger">${messages.cannotApprove(shown(obstacle))}</p>
      <fieldset disabled>
        <p class="actions">${declineButton(messages)}</p>
      </fieldset>
      ${declineForm(id, messages)}
    `;
  }
  const danger = isDangerous(intent);
  return html`
    <form id="approve-form" class="stack" data-request-id="${id}">
      <fieldset disabled class="stack">
        ${danger && html`
          <p><label><input type="checkbox" id="anyway" autocomplete="off" required>
            ${messages.anyway}</label></p>
        `}
        <p class="actions">
          <button class="button primary" type="submit">${messages.approve}</button>
          ${declineButton(messages)}
        </p>
      </fieldset>
    </form>
    ${declineForm(id, messages)}
  `;
}

/** Renders the button of the form below it, beside the one that approves. */
function declineButton(messages: RequestMessages): Html {
  return html`<button class="button" type="submit" form="decline-form">${messages.decline}</button>`;
}

function declineForm(id: string, messages: RequestMessages): Html {
  return html`
    <form id="decline-form" class="stack" data-request-id="${id}">
      <fieldset disabled class="stack">
        <div class="field">
          <label for="word">${messages.word}</label>
          <input id="word" name="word" type="text" maxlength="200" autocomplete="off">
        </div>
      </fieldset>
    </form>
  `;
}

function outcome({ status, endedAt, refusal, word }: SigningRequestView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).requests;
  return html`
    <section class="card" aria-labelledby="outcome">
      <h2 id="outcome" tabindex="-1">${messages.statuses[status]}</h2>
      ${endedAt !== null && html`<p>${time(endedAt, language)}</p>`}
      ${refusal !== null && html`<p>${shown(refusalMessage(refusal, language))}</p>`}
      ${word !== null && html`<p>${messages.yourComment} ${shown(word)}</p>`}
    </section>
  `;
}

function signedSection(signed: NonNullable<RequestPageData["signed"]>, language: Language): Html {
  const messages = messagesIn(language, { en, de }).requests;
  return html`
    <section class="card" aria-labelledby="signed">
      <h2 id="signed">${messages.outcome}</h2>
      <dl class="facts">${signed.map(([name, value], index) =>
        html`
          <div class="fact-wide">
            <dt>${messages.values[name]?.[0] ?? name}</dt>
            <dd class="copyable"><code id="signed-${index}">${value}</code>
            ${copyButton(`signed-${index}`, messages.values[name]?.[1] ?? name, language)}</dd>
          </div>
        `
      )}</dl>
    </section>
  `;
}

/** Renders one signing request. Can be read without a script; approving and declining need it. */
export function requestPage(data: RequestPageData): Html {
  const { account, request, review, signed } = data;
  const isPending = request.status === "pending";
  const { language } = account;
  const messages = messagesIn(language, { en, de }).requests;
  return layout({
    title: isPending ? messages.waits : messages.wasAsked,
    account,
    place: "requests",
    script: REQUEST_SCRIPT,
    content: html`
      <div class="stack-wide">
        <div>
          <p class="back"><a href="/requests">${messages.title}</a></p>
          <h1>${isPending ? messages.waits : messages.wasAsked}</h1>
        </div>
        ${needsScript(language)}
        ${!isPending && outcome(request, language)}
        ${facts(data, language)}
        ${review !== undefined && html`
          <section class="card" aria-labelledby="review-title">
            <h2 id="review-title">${isPending ? messages.willBeSigned : messages.wasSigned}</h2>
            ${explanationSection(review.explanation, review.message, language)}
            ${alertRegion("request-alert")} ${statusRegion("request-status")}
            ${isPending && decision(request, review.explanation, language)}
          </section>
        `}
        ${signed !== undefined && signedSection(signed, language)}
      </div>
    `,
  });
}
