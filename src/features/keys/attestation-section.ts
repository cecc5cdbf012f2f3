import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { alertRegion, copyButton } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export interface TeeView {
  readonly provider: string;
  readonly inTee: boolean;
}

/** Renders the service's own claim about the TEE, before a quote is requested. */
function state({ provider, inTee }: TeeView, messages: typeof en.key.attestation): Html {
  return inTee
    ? html`<p class="notice">${messages.inTee(html`<strong>${provider}</strong>`)}</p>`
    : html`<p class="notice danger">${messages.simulated}</p>`;
}

export function attestationSection(tee: TeeView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).key.attestation;
  return html`
    <section id="attestation" class="card" aria-labelledby="attestation-title">
      <h2 id="attestation-title">${messages.title}</h2>
      ${state(tee, messages)}
      <p>
        ${messages.what}
      </p>
      <form id="quote-form"><button class="button" type="submit" disabled>${messages.save}</button></form>
      ${alertRegion("quote-alert")}
      <div id="quote-result" class="result" role="group" aria-labelledby="quote-verdict" tabindex="-1" hidden>
        <p id="quote-verdict" class="notice"></p>
        <ul id="quote-statements" class="plain-list"></ul>
        <dl class="facts">
          <div class="fact-wide">
            <dt>${messages.check}</dt>
            <dd class="copyable"><pre id="quote-command" tabindex="0" role="region" aria-label="${messages
              .command}"></pre>
              ${copyButton("quote-command", messages.theCommand, language)}</dd>
            <dd>${messages.proves}</dd>
          </div>
        </dl>
        <p><a id="quote-file" class="button small" download="quote.json">${messages.saveAgain}</a></p>
        <details>
          <summary>${messages.asItIs}</summary>
          <dl class="facts">
            <div class="fact-wide"><dt>${messages.nonce}</dt><dd><code id="quote-nonce"></code></dd></div>
            <div class="fact-wide">
              <dt>${messages.claims}</dt>
              <dd class="copyable"><pre id="quote-claims" tabindex="0" role="region" aria-label="${messages
                .claims}"></pre>
                ${copyButton("quote-claims", messages.theClaims, language)}</dd>
            </div>
            <div class="fact-wide">
              <dt>${messages.quote}</dt>
              <dd class="copyable"><pre id="quote-text" tabindex="0" role="region" aria-label="${messages
                .quote}"></pre>
                ${copyButton("quote-text", messages.theQuote, language)}</dd>
            </div>
          </dl>
        </details>
      </div>
    </section>
  `;
}
