import { listPayableChains } from "../../api/payable-assets.ts";
import type { PolicyOwner } from "../../keys/enforce.ts";
import { type Html, html, type HtmlValue } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { de } from "../messages.de.ts";
import { en } from "../messages.en.ts";
import { alertRegion, statusRegion } from "../parts.ts";

type BuilderMessages = typeof en.policyBuilder;

/** The kinds of rules that can be chosen, and the limit on signatures. */
const KINDS = ["payment", "signIn", "call", "text", "otherwise", "limit"] as const;

const BUDGET_WINDOWS = ["rollingDay", "perDay", "rollingHour", "rollingWeek", "total"] as const;

const SIGNATURE_WINDOWS = ["perMinute", ...BUDGET_WINDOWS] as const;

/** Renders a labelled control, with an optional hint. `control` gets the attribute that refers to the hint. */
function field(
  id: string,
  label: HtmlValue,
  { hint, control }: { readonly hint?: HtmlValue; readonly control: (described: HtmlValue) => Html },
): Html {
  const described = hint !== undefined && html`aria-describedby="${id}-hint"`;
  return html`
    <div class="field">
      <label for="${id}">${label}</label>
      ${control(described)}
      ${hint !== undefined && html`<p id="${id}-hint" class="hint">${hint}</p>`}
    </div>
  `;
}

/** Renders a line of text. `name` is its name in the form. */
function line(name: string, label: HtmlValue, hint?: HtmlValue, attributes: HtmlValue = ""): Html {
  const control = (described: HtmlValue): Html =>
    html`
      <input id="rule-${name}" name="${name}" type="text" autocomplete="off" spellcheck="false" ${described}
        ${attributes}>
    `;
  return field(`rule-${name}`, label, { ...(hint === undefined ? {} : { hint }), control });
}

function lines(name: string, label: HtmlValue, hint: HtmlValue, attributes: HtmlValue = ""): Html {
  const control = (described: HtmlValue): Html =>
    html`
      <textarea id="rule-${name}" name="${name}" class="mono short" rows="2" autocomplete="off"
        spellcheck="false" ${described} ${attributes}></textarea>
    `;
  return field(`rule-${name}`, label, { hint, control });
}

function picklist(
  name: string,
  label: HtmlValue,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  return field(`rule-${name}`, label, {
    control: () =>
      html`<select id="rule-${name}" name="${name}" autocomplete="off">${
        options.map(([value, text]) => html`<option value="${value}">${text}</option>`)
      }</select>`,
  });
}

function assetField(messages: BuilderMessages["payment"]): Html {
  return field("rule-asset", messages.asset, {
    control: () =>
      html`
        <select id="rule-asset" name="asset" autocomplete="off">
          ${listPayableChains().map(({ chainId, name, assets }) =>
            assets.map(({ asset, symbol, decimals }) =>
              html`
                <option value="${chainId}:${asset}" data-decimals="${decimals}"
                  data-name="${symbol.toLowerCase().replace(/[^a-z0-9]/g, "")}">${symbol} · ${name}</option>
              `
            )
          )}
          <option value="other">${messages.other}</option>
        </select>
      `,
  });
}

const REQUIRED = html`required`;
const CHAIN = html`inputmode="numeric" pattern="[1-9][0-9]*" list="known-chains" required`;
const DECIMAL = html`inputmode="decimal"`;

function paymentPart(messages: BuilderMessages): Html {
  const { payment, windows } = messages;
  return html`
    ${assetField(payment)}
    <fieldset id="rule-other" class="stack" hidden disabled>
      ${line("chain", messages.chain, undefined, CHAIN)}
      ${line("address", payment.address, payment.unknown, html`pattern="0x[0-9a-fA-F]{40}|native" required`)}
    </fieldset>
    ${picklist("shape", payment.form, [["any", payment.forms.any], ["transfer", payment.forms.transfer]])}
    ${lines("to", payment.to, payment.toHint)}
    ${line("each", payment.each, payment.eachHint, DECIMAL)}
    ${line("most", payment.most, payment.mostHint, DECIMAL)}
    ${picklist("window", payment.window, BUDGET_WINDOWS.map((name) => [name, windows[name]]))}
    <p id="rule-units" class="hint" role="status"></p>
  `;
}

