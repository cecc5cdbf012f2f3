import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { shown } from "../parts.ts";

/** What an application asks of a person's keys, for the person to choose from. */
export interface KeyRightsData {
  /** Those that can be used; empty where all are archived. */
  readonly keys: readonly { readonly id: string; readonly label: string; readonly address: string }[];
  /** Whether it would see them. */
  readonly reads: boolean;
  /** What it would sign; undefined where it asks for nothing of the kind. */
  readonly signing:
    | {
      /** A sentence each, that can be left out. */
      readonly rules: readonly { readonly id: string; readonly words: string }[];
      /** What holds for all of them together. */
      readonly limits: readonly string[];
    }
    | undefined;
  /** For how long it can be: the form's values, with words for them. */
  readonly lengths: readonly { readonly id: string; readonly words: string; readonly chosen: boolean }[];
}

function choice(name: string, words: Html, isChosen: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="on"
    ${isChosen && html`checked`}> <span>${words}</span></label>`;
}

function rulesPart({ rules, limits }: NonNullable<KeyRightsData["signing"]>): Html {
  return html`
    <fieldset class="choices">
      <legend>What it may sign without you</legend>
      ${rules.length === 0 && html`<p class="hint">It asks to sign nothing.</p>`}
      ${rules.map(({ id, words }) => choice(`rule:${id}`, html`${shown(words)}`, true))}
      ${limits.length > 0 && html`
        <ul class="plain-list hint">${limits.map((words) => html`<li>${shown(words)}</li>`)}</ul>
      `}
    </fieldset>
  `;
}

/** The part of the consent page's form that chooses keys, rules and the end; works without a script. */
export function keyRightsSection({ keys, reads, signing, lengths }: KeyRightsData): Html {
  return html`
    <fieldset class="choices">
      <legend>With which of your keys</legend>
      ${keys.length === 0 &&
        html`<p class="notice">You have no key that is in use: make one first, or deny.</p>`}
      ${keys.map(({ id, label, address }) =>
        choice(`key:${id}`, html`${shown(label)} <code>${address}</code>`, false)
      )}
      ${reads && html`<p class="hint">It sees the keys that you choose: labels, addresses and settings.</p>`}
    </fieldset>
    ${signing !== undefined && rulesPart(signing)}
    <div class="field">
      <label for="grant-end">Ends after</label>
      <select id="grant-end" name="end">${lengths.map(({ id, words, chosen }) =>
        html`<option value="${id}" ${chosen && html`selected`}>${words}</option>`
      )}</select>
    </div>
  `;
}
