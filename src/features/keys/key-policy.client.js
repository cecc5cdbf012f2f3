// @ts-check
import { removeKeyPolicy, setKeyPolicy } from "./keys-api.client.js";
import { getElement, onSubmit, submitButton, whileBusy } from "../../ui/browser/dom.client.js";
import { clearAlert, showFailure } from "../../ui/browser/failure.client.js";
import { enablePolicyBuilder } from "../../ui/browser/policy-builder.client.js";
import { withFreshSession } from "../../ui/browser/step-up.client.js";

/**
 * Returns true if a document locks a policy that is not locked yet. Returns false for invalid JSON, which the service
 * refuses.
 * @param {string} text
 * @param {boolean} isLocked
 * @returns {boolean}
 */
export function locks(text, isLocked) {
  if (isLocked) return false;
  try {
    return JSON.parse(text)?.locked === true;
  } catch {
    return false;
  }
}

/** @returns {Promise<boolean>} true if the user confirms the lock, which is irreversible */
function confirmLock() {
  const dialog = getElement("lock-dialog", HTMLDialogElement);
  const form = getElement("lock-form", HTMLFormElement);
  const cancel = getElement("lock-cancel", HTMLButtonElement);
  return new Promise((resolve) => {
    let isWanted = false;
    form.onsubmit = (event) => {
      event.preventDefault();
      isWanted = true;
      dialog.close();
    };
    cancel.onclick = () => dialog.close();
    dialog.onclose = () => resolve(isWanted);
    dialog.showModal();
  });
}

/** @param {string} keyId */
export function enablePolicy(keyId) {
  const form = getElement("policy-form", HTMLFormElement);
  const text = getElement("policy-json", HTMLTextAreaElement);
  const template = getElement("policy-template", HTMLSelectElement);
  const alertBox = getElement("policy-alert", HTMLElement);
  const status = getElement("policy-status", HTMLElement);
  const present = text.defaultValue;
  const builder = enablePolicyBuilder(text, { formIds: [form.id], keyId: () => keyId });
  template.addEventListener("change", () => {
    text.value = template.value === "" ? present : template.value;
    builder.show();
  });

  /** @param {() => Promise<unknown>} act */
  async function carryOut(act) {
    clearAlert(alertBox);
    await withFreshSession(`change_policy:${keyId}`, (message) => status.textContent = message, act);
    location.reload();
  }

  /** @param {unknown} error */
  const failed = (error) => showFailure(alertBox, error);

  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      // Read now: the user may edit the text while the browser asks for the passkey.
      const policy = text.value;
      if (locks(policy, form.dataset["locked"] === "yes") && !await confirmLock()) return;
      await carryOut(() => setKeyPolicy(keyId, policy));
    }, failed));
  const remove = document.getElementById("policy-remove");
  if (remove instanceof HTMLButtonElement) {
    remove.addEventListener(
      "click",
      () => whileBusy(remove, () => carryOut(() => removeKeyPolicy(keyId)), failed),
    );
  }
}
