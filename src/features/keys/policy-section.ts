import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { policyBuilder } from "../../ui/section/policy-builder.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../../ui/parts.ts";
import type { KeyPolicyView, PolicyView } from "../../api/policy.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

type PolicyMessages = typeof en.policy;

/** Documents to start a policy from, by name. Each refuses what it does not mention. */
const TEMPLATES: readonly (readonly [name: keyof PolicyMessages["templates"], policy: unknown])[] = [
  ["nothing", { version: 1, delayHours: 24 }],
  ["signIn", {
    version: 1,
    messages: { signIn: [{ domains: ["app.example.com"] }] },
    delayHours: 24,
  }],
  ["ether", {
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

function sentences({ words: rules }: PolicyView, messages: PolicyMessages): Html {
  if (rules === null) return html`<p>${messages.anything}</p>`;
  return html`<ul class="policy-rules">${rules.map((sentence) => html`<li>${shown(sentence)}</li>`)}</ul>`;
}

function changeNotice(keyId: string, { change }: KeyPolicyView, language: Language): Html | undefined {
  const messages = messagesIn(language, { en, de }).policy;
  if (change === null) return undefined;
  return html`
    <div class="notice danger stack" role="group" aria-labelledby="policy-change-title">
      <h3 id="policy-change-title">${messages.looserWaits}</h3>
      <p>${messages.from(time(change.takesEffectAt, language))}</p>
      ${sentences(change, messages)}
      <p>${messages.notYou}</p>
      <form method="post" action="/keys/${keyId}/policy/cancel">
        <button class="button danger" type="submit">${messages.cancelChange}</button>
      </form>
    </div>
  `;
}

function document({ policy, hash }: KeyPolicyView, language: Language): Html | undefined {
  const messages = messagesIn(language, { en, de }).policy;
  if (policy === null) return undefined;
  return html`
    <details>
      <summary>${messages.asDocument}</summary>
      <dl class="facts">
        <div class="fact-wide">
          <dt>${messages.hash}</dt>
          <dd class="copyable"><code id="policy-hash">${hash}</code> ${copyButton(
            "policy-hash",
            messages.theHash,
            language,
          )}</dd>
        </div>
        <div class="fact-wide">
          <dt>${messages.policy}</dt>
          <dd class="copyable">
            <pre id="policy-text" tabindex="0" role="region" aria-label="${messages.policy}">${written(
              policy,
            )}</pre>
            ${copyButton("policy-text", messages.thePolicy, language)}</dd>
        </div>
      </dl>
    </details>
  `;
}

function form({ policy }: KeyPolicyView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).policy;
  return html`
    <details id="policy-edit">
      <summary>${policy === null ? messages.set : messages.change}</summary>
      <form id="policy-form" class="stack" data-locked="${policy?.locked === true ? "yes" : "no"}">
        <fieldset disabled class="stack">
          <div class="field">
            <label for="policy-template">${messages.beginWith}</label>
            <select id="policy-template" autocomplete="off">
              <option value="">${policy === null ? messages.empty : messages.present}</option>
              ${TEMPLATES.map(([name, template]) =>
                html`<option value="${written(template)}">${messages.templates[name]}</option>`
              )}
            </select>
          </div>
          ${policyBuilder("key", language)}
          <div class="field">
            <label for="policy-json">${messages.asJson}</label>
            <textarea id="policy-json" name="policy" rows="12" spellcheck="false" autocomplete="off" required
              aria-describedby="policy-hint">${written(policy ?? { version: 1 })}</textarea>
            <p id="policy-hint" class="hint">
              ${messages.formHint}
            </p>
          </div>
          <p class="actions">
            <button class="button primary" type="submit">${messages.save}</button>
            ${policy !== null && !policy.locked &&
              html`<button id="policy-remove" class="button" type="button" disabled>${messages.remove}</button>`}
          </p>
        </fieldset>
      </form>
    </details>
  `;
}

function lockDialog(messages: PolicyMessages): Html {
  return html`
    <dialog id="lock-dialog" aria-labelledby="lock-title">
      <form id="lock-form" class="stack">
        <h2 id="lock-title">${messages.lockTitle}</h2>
        <p>${messages.lockMeans}</p>
        <p class="actions">
          <button class="button danger" type="submit" disabled>${messages.lock}</button>
          <button id="lock-cancel" class="button" type="button" disabled>${messages.cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

/** Renders the policy, its pending change and the form. Reading and cancelling work without a script. */
export function policySection(keyId: string, view: KeyPolicyView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).policy;
  const { policy } = view;
  return html`
    <section id="policy" class="card stack" aria-labelledby="policy-title">
      <h2 id="policy-title">${messages.title} ${policy?.locked === true &&
        html`<span class="badge">${messages.locked}</span>`}</h2>
      <p class="hint">${messages.hint}</p>
      ${changeNotice(keyId, view, language)}
      ${sentences(view, messages)}
      ${document(view, language)}
      ${form(view, language)}
      ${alertRegion("policy-alert")} ${statusRegion("policy-status")}
      ${lockDialog(messages)}
    </section>
  `;
}
