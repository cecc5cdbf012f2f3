import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../parts.ts";
import type { KeyPolicyView, PolicyView } from "../view.ts";

/** What a key without a policy signs. */
const ANYTHING = "Anything that you ask for, or a program or application that may use it.";

/** Beginnings for a policy of one's own: its name, and the document. All of them refuse what they do not name. */
const TEMPLATES: readonly (readonly [name: string, policy: unknown])[] = [
  ["Nothing at all", { version: 1, delayHours: 24 }],
  ["Sign in to one site", {
    version: 1,
    messages: { signIn: [{ domains: ["app.example.com"] }] },
    delayHours: 24,
  }],
  ["Send ether to one address", {
    version: 1,
    transactions: [{
      chainId: "1",
      to: ["0x0000000000000000000000000000000000000001"],
      valueAtMost: "1000000000000000000",
      feeAtMost: "10000000000000000",
      selectors: ["0x"],
    }],
    delayHours: 24,
  }],
];

function written(policy: unknown): string {
  return JSON.stringify(policy, null, 2);
}

function sentences({ words }: PolicyView): Html {
  if (words === null) return html`<p>${ANYTHING}</p>`;
  return html`<ul class="policy-words">${words.map((sentence) => html`<li>${shown(sentence)}</li>`)}</ul>`;
}

function changeNotice(keyId: string, { change }: KeyPolicyView): Html | undefined {
  if (change === null) return undefined;
  return html`
    <div class="notice danger stack" role="group" aria-labelledby="policy-change-title">
      <h3 id="policy-change-title">A looser policy waits</h3>
      <p>From ${time(change.takesEffectAt)} on:</p>
      ${sentences(change)}
      <p>If you did not ask for this, cancel it, and look at your passkeys and sessions.</p>
      <form method="post" action="/keys/${keyId}/policy/cancel">
        <button class="button danger" type="submit">Cancel the change</button>
      </form>
    </div>
  `;
}

function document({ policy, hash }: KeyPolicyView): Html | undefined {
  if (policy === null) return undefined;
  return html`
    <details>
      <summary>As a document, and its hash</summary>
      <dl class="facts">
        <div class="fact-wide">
          <dt>Hash</dt>
          <dd class="copyable"><code id="policy-hash">${hash}</code> ${copyButton(
            "policy-hash",
            "the hash",
          )}</dd>
        </div>
        <div class="fact-wide">
          <dt>Policy</dt>
          <dd class="copyable">
            <pre id="policy-text" tabindex="0" role="region" aria-label="Policy">${written(policy)}</pre>
            ${copyButton("policy-text", "the policy")}</dd>
        </div>
      </dl>
    </details>
  `;
}

function form({ policy }: KeyPolicyView): Html {
  return html`
    <details id="policy-edit">
      <summary>${policy === null ? "Set a policy" : "Change the policy"}</summary>
      <form id="policy-form" class="stack" data-locked="${policy?.locked === true ? "yes" : "no"}">
        <fieldset disabled class="stack">
          <div class="field">
            <label for="policy-template">Begin with</label>
            <select id="policy-template" autocomplete="off">
              <option value="">${policy === null ? "An empty document" : "The present policy"}</option>
              ${TEMPLATES.map(([name, template]) =>
                html`<option value="${written(template)}">${name}</option>`
              )}
            </select>
          </div>
          <div class="field">
            <label for="policy-json">Policy, as JSON</label>
            <textarea id="policy-json" name="policy" rows="12" spellcheck="false" autocomplete="off" required
              aria-describedby="policy-hint">${written(policy ?? { version: 1 })}</textarea>
            <p id="policy-hint" class="hint">
              What no rule allows is refused, to you as well. A tighter policy counts at once. A looser one asks for a
              passkey, and waits for the hours that <code>delayHours</code> of the present policy says.
              <code>"locked": true</code> is for ever. docs/policies.md has the vocabulary.
            </p>
          </div>
          <p class="actions">
            <button class="button primary" type="submit">Save the policy</button>
            ${policy !== null && !policy.locked &&
              html`<button id="policy-remove" class="button" type="button" disabled>Remove it</button>`}
          </p>
        </fieldset>
      </form>
    </details>
  `;
}

function lockDialog(): Html {
  return html`
    <dialog id="lock-dialog" aria-labelledby="lock-title">
      <form id="lock-form" class="stack">
        <h2 id="lock-title">Lock this policy for ever?</h2>
        <p>From then on it can only become tighter. Nobody can loosen or remove it, you and the operator included: what
          it does not allow, this key never signs again. What the address holds may be out of reach for good.</p>
        <p class="actions">
          <button class="button danger" type="submit" disabled>Lock it for ever</button>
          <button id="lock-cancel" class="button" type="button" disabled>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

/** What a key may sign, what becomes of that, and the form to change it. Reading and cancelling work without a script. */
export function policySection(keyId: string, view: KeyPolicyView): Html {
  const { policy } = view;
  return html`
    <section id="policy" class="card stack" aria-labelledby="policy-title">
      <h2 id="policy-title">Policy ${policy?.locked === true && html`<span class="badge">Locked</span>`}</h2>
      <p class="hint">What this key may sign, whoever asks. It is in its quotes, for others to check.</p>
      ${changeNotice(keyId, view)}
      ${sentences(view)}
      ${document(view)}
      ${form(view)}
      ${alertRegion("policy-alert")} ${statusRegion("policy-status")}
      ${lockDialog()}
    </section>
  `;
}
