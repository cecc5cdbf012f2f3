import type { PolicyExplanationView } from "../../api/policy-explanation.ts";
import type { PolicyOwner } from "../../keys/enforce.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { de } from "../messages.de.ts";
import { en } from "../messages.en.ts";
import { shown } from "../parts.ts";
import { refusalMessage } from "./explanation.ts";

type Rule = PolicyExplanationView["rules"][number];
type Outcome = Rule["outcome"];

const OUTCOMES: readonly Outcome[] = ["allow", "ask"];

/**
 * Renders a rule with its danger, and its controls. The page's script shows the button of a rule that it can change.
 */
function ruleRow({ rule, sentence, outcome, level }: Rule, index: number, language: Language): Html {
  const { policyRules: messages, intent: { levels } } = messagesIn(language, { en, de });
  const warning = level !== null && html`<strong>${levels[level]}: </strong>`;
  const id = `rule-${index}`;
  return html`
    <li class="row" data-rule="${rule}">
      <div class="row-main">
        <p id="${id}" class="${level === "red" ? "notice danger" : ""}">${warning}${shown(sentence)}</p>
      </div>
      <p class="row-actions">
        ${rule !== "/otherwise" && html`
          <select id="${id}-outcome" class="rule-outcome" autocomplete="off"
            aria-label="${messages.outcome}" aria-describedby="${id}">
            ${OUTCOMES.map((one) =>
              html`<option value="${one}" ${one === outcome && html`selected`}>${
                messages.outcomes[one]
              }</option>`
            )}
          </select>
        `}
        <button id="${id}-change" class="button small" type="button" data-rule-act="change"
          aria-describedby="${id}" aria-haspopup="dialog" hidden>${messages.change}</button>
        <button id="${id}-remove" class="button small" type="button" data-rule-act="remove"
          aria-describedby="${id}">${messages.remove}</button>
      </p>
    </li>
  `;
}

/** Returns the sentence of the rule that a pointer leads into. */
function sentenceAt(rules: readonly Rule[], pointer: string | null): string | undefined {
  return rules.find(({ rule }) => pointer === rule || pointer?.startsWith(`${rule}/`))?.sentence;
}

/** Renders the decision on a request, with the rule that decided or is nearest. `of` is the owner of the draft. */
function decisionPart(
  { rules, decision, refusal }: PolicyExplanationView,
  of: PolicyOwner,
  language: Language,
): Html | undefined {
  if (decision === null) return undefined;
  const { outcome, policy, rule, value, reason } = decision;
  const messages = messagesIn(language, { en, de }).policyRules;
  const sentence = policy === of ? sentenceAt(rules, rule) : undefined;
  const isRefused = outcome === "deny" || refusal !== null;
  return html`
    <div class="stack ${isRefused ? "notice danger" : "notice"}">
      <p><strong>${messages.decisions[outcome]}</strong> ${shown(reason)}.</p>
      ${policy !== of && html`<p>${messages.keysOwn}</p>`}
      ${sentence !== undefined && html`<p>${messages.byRule[outcome]} ${shown(sentence)}</p>`}
      ${rule !== null && html`<p class="fine">${messages.at} <code>${shown(rule)}</code></p>`}
      ${value !== null && html`<p class="fine">${messages.value} <code>${shown(value)}</code></p>`}
      ${refusal !== null && html`<p>${messages.keyRefuses} ${shown(refusalMessage(refusal, language))}.</p>`}
    </div>
  `;
}

/**
 * Renders the parts of a page, by element id, that show a policy while it is written. The page's script inserts them.
 * `of` is the owner of the policy.
 */
export function policyExplanationSection(
  explanation: PolicyExplanationView,
  of: PolicyOwner,
  language: Language,
): Html {
  const { policy, rules, limits } = explanation;
  return html`
    <div id="policy-rules" data-policy="${JSON.stringify(policy)}">
      ${rules.length > 0 &&
        html`<ul class="rows">${rules.map((rule, index) => ruleRow(rule, index, language))}</ul>`}
      ${limits.length > 0 &&
        html`<ul class="plain-list hint">${limits.map((limit) => html`<li>${shown(limit)}</li>`)}</ul>`}
    </div>
    <div id="policy-decision">${decisionPart(explanation, of, language)}</div>
  `;
}
