// @ts-check
import { archiveKey, changeKey } from "./api.client.js";
import { enableAttestation } from "./attestation.client.js";
import { enableCopying, getElement, onSubmit, submitButton, unlock, whileBusy } from "./dom.client.js";
import { clearAlert, showFailure } from "./failure.client.js";
import { enableSigning } from "./sign.client.js";

const keyId = getElement("key", HTMLElement).dataset["keyId"] ?? "";
const settingsAlert = getElement("settings-alert", HTMLElement);
const settingsStatus = getElement("settings-status", HTMLElement);

/**
 * Saves one setting when its form is submitted.
 * @param {string} formId
 * @param {() => { readonly label?: string, readonly blindSigning?: string }} read
 * @param {(key: import("./api.client.js").Key) => string} done what to do and say afterwards
 */
function enableSetting(formId, read, done) {
  const form = getElement(formId, HTMLFormElement);
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(settingsAlert);
      settingsStatus.textContent = "";
      const { key } = await changeKey(keyId, read());
      settingsStatus.textContent = done(key);
    }, (error) => showFailure(settingsAlert, error)));
}

/** @param {string} label */
function showLabel(label) {
  getElement("key-label", HTMLElement).textContent = label;
  document.title = `${label} · Holdfast`;
}

function enableArchiving() {
  const dialog = getElement("archive-dialog", HTMLDialogElement);
  const form = getElement("archive-form", HTMLFormElement);
  const alertBox = getElement("archive-alert", HTMLElement);
  const action = form.dataset["action"] === "unarchive" ? "unarchive" : "archive";
  getElement("archive-button", HTMLButtonElement).addEventListener("click", () => {
    clearAlert(alertBox);
    dialog.showModal();
  });
  getElement("archive-cancel", HTMLButtonElement).addEventListener("click", () => dialog.close());
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      await archiveKey(keyId, action);
      location.reload();
    }, (error) => showFailure(alertBox, error)));
}

enableCopying();
enableSetting("label-form", () => ({ label: getElement("label", HTMLInputElement).value }), (key) => {
  showLabel(key.label);
  return "Label saved.";
});
enableSetting(
  "blind-signing-form",
  () => ({ blindSigning: getElement("blind-signing", HTMLSelectElement).value }),
  () => "Blind signing saved.",
);
enableArchiving();
enableAttestation(keyId);
if (document.getElementById("sign-form") !== null) enableSigning(keyId);
unlock();
