// @ts-check
import { fetchDocument } from "./document.client.js";
import { getElement, newElement, whileBusy } from "./dom.client.js";
import { clearAlert, showFailure } from "./failure.client.js";
import { parseJson } from "./json-source.client.js";
import { messagesOf } from "./messages.client.js";
import { readChoice } from "./policy-choices.client.js";
import { addRule, removeRule, replaceRule, setOutcome, setSignatureLimit } from "./policy-edit.client.js";
import { enableRuleDialog, openRuleDialog } from "./rule-dialog.client.js";

/**
 * @typedef {import("./policy-edit.client.js").Json} Json
 * @typedef {import("./policy-edit.client.js").Choice} Choice
 * @typedef {import("./rule-dialog.client.js").LimitChoice} LimitChoice
 */

/** The time after the last key before an edited policy is read, in milliseconds. */
const PAUSE = 400;

/** Unsigned bytes of a transaction: a known type or a list (RLP), and too long for a hash. */
const UNSIGNED = /^0x(?:0[1-4]|[c-f][0-9a-f])(?:[0-9a-f]{2}){33,}$/i;

/**
 * The bodies of the requests that applications send to wallets (EIP-1193), by method.
 * @type {Readonly<Record<string, (params: readonly any[]) => unknown>>}
 */
const WALLET_REQUESTS = {
  personal_sign: ([message]) => /^0x/.test(message) ? { message, encoding: "hex" } : { message },
  eth_signTypedData_v4: ([, document]) => typeof document === "string" ? JSON.parse(document) : document,
  eth_signTransaction: ([{ from: _, ...transaction }]) => transaction,
  eth_sendTransaction: ([{ from: _, ...transaction }]) => transaction,
};

/**
 * Returns the content of a wallet's request. Undefined for another method, or parameters that are none of its own.
 * @param {{ readonly method?: any, readonly params?: unknown }} request
 */
function contentOf({ method, params }) {
  if (!Array.isArray(params) || !Object.hasOwn(WALLET_REQUESTS, method)) return undefined;
  try {
    return WALLET_REQUESTS[method]?.(params);
  } catch {
    return undefined;
  }
}

/**
 * Returns the body of a signing operation for a pasted text: JSON as it is, the content of a wallet's request, unsigned
 * bytes of a transaction, or else a text to sign.
 * @param {string} written
 */
export function requestOf(written) {
  const value = parseJson(written);
  if (typeof value === "object" && value !== null) {
    const content = contentOf(value);
    // The service refuses a request that cannot be read.
    return content === undefined ? written : JSON.stringify(content);
  }
  const text = written.trim();
  return JSON.stringify(UNSIGNED.test(text) ? { unsigned: text } : { message: written });
}

/**
 * Shows the rules of a policy beside its JSON, and writes into the JSON what the user chooses. The service words and
 * checks the rules. A rule that the choices cannot express stays as it is written.
 * @param {HTMLTextAreaElement} text of the policy, empty for none
 * @param {{ readonly formIds?: readonly string[], readonly keyId: () => string | undefined }} page the forms to keep if
 * the session has ended, and the key that would sign
 */
