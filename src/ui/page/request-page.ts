import type { Explanation } from "../../keys/explain.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { alertRegion, copyButton, needsScript, shown, statusRegion, time } from "../parts.ts";
import { askerWords } from "../section/asker.ts";
import { explanationSection, isDangerous } from "../section/explanation-section.ts";
import type { ShownMessage } from "../section/explanation-section.ts";
import type { AccountView, KeyView, SigningRequestView } from "../view.ts";

/** What the page of one asked signature shows. */
export interface RequestPageData {
  readonly account: AccountView;
  readonly request: SigningRequestView;
  readonly key: KeyView;
  /** What is to be signed, or was; undefined where it is over without a signature. */
  readonly review:
    | { readonly explanation: Explanation; readonly message: ShownMessage | undefined }
    | undefined;
  /** What came of it, by name: undefined unless it was signed. */
  readonly signed: readonly (readonly [name: string, value: string])[] | undefined;
}

const STATUS: Readonly<Record<SigningRequestView["status"], string>> = {
  pending: "Waits for you",
  signed: "Signed",
  declined: "Declined",
  refused: "Refused",
  withdrawn: "Taken back",
  expired: "Not answered in time",
};

function facts({ asker, network, createdAt, expiresAt, reason }: SigningRequestView, key: KeyView): Html {
  return html`
    <section class="card" aria-label="Who asks">
      <p>${askerWords(asker)} for a signature with the key <a href="/keys/${key.id}">${shown(
        key.label,
      )}</a>.</p>
      <dl class="facts">
        <div class="fact-wide">
          <dt>Address</dt>
          <dd><code>${key.address}</code></dd>
        </div>
        <div>
          <dt>From</dt>
          <dd>${network}</dd>
        </div>
        <div>
          <dt>Asked</dt>
          <dd>${time(createdAt)}</dd>
        </div>
        <div>
          <dt>Ends</dt>
          <dd>${time(expiresAt)}</dd>
        </div>
        <div class="fact-wide">
          <dt>Why you are asked</dt>
          <dd>${shown(reason)}</dd>
        </div>
      </dl>
    </section>
  `;
}

/** What a person decides. The page's script unlocks it. */
function decision({ id }: SigningRequestView, { intent, refusal, decision }: Explanation): Html {
  const obstacle = refusal?.detail ?? (decision.outcome === "deny" ? decision.reason : undefined);
  if (obstacle !== undefined) {
    return html`<p class="notice danger">This cannot be approved: ${shown(obstacle)}.</p> ${declineForm(id)}`;
  }
  const danger = isDangerous(intent);
  return html`
    <form id="approve-form" class="stack" data-request-id="${id}">
      <fieldset disabled class="stack">
        ${danger && html`
          <p><label><input type="checkbox" id="anyway" autocomplete="off" required>
            I have read what is marked as danger above, and want this signature all the same</label></p>
        `}
        <p class="actions"><button class="button primary" type="submit">Approve with a passkey</button></p>
      </fieldset>
    </form>
    ${declineForm(id)}
  `;
}

function declineForm(id: string): Html {
  return html`
    <form id="decline-form" class="stack" data-request-id="${id}">
      <fieldset disabled class="stack">
        <div class="field">
          <label for="word">A word to whoever asked <span class="optional">(optional)</span></label>
          <input id="word" name="word" type="text" maxlength="200" autocomplete="off">
        </div>
        <p class="actions"><button class="button" type="submit">Decline</button></p>
      </fieldset>
    </form>
  `;
}

function outcome({ status, endedAt, refusal, word }: SigningRequestView): Html {
  return html`
    <section class="card" aria-labelledby="outcome">
      <h2 id="outcome" tabindex="-1">${STATUS[status]}</h2>
      ${endedAt !== null && html`<p>${time(endedAt)}</p>`}
      ${refusal !== null && html`<p>${shown(refusal.detail)}</p>`}
      ${word !== null && html`<p>You said: ${shown(word)}</p>`}
    </section>
  `;
}

function signedSection(signed: NonNullable<RequestPageData["signed"]>): Html {
  return html`
    <section class="card" aria-labelledby="signed">
      <h2 id="signed">What came of it</h2>
      <dl class="facts">${signed.map(([name, value], index) =>
        html`
          <div class="fact-wide">
            <dt>${name}</dt>
            <dd class="copyable"><code id="signed-${index}">${value}</code>
            ${copyButton(`signed-${index}`, `the ${name.toLowerCase()}`)}</dd>
          </div>
        `
      )}</dl>
    </section>
  `;
}

/**
 * One asked signature: who asks, what would be signed, and what is to become of it. All of it can be read without a
 * script; approving and declining need the page's own.
 */
export function requestPage({ account, request, key, review, signed }: RequestPageData): Html {
  const isPending = request.status === "pending";
  return layout({
    title: isPending ? "A signature waits for you" : "A signature that was asked for",
    account,
    place: "requests",
    script: "request.client.js",
    content: html`
      <div class="stack-wide">
        <div>
          <p class="back"><a href="/requests">Requests</a></p>
          <h1>${isPending ? "A signature waits for you" : "A signature that was asked for"}</h1>
        </div>
        ${needsScript()}
        ${!isPending && outcome(request)}
        ${facts(request, key)}
        ${review !== undefined && html`
          <section class="card" aria-labelledby="review-title">
            <h2 id="review-title">What ${isPending ? "will be" : "was"} signed</h2>
            ${explanationSection(review.explanation, review.message)}
            ${alertRegion("request-alert")} ${statusRegion("request-status")}
            ${isPending && decision(request, review.explanation)}
          </section>
        `}
        ${signed !== undefined && signedSection(signed)}
      </div>
    `,
  });
}
