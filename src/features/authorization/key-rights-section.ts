import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import type { GrantLength } from "../../oauth/authorize/key-choice.ts";
import { shown } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

type KeyRightsWords = typeof en.consent.keys;

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
  /** For how long it can be: the form's values. */
  readonly lengths: readonly { readonly id: GrantLength; readonly chosen: boolean }[];
}

function choice(name: string, words: Html, isChosen: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="on"
    ${isChosen && html`checked`}> <span>${words}</span></label>`;
}

function rulesPart({ rules, limits }: NonNullable<KeyRightsData["signing"]>, words: KeyRightsWords): Html {
  return html`
    <fieldset class="choices">
      <legend>${words.rules}</legend>
      ${rules.length === 0 && html`<p class="hint">${words.signsNothing}</p>`}
      ${rules.map(({ id, words: rule }) => choice(`rule:${id}`, html`${shown(rule)}`, true))}
      ${limits.length > 0 && html`
        <ul class="plain-list hint">${limits.map((limit) => html`<li>${shown(limit)}</li>`)}</ul>
      `}
    </fieldset>
  `;
}

/** The part of the consent page's form that chooses keys, rules and the end; works without a script. */
export function keyRightsSection(
  { keys, reads, signing, lengths }: KeyRightsData,
  language: Language,
): Html {
  const words = messagesIn(language, { en, de }).consent.keys;
  return html`
    <fieldset class="choices">
      <legend>${words.which}</legend>
      ${keys.length === 0 &&
        html`<p class="notice">${words.noKey}</p>`}
      ${keys.map(({ id, label, address }) =>
        choice(`key:${id}`, html`${shown(label)} <code>${address}</code>`, false)
      )}
      ${reads && html`<p class="hint">${words.reads}</p>`}
    </fieldset>
    ${signing !== undefined && rulesPart(signing, words)}
    <div class="field">
      <label for="grant-end">${words.endsAfter}</label>
      <select id="grant-end" name="end">${lengths.map(({ id, chosen }) =>
        html`<option value="${id}" ${chosen && html`selected`}>${words.lengths[id]}</option>`
      )}</select>
    </div>
  `;
}
