import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import type { WarningLevel } from "../../clear-signing/intent.ts";
import type { DescribedRule } from "../../policy/describe-rules.ts";
import type { GrantLength } from "../../oauth/authorize/key-choice.ts";
import {
  FILLABLE_TEMPLATES,
  type FillableTemplate,
  type TemplateField,
  usualValue,
} from "../../policy/fill-template.ts";
import { shown } from "../../ui/parts.ts";
import { policyBuilder } from "../../ui/section/policy-builder.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

type KeyRightsMessages = typeof en.consent.keys;

export interface KeyRightsData {
  /** The keys that are not archived. */
  readonly keys: readonly { readonly id: string; readonly label: string; readonly address: string }[];
  readonly reads: boolean;
  /** True if the application sees the addresses of the chosen keys and cannot use them by that. */
  readonly wallets: boolean;
  /** The requested signing policy. Undefined if it requests none. */
  readonly signing:
    | {
      /** The rules that the user can leave out, a sentence each. */
      readonly rules: readonly DescribedRule[];
      readonly limits: readonly string[];
    }
    | undefined;
  /** True if the owner picks the policy. */
  readonly picks: boolean;
  readonly lengths: readonly { readonly id: GrantLength; readonly chosen: boolean }[];
  /** True if the application has rights on keys from earlier. */
  readonly hasRights: boolean;
}

function choice(name: string, label: Html, isChosen: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="on"
    ${isChosen && html`checked`}> <span>${label}</span></label>`;
}

/** Renders a rule with its level. A red one has a box of its own, which the user ticks. */
function ruleChoice(
  { id, sentence, level }: DescribedRule,
  messages: KeyRightsMessages,
  levels: Readonly<Record<WarningLevel, string>>,
): Html {
  const label = level === undefined
    ? html`${shown(sentence)}`
    : html`<strong>${levels[level]}: </strong>${shown(sentence)}`;
  if (level !== "red") return choice(`rule:${id}`, label, true);
  return html`<div class="notice danger choices">${
    choice(`rule:${id}`, label, false)
  } <p>${messages.danger}</p></div>`;
}

function rulesPart(
  { rules, limits }: NonNullable<KeyRightsData["signing"]>,
  messages: KeyRightsMessages,
  levels: Readonly<Record<WarningLevel, string>>,
): Html {
  return html`
    <fieldset class="choices">
      <legend>${messages.rules}</legend>
      ${rules.length === 0 && html`<p class="hint">${messages.signsNothing}</p>`}
      ${rules.map((rule) => ruleChoice(rule, messages, levels))}
      ${limits.length > 0 && html`
        <ul class="plain-list hint">${limits.map((limit) => html`<li>${shown(limit)}</li>`)}</ul>
      `}
    </fieldset>
  `;
}

function templateField(id: FillableTemplate, field: TemplateField, messages: KeyRightsMessages): Html {
  const { name, kind, unit } = field;
  const inputId = `value-${id}-${name}`;
  return html`
    <div class="field">
      <label for="${inputId}">${messages.values[name]}${unit !== undefined && ` (${unit})`}</label>
      <input id="${inputId}" name="value:${id}:${name}" type="text" maxlength="255" autocomplete="off"
        ${kind !== "host" && html`inputmode="decimal"`} value="${usualValue(id, field)}">
    </div>
  `;
}

/** The policy that the owner's own begins with. */
const OWN_POLICY = JSON.stringify({ version: 1, otherwise: "ask" });

/** Renders the choice of a policy that the owner writes, with its rules if a script runs. */
function ownPart(messages: KeyRightsMessages, language: Language): Html {
  return html`
    <label
      class="choice"><input id="own-template" type="radio" name="template" value="own"> <span>${messages
        .own}</span></label>
    <details class="template-values">
      <summary>${messages.itsRules}</summary>
      <div class="stack">
        ${policyBuilder("application", language)}
        <div class="field">
          <label for="own-policy">${messages.asJson}</label>
          <textarea id="own-policy" name="policy" class="mono short" rows="4" spellcheck="false"
            autocomplete="off">${OWN_POLICY}</textarea>
        </div>
        <div class="notice danger choices">
          ${choice("danger", html`${messages.ownDanger}`, false)} <p>${messages.danger}</p>
        </div>
      </div>
    </details>
  `;
}

/** Renders the templates that the owner picks from, each with its values. */
function templatesPart(language: Language): Html {
  const messages = messagesIn(language, { en, de }).consent.keys;
  const templates = Object.entries(FILLABLE_TEMPLATES) as [FillableTemplate, readonly TemplateField[]][];
  return html`
    <fieldset class="choices">
      <legend>${messages.picks}</legend>
      ${templates.map(([id, fields], index) =>
        html`
          <label class="choice"><input type="radio" name="template" value="${id}"
            ${index === 0 && html`checked`}> <span>${messages.templates[id]}</span></label>
          ${fields.length > 0 && html`
            <details class="template-values">
              <summary>${messages.itsValues}</summary>
              <div class="stack">${fields.map((field) => templateField(id, field, messages))}</div>
            </details>
          `}
        `
      )}
      ${ownPart(messages, language)}
      <label class="choice"><input type="checkbox" name="otherwise" value="ask"> <span>${messages
        .asksElse}</span></label>
    </fieldset>
  `;
}

/** Returns true if the request is for keys to read or sign with, and not only for their addresses. */
export function isForUse({ reads, picks, signing }: KeyRightsData): boolean {
  return reads || picks || signing !== undefined;
}

/** Renders the part of the consent form that chooses keys, rules and the grant's length. Works without a script. */
export function keyRightsSection(
  data: KeyRightsData,
  language: Language,
): Html {
  const { keys, reads, wallets, signing, picks, lengths, hasRights } = data;
  const messages = messagesIn(language, { en, de }).consent.keys;
  return html`
    ${hasRights && html`
      <div class="notice choices">
        <p>${messages.already}</p>
        ${choice("replace", html`${messages.replace}`, false)}
      </div>
    `}
    <fieldset class="choices">
      <legend>${isForUse(data) ? messages.which : messages.shown}</legend>
      ${keys.length === 0 &&
        html`<p class="notice">${isForUse(data) ? messages.noKey : messages.noneShown}</p>`}
      ${keys.map(({ id, label, address }) =>
        choice(`key:${id}`, html`${shown(label)} <code>${address}</code>`, false)
      )}
      ${reads && html`<p class="hint">${messages.reads}</p>`}
      ${wallets && html`<p class="hint">${messages.wallets}</p>`}
    </fieldset>
    ${signing !== undefined &&
      rulesPart(signing, messages, messagesIn(language, { en: kitEn, de: kitDe }).intent.levels)}
    ${picks && templatesPart(language)}
    ${lengths.length > 0 && html`
      <div class="field">
        <label for="grant-end">${messages.endsAfter}</label>
        <select id="grant-end" name="end">${lengths.map(({ id, chosen }) =>
          html`<option value="${id}" ${chosen && html`selected`}>${messages.lengths[id]}</option>`
        )}</select>
      </div>
    `}
  `;
}
