// @ts-check
import { post } from "../../ui/browser/api.client.js";
import { getElement, onSubmit, unlock, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { messagesOf } from "../../ui/browser/messages.client.js";
import { enableOwnPolicy } from "./own-policy.client.js";
import { confirmWithPasskey } from "../../ui/browser/passkey.client.js";

/** @param {string} message */
function show(message) {
  getElement("device-status", HTMLElement).textContent = message;
}

/**
 * Returns the user's choice of keys, rules and length, as the API reads it.
 * @param {HTMLFormElement} form
 */
function choiceIn(form) {
  const data = new FormData(form);
  /** @param {string} prefix @returns {(readonly [string, FormDataEntryValue])[]} */
  const named = (prefix) =>
    [...data].filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [
      name.slice(prefix.length),
      value,
    ]);
  const template = data.get("template") ?? undefined;
  return {
    keys: named("key:").map(([id]) => id),
    rules: named("rule:").map(([id]) => id),
    end: data.get("end") ?? undefined,
    template,
    values: Object.fromEntries(named(`value:${template}:`)),
    policy: template === "own" ? data.get("policy") : undefined,
    otherwise: data.get("otherwise") ?? undefined,
    replace: data.has("replace"),
    danger: data.has("danger"),
  };
}

/**
 * Runs a decision while its button is busy, and shows the outcome in place of the form.
 * @param {HTMLButtonElement} button
 * @param {() => Promise<string>} decide returns the sentence of the outcome
 */
function decideBy(button, decide) {
  const alertBox = getElement("device-alert", HTMLElement);
  return whileBusy(button, async () => {
    clearAlert(alertBox);
    const outcome = await decide();
    getElement("device-decision", HTMLElement).remove();
    show(outcome);
    getElement("device-status", HTMLElement).focus();
  }, (error) => {
    show("");
    showFailure(alertBox, error);
  });
}

function enable() {
  const decision = document.getElementById("device-decision");
  if (decision === null) return;
  const userCode = decision.dataset["userCode"] ?? "";
  const form = getElement("device-approval", HTMLFormElement);
  const messages = messagesOf("device");
  const approve = form.querySelector("button[type=submit]");
  if (approve instanceof HTMLButtonElement) {
    onSubmit(form, () =>
      decideBy(approve, async () => {
        const choice = choiceIn(form);
        const options = await post("/api/auth/device/approval/options", { userCode });
        show(messages.confirm);
        const response = await confirmWithPasskey(options);
        await post("/api/auth/device/approval", { userCode, response, ...choice });
        return messages.approved;
      }));
  }
  const deny = getElement("device-denial", HTMLButtonElement);
  deny.addEventListener("click", () =>
    decideBy(deny, async () => {
      await post("/api/auth/device/denial", { userCode });
      return messages.denied;
    }));
}

enable();
enableOwnPolicy();
unlock();
