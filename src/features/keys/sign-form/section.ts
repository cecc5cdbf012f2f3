import { type Html, html } from "../../../lib/html.ts";
import { shortAddress } from "../../../ethereum/address.ts";
import { type Language, messagesIn } from "../../../lib/language.ts";
import { identicon } from "../identicon.ts";
import { alertRegion, shown, statusRegion } from "../../../ui/parts.ts";
import type { KeyView } from "../../../api/key.ts";
import { en, type SignKind } from "../messages.en.ts";
import { de } from "../messages.de.ts";

type SignMessages = typeof en.sign;

/** The kinds of signing, each with the blind-signing settings at which the key refuses all of it. */
const KINDS: readonly (readonly [SignKind, ...refusedBy: readonly KeyView["blindSigning"][]])[] = [
  ["personal_sign"],
  ["typed_data"],
  ["transaction"],
  ["authorization"],
  ["personal_bytes", "deny"],
  ["raw", "deny"],
  ["digest", "guard", "deny"],
];

/** Renders the choice of kinds. Hides those that the key refuses; the script shows them when the setting changes. */
function kindChoice({ blindSigning }: KeyView, messages: SignMessages): Html {
  return html`
    <fieldset class="kinds">
      <legend>${messages.what}</legend>
      ${KINDS.map(([value, ...refusedBy], index) => {
        const [name, hint] = messages.kinds[value];
        return html`
          <label class="kind" data-refused-by="${refusedBy.join(" ")}"
            ${refusedBy.includes(blindSigning) && html`hidden`}>
            <input type="radio" name="kind" value="${value}" autocomplete="off" data-hint="${hint}" ${index ===
                0 && html`checked`}>
            <span>${name}</span>
          </label>
        `;
      })}
    </fieldset>
  `;
}

/** Renders the bar that stays in view during the review: the key, and the buttons to go back or sign. */
function signBar({ label, address }: KeyView, messages: SignMessages): Html {
  return html`
    <div class="sign-bar">
      <p class="sign-bar-key">${identicon(address, 28)}<span><strong id="sign-key">${shown(label)}</strong>
        <code title="${address}">${shortAddress(address)}</code></span></p>
      <p class="actions">
        <button id="review-cancel" class="button" type="button">${messages.change}</button>
        <button id="sign-button" class="button primary" type="button">${messages.sign}</button>
      </p>
    </div>
  `;
}

function review(key: KeyView, messages: SignMessages): Html {
  return html`
    <div id="review" class="result" role="group" aria-labelledby="review-title" tabindex="-1" hidden>
      <h3 id="review-title">${messages.willBeSigned}</h3>
      <div id="review-content" class="stack"></div>
      ${signBar(key, messages)}
    </div>
  `;
}

function result({ label }: KeyView, messages: SignMessages): Html {
  const key = html`<strong id="signed-key">${shown(label)}</strong>`;
  return html`
    <div id="signed" class="result" role="group" aria-labelledby="signed-title" tabindex="-1" hidden>
      <h3 id="signed-title">${messages.signed}</h3>
      <p class="signed-what">${messages.signedWhat(html`<span id="signed-what"></span>`, key)}</p>
      <dl id="signed-values" class="facts"></dl>
      <p class="actions"><button id="sign-again" class="button" type="button">${messages.again}</button></p>
    </div>
  `;
}

function signForm(key: KeyView, messages: SignMessages): Html {
  return html`
    ${statusRegion("draft-status")}
    <form id="sign-form" class="stack">
      <fieldset id="sign-fields" class="stack" disabled>
        ${kindChoice(key, messages)}
        <p id="kind-hint" class="hint">${messages.kinds.personal_sign[1]}</p>
        <p id="blind-warning" class="notice danger" hidden>
          ${messages.blind}
        </p>
        <div class="field">
          <label for="message" id="message-label">${messages.message}</label>
          <textarea id="message" name="message" rows="5" spellcheck="false" autocomplete="off"
            aria-describedby="kind-hint"></textarea>
        </div>
        <div id="offer" class="stack" role="status"></div>
        <p class="actions"><button class="button primary" type="submit" aria-keyshortcuts="Control+Enter">${messages
          .review}</button></p>
      </fieldset>
    </form>
    ${alertRegion("sign-alert")} ${review(key, messages)} ${result(key, messages)}
  `;
}

/** Renders the form, the review and the button. For an archived key, renders why there is no form. */
export function signSection(key: KeyView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).sign;
  return html`
    <section id="sign" class="card" aria-labelledby="sign-title">
      <h2 id="sign-title">${messages.title}</h2>
      ${key.archived ? html`<p class="notice">${messages.archived}</p>` : signForm(key, messages)}
    </section>
  `;
}
