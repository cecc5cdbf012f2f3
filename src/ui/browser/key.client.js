// @ts-check
import { ApiError, archiveKey, authenticate, changeKey, getRequestOptions } from "./api.client.js";
import { enableAttestation } from "./attestation.client.js";
import {
  enableCopying,
  getElement,
  newElement,
  onSubmit,
  submitButton,
  unlock,
  whileBusy,
} from "./dom.client.js";
import { clearAlert, showAlert, showFailure } from "./failure.client.js";
import { usePasskey } from "./passkey.client.js";
import { readableNodes } from "./readable-nodes.client.js";
import { enableSigning } from "./sign.client.js";

const { keyId = "", address = "" } = getElement("key", HTMLElement).dataset;
const settingsAlert = getElement("settings-alert", HTMLElement);
const settingsStatus = getElement("settings-status", HTMLElement);

/**
 * Offers to confirm with the passkey what needs a fresh sign-in, and then tries again.
 * @param {HTMLFormElement} form
 */
function offerConfirmation(form) {
  const button = newElement("button", "button", "Confirm with your passkey");
  button.type = "button";
  button.addEventListener("click", () =>
    void whileBusy(button, async () => {
      const response = await usePasskey(await getRequestOptions(), new AbortController().signal, "optional");
      await authenticate(response);
      form.requestSubmit();
    }, (error) => showFailure(settingsAlert, error)));
  showAlert(settingsAlert, "This needs a sign-in of the last ten minutes.", button);
  button.focus();
}

/**
 * Saves one setting when its form is submitted.
 * @param {string} formId
 * @param {() => { readonly label?: string, readonly blindSigning?: string }} read
 * @param {(key: import("./api.client.js").Key) => string} done what to do and say afterwards
 */
function enableSetting(formId, read, done) {
  const form = getElement(formId, HTMLFormElement);
  /** @param {unknown} error */
  const fail = (error) => {
    const isStale = error instanceof ApiError && error.problem.code === "fresh_session_required";
    if (isStale) offerConfirmation(form);
    else showFailure(settingsAlert, error);
  };
  onSubmit(form, () =>
    whileBusy(submitButton(form), async () => {
      clearAlert(settingsAlert);
      settingsStatus.textContent = "";
      const { key } = await changeKey(keyId, read());
      settingsStatus.textContent = done(key);
    }, fail));
}

/** @param {string} label */
function showLabel(label) {
  const shown = getElement("key-label", HTMLElement);
  shown.replaceChildren(...readableNodes(label));
  document.title = `${shown.textContent} · Holdfast`;
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
if (document.getElementById("sign-form") !== null) enableSigning(keyId, address);
unlock();
