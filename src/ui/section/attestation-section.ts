import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { alertRegion, copyButton } from "../parts.ts";

/** Asking for a quote over the key, and what it says. The script fills the result in. */
export function attestationSection(): Html {
  return html`
    <section class="card" aria-labelledby="attestation-title">
      <h2 id="attestation-title">Attestation</h2>
      <p>
        A quote is the hardware’s statement about the program that holds this key. Your browser adds a random number, so
        that an old quote cannot be shown again.
      </p>
      <form id="quote-form"><button class="button" type="submit" disabled>Fetch a quote</button></form>
      ${alertRegion("quote-alert")}
      <div id="quote-result" class="result" role="group" aria-labelledby="quote-verdict" tabindex="-1" hidden>
        <p id="quote-verdict" class="notice"></p>
        <dl class="facts">
          <div><dt>Provider</dt><dd id="quote-provider"></dd></div>
          <div><dt>In a TEE</dt><dd id="quote-in-tee"></dd></div>
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
          <div class="fact-wide">
            <dt>Check it yourself: save it, then on your own machine, in sources of Holdfast that you trust</dt>
            <dd class="copyable"><pre id="quote-command" tabindex="0" role="region" aria-label="Command"></pre>
              ${copyButton("quote-command", "the command")}</dd>
            <dd><a id="quote-file" class="button small" download="quote.json">Save the quote</a></dd>
            <dd>What each check proves, and what to compare the measurements with, is in docs/attestation.md there.</dd>
          </div>
        </dl>
      </div>
    </section>
  `;
}
