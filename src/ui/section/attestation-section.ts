import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { alertRegion, copyButton } from "../parts.ts";

/** What the service stands on. */
export interface TeeView {
  readonly provider: string;
  readonly inTee: boolean;
}

/** What there is before anybody asks. */
function state({ provider, inTee }: TeeView): Html {
  return inTee
    ? html`<p class="notice">In a TEE: <strong>${provider}</strong>, says the service. A quote lets you check it.</p>`
    : html`
      <p
        class="notice danger"><strong>Simulated.</strong> This service does not run in a trusted execution environment: a
        quote has the right form but proves nothing.</p>
    `;
}

/** Asking for a quote over the key, and what it says. The script fills the result in. */
export function attestationSection(tee: TeeView): Html {
  return html`
    <section id="attestation" class="card" aria-labelledby="attestation-title">
      <h2 id="attestation-title">Attestation</h2>
      ${state(tee)}
      <p>
        A quote is the hardware’s statement about the program that holds this key. Your browser adds a random number, so
        that an old quote cannot be shown again.
      </p>
      <form id="quote-form"><button class="button" type="submit" disabled>Save a quote</button></form>
      ${alertRegion("quote-alert")}
      <div id="quote-result" class="result" role="group" aria-labelledby="quote-verdict" tabindex="-1" hidden>
        <p id="quote-verdict" class="notice"></p>
        <ul id="quote-words" class="plain-list"></ul>
        <dl class="facts">
          <div class="fact-wide">
            <dt>Check it yourself: beside the saved file, on your own machine, in sources of Holdfast that you trust</dt>
            <dd class="copyable"><pre id="quote-command" tabindex="0" role="region" aria-label="Command"></pre>
              ${copyButton("quote-command", "the command")}</dd>
            <dd>What each check proves, and what to compare the measurements with, is in docs/attestation.md there.</dd>
          </div>
        </dl>
        <p><a id="quote-file" class="button small" download="quote.json">Save it again</a></p>
        <details>
          <summary>Random number, claims and quote as they are</summary>
          <dl class="facts">
            <div class="fact-wide"><dt>Your browser’s random number</dt><dd><code id="quote-nonce"></code></dd></div>
            <div class="fact-wide">
              <dt>Claims</dt>
              <dd class="copyable"><pre id="quote-claims" tabindex="0" role="region" aria-label="Claims"></pre>
                ${copyButton("quote-claims", "the claims")}</dd>
            </div>
            <div class="fact-wide">
              <dt>Quote</dt>
              <dd class="copyable"><pre id="quote-text" tabindex="0" role="region" aria-label="Quote"></pre>
                ${copyButton("quote-text", "the quote")}</dd>
            </div>
          </dl>
        </details>
      </div>
    </section>
  `;
}