function callPart({ call, ...messages }: BuilderMessages): Html {
  return html`
    ${lines("abi", call.abi, call.abiHint, REQUIRED)}
    ${picklist("called", call.called, [])}
    ${line("callChain", messages.chain, undefined, CHAIN)}
    ${lines("contracts", call.contracts, call.contractsHint, REQUIRED)}
    <div id="rule-arguments" class="stack"></div>
    ${line("callValue", call.value, undefined, html`inputmode="decimal" required`)}
  `;
}

/** Renders the fields of some kinds of rules. */
function part(kinds: readonly (typeof KINDS)[number][], content: Html): Html {
  return html`<fieldset class="stack" data-kind="${kinds.join(" ")}">${content}</fieldset>`;
}

function feeField(messages: BuilderMessages): Html {
  return line("fee", messages.fee, messages.feeHint, html`inputmode="decimal" required`);
}

/** Renders the form that adds and changes a rule. A script loads it at its first use, because it lists all tokens. */
export function ruleDialog(language: Language): Html {
  const messages = messagesIn(language, { en, de }).policyBuilder;
  const { kinds, windows, signIn, limit, outcomes } = messages;
  return html`
    <dialog id="rule-dialog" aria-labelledby="rule-title">
      <form id="rule-form" class="stack">
        <h2 id="rule-title">${messages.rule}</h2>
        ${picklist("kind", messages.kind, KINDS.map((kind) => [kind, kinds[kind]]))}
        ${part(["payment"], paymentPart(messages))}
        ${part(
          ["signIn"],
          html`
            ${lines("sites", signIn.sites, signIn.sitesHint, REQUIRED)}
            ${line("chains", signIn.chains, signIn.chainsHint)}
            <label class="choice"><input type="checkbox" name="resources"> <span>${signIn
              .resources}</span></label>
          `,
        )}
        ${part(["call"], callPart(messages))}
        ${part(["payment", "call"], feeField(messages))}
        ${part(["text"], html`<p class="hint">${messages.textMeans}</p>`)}
        ${part(["otherwise"], html`<p class="hint">${messages.otherwiseMeans}</p>`)}
        ${part(
          ["limit"],
          html`
            ${line(
              "count",
              limit.count,
              limit.countHint,
              html`inputmode="numeric" pattern="[1-9][0-9]{0,14}"`,
            )}
            ${picklist("limitWindow", limit.window, SIGNATURE_WINDOWS.map((name) => [name, windows[name]]))}
          `,
        )}
        ${part(
          ["payment", "signIn", "call", "text"],
          picklist("outcome", messages.outcome, [["allow", outcomes.allow], ["ask", outcomes.ask]]),
        )}
        <p class="actions">
          <button class="button primary" type="submit">${messages.save}</button>
          <button id="rule-cancel" class="button" type="button">${messages.cancel}</button>
        </p>
      </form>
      <datalist id="known-chains">${listPayableChains().map(({ chainId, name }) =>
        html`<option value="${chainId}">${name}</option>`
      )}</datalist>
    </dialog>
  `;
}

/**
 * Renders the rules of the policy that a field of JSON has, for a script to fill. The field stays what the form sends.
 * `of` is the owner of the policy.
 */
export function policyBuilder(of: PolicyOwner, language: Language): Html {
  const messages = messagesIn(language, { en, de }).policyBuilder;
  return html`
    <div id="policy-builder" class="stack" data-of="${of}" hidden>
      <p class="label">${messages.rules}</p>
      ${of === "token" && html`<p id="policy-none" class="hint">${messages.none}</p>`}
      <div id="policy-rules" class="stack"></div>
      ${alertRegion("policy-rules-alert")} ${statusRegion("policy-rules-status")}
      <p><button id="rule-add" class="button" type="button" aria-haspopup="dialog">${messages
        .add}</button></p>
      <details class="stack">
        <summary>${messages.tryIt}</summary>
        <div class="field">
          <label for="policy-request">${messages.request}</label>
          <textarea id="policy-request" class="mono short" rows="4" spellcheck="false" autocomplete="off"
            aria-describedby="policy-request-hint"></textarea>
          <p id="policy-request-hint" class="hint">${messages.requestHint}</p>
        </div>
        <p><button id="policy-try" class="button" type="button">${messages.decide}</button></p>
        ${alertRegion("policy-try-alert")}
        <div id="policy-decision" role="status"></div>
      </details>
    </div>
  `;
}
