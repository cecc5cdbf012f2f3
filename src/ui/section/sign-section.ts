import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { identicon } from "../identicon.ts";
import { alertRegion, shortAddress, shown, statusRegion } from "../parts.ts";
import type { KeyView } from "../view.ts";

/**
 * The ways of signing: the value scripts read, its name, what it means, and the settings of blind signing with which the
 * key refuses all of it. The last three are or can be blind.
 */
type Kind = readonly [
  value: string,
  name: string,
  hint: string,
  refusedBy?: readonly KeyView["blindSigning"][],
];

const KINDS = [
  [
    "personal_sign",
    "Text",
    "A message for people to read (EIP-191). Always text, even where it looks like hex.",
  ],
  ["typed_data", "Typed data", "A document that applications ask for, as JSON (EIP-712)."],
  [
    "transaction",
    "Transaction",
    "Its members with type, chainId and nonce as JSON, or its unsigned bytes as 0x and hex. Signed, not sent.",
  ],
  [
    "authorization",
    "Authorization",
    "chainId, address and nonce as JSON (EIP-7702): this address runs the code of that one from then on.",
  ],
  [
    "personal_bytes",
    "Message bytes",
    "A message of bytes (EIP-191), 0x and hex. 32 bytes may be what a contract wallet takes for your consent.",
    ["deny"],
  ],
  ["raw", "Raw bytes", "Blind: the Keccak-256 hash of these bytes, 0x and hex.", ["deny"]],
  ["digest", "Digest", "Blind: 32 bytes, signed as they are, 0x and hex.", ["guard", "deny"]],
] as const satisfies readonly Kind[];

/** What the key refuses is not offered; the script shows it again when the setting is changed. */
function kindChoice({ blindSigning }: KeyView): Html {
  return html`
    <fieldset class="kinds">
      <legend>What to sign</legend>
      ${KINDS.map(([value, name, hint, refusedBy = []]: Kind, index) =>
        html`
          <label class="kind" data-refused-by="${refusedBy.join(" ")}"
            ${refusedBy.includes(blindSigning) && html`hidden`}>
            <input type="radio" name="kind" value="${value}" autocomplete="off" data-hint="${hint}" ${index ===
                0 && html`checked`}>
            <span>${name}</span>
          </label>
        `
      )}
    </fieldset>
  `;
}

/** What stays in view while a person reads: with which key, and the two ways on. */
function signBar({ label, address }: KeyView): Html {
  return html`
    <div class="sign-bar">
      <p class="sign-bar-key">${identicon(address, 28)}<span><strong class="key-name">${shown(label)}</strong>
        <code title="${address}">${shortAddress(address)}</code></span></p>
      <p class="actions">
        <button id="review-cancel" class="button" type="button">Change it</button>
        <button id="sign-button" class="button primary" type="button">Sign</button>
      </p>
    </div>
  `;
}

function review(key: KeyView): Html {
  return html`
    <div id="review" class="result" role="group" aria-labelledby="review-title" tabindex="-1" hidden>
      <h3 id="review-title">What will be signed</h3>
      <div id="review-intent" class="stack"></div>
      <div id="review-tree"></div>
      <details id="review-all">
        <summary>All fields</summary>
        <div id="review-fields"></div>
        <dl class="facts">
          <div class="fact-wide">
            <dt>Digest</dt>
            <dd><code id="review-digest"></code></dd>
          </div>
        </dl>
      </details>
      <p id="review-refusal" class="notice danger" hidden></p>
      <p id="review-anyway" hidden>
        <label><input type="checkbox" id="review-anyway-box" autocomplete="off">
          I have read what is marked as danger above, and want this signature all the same</label>
      </p>
      ${signBar(key)}
    </div>
  `;
}

function result({ label }: KeyView): Html {
  return html`
    <div id="signed" class="result" role="group" aria-labelledby="signed-title" tabindex="-1" hidden>
      <h3 id="signed-title">Signed</h3>
      <p class="signed-what"><span id="signed-what"></span> with <strong class="key-name">${shown(
        label,
      )}</strong></p>
      <dl id="signed-values" class="facts"></dl>
      <p class="actions"><button id="sign-again" class="button" type="button">New message</button></p>
    </div>
  `;
}

function signForm(key: KeyView): Html {
  return html`
    ${statusRegion("draft-status")}
    <form id="sign-form" class="stack">
      <fieldset id="sign-fields" class="stack" disabled>
        ${kindChoice(key)}
        <p id="kind-hint" class="hint">${KINDS[0][2]}</p>
        <p id="blind-warning" class="notice danger" hidden>
          Blind signing. Nobody can tell what these bytes stand for: it may be a transaction that empties this address.
          Go on only if you made them yourself.
        </p>
        <div class="field">
          <label for="message" id="message-label">Message</label>
          <textarea id="message" name="message" rows="5" spellcheck="false" autocomplete="off"
            aria-describedby="kind-hint"></textarea>
        </div>
        <div id="offer" class="stack" role="status"></div>
        <p class="actions"><button class="button primary" type="submit" aria-keyshortcuts="Control+Enter">Review</button></p>
      </fieldset>
    </form>
    ${alertRegion("sign-alert")} ${review(key)} ${result(key)}
  `;
}

/** Signing: what to sign, what it means, then the button. An archived key says why there is no form. */
export function signSection(key: KeyView): Html {
  return html`
    <section id="sign" class="card" aria-labelledby="sign-title">
      <h2 id="sign-title">Sign</h2>
      ${key.archived
        ? html`<p class="notice">This key is archived, so it does not sign. Unarchive it under Settings to use it again.</p>`
        : signForm(key)}
    </section>
  `;
}