export function enablePolicyBuilder(text, { formIds = [], keyId }) {
  const builder = getElement("policy-builder", HTMLElement);
  const rules = getElement("policy-rules", HTMLElement);
  const none = document.getElementById("policy-none");
  const alertBox = getElement("policy-rules-alert", HTMLElement);
  const status = getElement("policy-rules-status", HTMLElement);
  const request = getElement("policy-request", HTMLTextAreaElement);
  const tryButton = getElement("policy-try", HTMLButtonElement);
  const tryAlert = getElement("policy-try-alert", HTMLElement);
  const decision = getElement("policy-decision", HTMLElement);
  /**
   * The policy as written and in normal form. Undefined while the text is none.
   * @type {{ readonly written: Json, readonly normal: Json } | undefined}
   */
  let current;
  let turn = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** The rule that the form changes, undefined for a new one. @type {string | undefined} */
  let changed;

  /** @param {string} [request] the body of a signing operation, as JSON text */
  async function explain(request) {
    const { lang } = document.documentElement;
    // The policy is sent as it is written: parsing would hide a repeated member.
    const members = [
      `"of":${JSON.stringify(builder.dataset["of"])}`,
      `"policy":${text.value}`,
      ...(keyId() === undefined ? [] : [`"keyId":${JSON.stringify(keyId())}`]),
      ...(request === undefined ? [] : [`"request":${request}`]),
    ];
    return await fetchDocument("POST", `/api/policies/explain?language=${lang}`, `{${members.join(",")}}`);
  }

  /** @param {Document} answer */
  function showRules(answer) {
    const part = answer.getElementById("policy-rules");
    const normal = JSON.parse(part?.dataset["policy"] ?? "");
    current = { written: JSON.parse(text.value), normal };
    const focused = document.activeElement?.id ?? "";
    rules.replaceChildren(...part?.childNodes ?? []);
    for (const row of rules.querySelectorAll("[data-rule]")) {
      const button = row.querySelector("[data-rule-act=change]");
      if (!(row instanceof HTMLElement) || !(button instanceof HTMLButtonElement)) continue;
      button.hidden = readChoice(normal, row.dataset["rule"] ?? "") === undefined;
    }
    rules.inert = false;
    if (focused !== "" && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
  }

  /** Reads the text again. A later reading takes the place of an earlier one. */
  async function show() {
    const own = ++turn;
    clearTimeout(timer);
    rules.inert = true;
    const isEmpty = text.value.trim() === "";
    if (none !== null) none.hidden = !isEmpty;
    if (isEmpty) {
      clearAlert(alertBox);
      current = { written: { version: 1 }, normal: {} };
      rules.replaceChildren();
      rules.inert = false;
      return;
    }
    try {
      const answer = await explain();
      if (own !== turn) return;
      clearAlert(alertBox);
      showRules(answer);
    } catch (error) {
      if (own !== turn) return;
      current = undefined;
      rules.replaceChildren();
      showFailure(alertBox, error, formIds);
    }
  }

  /** @param {(policy: Json) => Json} edit */
  async function change(edit) {
    if (current === undefined) return;
    decision.replaceChildren();
    text.value = JSON.stringify(edit(current.written), null, 2);
    text.dispatchEvent(new Event("change", { bubbles: true }));
    await show();
    status.textContent = messagesOf("policy-builder").changed;
  }

  /** @param {Element} element @returns {string} the pointer of the row's rule */
  function ruleOf(element) {
    const row = element.closest("[data-rule]");
    return row instanceof HTMLElement ? row.dataset["rule"] ?? "" : "";
  }

  rules.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    const outcome = target.value === "ask" ? "ask" : "allow";
    change((policy) => setOutcome(policy, ruleOf(target), outcome));
  });
  /**
   * Opens the form, which is loaded at its first use, for a new rule or to change one.
   * @param {HTMLButtonElement} button
   * @param {string} [rule]
   */
  function openForm(button, rule) {
    return whileBusy(button, async () => {
      if (rules.inert) await show();
      if (current === undefined) return alertBox.focus();
      if (document.getElementById("rule-dialog") === null) {
        const form = await fetchDocument("GET", "/policies/rule");
        getElement("main", HTMLElement).append(...form.body.childNodes);
        enableRuleDialog(save);
      }
      changed = rule;
      openRuleDialog(rule === undefined ? undefined : readChoice(current.normal, rule));
    }, (error) => showFailure(alertBox, error, formIds));
  }

  /** @param {Choice | LimitChoice} choice */
  function save(choice) {
    const former = changed;
    change((policy) => {
      if (choice.kind === "limit") return setSignatureLimit(policy, choice.window, choice.most);
      const isListed = choice.kind !== "text" && choice.kind !== "otherwise";
      if (former !== undefined && isListed) return replaceRule(policy, former, choice);
      return addRule(former === undefined ? policy : removeRule(policy, former), choice);
    });
  }

  rules.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest("button") : null;
    if (button === null) return;
    const rule = ruleOf(button);
    if (button.dataset["ruleAct"] === "remove") {
      getElement("rule-add", HTMLButtonElement).focus();
      return void change((policy) => removeRule(policy, rule));
    }
    openForm(button, rule);
  });
  const addButton = getElement("rule-add", HTMLButtonElement);
  addButton.addEventListener("click", () => openForm(addButton));
  text.addEventListener("input", () => {
    clearTimeout(timer);
    // Its rules may stand elsewhere now, also those of an answer that is still to come.
    turn++;
    rules.inert = true;
    timer = setTimeout(show, PAUSE);
  });
  tryButton.addEventListener("click", () =>
    whileBusy(tryButton, async () => {
      clearAlert(tryAlert);
      if (none !== null && text.value.trim() === "") {
        return decision.replaceChildren(newElement("p", "notice", none.textContent ?? ""));
      }
      const answer = await explain(requestOf(request.value));
      decision.replaceChildren(...answer.getElementById("policy-decision")?.childNodes ?? []);
    }, (error) => {
      decision.replaceChildren();
      showFailure(tryAlert, error, formIds);
    }));
  builder.hidden = false;
  show();
  return { show };
}
